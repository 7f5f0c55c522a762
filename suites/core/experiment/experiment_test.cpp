// SPDX-License-Identifier: Apache-2.0
// A correct device, a deliberately wrong reference, and hypotheses that are right on some data
// only: which of them must stay is known. The software device runs fp32 additions.
#include "suites/core/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/experiment/questions.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;

const Axis kAxes[] = {
    {.name = "provider", .help = "", .words = {"portable"}, .letters = {}},
    {.name = "size", .help = "", .words = {}, .letters = "n"},
    {.name = "fill", .help = "", .words = {"uniform", "normal", "special"}, .letters = {}},
};
const ContractRow kRow{.id = "demo.add", .tier = Tier::kExact, .promise = "sums", .source = "test"};

/// A hypothesis of a test: where it gives the device's bits, and where those of the reference.
struct Belief {
  std::string name;
  FindingClassName finding_class = "order";
  std::function<bool(const Case&)> gives_the_bits_of_the_device;
  std::string invents_errors_on = {};  // a fill
};

// The hypotheses of the running test; the fill on which the reference has a second mistake, and the
// one on which it has none.
std::vector<Belief>& beliefs() {
  static std::vector<Belief> kBeliefs;
  return kBeliefs;
}
std::string& second_mistake_on() {
  static std::string kFill;
  return kFill;
}

std::string& right_on() {
  static std::string kFill;
  return kFill;
}

// The reference is one ULP off in every fourth element, as if the device were, and on some fills
// two in every third one. Machines change nothing, so that the test's hypotheses are the only ones.
class Demo : public AdditionProblem {
 public:
  using AdditionProblem::AdditionProblem;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }
  bool follows_machine() const override { return false; }
  TensorSet inputs() const override {
    TensorSet inputs;
    for (const char* name : {"a", "b"})
      inputs.emplace(name, fill(formats::kFp32, count(), "uniform", Random(c(), name)));
    return inputs;
  }
  Expectation expect(const TensorSet& in, const models::Machine& machine) const override {
    Expectation sums = AdditionProblem::expect(in, machine);
    formats::Tensor& d = sums.middle.at("d");
    for (std::size_t i = 0; i < d.count() && c().word("fill") != right_on(); i += 4)
      d.set(i, d.at(i) ^ 1);
    for (std::size_t i = 0; i < d.count() && c().word("fill") == second_mistake_on(); i += 3)
      d.set(i, d.at(i) ^ 2);
    return sums;
  }
  std::vector<Hypothesis> mistakes() const override {
    std::vector<Hypothesis> list;
    for (const Belief& belief : beliefs()) {
      list.push_back({.name = belief.name,
                      .finding_class = belief.finding_class,
                      .sentence = "it is " + belief.name,
                      .evaluate = [this, &belief](const Case& at, const TensorSet& in) {
                        return believed(belief, at, in);
                      }});
    }
    return list;
  }

 private:
  Expectation believed(const Belief& belief, const Case& at, const TensorSet& in) const {
    Expectation made = belief.gives_the_bits_of_the_device(at)
                           ? AdditionProblem::expect(in, models::Machine{})
                           : expect(in, models::Machine{});
    formats::Tensor& d = made.middle.at("d");
    if (at.word("fill") == belief.invents_errors_on) d.set(0, d.at(0) ^ 1);
    return made;
  }
};

Suite demo() { return demo_suite<Demo>(kAxes); }

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

bool always(const Case&) { return true; }
bool on_the_first_seed(const Case& c) { return c.seed == 1; }
bool on_moderate_numbers(const Case& c) { return c.word("fill") != "special"; }

CaseResult tested_with(std::vector<Belief> those,
                       const char* name = "demo.portable.n64.uniform.s1") {
  beliefs() = std::move(those);
  const Case c = parse_case("demo", kAxes, name);
  const CaseResult failed = run_case(session(), demo(), c);
  EXPECT_EQ(Verdict::kFail, failed.verdict);
  return tested(session(), demo(), c, failed);
}

std::vector<std::string> names(const std::vector<Explanation>& explanations) {
  std::vector<std::string> all;
  for (const Explanation& e : explanations) all.push_back(e.hypothesis);
  return all;
}

using Names = std::vector<std::string>;

class Experiment : public testing::Test {
 protected:
  ~Experiment() override {
    beliefs().clear();
    second_mistake_on().clear();
    right_on().clear();
  }
};

TEST_F(Experiment, ExcludesWhatHoldsOnTheFirstDataAlone) {
  const CaseResult result =
      tested_with({{.name = "false", .gives_the_bits_of_the_device = on_the_first_seed},
                   {.name = "true", .gives_the_bits_of_the_device = always}});
  EXPECT_EQ(Names{"true"}, names(result.explanations));
  ASSERT_TRUE(result.experiments);
  EXPECT_EQ(Names{"false"}, names(result.experiments->excluded));
  EXPECT_EQ("one explanation is left", result.experiments->end);
  const Question& first = result.experiments->asked.at(0);
  EXPECT_EQ("demo.portable.n64.uniform.s2", first.case_name);
  EXPECT_EQ(16u, first.wrong);
  EXPECT_EQ(Names{"true"}, first.confirms);
  EXPECT_EQ(Names{"false"}, first.excludes);
  EXPECT_EQ("16 of 64 elements differ: it is true", result.reason);
}

TEST_F(Experiment, AnnouncesNoNameThatFailsOnOtherData) {
  const CaseResult result =
      tested_with({{.name = "false", .gives_the_bits_of_the_device = on_the_first_seed}});
  EXPECT_TRUE(result.explanations.empty());
  EXPECT_EQ("unexplained", result.finding_class);
  EXPECT_EQ("16 of 64 elements differ: no named arithmetic explains them", result.reason);
  EXPECT_EQ("no explanation is left", result.experiments->end);
}

TEST_F(Experiment, WhatNoDataTellApartIsOneOf) {
  CaseResult result = tested_with({{.name = "this", .gives_the_bits_of_the_device = always},
                                   {.name = "that", .gives_the_bits_of_the_device = always}});
  EXPECT_EQ((Names{"this", "that"}), names(result.explanations));
  EXPECT_EQ("order", result.finding_class);
  EXPECT_EQ("16 of 64 elements differ: one of: it is this; it is that", result.reason);
  result = tested_with(
      {{.name = "this", .gives_the_bits_of_the_device = always},
       {.name = "that", .finding_class = "rounding", .gives_the_bits_of_the_device = always}});
  EXPECT_EQ("undecided", result.finding_class);
}

TEST_F(Experiment, ExtremeDataExcludeOnlyWhereARivalExplainsThem) {
  second_mistake_on() = "special";
  CaseResult result =
      tested_with({{.name = "own", .gives_the_bits_of_the_device = on_moderate_numbers},
                   {.name = "rival", .gives_the_bits_of_the_device = on_moderate_numbers}});
  EXPECT_EQ((Names{"own", "rival"}), names(result.explanations));
  const auto asked_special = [](const Question& q) {
    return q.case_name.find("special") != std::string::npos;
  };
  const auto& asked = result.experiments->asked;
  const auto special = std::ranges::find_if(asked, asked_special);
  ASSERT_NE(asked.end(), special);
  EXPECT_EQ("no explanation gives its bits; such data may show another defect", special->remark);
  result = tested_with({{.name = "own", .gives_the_bits_of_the_device = on_moderate_numbers},
                        {.name = "rival", .gives_the_bits_of_the_device = always}});
  EXPECT_EQ(Names{"rival"}, names(result.explanations));
}

TEST_F(Experiment, PlainDataWithAnotherNamedDefectExcludeNothing) {
  second_mistake_on() = "normal";
  const auto elsewhere = [](const Case& c) { return c.word("fill") == "normal"; };
  const auto not_there = [](const Case& c) { return c.word("fill") != "normal"; };
  const CaseResult result =
      tested_with({{.name = "own", .gives_the_bits_of_the_device = not_there},
                   {.name = "other", .gives_the_bits_of_the_device = elsewhere}});
  EXPECT_EQ(Names{"own"}, names(result.explanations));
  EXPECT_EQ("its bits show another defect: it is other", result.experiments->asked.at(1).remark);
}

TEST_F(Experiment, ExcludesWhatPredictsErrorsWhereTheDeviceIsRight) {
  right_on() = "normal";
  const CaseResult result = tested_with(
      {{.name = "false", .gives_the_bits_of_the_device = always, .invents_errors_on = "normal"},
       {.name = "true", .gives_the_bits_of_the_device = always}});
  EXPECT_EQ(Names{"true"}, names(result.explanations));
  EXPECT_EQ(Names{"false"}, result.experiments->asked.at(1).excludes);
  EXPECT_EQ(0u, result.experiments->asked.at(1).wrong);
}

TEST_F(Experiment, FindsTheNameThatTheDiagnosisDidNotNeed) {
  // Above 65,536 elements the diagnosis stops at the first exact hypothesis.
  const char* large = "demo.portable.n65540.uniform.s1";
  const CaseResult result =
      tested_with({{.name = "false", .gives_the_bits_of_the_device = on_the_first_seed},
                   {.name = "true", .gives_the_bits_of_the_device = always}},
                  large);
  EXPECT_EQ(Names{"true"}, names(result.explanations));
  EXPECT_EQ(Names{"false"}, names(result.experiments->excluded));
}

TEST_F(Experiment, OfALargeOutputTheReasonSaysThatOthersWereNotTried) {
  const CaseResult result = tested_with({{.name = "this", .gives_the_bits_of_the_device = always},
                                         {.name = "that", .gives_the_bits_of_the_device = always}},
                                        "demo.portable.n65540.uniform.s1");
  EXPECT_EQ(Names{"this"}, names(result.explanations));
  EXPECT_EQ(
      "16385 of 65540 elements differ: it is this (others were not tried on so large an output)",
      result.reason);
}

TEST_F(Experiment, ADeviceThatAnswersDifferentlyKeepsItsFinding) {
  beliefs() = {{.name = "true", .gives_the_bits_of_the_device = always}};
  const Case c = parse_case("demo", kAxes, "demo.portable.n64.uniform.s1");
  CaseResult failed = run_case(session(), demo(), c);
  failed.digest = "0123456789abcdef";
  const CaseResult result = tested(session(), demo(), c, failed);
  EXPECT_EQ(Names{"true"}, names(result.explanations));
  EXPECT_EQ("on the same data the device now gives other results", result.experiments->end);
  EXPECT_TRUE(result.experiments->asked.empty());
}

TEST_F(Experiment, TheAnswerIsTheSameEveryTimeAndSurvivesTheJournal) {
  const std::vector<Belief> those{
      {.name = "false", .gives_the_bits_of_the_device = on_the_first_seed},
      {.name = "true", .gives_the_bits_of_the_device = always}};
  const nlohmann::json once = to_json(tested_with(those), false);
  EXPECT_EQ(once, to_json(tested_with(those), false));
  EXPECT_EQ(once, to_json(case_result_from_json(once), false));
}

// What the device gives in place of a right result; known to nobody.
using Alteration = double (*)(double right, std::uint64_t seed);
Alteration& alteration() {
  static Alteration kAlteration = nullptr;
  return kAlteration;
}

// The device adds nothing to operands that are the altered results.
class Altered : public AdditionProblem {
 public:
  using AdditionProblem::AdditionProblem;
  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }
  bool follows_machine() const override { return false; }
  TensorSet inputs() const override {
    TensorSet set{{"a", right()}, {"b", formats::Tensor::zeros(formats::kFp32, count())}};
    formats::Tensor& a = set.at("a");
    for (std::size_t i = 0; i < count(); ++i)
      a.set(i, nearest(formats::kFp32, alteration()(value_of(formats::kFp32, a.at(i)), c().seed)));
    return set;
  }
  Expectation expect(const TensorSet&, const models::Machine&) const override {
    return TensorSet{{"d", right()}};
  }

 private:
  [[nodiscard]] formats::Tensor right() const {
    return fill(formats::kFp32, count(), "uniform", Random(c(), "d"));
  }
};

CaseResult tested_altered(Alteration by) {
  alteration() = by;
  const Case c = parse_case("demo", kAxes, "demo.portable.n64.uniform.s1");
  const CaseResult failed = run_case(session(), demo_suite<Altered>(kAxes), c);
  EXPECT_EQ(Verdict::kFail, failed.verdict);
  return tested(session(), demo_suite<Altered>(kAxes), c, failed);
}

double saturated_from(double limit, double right) {
  return std::abs(right) < limit ? right : std::copysign(1.0, right);
}

TEST_F(Experiment, ANumberReadFromTheFailureIsConfirmedWhereItHolds) {
  CaseResult result = tested_altered([](double right, std::uint64_t) { return 1.19 * right; });
  EXPECT_EQ(Names{"general-factor"}, names(result.explanations));
  EXPECT_EQ("64 of 64 elements differ: results are 1.19 times what they should be", result.reason);
  EXPECT_EQ("one explanation is left", result.experiments->end);
  result = tested_altered([](double right, std::uint64_t) { return std::min(right, 0.5); });
  EXPECT_EQ(Names{"general-clamped"}, names(result.explanations));
  EXPECT_EQ("one explanation is left", result.experiments->end);
  // The least result that became 1 is another one on other data.
  result = tested_altered([](double right, std::uint64_t) { return saturated_from(0.75, right); });
  EXPECT_EQ(Names{"general-saturated"}, names(result.explanations));
  EXPECT_EQ("one explanation is left", result.experiments->end);
}

TEST_F(Experiment, ANumberReadFromTheFailureIsExcludedWhereAnotherHolds) {
  const auto excluded = [](Alteration by) {
    const CaseResult result = tested_altered(by);
    EXPECT_TRUE(result.explanations.empty());
    EXPECT_EQ("unexplained", result.finding_class);
    EXPECT_GE(2u, result.experiments->asked.size());
    return names(result.experiments->excluded);
  };
  EXPECT_EQ(Names{"general-factor"}, excluded([](double right, std::uint64_t seed) {
              constexpr double kFactors[] = {1.31, 1.19, 0.87};
              return kFactors[seed % std::size(kFactors)] * right;
            }));
  EXPECT_EQ(Names{"general-clamped"}, excluded([](double right, std::uint64_t seed) {
              return std::min(right, seed == 1 ? 0.5 : 0.25);
            }));
  EXPECT_EQ(Names{"general-saturated"}, excluded([](double right, std::uint64_t seed) {
              return saturated_from(seed == 1 ? 0.75 : 0.5, right);
            }));
}

TEST_F(Experiment, WhatIsOnlySeenIsNotTested) {
  CaseResult failed;
  failed.verdict = Verdict::kFail;
  failed.mismatches = 1;
  failed.wrong.resize(1);
  failed.explanations.resize(1);
  failed.explanations[0].explained = 1;
  failed.explanations[0].finding_class = "order";
  EXPECT_TRUE(can_be_tested(failed));
  failed.explanations[0].finding_class = "unexplained";
  EXPECT_FALSE(can_be_tested(failed));
}

TEST_F(Experiment, SaysWhetherAllKnownDataWereLookedAt) {
  const auto end_of = [](const char* name) {
    return tested_with({{"one", "order", always}, {"other", "order", always}}, name)
        .experiments->end;
  };
  EXPECT_EQ("no more data are known on which the explanations differ",
            end_of("demo.portable.n64.uniform.s1"));
  EXPECT_EQ("the number of data on which predictions are compared is limited",
            end_of("demo.portable.n5000.uniform.s1"));
}

TEST_F(Experiment, LargeOutputsAreAskedLessAndHugeOnesNotAtAll) {
  EXPECT_EQ(12u, limits_for(64).questions);
  EXPECT_EQ(3u, limits_for(65540).questions);
  EXPECT_EQ(0u, limits_for(std::uint64_t{1} << 21).questions);
}

}  // namespace
}  // namespace halfmark::suites
