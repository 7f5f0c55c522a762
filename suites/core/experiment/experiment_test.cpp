// SPDX-License-Identifier: Apache-2.0
// A correct device, a deliberately wrong reference, and hypotheses that are right on some data
// only: which of them must stay is known. The software device runs fp32 additions.
#include "suites/core/experiment/experiment.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST_F(Experiment, LargeOutputsAreAskedLessAndHugeOnesNotAtAll) {
  EXPECT_EQ(12u, limits_for(64).questions);
  EXPECT_EQ(3u, limits_for(65540).questions);
  EXPECT_EQ(0u, limits_for(std::uint64_t{1} << 21).questions);
}

}  // namespace
}  // namespace halfmark::suites
