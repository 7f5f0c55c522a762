// SPDX-License-Identifier: Apache-2.0
// The specified elementary functions against MPFR: special values, and the largest distance from
// the correctly rounded value over every fp16 value and a random sweep of fp32.
// suites/softmax/elementary_kernel_test.cpp checks, where kernels can run, that kernel text gives
// the same bits.
#include "reference/operators/elementary.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <functional>
#include <random>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;

constexpr models::Machine kIeee{};
constexpr mpfr_prec_t kPrecision = 160;

struct Real {
  Real() { mpfr_init2(value, kPrecision); }
  ~Real() { mpfr_clear(value); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t value;
};

using Truth = std::function<void(mpfr_t result, const mpfr_t x)>;
using Function = Bits (*)(const models::Machine&, Bits);

// MPFR emulates fp32, including subnormals, when its exponent range and precision are those
// of fp32.
Bits rounded(const Real& exact) {
  mpfr_t narrow;
  mpfr_init2(narrow, 24);
  const auto low = mpfr_get_emin();
  const auto high = mpfr_get_emax();
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  int ternary = mpfr_set(narrow, exact.value, MPFR_RNDN);
  ternary = mpfr_check_range(narrow, ternary, MPFR_RNDN);
  mpfr_subnormalize(narrow, ternary, MPFR_RNDN);
  const float value = mpfr_get_flt(narrow, MPFR_RNDN);
  mpfr_set_emin(low);
  mpfr_set_emax(high);
  mpfr_clear(narrow);
  return std::bit_cast<std::uint32_t>(value);
}

struct Worst {
  std::uint64_t ulps = 0;
  Bits at = 0;
};

class Sweep {
 public:
  Sweep(Function function, Truth truth) : function_(function), truth_(std::move(truth)) {}

  void visit(Bits x) {
    mpfr_set_flt(x_.value, std::bit_cast<float>(static_cast<std::uint32_t>(x)), MPFR_RNDN);
    truth_(y_.value, x_.value);
    const auto ulps = formats::ulp_distance(kFp32, rounded(y_), function_(kIeee, x));
    if (ulps > worst.ulps) worst = {ulps, x};
  }

  // Every finite fp16 value that `wanted` accepts.
  void every_half(const std::function<bool(Bits)>& wanted) {
    for (Bits half = 0; half < 0x10000; ++half) {
      if (!formats::is_finite(kFp16, half)) continue;
      const Bits x = soft::convert(kFp16, kFp32, half, {}).bits;
      if (wanted(x)) visit(x);
    }
  }

  void random(int count, const std::function<Bits(std::mt19937_64&)>& draw) {
    std::mt19937_64 source(42);
    for (int i = 0; i < count; ++i) visit(draw(source));
  }

  Worst worst;

 private:
  Function function_;
  Truth truth_;
  Real x_, y_;
};

Bits uniform(std::mt19937_64& source, float low, float high) {
  return std::bit_cast<std::uint32_t>(std::uniform_real_distribution<float>(low, high)(source));
}

void report(const char* name, const Worst& worst) {
  std::printf("%s: worst %llu ulp at 0x%08llx\n", name, static_cast<unsigned long long>(worst.ulps),
              static_cast<unsigned long long>(worst.at));
  testing::Test::RecordProperty(name, static_cast<int>(worst.ulps));
}

// 1 + exp(-2z), z = sqrt(2/pi) (x + 0.044715 x^3).
void divisor(mpfr_t result, const mpfr_t x) {
  Real k, cube;
  mpfr_const_pi(k.value, MPFR_RNDN);
  mpfr_ui_div(k.value, 8, k.value, MPFR_RNDN);
  mpfr_sqrt(k.value, k.value, MPFR_RNDN);
  mpfr_pow_ui(cube.value, x, 3, MPFR_RNDN);
  mpfr_mul_ui(cube.value, cube.value, 44715, MPFR_RNDN);
  mpfr_div_ui(cube.value, cube.value, 1000000, MPFR_RNDN);
  mpfr_add(cube.value, cube.value, x, MPFR_RNDN);
  mpfr_mul(cube.value, cube.value, k.value, MPFR_RNDN);
  mpfr_neg(cube.value, cube.value, MPFR_RNDN);
  mpfr_exp(result, cube.value, MPFR_RNDN);
  mpfr_add_ui(result, result, 1, MPFR_RNDN);
}

void true_gelu(mpfr_t result, const mpfr_t x) {
  Real d;
  divisor(d.value, x);
  mpfr_div(result, x, d.value, MPFR_RNDN);
}

// By the quotient rule: (D - x D') / D^2, D' = -(D - 1) sqrt(8/pi) (1 + 3 * 0.044715 x^2).
void true_gelu_derivative(mpfr_t result, const mpfr_t x) {
  Real d, slope, k;
  divisor(d.value, x);
  mpfr_sqr(slope.value, x, MPFR_RNDN);
  mpfr_mul_ui(slope.value, slope.value, 3 * 44715, MPFR_RNDN);
  mpfr_div_ui(slope.value, slope.value, 1000000, MPFR_RNDN);
  mpfr_add_ui(slope.value, slope.value, 1, MPFR_RNDN);
  mpfr_const_pi(k.value, MPFR_RNDN);
  mpfr_ui_div(k.value, 8, k.value, MPFR_RNDN);
  mpfr_sqrt(k.value, k.value, MPFR_RNDN);
  mpfr_mul(slope.value, slope.value, k.value, MPFR_RNDN);
  mpfr_sub_ui(k.value, d.value, 1, MPFR_RNDN);
  mpfr_mul(slope.value, slope.value, k.value, MPFR_RNDN);
  mpfr_mul(slope.value, slope.value, x, MPFR_RNDN);
  mpfr_add(result, d.value, slope.value, MPFR_RNDN);
  mpfr_div(result, result, d.value, MPFR_RNDN);
  mpfr_div(result, result, d.value, MPFR_RNDN);
}

bool positive(Bits x) { return !formats::sign(kFp32, x) && !formats::is_zero(kFp32, x); }
float as_float(Bits x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }

TEST(Elementary, ExpIsWithinOneUlp) {
  Sweep sweep(exp, [](mpfr_t y, const mpfr_t x) { mpfr_exp(y, x, MPFR_RNDN); });
  sweep.every_half([](Bits) { return true; });
  sweep.random(150000, [](auto& source) { return uniform(source, -104, 89); });
  sweep.random(100000, [](auto& source) { return source() & 0xff7fffff; });
  sweep.random(100000, [](auto& source) { return uniform(source, -105, -86); });
  report("exp_ulps", sweep.worst);
  EXPECT_LE(sweep.worst.ulps, 1u);
}

TEST(Elementary, LogIsWithinOneUlp) {
  Sweep sweep(log, [](mpfr_t y, const mpfr_t x) { mpfr_log(y, x, MPFR_RNDN); });
  sweep.every_half(positive);
  sweep.random(150000, [](auto& source) { return uniform(source, 0.5f, 2); });
  sweep.random(100000, [](auto& source) { return uniform(source, 1, 100000); });
  sweep.random(150000, [](auto& source) { return 1 + source() % 0x7f7fffff; });
  report("log_ulps", sweep.worst);
  EXPECT_LE(sweep.worst.ulps, 1u);
}

TEST(Elementary, GeluFollowsItsFormula) {
  Sweep sweep(gelu, true_gelu);
  // Left of -9 the exponential approaches overflow and the relative error grows with the exponent.
  sweep.every_half([](Bits x) { return as_float(x) >= -1; });
  sweep.random(200000, [](auto& source) { return uniform(source, -1, 16); });
  report("gelu_ulps_from_minus_1", sweep.worst);
  EXPECT_LE(sweep.worst.ulps, 6u);
  Sweep tail(gelu, true_gelu);
  tail.random(200000, [](auto& source) { return uniform(source, -9, -1); });
  report("gelu_ulps_tail", tail.worst);
  EXPECT_LE(tail.worst.ulps, 256u);
}

// The derivative crosses zero near -0.75, so the distance is measured in half, its storage format.
TEST(Elementary, GeluDerivativeFollowsItsFormulaInHalf) {
  std::uint64_t worst = 0;
  Real x, y;
  for (Bits half = 0; half < 0x10000; ++half) {
    if (!formats::is_finite(kFp16, half)) continue;
    const Bits wide = soft::convert(kFp16, kFp32, half, {}).bits;
    const float value = as_float(wide);
    // exp(-2z) leaves the range of interest; another test checks the limit values.
    if (value < -16 || value > 16) continue;
    mpfr_set_flt(x.value, value, MPFR_RNDN);
    true_gelu_derivative(y.value, x.value);
    const Bits expected = soft::convert(kFp32, kFp16, rounded(y), {}).bits;
    const Bits actual = soft::convert(kFp32, kFp16, gelu_derivative(kIeee, wide), {}).bits;
    worst = std::max(worst, formats::ulp_distance(kFp16, expected, actual));
  }
  std::printf("gelu_derivative: worst %llu half-ulp\n", static_cast<unsigned long long>(worst));
  EXPECT_LE(worst, 1u);
}

TEST(Elementary, GeluInHalfIsTheRoundedFormulaEverywhere) {
  std::uint64_t worst = 0;
  std::uint64_t off = 0;
  Real x, y;
  for (Bits half = 0; half < 0x10000; ++half) {
    if (!formats::is_finite(kFp16, half)) continue;
    const Bits wide = soft::convert(kFp16, kFp32, half, {}).bits;
    mpfr_set_flt(x.value, as_float(wide), MPFR_RNDN);
    true_gelu(y.value, x.value);
    const Bits expected = soft::convert(kFp32, kFp16, rounded(y), {}).bits;
    const Bits actual = soft::convert(kFp32, kFp16, gelu(kIeee, wide), {}).bits;
    const std::uint64_t ulps = formats::ulp_distance(kFp16, expected, actual);
    worst = std::max(worst, ulps);
    off += ulps != 0 ? 1 : 0;
  }
  std::printf("gelu over all halves: worst %llu half-ulp, %llu of 63488 differ\n",
              static_cast<unsigned long long>(worst), static_cast<unsigned long long>(off));
  EXPECT_LE(worst, 1u);
}

TEST(Elementary, SpecialValues) {
  const Bits nan = Fp32::kNan;
  for (const Function function : {exp, log, gelu, gelu_derivative}) {
    EXPECT_TRUE(formats::is_nan(kFp32, function(kIeee, nan)));
    EXPECT_TRUE(formats::is_nan(kFp32, function(kIeee, 0xff800001)));
  }
  EXPECT_EQ(exp(kIeee, Fp32::kInfinity), Fp32::kInfinity);
  EXPECT_EQ(exp(kIeee, Fp32::kMinusInfinity), 0u);
  EXPECT_EQ(exp(kIeee, 0), Fp32::kOne);
  EXPECT_EQ(exp(kIeee, Fp32::kMinusZero), Fp32::kOne);
  EXPECT_EQ(log(kIeee, 0), Fp32::kMinusInfinity);
  EXPECT_EQ(log(kIeee, Fp32::kMinusZero), Fp32::kMinusInfinity);
  EXPECT_EQ(log(kIeee, Fp32::kOne), 0u);
  EXPECT_EQ(log(kIeee, Fp32::kInfinity), Fp32::kInfinity);
  EXPECT_TRUE(formats::is_nan(kFp32, log(kIeee, 0xbf800000)));
  EXPECT_EQ(gelu(kIeee, Fp32::kInfinity), Fp32::kInfinity);
  EXPECT_EQ(gelu(kIeee, Fp32::kMinusInfinity), Fp32::kMinusZero);
  EXPECT_EQ(gelu(kIeee, 0xff7fffff), Fp32::kMinusZero);
  EXPECT_EQ(gelu(kIeee, 0x7f7fffff), 0x7f7fffffu);
  EXPECT_EQ(gelu_derivative(kIeee, Fp32::kInfinity), Fp32::kOne);
  EXPECT_EQ(gelu_derivative(kIeee, Fp32::kMinusInfinity), Fp32::kMinusZero);
  EXPECT_EQ(gelu_derivative(kIeee, 0), 0x3f000000u);
}

TEST(Elementary, AMachineThatFlushesResultsLosesSubnormalExponentials) {
  models::Machine flushing{};
  flushing.mul.subnormals = soft::Subnormals::kFlushOut;
  const Bits x = 0xc2b40000;  // -90
  EXPECT_TRUE(formats::is_subnormal(kFp32, exp(kIeee, x)));
  EXPECT_EQ(exp(flushing, x), 0u);
}

}  // namespace
}  // namespace halfmark::operators
