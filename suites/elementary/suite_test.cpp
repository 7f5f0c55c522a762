// SPDX-License-Identifier: Apache-2.0
// Bounds are exact: the furthest encoding inside is allowed and the next one is not, next to powers
// of two, at the ends of the range and where the value is a number itself. The software device
// keeps the bounds of its library; functions that are a little worse do not.
#include "suites/elementary/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "reference/formats/ulp.hpp"
#include "suites/core/line.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/elementary/accuracy.hpp"
#include "suites/elementary/bound.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::kFp32;

const soft::Function& function(std::string_view name) {
  for (const soft::Function& f : soft::kFunctions) {
    if (f.name == name) return f;
  }
  throw std::logic_error("no such function");
}

struct Expected {
  Bits low, high;
};
void expect_range(std::string_view name, Bits x, std::uint64_t ulps, const Expected& expected,
                  const Flushing& flushing = {}) {
  const Range range = allowed(function(name), x, {.ulps = ulps}, flushing);
  EXPECT_EQ(expected.low, range.low) << name << std::hex << ' ' << x;
  EXPECT_EQ(expected.high, range.high) << name << std::hex << ' ' << x;
}

TEST(Bound, AroundANumber) {
  expect_range("exp2", 0x40000000, 0, {0x40800000, 0x40800000});
  // Below a power of two lie twice as many encodings.
  expect_range("exp2", 0x40000000, 3, {0x40800000 - 6, 0x40800003});
  expect_range("exp2", 0xc0000000, 1, {0x3e800000 - 2, 0x3e800001});
}

TEST(Bound, BetweenTwoNumbersTheNearestIsNotTheMiddle) {
  // e = 0x402df854.(5...): between ...54 and ...55.
  expect_range("exp", 0x3f800000, 1, {0x402df854, 0x402df855});
  expect_range("exp", 0x3f800000, 3, {0x402df852, 0x402df857});
  // log(1/2) = -0x3f317217.f..
  expect_range("log", 0x3f000000, 1, {0xbf317218, 0xbf317217});
}

TEST(Bound, AcrossAPowerOfTwo) {
  // exp(2^-24) = 1 + 2^-24 + ...: a ULP of it is 2^-23, two encodings below 1.
  expect_range("exp", 0x33800000, 1, {0x3f800000, 0x3f800001});
  expect_range("exp", 0x33800000, 2, {0x3f7ffffe, 0x3f800002});
  // exp(-2^-25) = 1 - 2^-25: a ULP of it is 2^-24; two of them beyond 1 - 2^-24 lies 1, four none
  // that is 1 + 2^-24.
  expect_range("exp", 0xb3000000, 2, {0x3f7ffffe, 0x3f800000});
}

TEST(Bound, AtTheEndsOfTheRange) {
  expect_range("exp", 0x42b17217, 1, {0x7f7fff84, 0x7f7fff85});
  expect_range("exp", 0x42b17218, 3, {0x7f800000, 0x7f800000});
  expect_range("exp", 0xff800000, 3, {0, 0});
  expect_range("log", 0, 3, {0xff800000, 0xff800000});
  expect_range("exp2", 0xc3150000, 1, {0, 2});  // 2^-149
  EXPECT_TRUE(formats::is_nan(kFp32, allowed(function("log"), 0xbf800000, {.ulps = 3}).low));
  EXPECT_TRUE(formats::is_nan(kFp32, allowed(function("exp"), 0x7fc00000, {.ulps = 3}).low));
}

TEST(Bound, InfinityIsAllowedWhereTheBoundReachesIt) {
  // 2^127.99999...: 0x7f7fffa7.(…); far from infinity by 3 ULP, near by 100.
  const Range near = allowed(function("exp2"), 0x42ffffff, {.ulps = 8192});
  EXPECT_EQ(0x7f800000u, near.high);
  EXPECT_NE(0x7f800000u, allowed(function("exp2"), 0x42ffffff, {.ulps = 3}).high);
}

TEST(Bound, EdgesAreExactWhereTheyArePromised) {
  expect_range("tanh", 0x7f800000, 5, {0x3f800000, 0x3f800000});
  expect_range("exp", 0x80000000, 3, {0x3f800000, 0x3f800000});
  const Range loose = allowed(function("tanh"), 0x7f800000, {.ulps = 5, .exact_edges = false});
  EXPECT_EQ(0x3f800000u - 10, loose.low);
}

// e is 0.35 ULP above the number that it is rounded to.
TEST(Bound, CountedFromTheRoundedResultItHasAnotherNeighbour) {
  const Terms terms{.ulps = 1, .of_rounded = true};
  const Range range = allowed(function("exp"), 0x3f800000, terms);
  EXPECT_EQ(0x402df853u, range.low);
  EXPECT_EQ(0x402df855u, range.high);
  const Range none = allowed(function("exp"), 0x3f800000, {.ulps = 0, .of_rounded = true});
  EXPECT_EQ(0x402df854u, none.low);
  EXPECT_EQ(0x402df854u, none.high);
}

TEST(Bound, AnEdgeWhoseValueIsNoNumberHasTheBoundOfNumbers) {
  expect_range("atan", 0x7f800000, 5, {0x3fc90fdb - 5, 0x3fc90fdb + 4});  // pi/2 < 0x3fc90fdb
  expect_range("acos", 0x80000000, 1, {0x3fc90fda, 0x3fc90fdb});
  expect_range("erfc", 0xff800000, 16, {0x40000000, 0x40000000});
}

TEST(Bound, AFastKindMayFlushAndHasNoEdges) {
  const Terms fast{.ulps = 3, .exact_edges = false, .may_flush = true};
  const Range root = allowed(function("rsqrt"), 1, fast);
  EXPECT_EQ(0x7f800000u, root.high);
  EXPECT_NE(0x7f800000u, root.low);
  EXPECT_EQ(0xff800000u, allowed(function("log"), 1, fast).low);
  EXPECT_EQ(0x3f800003u, allowed(function("exp"), 0, fast).high);
}

TEST(Bound, FlushingIsZeroInsteadOfSubnormals) {
  const Bits x = 0xc2fe0000;  // 2^-127
  expect_range("exp2", x, 3, {0x00400000 - 3, 0x00400003});
  expect_range("exp2", x, 3, {0, 0x00400003}, {.results = true});
  expect_range("rsqrt", 1, 2, {0x7f800000, 0x7f800000}, {.operands = true});
  expect_range("log2", 1, 3, {0xc3150003, 0xc3150000 - 3}, {});
}

// Every range holds the correctly rounded result, and a bound of one ULP its two neighbours at
// most.
TEST(Bound, HoldsTheRoundedValue) {
  for (const soft::Function& f : soft::kFunctions) {
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const Bits x = (i * 0x9e3779b1u) & kFp32.mask();
      const Bits y = f.evaluate(kFp32, x, {}).bits;
      if (formats::is_nan(kFp32, y)) continue;
      const Range range = allowed(f, x, {.ulps = 1});
      EXPECT_LE(formats::ordered(kFp32, range.low), formats::ordered(kFp32, y)) << f.name << x;
      EXPECT_GE(formats::ordered(kFp32, range.high), formats::ordered(kFp32, y)) << f.name << x;
      EXPECT_LE(formats::ordered(kFp32, range.high) - formats::ordered(kFp32, range.low), 3)
          << f.name << x;
    }
  }
}

std::uint64_t off(std::string_view name, Bits x, Bits y) {
  return thousandths_off(function(name), x, y).value_or(12345);
}

TEST(Accuracy, InThousandthsOfTheExactValuesUlpRoundedUp) {
  EXPECT_EQ(347u, off("exp", 0x3f800000, 0x402df854));  // e = 0x402df854 + 0.3462 ULP
  EXPECT_EQ(655u, off("exp", 0x3f800000, 0x402df855));
  EXPECT_EQ(2655u, off("exp", 0x3f800000, 0x402df857));
  EXPECT_EQ(969u, off("log", 0x3f000000, 0xbf317217));  // -ln 2 = 0xbf317217 - 0.9680 ULP
  EXPECT_EQ(33u, off("log", 0x3f000000, 0xbf317218));
  EXPECT_EQ(0u, off("exp2", 0x40000000, 0x40800000));
  EXPECT_EQ(1000u, off("exp2", 0x40000000, 0x40800001));
  EXPECT_EQ(500u, off("exp2", 0x40000000, 0x407fffff)) << "below a power of two";
  EXPECT_LT(std::uint64_t{1} << 33, off("exp", 0x3f800000, 0xc02df854));
}

TEST(Accuracy, OfNormalNumbersOnly) {
  for (const auto& [x, y] : std::vector<std::pair<Bits, Bits>>{{0, 0x3f800000},
                                                               {1, 0x3f800000},
                                                               {0xc2fe0000, 0x00400000},
                                                               {0xc2fc0000, 0x007fffff},
                                                               {0x43000000, 0x7f800000},
                                                               {0x7fc00000, 0x7fc00000}}) {
    EXPECT_FALSE(thousandths_off(function("exp2"), x, y)) << std::hex << x;
  }
}

TEST(Accuracy, TheFirstOfTheFarthestIsTold) {
  formats::Tensor x = formats::Tensor::zeros(kFp32, 1500);
  for (std::size_t i = 1; i < x.count(); ++i) x.set(i, 0x40000000);  // 0 does not count
  formats::Tensor expected = x;
  for (std::size_t i = 0; i < x.count(); ++i) expected.set(i, 0x40800000);
  formats::Tensor y = expected;
  EXPECT_EQ(500u, farthest(function("exp2"), x, expected, y)->thousandths) << "all are rounded";
  for (const std::size_t i : {700u, 710u, 1400u}) y.set(i, 0x40800003);
  const std::optional<Farthest> found = farthest(function("exp2"), x, expected, y);
  ASSERT_TRUE(found);
  EXPECT_EQ(700u, found->index);
  EXPECT_EQ(3000u, found->thousandths);
  EXPECT_EQ(1499u, found->results);
}

TEST(Bound, OfAProfileDependsOnTheOperand) {
  const auto range = [](std::string_view name, Bits x, Shape shape, std::uint64_t ulps) {
    return allowed(function(name), x, {.ulps = ulps, .may_saturate = true, .shape = shape});
  };
  // 2^5, and 3 + 10 ULP.
  EXPECT_EQ(0x4200000du, range("exp2", 0x40a00000, Shape::kGrowing, 3).high);
  EXPECT_EQ(0x42000000u - 26, range("exp2", 0x40a00000, Shape::kGrowing, 3).low);
  // 2^200 is infinity, or the largest number.
  EXPECT_EQ(0x7f7fffffu, range("exp2", 0x43480000, Shape::kGrowing, 3).low);
  EXPECT_EQ(0x7f800000u, range("exp2", 0x43480000, Shape::kGrowing, 3).high);
  // log2 2 = 1 to 2^-21, log2 4 = 2 to 3 ULP.
  EXPECT_EQ(0x3f800004u, range("log2", 0x40000000, Shape::kNearOne, 3).high);
  EXPECT_EQ(0x3f800000u - 8, range("log2", 0x40000000, Shape::kNearOne, 3).low);
  EXPECT_EQ(0x40000003u, range("log2", 0x40800000, Shape::kNearOne, 3).high);
  // sin 2^-149 to 2^-11: nothing is lost beside so small a number.
  EXPECT_EQ(0x3a000000u, range("sin", 1, Shape::kOneCircle, 0).high);
  EXPECT_EQ(0xb9ffffffu, range("sin", 1, Shape::kOneCircle, 0).low);
}

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

TEST(ElementarySuite, NamesAndLevels) { expect_names_parse_back_and_levels_nest(suite()); }

// One of the languages has a function that ISO C 1999, to which it refers, does not have.
TEST(ElementarySuite, NoEdgesWhereTheSpecificationHasNone) {
  std::size_t without = 0;
  for (const Bound& b : bounds()) {
    if (has_edges(b) || b.profile) continue;
    EXPECT_TRUE(b.kind == "half" || b.function == "exp10") << row_of(b).id;
    without += b.kind == "half" ? 0U : 1U;
  }
  EXPECT_EQ(1u, without);
  for (const Case& c : suite().cases(Level::kExhaustive, 1)) {
    const Bound& b = *find_bound(c.word("rules"), c.word("kind"), c.word("operation"));
    EXPECT_TRUE(has_edges(b) || c.word("fill") != "edges") << print(c);
  }
}

TEST(ElementarySuite, EveryFunctionOfEveryRuleHasItsRow) {
  for (const Bound& b : bounds()) {
    EXPECT_EQ(&b, find_bound(b.rules, b.kind, b.function));
    EXPECT_EQ(b.ulps, row_of(b).bound_ulps);
    if (has_edges(b)) {
      EXPECT_EQ(std::string(row_of(b).id) + ".edges", edge_row_of(b).id);
      EXPECT_FALSE(edge_row_of(b).source.empty());
    }
    EXPECT_NE(std::string::npos, row_of(b).id.find(b.function)) << row_of(b).id;
  }
}

CaseResult run(std::string_view name, const Suite& asked = suite()) {
  return run_case(session(), asked, parse_case("elementary", suite().axes, name));
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

// The cases of a language concern the devices that speak of it, be it to say that they do not keep
// its bounds; a replay anywhere else has an answer all the same.
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

// Evidence goes with a verdict: never beyond the bound of a case that passed, and not at edges.
TEST(ElementaryOnHost, SaysHowFarTheFarthestResultIs) {
  const CaseResult result = run("elementary.fp32.tanh.standard.libm.portable.n4096.moderate.s7");
  ASSERT_EQ(Verdict::kPass, result.verdict) << result.reason;
  ASSERT_TRUE(result.accuracy);
  EXPECT_EQ(2u, result.accuracy->allowed_ulps);
  EXPECT_LT(3900u, result.accuracy->results);
  EXPECT_LT(500u, result.accuracy->thousandths) << "the library is not correctly rounded";
  EXPECT_GE(2000u, result.accuracy->thousandths);
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

// The number below 1 for tanh of an infinity is within every bound of numbers, and no value.
TEST(ElementaryOnHost, ALimitThatIsOnlyApproachedIsNamed) {
  Suite near = suite();
  near.refer = [](const Case& c, const TensorSet& in, const models::Machine& machine) {
    TensorSet out = suite().refer(c, in, machine);
    out.at("y").set(2, 0x3f7fffff);
    return out;
  };
  near.enclose = [](const Case& c, const TensorSet& in) -> std::optional<Enclosure> {
    const TensorSet wrong = [&] {
      TensorSet out = suite().refer(c, in, {});
      out.at("y").set(2, 0x3f7fffff);
      return out;
    }();
    return Enclosure{.low = wrong, .high = wrong};
  };
  const CaseResult result = run("elementary.fp32.tanh.standard.libm.portable.n8.edges.s7", near);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("limit", result.finding_class);
  EXPECT_EQ(Standing::kViolation, result.standing);
}

// Held to no error at all, a library that is not correctly rounded fails, and is not explained.
TEST(ElementaryOnHost, ABoundThatIsTooTightFails) {
  Suite strict = suite();
  strict.enclose = [](const Case& c, const TensorSet& in) -> std::optional<Enclosure> {
    const TensorSet exact = suite().refer(c, in, {});
    return Enclosure{.low = exact, .high = exact};
  };
  const CaseResult result =
      run("elementary.fp32.tanh.standard.libm.portable.n4096.moderate.s7", strict);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
}

TEST(ElementaryOnHost, AnotherFunctionFails) {
  Suite wrong = suite();
  wrong.plan = [](const Case& c, const backends::DeviceInfo& device) {
    Plan plan = suite().plan(c, device);
    plan.launches[0].entry = "function_standard_exp2";
    return plan;
  };
  const CaseResult result =
      run("elementary.fp32.exp.standard.libm.portable.n4096.moderate.s7", wrong);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("unexplained", result.finding_class);
}

// Of no run, but of one that asks for nothing else; then a device is held to it.
TEST(ElementaryOnHost, AProfileIsMeasuredWhereItIsAskedFor) {
  std::size_t asked = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    if (!find_bound(c.word("rules"), c.word("kind"), c.word("operation"))->profile) continue;
    EXPECT_FALSE(suite().concerns(c, session().device().info()));
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    EXPECT_FALSE(result.accuracy) << "that is of the device's own rules";
    ++asked;
  }
  EXPECT_EQ(24u, asked) << "eight functions, three fills";
}

TEST(ElementaryOnHost, BeyondAProfileIsADeviationUntilItIsPromised) {
  Suite wrong = suite();
  wrong.plan = [](const Case& c, const backends::DeviceInfo& device) {
    Plan plan = suite().plan(c, device);
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
