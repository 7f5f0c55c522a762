// SPDX-License-Identifier: Apache-2.0
// A correct device and a deliberately wrong reference: since both sides are known, so is the
// smallest case. The software device runs fp32 additions.
#include "suites/core/shrink/shrink.hpp"

#include <gtest/gtest.h>

#include "suites/core/case/errors.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;

constexpr Bits kThree = 0x40400000;
constexpr std::size_t kLeastCount = 5;

const Axis kAxes[] = {
    {.name = "provider", .help = "", .words = {"portable"}, .letters = {}},
    {.name = "mode", .help = "", .words = {"plain", "odd"}, .letters = {}, .simplest = "plain"},
    {.name = "size", .help = "", .words = {}, .letters = "nq"},
};

const ContractRow kRow{.id = "demo.add", .tier = Tier::kExact, .promise = "sums", .source = "test"};

// Off by one ULP wherever a is three; right for every machine but the default one. Threes are rare
// in a, but occur from element 4 on: no case with fewer elements contains one.
class Demo : public AdditionProblem {
 public:
  using AdditionProblem::AdditionProblem;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }
  std::size_t count() const override {
    const std::size_t n = AdditionProblem::count();
    if (n == 3) throw UsageError("a suite may refuse a shape");
    return n;
  }
  TensorSet inputs() const override {
    TensorSet inputs = AdditionProblem::inputs();
    formats::Tensor& a = inputs.at("a");
    for (std::size_t i = kLeastCount - 1; i < a.count(); i += 64) a.set(i, kThree);
    return inputs;
  }
  Expectation expect(const TensorSet& in, const models::Machine& machine) const override {
    Expectation sums = AdditionProblem::expect(in, machine);
    formats::Tensor& d = sums.middle.at("d");
    for (std::size_t i = 0; i < d.count() && machine == models::Machine{}; ++i) {
      if (in.at("a").at(i) == kThree) d.set(i, d.at(i) + 1);
    }
    return sums;
  }
};

TensorSet refer(const Case& c, const TensorSet& in, const models::Machine& machine) {
  return Demo(c).expect(in, machine).middle;
}

Suite demo() { return demo_suite<Demo>(kAxes); }

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

Case named(const char* name) { return parse_case("demo", kAxes, name); }

TEST(Shrink, FindsTheSmallestCaseAndItsOneOperand) {
  const Case c = named("demo.portable.odd.n1000q9.s1");
  const CaseResult failed = run_case(session(), demo(), c);
  ASSERT_EQ(Verdict::kFail, failed.verdict) << failed.reason;
  const auto reduced = shrink(session(), demo(), c, failure_of(failed), {});
  ASSERT_TRUE(reduced);
  EXPECT_EQ("demo.portable.plain.n5q1.s1", reduced->case_name);
  ASSERT_EQ(2u, reduced->tensors.size());
  EXPECT_EQ("a", reduced->tensors[0].name);
  EXPECT_EQ(std::vector<std::uint64_t>{4}, reduced->tensors[0].indices);
  EXPECT_EQ(std::vector<std::string>{"40400000"}, reduced->tensors[0].hex);
  EXPECT_TRUE(reduced->tensors[1].indices.empty());
  ASSERT_EQ(1u, reduced->wrong.size());
  EXPECT_EQ("40400001", reduced->wrong[0].expected_hex);
  EXPECT_EQ("40400000", reduced->wrong[0].actual_hex);
  EXPECT_EQ("nothing smaller was found", reduced->end);
}

TEST(Shrink, ItsCaseFailsByItselfAndWithItsOperands) {
  const Case c = named("demo.portable.odd.n1000q9.s1");
  const auto reduced = shrink(session(), demo(), c, {"unexplained", ""}, {});
  ASSERT_TRUE(reduced);
  EXPECT_EQ(Verdict::kFail, run_case(session(), demo(), named(reduced->case_name.c_str())).verdict);
  const TensorSet operands = operands_of(*reduced);
  EXPECT_EQ(kThree, operands.at("a").at(4));
  EXPECT_EQ(5u, operands.at("b").count());
}

TEST(Shrink, IsTheSameEveryTime) {
  const Case c = named("demo.portable.odd.n700q3.s5");
  const auto once = shrink(session(), demo(), c, {"unexplained", ""}, {});
  const auto again = shrink(session(), demo(), c, {"unexplained", ""}, {});
  ASSERT_TRUE(once && again);
  EXPECT_EQ(to_json(*once), to_json(*again));
  EXPECT_EQ(to_json(*once), to_json(reduction_from_json(to_json(*once))));
}

TEST(Shrink, KeepsToItsBudget) {
  const Case c = named("demo.portable.odd.n1000q9.s1");
  const auto reduced = shrink(session(), demo(), c, {"unexplained", ""}, {.trials = 4});
  ASSERT_TRUE(reduced);
  EXPECT_EQ(4u, reduced->trials);
  EXPECT_EQ("the budget of trials is spent", reduced->end);
  EXPECT_NE(reduced->case_name, print(c)) << "what was reached counts";
  const auto at_once =
      shrink(session(), demo(), c, {"unexplained", ""}, {.time = std::chrono::milliseconds(0)});
  ASSERT_TRUE(at_once);
  EXPECT_EQ("the time is spent", at_once->end);
}

TEST(Shrink, AnotherFailureIsNotTheSame) {
  const Case c = named("demo.portable.odd.n1000q9.s1");
  EXPECT_FALSE(shrink(session(), demo(), c, {"rounding", "add-rounds-up"}, {}))
      << "the hypothesis reproduces nothing here";
  EXPECT_FALSE(shrink(session(), demo(), c, {"unexplained", "no-such-hypothesis"}, {}))
      << "a hypothesis that is not there explains nothing";
  EXPECT_FALSE(shrink(session(), demo(), c, {"uninit", "", true}, {}));
  EXPECT_FALSE(
      shrink(session(), demo(), named("demo.portable.odd.n4q9.s1"), {"unexplained", ""}, {}))
      << "a case that passes";
}

constexpr Freedom kOpen[] = {{"profile", "nobody.promises"}};
constexpr Freedom kClosed[] = {{"profile", "fp32.subnormals"}};
constexpr ContractRow kFree{.id = "demo.free", .promise = "", .source = "", .freedoms = kOpen};
constexpr ContractRow kPromised{
    .id = "demo.promised", .promise = "", .source = "", .freedoms = kClosed};

// The first element is wrong in a way that an API leaves open; the threes are not.
class WrongInTwoWays : public Demo {
 public:
  using Demo::Demo;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kFree; }
  bool follows_machine() const override { return false; }
  Expectation expect(const TensorSet& in, const models::Machine&) const override {
    TensorSet out = refer(c(), in, models::Machine{});
    out.at("d").set(0, out.at("d").at(0) ^ 2U);
    return out;
  }
  std::vector<Hypothesis> mistakes() const override {
    models::Machine other;
    other.div.rounding = soft::Rounding::kUp;  // not an operation of the case
    return {
        {.name = "left-open",
         .finding_class = "ftz",
         .sentence = "",
         .evaluate = [](const Case& c, const TensorSet& in) { return refer(c, in, {}); },
         .freedoms = {"profile"}},
        {.name = "of-threes",
         .finding_class = "rounding",
         .sentence = "",
         .evaluate = [other](const Case& c, const TensorSet& in) { return refer(c, in, other); }}};
  }
};

class WithAnotherRow final : public WrongInTwoWays {
 public:
  using WrongInTwoWays::WrongInTwoWays;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }
};

class WithAPromise final : public WrongInTwoWays {
 public:
  using WrongInTwoWays::WrongInTwoWays;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kPromised; }
};

// The reduced case must contain a three. It need not if the row does not list the freedom, or if
// the device promises otherwise. (A profile's freedom is open for a device that says nothing
// about it.)
TEST(Shrink, WhatIsLeftOpenIsNotTheFailure) {
  Suite both = demo();
  both.bind = bind_as<WrongInTwoWays>;
  const Case c = named("demo.portable.odd.n1000q9.s1");
  const auto reduced = shrink(session(), both, c, {"rounding", "of-threes"}, {});
  ASSERT_TRUE(reduced);
  EXPECT_EQ("demo.portable.plain.n5q1.s1", reduced->case_name);
  const auto unexplained = shrink(session(), both, c, {"unexplained", ""}, {});
  ASSERT_TRUE(unexplained);
  EXPECT_EQ("demo.portable.plain.n5q1.s1", unexplained->case_name);
  const Case first_alone = named("demo.portable.odd.n4q9.s1");
  const auto open = shrink(session(), both, first_alone, {"ftz", "left-open"}, {});
  ASSERT_TRUE(open);
  EXPECT_EQ("demo.portable.plain.n1q1.s1", open->case_name);
  EXPECT_FALSE(shrink(session(), both, first_alone, {"ftz", ""}, {}));
  EXPECT_TRUE(shrink(session(), both, first_alone,
                     {.finding_class = "ftz", .hypothesis = "", .is_permitted = true}, {}))
      << "as of a deviation in a part";
  for (const bool promised : {false, true}) {
    both.bind = promised ? bind_as<WithAPromise> : bind_as<WithAnotherRow>;
    const auto bound = shrink(session(), both, c, {"rounding", "of-threes"}, {});
    ASSERT_TRUE(bound);
    EXPECT_EQ("demo.portable.plain.n1q1.s1", bound->case_name) << promised;
  }
}

TEST(Shrink, PartsBehindDigestsAreThoseOfTheVerdict) {
  using Places = std::vector<std::size_t>;
  EXPECT_EQ(Places{}, parts_tried(0));
  EXPECT_EQ((Places{0, 1, 2}), parts_tried(3));
  const Places many = parts_tried(65536);
  EXPECT_EQ(16u, many.size());
  EXPECT_EQ(0u, many.front());
  EXPECT_EQ(61440u, many.back()) << "not the first ones, in which the same is wrong";
}

// The worker that shrinks is another process than the one that knows the verdict.
TEST(Shrink, AFailureReachesTheWorkerWhole) {
  const Failure one{.finding_class = "ftz",
                    .hypothesis = "left-open",
                    .of_memory = true,
                    .of_relation = false,
                    .is_permitted = true};
  const Failure got = failure_from_json(to_json(one));
  EXPECT_EQ(one.finding_class, got.finding_class);
  EXPECT_EQ(one.hypothesis, got.hypothesis);
  EXPECT_TRUE(got.of_memory);
  EXPECT_FALSE(got.of_relation);
  EXPECT_TRUE(got.is_permitted);
  EXPECT_TRUE(
      failure_from_json(to_json({.finding_class = "", .hypothesis = "", .of_relation = true}))
          .of_relation);
}

TEST(Shrink, NamesWhatAFailureMustKeep) {
  CaseResult failed;
  failed.finding_class = "ftz";
  failed.mismatches = 3;
  EXPECT_TRUE(failure_of(failed).of_memory) << "no values were compared";
  failed.wrong.resize(1);
  failed.explanations = {{"near", "order", "", {}, 3, 1}, {"exact", "ftz", "", {}, 3, 0}};
  EXPECT_EQ("exact", failure_of(failed).hypothesis);
  EXPECT_FALSE(failure_of(failed).is_permitted);
  failed.standing = Standing::kDeviation;
  EXPECT_TRUE(failure_of(failed).is_permitted);
  failed.explanations.pop_back();
  EXPECT_EQ("", failure_of(failed).hypothesis);
  EXPECT_FALSE(failure_of(failed).of_memory);
}

}  // namespace
}  // namespace halfmark::suites
