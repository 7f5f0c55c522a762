// SPDX-License-Identifier: Apache-2.0
// The software device meets the bounds of its library; slightly less accurate functions do not.
#include "suites/elementary/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {
namespace {

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

TEST(ElementarySuite, NamesAndLevels) { expect_names_parse_back_and_levels_nest(suite()); }

// One language has functions of which no clause says what they give at zeros and infinities.
TEST(ElementarySuite, NoEdgesWhereTheSpecificationHasNone) {
  std::size_t without = 0;
  for (const Bound& b : bounds()) {
    if (has_edges(b) || b.profile) continue;
    const bool divides = b.kind == "half" && (b.function == "recip" || b.function == "div");
    EXPECT_TRUE(b.function == "rsqrt" || divides) << row_of(b).id;
    ++without;
  }
  EXPECT_EQ(5u, without) << "rsqrt in fp32 and fp16, and three of the fast kind";
  for (const Case& c : suite().cases(Level::kExhaustive, 1)) {
    const Bound& b =
        *find_bound(c.word("format"), c.word("rules"), c.word("kind"), c.word("operation"));
    EXPECT_TRUE(has_edges(b) || c.word("fill") != "edges") << print(c);
  }
}

TEST(ElementarySuite, EveryFunctionOfEveryRuleHasItsRow) {
  for (const Bound& b : bounds()) {
    EXPECT_EQ(&b, find_bound(b.format->name, b.rules, b.kind, b.function));
    EXPECT_EQ(b.ulps.rounded_up(), row_of(b).bound_ulps);
    if (has_edges(b)) {
      EXPECT_EQ(std::string(row_of(b).id) + ".edges", edge_row_of(b).id);
      EXPECT_FALSE(edge_row_of(b).source.empty());
    }
    EXPECT_NE(std::string::npos, row_of(b).id.find(b.function)) << row_of(b).id;
  }
}

CaseResult run(std::string_view name, AlteredProblem::ChangedPlan plan = {},
               AlteredProblem::ChangedExpectation expectation = {}) {
  const Case c = parse_case("elementary", suite().axes, name);
  return run_problem(session(),
                     AlteredProblem(suite().bind(c), std::move(plan), std::move(expectation)));
}

// Functions of two operands, roots and reciprocals begin at this level.
TEST(ElementaryOnHost, AtStandardTheLibraryKeepsItsBoundsForPairs) {
  std::size_t asked = 0;
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    const bool binary = callee_of(c.word("operation")).binary != nullptr;
    if (!binary || !suite().concerns(c, session().device().info())) continue;
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    ++asked;
  }
  EXPECT_EQ(39u, asked) << "six functions, four fills; of fp16 five and three";
}

TEST(ElementaryOnHost, AtStandardFunctionsOfEveryFp16KeepTheirBounds) {
  std::size_t asked = 0;
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    const bool binary = callee_of(c.word("operation")).binary != nullptr;
    if (c.word("format") != "fp16" || binary) continue;
    if (!suite().concerns(c, session().device().info())) continue;
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    ++asked;
  }
  EXPECT_EQ(40u, asked) << "twenty functions, two fills";
}

// Reports the driver's own message, not one about the language.
TEST(ElementarySuite, Fp16FunctionsNeedFp16Arithmetic) {
  const Bound& bound = bounds().back();
  ASSERT_EQ(&formats::kFp16, bound.format);
  const Case c = parse_case(
      "elementary", suite().axes,
      "elementary.fp16.exp.standard." + std::string(bound.rules) + ".portable.n65536.halves.s1");
  backends::DeviceInfo device;
  device.promises.push_back({"functions." + std::string(bound.rules), true, "", ""});
  EXPECT_EQ("fp16.arithmetic", suite().bind(c)->plan(device).needs);
  device.promises.push_back({"fp16.arithmetic", true, "", ""});
  EXPECT_FALSE(suite().bind(c)->plan(device).needs);
}

TEST(ElementarySuite, PairsOfEveryRuleAreConvincing) {
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    const bool binary = callee_of(c.word("operation")).binary != nullptr;
    const bool easy = c.word("fill") == "bits" || c.word("fill") == "moderate";
    if (!binary || easy) continue;
    const Prepared prepared(suite(), c);
    EXPECT_EQ("", unearned(prepared.inputs, prepared.allowance())) << print(c);
  }
}

TEST(ElementaryOnHost, AnotherFunctionOfTwoFails) {
  const auto wrong = [](Plan plan) {
    plan.launches[0].entry = "function_standard_fmod";
    return plan;
  };
  const CaseResult result =
      run("elementary.fp32.remainder.standard.libm.portable.n4096.borders.s7", wrong);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  ASSERT_EQ(2u, result.wrong.at(0).operands.size());
  EXPECT_EQ("x", result.wrong[0].operands[0].label);
  EXPECT_EQ("w", result.wrong[0].operands[1].label);
}

TEST(ElementaryOnHost, TheLibraryKeepsItsBoundsForEveryHalf) {
  std::size_t asked = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    if (!suite().concerns(c, session().device().info())) continue;
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    ++asked;
  }
  EXPECT_EQ(63u, asked) << "21 functions, three fills";
}

// A language's cases apply to the devices that promise it, even if only to show that they exceed
// its bounds; replaying a case on another device still gives an answer.
TEST(ElementarySuite, CasesConcernTheDevicesOfTheirRules) {
  const std::string mine = "functions." + std::string(bounds().front().rules);
  const Case c = suite().cases(Level::kSmoke, 7).front();
  ASSERT_EQ(bounds().front().rules, c.word("rules"));
  backends::DeviceInfo device;
  EXPECT_FALSE(suite().concerns(c, device));
  device.promises.push_back({"functions.of-another-language", true, "", ""});
  EXPECT_FALSE(suite().concerns(c, device));
  device.promises.push_back({mine, false, "an embedded profile", ""});
  EXPECT_TRUE(suite().concerns(c, device));
  const CaseResult result = run_case(session(), suite(), c);
  EXPECT_EQ(Verdict::kNotSupported, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find(mine)) << result.reason;
}

// The evidence never exceeds the bound of a case that passed, and is absent at edges.
TEST(ElementaryOnHost, SaysHowFarTheFarthestResultIs) {
  const CaseResult result = run("elementary.fp32.tanh.standard.libm.portable.n4096.moderate.s7");
  ASSERT_EQ(Verdict::kPass, result.verdict) << result.reason;
  ASSERT_TRUE(result.accuracy);
  EXPECT_EQ(5u, result.accuracy->allowed_halves) << "of two ULP from the rounded value";
  EXPECT_LT(3900u, result.accuracy->results);
  EXPECT_LT(500u, result.accuracy->thousandths) << "the library is not correctly rounded";
  EXPECT_GE(2500u, result.accuracy->thousandths);
  EXPECT_EQ("x", result.accuracy->farthest.operands.at(0).label);
  const CaseResult read = case_result_from_json(to_json(result, true));
  EXPECT_EQ(to_json(*result.accuracy), to_json(*read.accuracy));
  EXPECT_FALSE(run("elementary.fp32.tanh.standard.libm.portable.n8.edges.s7").accuracy);
}

TEST(ElementaryOnHost, TheLibraryIsExactAtEdges) {
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    if (c.word("fill") != "edges" || c.word("rules") != "libm") continue;
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    EXPECT_TRUE(result.rule.ends_with(".libm.edges")) << result.rule;
  }
}

// For tanh of an infinity, the number below 1 is within every numeric bound but is not the
// exact value.
TEST(ElementaryOnHost, ALimitThatIsOnlyApproachedIsNamed) {
  const auto near = [](const Expectation& right) -> Expectation {
    TensorSet wrong = right.middle;
    wrong.at("y").set(2, 0x3f7fffff);
    return {wrong, Enclosure{.low = wrong, .high = wrong}};
  };
  const CaseResult result =
      run("elementary.fp32.tanh.standard.libm.portable.n8.edges.s7", {}, near);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("limit", result.finding_class);
  EXPECT_EQ(Standing::kViolation, result.standing);
}

// Whatever a row allows is near the exact value, so that only what is due exactly tells them apart.
TEST(ElementarySuite, ALimitIsApproachedWithinTheWholeBound) {
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    if (c.word("fill") != "edges") continue;
    const auto problem = suite().bind(c);
    const TensorSet inputs = problem->inputs();
    const Enclosure row = *problem->expect(inputs).enclosure;
    const std::vector<Hypothesis> all = problem->mistakes();
    const auto near = std::ranges::find(all, "limit-approached", &Hypothesis::name);
    ASSERT_NE(all.end(), near) << print(c);
    const Expectation approached = near->evaluate(c, inputs);
    for (const TensorSet* end : {&row.low, &row.high}) {
      EXPECT_EQ(0u, compare({*end, 0, &*approached.enclosure}, *end).mismatches) << print(c);
    }
  }
}

// A device that gives one number at every edge, where another one is allowed.
std::uint64_t mismatches_of(std::string_view name, formats::Bits x, formats::Bits y) {
  const auto problem = suite().bind(parse_case("elementary", suite().axes, name));
  const TensorSet inputs = problem->inputs();
  const Expectation expected = problem->expect(inputs);
  TensorSet got = expected.middle;
  bool has_one = false;
  for (std::size_t i = 0; i < inputs.at("x").count(); ++i) {
    if (inputs.at("x").at(i) != x) continue;
    got.at("y").set(i, y);
    has_one = true;
  }
  EXPECT_TRUE(has_one) << name << std::hex << ' ' << x;
  return compare(allowance_of(expected), got).mismatches;
}

TEST(ElementarySuite, TheFastKindOwesTheEdgesOfTheStandardOne) {
  const auto mismatches = [](std::string_view function, formats::Bits x, formats::Bits y) {
    const std::string rules(bounds().front().rules);
    return mismatches_of(
        "elementary.fp32." + std::string(function) + ".half." + rules + ".portable.n8.edges.s1", x,
        y);
  };
  EXPECT_EQ(0u, mismatches("exp", 0, 0x3f800000));
  EXPECT_EQ(1u, mismatches("exp", 0, 0x3f7fdf3b)) << "0.9995";
  EXPECT_EQ(1u, mismatches("exp10", 0xff800000, 1));
  EXPECT_EQ(0u, mismatches("exp", 0x3f800000, 0x402df854 + 4000)) << "e is no edge";
  EXPECT_EQ(1u, mismatches("sqrt", 0x7f800000, 0x7f7fffff));
  EXPECT_EQ(1u, mismatches("log", 0, 0xff7fffff));
}

TEST(ElementarySuite, FunctionsOfTurnsAreZeroAtIntegersAndHalves) {
  for (const char* format : {"fp32", "fp16"}) {
    const bool is_half = std::string_view(format) == "fp16";
    const formats::Bits one = is_half ? 0x3c00 : 0x3f800000, half = is_half ? 0x3800 : 0x3f000000;
    const std::string rules(bounds().front().rules);
    const auto name = [&](const char* function) {
      return std::string("elementary.") + format + "." + function + ".standard." + rules +
             ".portable.n19.edges.s1";
    };
    EXPECT_EQ(0u, mismatches_of(name("sinpi"), one, 0)) << format;
    EXPECT_LE(1u, mismatches_of(name("sinpi"), one, 1)) << format;
    EXPECT_LE(1u, mismatches_of(name("cospi"), half, 1)) << format;
    EXPECT_EQ(0u, mismatches_of(name("sinpi"), half, one - 1)) << "a number within its bound";
    EXPECT_EQ(0u, mismatches_of(name("exp10"), 0, one)) << format;
  }
}

// Its reciprocal root is no more than the fill `edges` asserts of it: nothing.
TEST(ElementarySuite, NoFillAsksForTheReciprocalRootOfMinusZero) {
  std::size_t fills = 0;
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    if (c.word("operation") != "rsqrt") continue;
    const formats::Tensor x = suite().bind(c)->inputs().at("x");
    for (std::size_t i = 0; i < x.count(); ++i)
      ASSERT_NE(x.format->sign_mask(), x.at(i)) << print(c);
    ++fills;
  }
  EXPECT_LE(4u, fills);
}

TEST(ElementarySuite, SourcesOfEdgesNameTheirClause) {
  const std::string rules(bounds().front().rules);
  for (const char* function : {"sinpi", "cospi", "powr", "pown", "exp10"}) {
    const Bound& bound = *find_bound("fp32", rules, "standard", function);
    EXPECT_NE(std::string::npos, edge_row_of(bound).source.find("7.5.1")) << function;
  }
  EXPECT_EQ(std::string::npos,
            edge_row_of(*find_bound("fp32", rules, "standard", "exp")).source.find("7.5.1"));
}

// Without any tolerance, a library that is not correctly rounded fails, without an explanation.
TEST(ElementaryOnHost, ABoundThatIsTooTightFails) {
  const auto strict = [](const Expectation& right) -> Expectation {
    return {right.middle, Enclosure{.low = right.middle, .high = right.middle}};
  };
  const CaseResult result =
      run("elementary.fp32.tanh.standard.libm.portable.n4096.moderate.s7", {}, strict);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
}

TEST(ElementaryOnHost, AnotherFunctionFails) {
  const auto wrong = [](Plan plan) {
    plan.launches[0].entry = "function_standard_exp2";
    return plan;
  };
  const CaseResult result =
      run("elementary.fp32.exp.standard.libm.portable.n4096.moderate.s7", wrong);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("unexplained", result.finding_class);
}

// Only a run that requests nothing else contains the profile; then the device must meet it.
TEST(ElementaryOnHost, AProfileIsMeasuredWhereItIsAskedFor) {
  std::size_t asked = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    if (!find_bound(c.word("format"), c.word("rules"), c.word("kind"), c.word("operation"))
             ->profile)
      continue;
    EXPECT_FALSE(suite().concerns(c, session().device().info()));
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    EXPECT_FALSE(result.accuracy) << "that is of the device's own rules";
    ++asked;
  }
  EXPECT_EQ(24u, asked) << "eight functions of one operand, three fills";
}

TEST(ElementaryOnHost, BeyondAProfileIsADeviationUntilItIsPromised) {
  const auto wrong = [](Plan plan) {
    plan.launches[0].entry = "function_standard_exp2";
    return plan;
  };
  const auto is_it = [](const Bound& b) { return b.profile && b.function == "exp"; };
  const Bound& bound = *std::find_if(bounds().begin(), bounds().end(), is_it);
  const CaseResult result = run(
      "elementary.fp32.exp.standard." + std::string(bound.rules) + ".portable.n4096.moderate.s7",
      wrong);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kDeviation, result.standing);
  EXPECT_EQ("low_precision", result.finding_class);
  EXPECT_NE(std::string::npos, result.permitted_by.find("profile")) << result.permitted_by;
}

}  // namespace
}  // namespace halfmark::suites::elementary
