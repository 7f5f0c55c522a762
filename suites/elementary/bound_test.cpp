// SPDX-License-Identifier: Apache-2.0
// Bounds are exact: the farthest encoding inside is allowed and the next one is not, next to powers
// of two, at the ends of the range and where the value itself is representable.
#include "suites/elementary/bound.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "reference/formats/ulp.hpp"
#include "suites/elementary/accuracy.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::kFp32;

const Callee& function(std::string_view name) { return callee_of(name); }

struct Expected {
  Bits low, high;
};
void expect_range(std::string_view name, Bits x, std::uint64_t ulps, const Expected& expected,
                  const Flushing& flushing = {}) {
  const Range range = allowed(function(name), {x}, {.ulps = ulps}, flushing);
  EXPECT_EQ(expected.low, range.low) << name << std::hex << ' ' << x;
  EXPECT_EQ(expected.high, range.high) << name << std::hex << ' ' << x;
}

TEST(Bound, AroundANumber) {
  expect_range("exp2", 0x40000000, 0, {0x40800000, 0x40800000});
  // Encodings are twice as dense below a power of two.
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
  // exp(-2^-25) = 1 - 2^-25, where a ULP is 2^-24. Two ULP above 1 - 2^-24 lies 1; even four ULP do
  // not reach 1 + 2^-24.
  expect_range("exp", 0xb3000000, 2, {0x3f7ffffe, 0x3f800000});
}

TEST(Bound, AtTheEndsOfTheRange) {
  expect_range("exp", 0x42b17217, 1, {0x7f7fff84, 0x7f7fff85});
  expect_range("exp", 0x42b17218, 3, {0x7f800000, 0x7f800000});
  expect_range("exp", 0xff800000, 3, {0, 0});
  expect_range("log", 0, 3, {0xff800000, 0xff800000});
  expect_range("exp2", 0xc3150000, 1, {0, 2});  // 2^-149
  EXPECT_TRUE(formats::is_nan(kFp32, allowed(function("log"), {0xbf800000}, {.ulps = 3}).low));
  EXPECT_TRUE(formats::is_nan(kFp32, allowed(function("exp"), {0x7fc00000}, {.ulps = 3}).low));
}

TEST(Bound, InfinityIsAllowedWhereTheBoundReachesIt) {
  // 2^127.99999...: 0x7f7fffa7.(…); infinity is not allowed at 3 ULP, but at 100.
  const Range near = allowed(function("exp2"), {0x42ffffff}, {.ulps = 8192});
  EXPECT_EQ(0x7f800000u, near.high);
  EXPECT_NE(0x7f800000u, allowed(function("exp2"), {0x42ffffff}, {.ulps = 3}).high);
}

// Whether two and a half ULP reach one number more than two depends on the half in which the
// value lies.
TEST(Bound, OfHalves) {
  const auto range = [](Bits x, Bits w) {
    return allowed(callee_of("div"), {x, w}, {.ulps = Ulps::and_a_half(2)});
  };
  const Bits third = 0x3eaaaaaa;  // and 2/3 ULP
  EXPECT_EQ(third - 1, range(0x3f800000, 0x40400000).low);
  EXPECT_EQ(third + 3, range(0x3f800000, 0x40400000).high);
  const Bits two_thirds_less = 0x3faaaaaa;  // 4/3, and 2/3 ULP: the upper half; 5/3 the lower
  EXPECT_EQ(two_thirds_less - 1, range(0x40800000, 0x40400000).low);
  EXPECT_EQ(0x3fd55555u - 2, range(0x40a00000, 0x40400000).low);
  EXPECT_EQ(0x3fd55555u + 2, range(0x40a00000, 0x40400000).high);
  EXPECT_EQ(0x3f800000u + 2, range(0x3f800000, 0x3f800000).high) << "at a number two";
  EXPECT_EQ(0x3f800000u - 5, range(0x3f800000, 0x3f800000).low) << "of which half are below 1";
}

// The largest number is allowed as long as the value is within the bound of it, and infinity as
// long as infinity is within the bound of the value.
TEST(Bound, BeyondTheLargestNumberTheValueCounts) {
  const auto range = [](Bits x, Bits w, std::uint64_t ulps) {
    return allowed(callee_of("pow"), {x, w}, {.ulps = ulps});
  };
  const Bits x = 0x5f800000;  // 2^64: its square is one ULP past the largest number
  EXPECT_EQ(0x7f800000u, range(x, 0x40000000, 0).low);
  EXPECT_EQ(0x7f7fffffu, range(x, 0x40000000, 1).low);
  EXPECT_EQ(0x7f7ffffeu, range(x, 0x40000000, 2).low);
  EXPECT_EQ(0x7f800000u, range(x, 0x40000000, 1).high);
  EXPECT_EQ(0x7f800000u, range(0x7f000000, 0x40800000, 8192).low) << "far beyond";
}

TEST(Bound, OfTwoOperands) {
  const auto range = [](const char* name, Bits x, Bits w, const Flushing& flushing = {}) {
    return allowed(callee_of(name), {x, w}, {.ulps = 2}, flushing);
  };
  EXPECT_EQ(0x3f800000u, range("pow", 0x7fc00000, 0).low);
  EXPECT_EQ(0x3f800000u, range("pow", 0x7fc00000, 0).high);
  EXPECT_EQ(0x40490fdbu + 1, range("atan2", 0, 0x80000000).high) << "pi is no number";
  EXPECT_EQ(0x40490fdbu - 2, range("atan2", 0, 0x80000000).low);
  EXPECT_EQ(0x7f800000u, range("hypot", 0xff800000, 0x7fc00000).low);
  EXPECT_TRUE(formats::is_nan(kFp32, range("fmod", 0x3f800000, 1, {.operands = true}).low));
  EXPECT_EQ(2u, range("fmod", 0x3f800000, 1).high) << "0, and two ULP there";
}

TEST(Bound, OfFp16) {
  const auto range = [](const char* name, Bits x, std::uint64_t ulps) {
    return allowed(callee_of(name), {x}, {.ulps = ulps, .format = &formats::kFp16});
  };
  EXPECT_EQ(0x416eu, range("exp", 0x3c00, 2).low);  // e = 0x4170 less 0.24 ULP
  EXPECT_EQ(0x4171u, range("exp", 0x3c00, 2).high);
  EXPECT_EQ(0x7c00u, range("exp", 0x498c, 7).low);  // the largest number and 7.96 ULP
  EXPECT_EQ(0x7bffu, range("exp", 0x498c, 8).low);
  EXPECT_EQ(0x100u, range("exp2", 0xcc00, 0).low);  // 2^-16 is a subnormal, and exact
}

// tan(0x74ba) = 0xb57c.(...), and 2.5 ULP: more than two allow one encoding more on one side.
TEST(Bound, OfTheTangentOfFp16) {
  const auto* const bound = find_bound("fp16", bounds().front().rules, "standard", "tan");
  ASSERT_NE(nullptr, bound);
  EXPECT_EQ(Ulps::and_a_half(2), bound->ulps);
  EXPECT_EQ(3u, row_of(*bound).bound_ulps);
  const auto range = [](Ulps ulps) {
    return allowed(callee_of("tan"), {0x74ba}, {.ulps = ulps, .format = &formats::kFp16});
  };
  const auto count = [](const Range& r) {
    return formats::ulp_distance(formats::kFp16, r.low, r.high);
  };
  EXPECT_EQ(count(range(2)) + 1, count(range(bound->ulps)));
}

TEST(Bound, EdgesAreExactWhereTheyArePromised) {
  expect_range("tanh", 0x7f800000, 5, {0x3f800000, 0x3f800000});
  expect_range("exp", 0x80000000, 3, {0x3f800000, 0x3f800000});
  const Range loose = allowed(function("tanh"), {0x7f800000}, {.ulps = 5, .exact_edges = false});
  EXPECT_EQ(0x3f800000u - 10, loose.low);
}

// e is 0.35 ULP above the number that it is rounded to.
TEST(Bound, CountedFromTheRoundedResultItHasAnotherNeighbour) {
  const Terms terms{.ulps = 1, .of_rounded = true};
  const Range range = allowed(function("exp"), {0x3f800000}, terms);
  EXPECT_EQ(0x402df853u, range.low);
  EXPECT_EQ(0x402df855u, range.high);
  const Range none = allowed(function("exp"), {0x3f800000}, {.ulps = 0, .of_rounded = true});
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
  const Range root = allowed(function("rsqrt"), {1}, fast);
  EXPECT_EQ(0x7f800000u, root.high);
  EXPECT_NE(0x7f800000u, root.low);
  EXPECT_EQ(0xff800000u, allowed(function("log"), {1}, fast).low);
  EXPECT_EQ(0x3f800003u, allowed(function("exp"), {0}, fast).high);
}

TEST(Bound, FlushingIsZeroInsteadOfSubnormals) {
  const Bits x = 0xc2fe0000;  // 2^-127
  expect_range("exp2", x, 3, {0x00400000 - 3, 0x00400003});
  expect_range("exp2", x, 3, {0, 0x00400003}, {.results = true});
  expect_range("rsqrt", 1, 2, {0x7f800000, 0x7f800000}, {.operands = true});
  expect_range("log2", 1, 3, {0xc3150003, 0xc3150000 - 3}, {});
}

// Every range contains the correctly rounded result, and with a bound of one ULP at most its
// two neighbours.
TEST(Bound, HoldsTheRoundedValue) {
  for (const Callee& f : callees()) {
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const Operands x{(i * 0x9e3779b1u) & kFp32.mask(), (i * 0x85ebca6bu) & kFp32.mask()};
      const Bits y = f.evaluate(kFp32, x, {}).bits;
      if (formats::is_nan(kFp32, y)) continue;
      const Range range = allowed(f, x, {.ulps = 1});
      EXPECT_LE(formats::ordered(kFp32, range.low), formats::ordered(kFp32, y))
          << f.name << std::hex << x.x;
      EXPECT_GE(formats::ordered(kFp32, range.high), formats::ordered(kFp32, y))
          << f.name << std::hex << x.x;
      EXPECT_LE(formats::ordered(kFp32, range.high) - formats::ordered(kFp32, range.low), 3)
          << f.name << std::hex << x.x;
    }
  }
}

std::uint64_t off(std::string_view name, Bits x, Bits y) {
  return thousandths_off(function(name), kFp32, {x}, y).value_or(12345);
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
    EXPECT_FALSE(thousandths_off(function("exp2"), kFp32, {x}, y)) << std::hex << x;
  }
}

TEST(Accuracy, TheFirstOfTheFarthestIsTold) {
  formats::Tensor x = formats::Tensor::zeros(kFp32, 1500);
  for (std::size_t i = 1; i < x.count(); ++i) x.set(i, 0x40000000);  // 0 does not count
  formats::Tensor expected = x;
  for (std::size_t i = 0; i < x.count(); ++i) expected.set(i, 0x40800000);
  formats::Tensor y = expected;
  EXPECT_EQ(500u, farthest(function("exp2"), {{"x", x}}, expected, y)->thousandths)
      << "all are rounded";
  for (const std::size_t i : {700u, 710u, 1400u}) y.set(i, 0x40800003);
  const std::optional<Farthest> found = farthest(function("exp2"), {{"x", x}}, expected, y);
  ASSERT_TRUE(found);
  EXPECT_EQ(700u, found->index);
  EXPECT_EQ(3000u, found->thousandths);
  EXPECT_EQ(1499u, found->results);
}

TEST(Bound, OfAProfileDependsOnTheOperand) {
  const auto range = [](std::string_view name, Bits x, Shape shape, std::uint64_t ulps) {
    return allowed(function(name), {x}, {.ulps = ulps, .may_saturate = true, .shape = shape});
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
  // sin 2^-149 to 2^-11: the absolute bound dominates so small a number.
  EXPECT_EQ(0x3a000000u, range("sin", 1, Shape::kOneCircle, 0).high);
  EXPECT_EQ(0xb9ffffffu, range("sin", 1, Shape::kOneCircle, 0).low);
}

}  // namespace
}  // namespace halfmark::suites::elementary
