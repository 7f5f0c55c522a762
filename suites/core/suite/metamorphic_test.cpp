// SPDX-License-Identifier: Apache-2.0
// Relations between two calls: derived exactly from the first call's operands or not at all, judged
// against the first call's actual results, reported and shrunk as relations. The software device
// adds fp32 numbers; each test chooses the relation that the suite claims.
#include "suites/core/suite/metamorphic.hpp"

#include <gtest/gtest.h>

#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::kFp32;

constexpr Bits kOne = 0x3f800000, kMinusOne = 0xbf800000, kTwo = 0x40000000;
constexpr Bits kZero = 0, kMinusZero = 0x80000000, kSmallest = 1, kNan = 0x7fc00000;

const Axis kAxes[] = {
    {.name = "provider", .help = "", .words = {"portable"}, .letters = {}},
    {.name = "size", .help = "", .words = {}, .letters = "n"},
};
const ContractRow kSums{.id = "demo.add", .tier = Tier::kExact, .promise = "sums", .source = "t"};
const ContractRow kPair{.id = "demo.pair", .tier = Tier::kExact, .promise = "pair", .source = "t"};

// The relation that the demo claims for its second call.
Relation claimed;
Bits wrong_by = 0;
std::uint32_t items_left_out = 0;

class Demo final : public AdditionProblem {
 public:
  using AdditionProblem::AdditionProblem;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kSums; }
  Plan plan(const backends::DeviceInfo& device) const override {
    Plan plan = AdditionProblem::plan(device);
    plan.launches[0].arguments.back() = static_cast<std::int32_t>(count() - items_left_out);
    return plan;
  }
  Expectation expect(const TensorSet& in, const models::Machine&) const override {
    Expectation sums = AdditionProblem::expect(in, {});
    formats::Tensor& d = sums.middle.at("d");
    for (std::size_t i = 0; i < d.count(); ++i) d.set(i, d.at(i) + wrong_by);
    return sums;
  }
  std::vector<Operand> operands(const TensorSet& in, std::string_view tensor,
                                std::size_t i) const override {
    EXPECT_EQ("d", tensor);
    return {{.label = "a", .format = &kFp32, .bits = in.at("a").at(i)}};
  }
  std::optional<Relation> relation() const override { return claimed; }
};

Suite demo() { return demo_suite<Demo>(kAxes); }

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

const Case kCase = parse_case("demo", kAxes, "demo.portable.n1000.s1");

class Relations : public testing::Test {
 protected:
  void SetUp() override {
    claimed = {.row = &kPair,
               .first = "-4 (a + b)",
               .second = "-4 a - 4 b",
               .operands = {{.tensor = "a", .exponent = 2, .negated = true},
                            {.tensor = "b", .exponent = 2, .negated = true}},
               .results = {{.tensor = "d", .exponent = 2, .negated = true}}};
    wrong_by = 0;
    items_left_out = 0;
  }
  static TensorSet of(std::vector<Bits> a, std::vector<Bits> b) {
    TensorSet set;
    set.emplace("a", formats::Tensor::from_bits(kFp32, a));
    set.emplace("b", formats::Tensor::from_bits(kFp32, b));
    return set;
  }
};

TEST_F(Relations, OperandsAreExactOrThereAreNone) {
  claimed.operands = {{.tensor = "a", .source = "b", .exponent = 1, .negated = true},
                      {.tensor = "b", .source = "a", .exponent = -1}};
  const auto all = operands_of_calls(Demo(kCase), of({kTwo, kZero}, {kOne, kMinusZero}));
  ASSERT_TRUE(all);
  EXPECT_EQ(4u, all->size());
  EXPECT_EQ((std::vector<Bits>{kTwo ^ kMinusZero, kZero}), all->at("a_related").to_bits());
  EXPECT_EQ((std::vector<Bits>{kOne, kZero}), all->at("b_related").to_bits());
  claimed.operands = {{.tensor = "a", .exponent = -1}};
  EXPECT_FALSE(operands_of_calls(Demo(kCase), of({kSmallest}, {kOne})));
  claimed.operands = {{.tensor = "a", .exponent = 1}};
  EXPECT_TRUE(operands_of_calls(Demo(kCase), of({kSmallest}, {kOne})));
  EXPECT_FALSE(operands_of_calls(Demo(kCase), of({0x7f7fffff}, {kOne}))) << "overflow";
}

TEST_F(Relations, TheSecondCallHasTensorsOfItsOwn) {
  const Plan both = plan_of_calls(Demo(kCase), {});
  ASSERT_EQ(6u, both.tensors.size());
  ASSERT_EQ(2u, both.launches.size());
  EXPECT_EQ("d_related", both.tensors[5].name);
  EXPECT_EQ("d", std::get<TensorRef>(both.launches[0].arguments[2]).name);
  EXPECT_EQ("d_related", std::get<TensorRef>(both.launches[1].arguments[2]).name);
  EXPECT_EQ("d", name_in_first("d_related"));
  EXPECT_EQ("d", name_in_first("d"));
}

TEST_F(Relations, NothingIsComputedWithoutTheFullProfile) {
  backends::DeviceInfo device;
  EXPECT_FALSE(plan_of_calls(Demo(kCase), device).needs);
  device.promises.push_back({"full_profile", false, "", ""});
  const Plan none = plan_of_calls(Demo(kCase), device);
  EXPECT_EQ("full_profile", none.needs);
  EXPECT_TRUE(none.launches.empty());
}

// Devices may be as small as one item in a group.
TEST_F(Relations, NothingIsLaunchedInGroupsThatTheDeviceLacks) {
  backends::DeviceInfo device;
  device.max_group_items = 64;
  EXPECT_FALSE(plan_of_calls(Demo(kCase), device).needs);
  device.max_group_items = 32;
  const Plan none = plan_of_calls(Demo(kCase), device);
  EXPECT_EQ("group.64_items", none.needs);
  EXPECT_TRUE(none.launches.empty());
}

TEST_F(Relations, BitsCountButForNanAndTheSignOfAZero) {
  const TensorSet expected = of({kOne, kZero, kNan}, {});
  const auto differing = [&](std::vector<Bits> a) {
    return compare_related(expected, of(std::move(a), {})).mismatches;
  };
  EXPECT_EQ(0u, differing({kOne, kMinusZero, kNan | 1}));
  EXPECT_EQ(1u, differing({kOne + 1, kZero, kNan}));
  EXPECT_EQ(1u, differing({kMinusOne, kZero, kNan}));
  EXPECT_EQ(2u, differing({kOne, kSmallest, kZero}));
}

TEST_F(Relations, OneThatHoldsIsWhatTheCaseStandsOn) {
  const CaseResult result = run_case(session(), demo(), kCase);
  EXPECT_EQ(Verdict::kPass, result.verdict) << result.reason;
  EXPECT_EQ("demo.pair", result.rule);
  EXPECT_EQ(2000u, result.elements);
}

TEST_F(Relations, ABrokenOneIsToldInItsOwnWordsAndMadeSmall) {
  claimed.results[0].exponent = 3;
  const CaseResult result = run_case(session(), demo(), kCase);
  ASSERT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ("formula", result.finding_class);
  EXPECT_EQ("demo.pair", result.rule);
  EXPECT_EQ("-4 a - 4 b differs from -4 (a + b) in 1000 of 1000 elements", result.reason);
  ASSERT_FALSE(result.wrong.empty());
  EXPECT_EQ("d_related", result.wrong[0].tensor);
  ASSERT_EQ(1u, result.wrong[0].operands.size());
  const auto reduced = shrink(session(), demo(), kCase, failure_of(result), {});
  ASSERT_TRUE(reduced);
  EXPECT_EQ("demo.portable.n1.s1", reduced->case_name);
  std::size_t operands = 0;
  for (const ReducedTensor& tensor : reduced->tensors) operands += tensor.hex.size();
  EXPECT_EQ(1u, operands) << "one operand that is not zero breaks it";
  ASSERT_EQ(1u, reduced->wrong.size());
  EXPECT_EQ("d_related", reduced->wrong[0].tensor);
}

TEST_F(Relations, AFirstCallThatIsWrongAloneIsToldByItsOwnRow) {
  wrong_by = 1;
  const CaseResult result = run_case(session(), demo(), kCase);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("demo.add", result.rule);
  EXPECT_EQ("d", result.wrong.at(0).tensor);
  const auto reduced = shrink(session(), demo(), kCase, failure_of(result), {});
  ASSERT_TRUE(reduced);
  EXPECT_EQ("d", reduced->wrong.at(0).tensor);
}

TEST_F(Relations, OneThatChangesNothingEarnsNothing) {
  claimed.operands.clear();
  claimed.results.clear();
  const CaseResult result = run_case(session(), demo(), kCase);
  EXPECT_EQ(Verdict::kUntrusted, result.verdict);
  EXPECT_EQ("both calls have the same operands", result.reason);
}

TEST_F(Relations, WhatIsUnwrittenIsToldOfBothCalls) {
  items_left_out = 8;
  const CaseResult result = run_case(session(), demo(), kCase);
  EXPECT_EQ("uninit", result.finding_class);
  ASSERT_EQ(2u, result.geometry.size());
  EXPECT_EQ("d_related", result.geometry[1].tensor);
  EXPECT_EQ(8u, result.geometry[1].wrong);
}

}  // namespace
}  // namespace halfmark::suites
