// SPDX-License-Identifier: Apache-2.0
// What every suite must hold, what its masks are, and broken kernels that must be named.
#include "suites/dropout/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"

namespace halfmark::suites::dropout {
namespace {

TEST(DropoutSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(DropoutSuite, EveryPassIsEarned) { expect_earned(suite(), Level::kSmoke); }

TEST(DropoutSuite, EveryMistakeShowsAndIsNamed) {
  EXPECT_EQ(13U, expect_hypotheses_show(suite(), "portable"));
  expect_hypotheses_are_named(suite(), "portable");
}

TensorSet expected(const char* name) {
  const auto problem = suite().bind(parse_case("dropout", suite().axes, name));
  return problem->expect(problem->inputs()).middle;
}

// A share of numbers of normal data that is not dropped, in percent.
double kept(const formats::Tensor& tensor) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) count += tensor.at(i) != 0 ? 1U : 0U;
  return 100.0 * static_cast<double>(count) / static_cast<double>(tensor.count());
}

// Five standard deviations of a share of 65,537 draws are 1 %.
TEST(DropoutSuite, KeepsTheShareThatItsNameSays) {
  for (const auto& [name, share] :
       {std::pair{"dropout.fp32.p10.portable.n65537.first.normal.s7", 90.0},
        {"dropout.fp32.p20.portable.n65537.first.normal.s7", 80.0},
        {"dropout.fp32.p50.portable.n65537.carry.normal.s7", 50.0},
        {"dropout.fp32.p90.portable.n65537.carry.normal.s7", 10.0}}) {
    const TensorSet results = expected(name);
    EXPECT_NEAR(share, kept(results.at("01_y")), 1.0) << name;
    EXPECT_EQ(kept(results.at("01_y")), kept(results.at("02_dx"))) << "one mask";
  }
}

TEST(DropoutSuite, SeedsDrawOtherMasks) {
  EXPECT_NE(expected("dropout.fp32.p50.portable.n64.first.normal.s7").at("00_words"),
            expected("dropout.fp32.p50.portable.n64.first.normal.s8").at("00_words"));
}

TEST(DropoutSuite, SubnormalOperandsAreTested) {
  for (const char* format : {"fp16", "bf16", "fp32"}) {
    const Prepared prepared(
        suite(),
        parse_case("dropout", suite().axes,
                   fmt::format("dropout.{}.p50.portable.n65537.carry.subnormal.s7", format)));
    const auto subnormal = [](const formats::Tensor& x) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < x.count(); ++i)
        count += formats::is_subnormal(*x.format, x.at(i)) ? 1U : 0U;
      return count;
    };
    for (const char* operand : {"x", "dy"})
      EXPECT_LT(20'000U, subnormal(prepared.inputs.at(operand))) << format;
    EXPECT_LT(5'000U, subnormal(prepared.expected.middle.at("01_y"))) << format;
  }
}

// One word in 256 is the encoding of a NaN, and any other NaN is another word.
TEST(DropoutSuite, AWordThatIsAnotherNanIsWrong) {
  const Prepared prepared(suite(), parse_case("dropout", suite().axes,
                                              "dropout.fp16.p20.portable.n1021.first.normal.s1"));
  TensorSet got = prepared.expected.middle;
  formats::Tensor& words = got.at("00_words");
  std::size_t place = 0;
  while (place < words.count() && !formats::is_nan(formats::kFp32, words.at(place))) ++place;
  ASSERT_LT(place, words.count());
  words.set(place, words.at(place) ^ 1U);
  EXPECT_EQ(1U, compare(prepared.allowance(), got).mismatches);
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  for (const Explanation& e : found) EXPECT_FALSE(e.exact(1)) << e.sentence;
}

TEST(DropoutSuite, WordsThatAreCutAreNoNumbersOfAnotherFormat) {
  const Prepared prepared(suite(), parse_case("dropout", suite().axes,
                                              "dropout.fp16.p20.portable.n1021.first.normal.s1"));
  TensorSet got = prepared.expected.middle;
  formats::Tensor& words = got.at("00_words");
  for (std::size_t i = 0; i < words.count(); ++i) words.set(i, words.at(i) & 0xffff0000U);
  for (const Explanation& e :
       diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got))
    EXPECT_LT(0U, e.contradicted) << e.sentence;
}

TEST(DropoutSuite, NeedsGroupsOf64Items) {
  backends::DeviceInfo device;
  device.max_group_items = 32;
  for (const Case& c : suite().cases(Level::kSmoke, kTestSeed))
    EXPECT_EQ("group.64_items", plan_of_calls(*suite().bind(c), device).needs) << print(c);
}

TEST(DropoutKernel, GivesTheReferencesBits) {
  constexpr bool kDeviations = true;  // a driver may flush where its promises permit it
  expect_conforming_everywhere(suite(), Level::kSmoke, kDeviations);
}

// The case with changed launches, on the software device.
CaseResult altered(const std::function<void(Plan&)>& change) {
  Session session(backends::Device::open("host"));
  const Case c =
      parse_case("dropout", suite().axes, "dropout.fp16.p20.portable.n1021.carry.special.s7");
  const AlteredProblem broken(suite().bind(c), [&](Plan plan) {
    change(plan);
    return plan;
  });
  return run_problem(session, broken);
}

TEST(DropoutKernel, AnotherStepInTheBackwardPassIsNamed) {
  const CaseResult result = altered([](Plan& plan) { plan.launches[2].arguments[7] = 4U; });
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("amp_state", result.finding_class);
  ASSERT_FALSE(result.explanations.empty());
  EXPECT_EQ("backward-mask-differs", result.explanations[0].hypothesis);
}

TEST(DropoutKernel, AFactorOfOneIsNamed) {
  const CaseResult result = altered([](Plan& plan) {
    for (const std::size_t pass : {1U, 2U}) plan.launches[pass].arguments.back() = 1.0F;
  });
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("formula", result.finding_class);
}

}  // namespace
}  // namespace halfmark::suites::dropout
