// SPDX-License-Identifier: Apache-2.0
// The elementary functions of fp32 and tf32 against MPFR: hard cases, thresholds, the ends of every
// binade and random operands; and their two evaluations, each on its own. functions_full_test.cpp
// tests hundreds of millions of operands.
#include <gtest/gtest.h>

#include "reference/formats/ulp.hpp"
#include "reference/slow/check_functions.hpp"
#include "reference/slow/hard_cases.hpp"
#include "reference/slow/operands.hpp"
#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft {
namespace {

constexpr const Format& kFormat = formats::kFp32;

std::string name_of_function(const testing::TestParamInfo<Function>& row) {
  return std::string(row.param.name);
}

class Fp32Functions : public testing::TestWithParam<Function> {
 protected:
  const Function& function_ = GetParam();
  slow::FunctionChecker checker_{GetParam(), formats::kFp32};
};

TEST_P(Fp32Functions, OfTheHardestOperands) {
  bool found = false;
  for (const slow::HardCases& row : slow::kHardCases) {
    if (row.function != function_.name) continue;
    found = true;
    for (const Bits a : row.operands) checker_.expect(a, slow::all_environments());
  }
  EXPECT_TRUE(found);
}

// The thresholds between tiny, huge and exact operands are all at or next to powers of two.
TEST_P(Fp32Functions, AtTheEndsOfEveryBinade) {
  const auto& environments = slow::all_environments();
  for (Bits field = 0; field <= 0xff; ++field) {
    for (const int offset : {0, 1, 2, 3, -1, -2, -3, 0x400000, 0x3fffff, 0x400001}) {
      const Bits a = ((field << 23) + static_cast<Bits>(offset)) & 0x7fffffff;
      checker_.expect(a, {&environments[4 * (a % 5)], 4});
      checker_.expect(a | 0x80000000, {&environments[4 * ((a + field) % 5)], 4});
    }
  }
}

// The operands at which the result, rounded to nearest, passes a significant encoding, found by
// bisection on each side of zero and of one.
TEST_P(Fp32Functions, AtTheThresholds) {
  const auto result = [this](Bits a) {
    return formats::ordered(kFormat, function_.evaluate(kFormat, a, {}).bits);
  };
  const Bits ranges[][2] = {{1, 0x3f800000},
                            {0x3f800000, 0x7f7fffff},
                            {0x80000001, 0xbf800000},
                            {0xbf800000, 0xff7fffff}};
  for (const auto& [from, to] : ranges) {
    for (const std::int64_t target : {0x1, 0x2, 0x7fffff, 0x800000, 0x800001, 0x3f000000,
                                      0x3f7fffff, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000}) {
      const auto passed = [&](Bits a) {
        return (std::abs(result(a)) >= target) == (std::abs(result(to)) >= target);
      };
      Bits low = from;
      Bits high = to;
      while (high - low > 1) {
        const Bits middle = low + (high - low) / 2;
        (passed(middle) ? high : low) = middle;
      }
      for (Bits a = high - 3; a <= high + 3; ++a) checker_.expect(a, slow::all_environments());
    }
  }
}

TEST_P(Fp32Functions, OfRandomOperands) {
  slow::Operands operands(77);
  for (int i = 0; i < 10000; ++i) {
    Bits a = operands.any(kFormat);
    if (i % 4 != 0) a = (a & 0x807fffff) | (127 - 30 + operands.word() % 38) << 23;
    const Environment env = operands.environment(kFormat);
    checker_.expect(a, {&env, 1});
  }
}

INSTANTIATE_TEST_SUITE_P(All, Fp32Functions, testing::ValuesIn(kFunctions), name_of_function);

class Tf32Functions : public testing::TestWithParam<Function> {};

// A strided selection of the operands; functions_full_test.cpp tests the rest.
TEST_P(Tf32Functions, OfAStride) {
  slow::FunctionChecker checker(GetParam(), formats::kTf32);
  const auto& environments = slow::all_environments();
  for (Bits a = 0; a <= formats::kTf32.mask(); a += 67) {
    checker.expect(a, {&environments[a % environments.size()], 1});
  }
}

INSTANTIATE_TEST_SUITE_P(All, Tf32Functions, testing::ValuesIn(kFunctions), name_of_function);

// --- the two evaluations -------------------------------------------------------------------------

struct Evaluation {
  const char* name;
  detail::Fast fast;
  detail::WideEvaluation wide;
  int least_exponent;  // of the operands that reach the evaluation
  int most_exponent;
  bool positive_only;
};

constexpr Evaluation kEvaluations[]{
    {"exp", detail::fast_exp, detail::wide_exp, -26, 7, false},
    {"exp2", detail::fast_exp2, detail::wide_exp2, -26, 7, false},
    {"log", detail::fast_log, detail::wide_log, -149, 127, true},
    {"log2", detail::fast_log2, detail::wide_log2, -149, 127, true},
    {"rsqrt", detail::fast_rsqrt, detail::wide_rsqrt, -149, 127, true},
    {"tanh", detail::fast_tanh, detail::wide_tanh, -13, 3, false},
    {"erf", detail::fast_erf, detail::wide_erf, -149, 1, false},
    {"sigmoid", detail::fast_sigmoid, detail::wide_sigmoid, -26, 4, false},
    {"gelu", detail::fast_gelu, detail::wide_gelu, -26, 2, false},
    {"gelu_tanh", detail::fast_gelu_tanh, detail::wide_gelu_tanh, -26, 1, false},
    {"sin", detail::fast_sin, detail::wide_sin, -13, 127, false},
    {"cos", detail::fast_cos, detail::wide_cos, -13, 127, false},
    {"tan", detail::fast_tan, detail::wide_tan, -13, 127, false},
    {"asin", detail::fast_asin, detail::wide_asin, -13, -1, false},
    {"acos", detail::fast_acos, detail::wide_acos, -149, -1, false},
    {"atan", detail::fast_atan, detail::wide_atan, -13, 127, false},
    {"sinh", detail::fast_sinh, detail::wide_sinh, -13, 7, false},
    {"cosh", detail::fast_cosh, detail::wide_cosh, -13, 7, false},
    {"exp10", detail::fast_exp10, detail::wide_exp10, -28, 5, false},
    {"expm1", detail::fast_expm1, detail::wide_expm1, -26, 4, false},
    {"log10", detail::fast_log10, detail::wide_log10, -149, 127, true},
    {"log1p", detail::fast_log1p, detail::wide_log1p, -26, -1, false},
    {"cbrt", detail::fast_cbrt, detail::wide_cbrt, -149, 127, false},
    {"erfc", detail::fast_erfc, detail::wide_erfc, -27, 1, false},
    {"sinpi", detail::fast_sinpi, detail::wide_sinpi, -149, 21, false},
    {"cospi", detail::fast_cospi, detail::wide_cospi, -16, 21, false},
};

bool less_or_equal(const detail::Magnitude& a, const detail::Magnitude& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand <= b.significand;
}

class Evaluations : public testing::TestWithParam<Evaluation> {
 protected:
  // An fp32 operand whose result is neither exact nor special.
  [[nodiscard]] Bits operand(slow::Operands& operands) const {
    const Evaluation& row = GetParam();
    const int count = row.most_exponent - row.least_exponent + 1;
    const int exponent =
        row.least_exponent + static_cast<int>(operands.word() % static_cast<std::uint64_t>(count));
    const Bits sign = row.positive_only ? 0 : operands.word() & 0x80000000;
    const Bits fraction = operands.any(kFormat) & 0x7fffff;
    if (exponent < -126) return sign | Bits{3} << std::max(0, exponent + 148);
    return sign | Bits(exponent + 127) << 23 | fraction | 1;
  }
};

// MPFR rounds to 53 bits, far more than fp32 needs.
TEST_P(Evaluations, WideBoundsHoldTheValue) {
  const Evaluation& row = GetParam();
  const Format& fp64 = formats::kFp64;
  const auto id = slow::mpfr::find_function(row.name);
  slow::Operands operands(31);
  for (int i = 0; i < 600; ++i) {
    const Bits a = operand(operands);
    const Value x = unpack(kFormat, a);
    const int limbs = detail::kPrecisions[static_cast<std::size_t>(i % 8 == 0 ? i / 8 % 3 : 0)];
    const detail::Bounds bounds = detail::bounds(row.wide(x, limbs));
    const Environment env{.rounding = kRoundings[static_cast<std::size_t>(i % 5)].value};
    const auto end = [&](const detail::Magnitude& m) {
      return round(fp64, bounds.negative, m.exponent, m.significand, env);
    };
    const Result expected = slow::mpfr::rounded(slow::mpfr::value_of(id, kFormat, a), fp64, env);
    EXPECT_EQ(expected, end(bounds.low)) << row.name << std::hex << " " << a;
    EXPECT_EQ(expected, end(bounds.high)) << row.name << std::hex << " " << a;
  }
}

TEST_P(Evaluations, FastBoundsHoldTheWideOnes) {
  const Evaluation& row = GetParam();
  slow::Operands operands(32);
  for (int i = 0; i < 1500; ++i) {
    const Bits a = operand(operands);
    const Value x = unpack(kFormat, a);
    const detail::Bounds fast = row.fast(x);
    const detail::Bounds wide = detail::bounds(row.wide(x, detail::kPrecisions[0]));
    EXPECT_EQ(wide.negative, fast.negative);
    EXPECT_TRUE(less_or_equal(fast.low, wide.low)) << row.name << std::hex << " " << a;
    EXPECT_TRUE(less_or_equal(wide.high, fast.high)) << row.name << std::hex << " " << a;
    // The bounds must also be useful: at most 2^-49 apart.
    const int apart = fast.high.exponent - fast.low.exponent;
    EXPECT_LE((fast.high.significand << apart) - fast.low.significand, std::uint64_t{1} << 13);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Evaluations, testing::ValuesIn(kEvaluations),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
