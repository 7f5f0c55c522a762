// SPDX-License-Identifier: Apache-2.0
// Errors against big numbers, and bounds against the errors that they bound.
#include "reference/models/error.hpp"

#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/convert.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;

TEST(UlpError, PrintsExactDecimals) {
  EXPECT_EQ(print(Ulps{0}), "0.0");
  EXPECT_EQ(print(Ulps{std::uint64_t{3} << 30}), "0.75");
  EXPECT_EQ(print(Ulps{(std::uint64_t{12} << 32) + 1}), "12.00000000023283064365386962890625");
  EXPECT_EQ(print(Ulps{Ulps::kBeyond}), "4294967296 or more");
}

std::string error_text(std::initializer_list<Bits> terms, const Format& format, Bits computed) {
  ExactSum sum;
  for (const Bits term : terms) sum.add(kFp32, term);
  const auto error = ulp_error(sum, format, computed);
  return error ? print(*error) : "none";
}

TEST(UlpError, ByHand) {
  EXPECT_EQ(error_text({0x45002000}, kFp16, 0x6800), "1.0") << "2050 as 2048, ulps of 2";
  EXPECT_EQ(error_text({0x45001000}, kFp16, 0x6801), "0.5") << "2049 as 2050";
  EXPECT_EQ(error_text({0x3f800000, 0x33800000}, kFp32, 0x3f800000), "0.5") << "1 + 2^-24";
  EXPECT_EQ(error_text({0x3f800000}, kFp32, 0xbf800000), "16777216.0") << "the wrong sign";
  EXPECT_EQ(error_text({}, kFp16, 0x8003), "3.0") << "zero has the smallest ulp";
  EXPECT_EQ(error_text({0x33000000}, kFp16, 0x0000), "0.5") << "2^-25 below the subnormals";
  EXPECT_EQ(error_text({0x477fffff}, kFp16, 0x7bff), "0.9998779296875")
      << "65535.996, below overflow";
  EXPECT_EQ(error_text({0x47800000}, kFp16, 0x7c00), "none") << "65536 as infinity";
  EXPECT_EQ(error_text({0x7f800000}, kFp16, 0x7c00), "0.0") << "infinity is infinity";
  EXPECT_EQ(error_text({0x7f800000}, kFp16, 0xfc00), "none");
  EXPECT_EQ(error_text({0x3f800000}, formats::kE8m0, 0x7f), "0.0") << "1, in a format without sign";
  EXPECT_EQ(error_text({0x40400000}, formats::kE8m0, 0x81), "0.5") << "3 as 4, ulps of 2";
}

// Below the smallest number of fp64 its rounding has no bits left for a distance.
TEST(UlpError, ReachesBelowTheSmallestNumberOfFp64) {
  constexpr Bits kSmallest = 1;
  constexpr Bits kHalf = 0x3fe0000000000000;
  constexpr Bits kTiny = 0x2630000000000000;  // 2^-412
  const auto error = [](std::initializer_list<Bits> factors_of_smallest, Bits computed) {
    ExactSum sum;
    for (const Bits factor : factors_of_smallest) sum.add_product(kFp64, kSmallest, kFp64, factor);
    return print(*ulp_error(sum, kFp64, computed));
  };
  const Bits one = formats::one(kFp64);
  EXPECT_EQ("0.5", error({kHalf}, 0)) << "2^-1075 as 0";
  EXPECT_EQ("0.5", error({one, kHalf}, kSmallest)) << "2^-1074 + 2^-1075 as 2^-1074";
  EXPECT_EQ("1.5", error({kHalf}, kSmallest | kFp64.sign_mask())) << "2^-1075 as -2^-1074";
  EXPECT_EQ("0.0", error({kTiny}, 0)) << "less than 2^-32 ulp";
}

// parts <= |exact - computed| / ulp * 2^32 < parts + 1, in big numbers.
TEST(UlpError, AgreesWithBigNumbers) {
  slow::Operands operands(1);
  int checked = 0;
  for (int i = 0; i < 20000; ++i) {
    const Bits x = operands.any(kFp32);
    const Bits y = operands.any(kFp32);
    if (!formats::is_finite(kFp32, x) || !formats::is_finite(kFp32, y)) continue;
    const slow::Exact exact = slow::plus(slow::exact_value(kFp32, x), slow::exact_value(kFp32, y));
    if (exact.numerator.is_zero()) continue;
    ExactSum sum;
    sum.add(kFp32, x);
    sum.add(kFp32, y);
    const Format& format = i % 2 == 0 ? kFp16 : kFp32;
    const Bits computed =
        operands.close_to(format, slow::round_exact(format, exact, operands.environment()).bits);
    if (!formats::is_finite(format, computed)) continue;
    const auto error = ulp_error(sum, format, computed);
    ASSERT_TRUE(error);
    if (error->parts >= std::uint64_t{1} << 53) continue;
    // The exponent of the exact number, at least the format's smallest.
    int exponent = format.min_exponent();
    while (slow::compare_magnitude(slow::Natural(1), exponent + 1, exact) <= 0) ++exponent;
    slow::Exact other = slow::exact_value(format, computed);
    other.negative = !other.negative;
    slow::Exact distance = slow::plus(exact, other);
    distance.negative = false;
    const int place = exponent - format.fraction_bits - 32;
    EXPECT_LE(slow::compare_magnitude(slow::Natural(error->parts), place, distance), 0);
    EXPECT_GT(slow::compare_magnitude(slow::Natural(error->parts + 1), place, distance), 0);
    ++checked;
  }
  EXPECT_GT(checked, 5000);
}

TEST(Magnitude, HasAllItsBitsOutsideTheRangeOfFp64) {
  const auto product = [](Bits x, Bits y) {
    ExactSum sum;
    sum.add_product(kFp64, x, kFp64, y);
    return sum;
  };
  const ExactSum least = product(1, 1 | kFp64.sign_mask());
  for (const bool up : {false, true}) EXPECT_EQ(-2148, exponent_of(magnitude(least, up)));
  const Bits most = formats::max_finite(kFp64);
  const ExactSum largest = product(most, most);  // (2 - 2^-52)^2 * 2^2046
  EXPECT_EQ(2047, exponent_of(magnitude(largest, false)));
  EXPECT_EQ((std::uint64_t{1} << 53) - 2, magnitude(largest, false).significand);
  EXPECT_EQ((std::uint64_t{1} << 53) - 1, magnitude(largest, true).significand);
  EXPECT_EQ(0U, magnitude({}, true).significand);
}

TEST(Magnitude, IsNeverRoundedDown) {
  EXPECT_EQ(number_above(kFp32, {}), 0u);
  EXPECT_EQ(number_above(kFp32, {3, -1}), 0x3fc00000u) << "1.5 is one";
  EXPECT_EQ(number_above(kFp32, {(std::uint64_t{1} << 62) + 1, -62}), 0x3f800001u);
  EXPECT_EQ(number_above(kFp32, {1, -200}), 1u);
  EXPECT_EQ(number_above(kFp32, {1, 128}), 0x7f800000u);
  const Magnitude sum = sum_up({1, 0}, {1, -200});
  EXPECT_EQ(number_above(kFp32, sum), 0x3f800001u);
}

struct Sum {
  std::vector<Bits> a, b;
  std::optional<Encoded> c;
};

Sum random_sum(slow::Operands& operands, const Format& in) {
  Sum sum;
  const bool tame = operands.word() % 4 != 0;
  const auto number = [&](const Format& f) {
    if (!tame) return operands.any(f);
    const Bits field = static_cast<Bits>(f.bias) - 3 + operands.word() % 7;
    return field << f.fraction_bits | (operands.word() & (f.fraction_mask() | f.sign_mask()));
  };
  for (std::uint64_t k = operands.word() % 40; k > 0; --k) {
    sum.a.push_back(number(in));
    sum.b.push_back(number(in));
  }
  if (operands.word() % 2 == 0) sum.c = Encoded{&kFp32, number(kFp32)};
  return sum;
}

constexpr const char* kNames[] = {"exact",
                                  "fp32.sequential.fma",
                                  "fp16.sequential.fma",
                                  "fp32.pairwise.mul",
                                  "bf16.pairwise.fma",
                                  "fp32.sequential.fma.toward_zero",
                                  "fp16.reversed.mul.up",
                                  "fp16.strided-4.fma.down",
                                  "fp16.blocked-8.fma.total-fp32",
                                  "fp32.splitk-4.fma.parts-bf16",
                                  "fp32.sequential.mul.product-bf16",
                                  "fp32.sequential.fma.early-fp16",
                                  "fp16.sequential.fma.flush_out",
                                  "fp32.strided-8-halves.fma.c_first",
                                  "fp64.sequential.fma",
                                  "bf16.blocked-4.fma.c_last",
                                  "fp32.sequential.fma.flush_in",
                                  "fp16.sequential.fma.flush",
                                  "bf16.pairwise.mul.flush",
                                  "unit.volta.mma.fp16.fp32",
                                  "unit.ampere.mma.fp16.fp16",
                                  "unit.ampere.mma.bf16.fp32",
                                  "unit.hopper.wgmma.fp16.fp32",
                                  "unit.ampere.mma.fp64.fp64",
                                  "unit.cdna1.mfma.fp16.fp32",
                                  "unit.cdna2.mfma.fp16.fp32",
                                  "unit.cdna2.mfma.bf16.fp32",
                                  "unit.cdna3.mfma.bf16.fp32",
                                  "unit.cdna3.mfma.e5m2fnuz.fp32",
                                  "unit.amx.tdp.fp16.fp32",
                                  "unit.amx.tdp.bf16.fp32",
                                  "unit.avx512.dp.bf16.fp32",
                                  "unit.arm.bfmmla.bf16.fp32"};

// No computed sum is further off than its bound, and the bound is not too loose: in some sum of
// each arithmetic at least a fiftieth of it is used.
TEST(ErrorBound, HoldsAndIsNear) {
  slow::Operands operands(2);
  for (const char* name : kNames) {
    const Arithmetic arithmetic = *parse_arithmetic(name);
    Ulps nearest;
    int bounded = 0;
    for (int i = 0; i < 4000; ++i) {
      const Format& in = arithmetic.unit != nullptr ? *arithmetic.unit->a[0]
                         : i % 2 == 0               ? kFp16
                                                    : kBf16;
      const Format& out = i % 3 == 0 ? kFp16 : kFp32;
      const Sum s = random_sum(operands, in);
      const Vector a{&in, s.a.data()};
      const Vector b{&in, s.b.data()};
      const Encoded computed = dot(arithmetic, a, b, s.a.size(), s.c, out);
      const Bits stored = soft::convert(*computed.format, out, computed.bits).bits;
      ExactSum exact;
      for (std::size_t k = 0; k < s.a.size(); ++k) exact.add_product(in, s.a[k], in, s.b[k]);
      if (s.c) exact.add(*s.c->format, s.c->bits);
      const auto error = ulp_error(exact, out, stored);
      const auto bound = error_bound(arithmetic, a, b, s.a.size(), s.c, out);
      if (!bound) continue;
      ASSERT_TRUE(error) << name << ": a bounded sum is finite";
      ASSERT_LE(*error, *bound) << name << ' ' << in.name << " n=" << s.a.size();
      ++bounded;
      if (bound->parts / 50 > 0) {
        nearest.parts = std::max(nearest.parts, (error->parts << 6) / (bound->parts >> 4 | 1));
      }
    }
    EXPECT_GT(bounded, 1000) << name;
    EXPECT_GT(nearest.parts, 1024 / 50) << name;
  }
}

TEST(ErrorBound, ByHand) {
  const std::vector<Bits> ones(9, 0x3c00);
  const auto bound = [&](const char* name, std::size_t count) {
    const auto b = error_bound(*parse_arithmetic(name), {&kFp16, ones.data()},
                               {&kFp16, ones.data()}, count, {}, kFp32);
    return b ? print(*b).substr(0, 8) : "none";
  };
  // m = 8 roundings: 8u / (1 - 8u) * 8 over ulp(8) = 16u, plus a little underflow.
  EXPECT_EQ(bound("fp32.sequential.fma", 8), "4.000001");
  // A tree of 8: one product rounded, one step, two sums.
  EXPECT_EQ(bound("fp32.pairwise.fma", 8), "2.000000");
  EXPECT_EQ(bound("fp32.sequential.fma.up", 8), "8.000007");
  EXPECT_EQ(bound("exact", 8), "0.5");
  EXPECT_EQ(bound("fp32.sequential.fma.flush", 8), "4.000001") << "nothing is subnormal";
  // 8 terms, each less than 2^-24 too small, are half an ulp; the truncation of the sum is one.
  EXPECT_EQ(bound("unit.ampere.mma.fp16.fp32", 8), "1.500000");
  // Ten terms of 2^-24 are 10/16 ulp, the rounding to 31 bits 2^-8, the last one a half.
  EXPECT_EQ(bound("unit.cdna3.mfma.fp16.fp32", 8), "1.128906");
  // Four roundings of half an ulp in each block of four, the first block with a sum of 4.
  EXPECT_EQ(bound("unit.cdna2.mfma.fp16.fp32", 8), "3.000000");
  // Chains of four, and two additions.
  EXPECT_EQ(bound("unit.amx.tdp.fp16.fp32", 8), "3.000000");
  EXPECT_EQ(bound("unit.hopper.mma.e5m2.fp32", 8), "none") << "a rule without a bound";
}

// The products of fp16's subnormals are fp32 numbers: one unit loses them, another does not.
TEST(ErrorBound, FlushedOperandsAreLostWhole) {
  const std::vector<Bits> ones(8, 0x3c00);
  const std::vector<Bits> subnormal(8, 0x0001);
  const auto bound = [&](const char* name) {
    return print(*error_bound(*parse_arithmetic(name), {&kFp16, ones.data()},
                              {&kFp16, subnormal.data()}, 8, {}, kFp32));
  };
  EXPECT_EQ(bound("unit.amx.tdp.fp16.fp32").substr(0, 8), "3.000000");
  // The whole sum, 2^23 ulps, plus the roundings of what may remain.
  EXPECT_EQ(bound("unit.cdna2.mfma.fp16.fp32").substr(0, 8), "8388614.");
}

// Four products, each just below the last place of c, are lost entirely.
TEST(ErrorBound, HoldsWhereTheAddendSetsTheGrid) {
  const std::vector<Bits> x(4, 0x0bff);
  const std::vector<Bits> y(4, 0x1000);
  const Arithmetic volta = *parse_arithmetic("unit.volta.mma.fp16.fp32");
  const Vector a{&kFp16, x.data()};
  const Vector b{&kFp16, y.data()};
  const Encoded c{&kFp32, 0x3f800000};
  EXPECT_EQ(dot(volta, a, b, 4, c, kFp32).bits, c.bits);
  const auto error = ulp_error(exact_dot_sum(a, b, 4, c), kFp32, c.bits);
  const auto bound = error_bound(volta, a, b, 4, c, kFp32);
  ASSERT_TRUE(error && bound);
  EXPECT_GT(print(*error), "3.99");
  EXPECT_LE(*error, *bound);
}

// 2^-30 has one digit, but fp16 has no such number.
TEST(ErrorBound, CountsTheConversionOfAnAddendThatIsOutOfRange) {
  const Arithmetic arithmetic = *parse_arithmetic("fp16.sequential.fma");
  const Vector none{&kFp16, nullptr};
  const Encoded c{&kBf16, 0x3080};
  EXPECT_EQ(dot(arithmetic, none, none, 0, c, kFp16).bits, 0u);
  const auto error = ulp_error(exact_dot_sum(none, none, 0, c), kFp16, 0);
  const auto bound = error_bound(arithmetic, none, none, 0, c, kFp16);
  ASSERT_TRUE(error && bound);
  EXPECT_EQ(print(*error), "0.015625");
  EXPECT_LE(*error, *bound);
}

// 100 becomes 28, the largest number of e3m2, and 0 the least number of e8m0.
TEST(ErrorBound, NoneWhereAnExactResultLeavesTheFormat) {
  const auto bound = [](Bits product, const Format& result) {
    const Bits one = 0x3c00;
    const auto b = error_bound({}, {&kFp16, &product}, {&kFp16, &one}, 1, std::nullopt, result);
    return b ? print(*b) : "none";
  };
  EXPECT_EQ(bound(0x4f00, formats::kE3m2), "0.5") << "28, the largest";
  EXPECT_EQ(bound(0x4f60, formats::kE3m2), "0.5") << "29.5, below where it would round up";
  EXPECT_EQ(bound(0x5640, formats::kE3m2), "none") << "100";
  EXPECT_EQ(bound(0x4200, formats::kE8m0), "0.5") << "3";
  EXPECT_EQ(bound(0x0000, formats::kE8m0), "none");
  EXPECT_EQ(bound(0x8000, kFp16), "0.5") << "a zero";
}

TEST(ErrorBound, NoneOfANegativeSumOfAUnitInAFormatWithoutSign) {
  const auto bound = [](Bits product) {
    const Bits one = 0x3c00;
    return error_bound(*parse_arithmetic("unit.ampere.mma.fp16.fp32"), {&kFp16, &product},
                       {&kFp16, &one}, 1, std::nullopt, formats::kE8m0)
        .has_value();
  };
  EXPECT_TRUE(bound(0x3c00));
  EXPECT_FALSE(bound(0xbc00));
}

TEST(ErrorBound, NoneWhereRoundingsCouldEatTheSum) {
  const auto bounded = [](const char* arithmetic, const Format& format, Bits one,
                          std::size_t count) {
    const std::vector<Bits> ones(count, one);
    const Vector x{&format, ones.data()};
    return error_bound(*parse_arithmetic(arithmetic), x, x, count, {}, kFp32).has_value();
  };
  EXPECT_TRUE(bounded("bf16.sequential.fma", kBf16, 0x3f80, 100));
  EXPECT_FALSE(bounded("bf16.sequential.fma", kBf16, 0x3f80, 300)) << "300 roundings of 2^-8";
  // 4096 are a whole number of 2^64 units of 2^-60, as are 8192 and the shorter sums below.
  EXPECT_FALSE(bounded("bf16.sequential.fma", kBf16, 0x3f80, 4096));
  EXPECT_FALSE(bounded("bf16.sequential.fma", kBf16, 0x3f80, 8192));
  EXPECT_FALSE(bounded("fp16.sequential.fma", kFp16, 0x3c00, 32768));
  EXPECT_FALSE(bounded("e4m3fn.sequential.fma", formats::kE4m3fn, 0x38, 256));
  EXPECT_FALSE(bounded("e5m2.sequential.fma", formats::kE5m2, 0x3c, 128));
}

}  // namespace
}  // namespace halfmark::models
