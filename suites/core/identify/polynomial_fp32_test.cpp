// SPDX-License-Identifier: Apache-2.0
// Against results of a processor's vector code, which nobody computed from the description: the
// steps of the log, both signs of each half binade of tanh, and the borders.
#include "suites/core/identify/polynomial_fp32.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>

#include "suites/core/identify/rounded_fp32.hpp"

namespace halfmark::suites {
namespace {

struct MeasuredPower {
  float x, power;
};

TEST(PolynomialFunctions, ExpHasTheMeasuredResults) {
  for (const MeasuredPower& m :
       {MeasuredPower{-0x1.5d51ecp+6F, 0x0p+0F},
        MeasuredPower{-0x1.5beb86p+6F, 0x1.6daa6p-126F},
        MeasuredPower{-0x1.5bf5c2p+6F, 0x0p+0F},
        MeasuredPower{0x1.62e148p+6F, 0x1.fe8c88p+127F},
        MeasuredPower{0x1.633334p+6F, std::numeric_limits<float>::infinity()},
        MeasuredPower{-0x0p+0F, 0x1p+0F},
        MeasuredPower{0x1p-30F, 0x1p+0F},
        MeasuredPower{-0x1p-24F, 0x1.fffffep-1F},
        MeasuredPower{0x1.62e33ep-2F, 0x1.6a098ep+0F},
        MeasuredPower{0x1.62e5dep-2F, 0x1.6a0a7cp+0F},
        MeasuredPower{-0x1.1f8cecp+1F, 0x1.b13be8p-4F},
        MeasuredPower{-0x1.60fd7cp+5F, 0x1.44acdep-64F},
        MeasuredPower{-0x1.6baa1p-2F, 0x1.66f34p-1F},
        MeasuredPower{-0x1.f227e8p+5F, 0x1.1ed80cp-90F},
        MeasuredPower{0x1.ca2ba8p-1F, 0x1.39376ap+1F},
        MeasuredPower{-0x1.95bda4p+4F, 0x1.555242p-37F},
        MeasuredPower{0x1.17217p-1F, 0x1.b993eep+0F},
        MeasuredPower{0x1.7c69p+5F, 0x1.848e78p+68F},
        MeasuredPower{0x1.3ae67p+3F, 0x1.257624p+14F},
        MeasuredPower{-0x1.3ab69p+5F, 0x1.2f835ep-57F},
        MeasuredPower{0x1.c5ae2p+5F, 0x1.c276b8p+81F},
        MeasuredPower{-0x1.ab129cp+0F, 0x1.82344ap-3F},
        MeasuredPower{0x1.394918p+5F, 0x1.69451cp+56F},
        MeasuredPower{0x1.6d908p+1F, 0x1.1642eap+4F},
        MeasuredPower{-0x1.e6bbap+4F, 0x1.14ad04p-44F},
        MeasuredPower{0x1.3268bcp+5F, 0x1.31e394p+55F}}) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(m.power),
              std::bit_cast<std::uint32_t>(exp_of_degree5(m.x)))
        << m.x;
  }
  EXPECT_TRUE(std::isinf(exp_of_degree5(std::nanf(""))));
}

TEST(PolynomialFunctions, ExpIsNearAndNotAlwaysRight) {
  std::size_t off = 0;
  for (float x = -80; x < 80; x += 0.0137F) {
    const auto right = std::bit_cast<std::int32_t>(exp_of(x));
    const auto got = std::bit_cast<std::int32_t>(exp_of_degree5(x));
    EXPECT_LE(std::abs(right - got), std::abs(x) < 1 ? 2 : 6) << x;
    off += right != got ? 1 : 0;
  }
  EXPECT_GT(off, 100U);
}

struct Measured {
  std::uint32_t x, result;
};

void expect_measured(std::span<const Measured> list, float (*function)(float)) {
  for (const Measured& m : list)
    EXPECT_EQ(m.result, std::bit_cast<std::uint32_t>(function(std::bit_cast<float>(m.x)))) << m.x;
}

// Unordered results are one NaN.
TEST(PolynomialFunctions, TanhHasTheMeasuredResults) {
  constexpr Measured kMeasured[] = {
      {0x39814e47U, 0x39814e47U}, {0xb9810f1eU, 0xb9810f1eU}, {0x39e2c310U, 0x39e2c30fU},
      {0xb9e8a244U, 0xb9e8a243U}, {0x3a3a3decU, 0x3a3a3deaU}, {0xba073292U, 0xba073291U},
      {0x3a5fbca6U, 0x3a5fbca2U}, {0xba631825U, 0xba631821U}, {0x3aa62681U, 0x3aa6267bU},
      {0xbab2240dU, 0xbab22406U}, {0x3ac28cf9U, 0x3ac28cf0U}, {0xbaef9a70U, 0xbaef9a5eU},
      {0x3b3dcfd2U, 0x3b3dcfafU}, {0xbb04b6f8U, 0xbb04b6ecU}, {0x3b6cc65cU, 0x3b6cc619U},
      {0xbb5d7575U, 0xbb5d753eU}, {0x3b995ffcU, 0x3b995fb3U}, {0xbbbd68cbU, 0xbbbd6841U},
      {0x3bd9fdf4U, 0x3bd9fd21U}, {0xbbfcfa16U, 0xbbfcf8cdU}, {0x3c3f986dU, 0x3c3f9631U},
      {0xbc2a7a11U, 0xbc2a787eU}, {0x3c5b10b8U, 0x3c5b0d61U}, {0xbc5ffec3U, 0xbc5ffb30U},
      {0x3c9262e0U, 0x3c925ee3U}, {0xbc9b1762U, 0xbc9b12a4U}, {0x3ceb386cU, 0x3ceb27e1U},
      {0xbcc9f07eU, 0xbcc9e606U}, {0x3d05ae65U, 0x3d05a240U}, {0xbd369268U, 0xbd36737aU},
      {0x3d53f0a4U, 0x3d53c045U}, {0xbd4073d8U, 0xbd404f9fU}, {0x3d9d9c56U, 0x3d9d4cdeU},
      {0xbd92aadaU, 0xbd926acbU}, {0x3de4abc6U, 0x3de3b9b5U}, {0xbdfd95f1U, 0xbdfc4c32U},
      {0x3e00fd62U, 0x3e004fd4U}, {0xbe31e782U, 0xbe3022c0U}, {0x3e535807U, 0x3e5064acU},
      {0xbe548d7bU, 0xbe518d3dU}, {0x3ebd1e85U, 0x3eb4f68eU}, {0xbea2ff39U, 0xbe9db473U},
      {0x3eeab46cU, 0x3edb89c9U}, {0xbeea0bb6U, 0xbedb0005U}, {0x3f27e60dU, 0x3f135a5fU},
      {0xbf0a51e9U, 0xbefc87e7U}, {0x3f7b75c9U, 0x3f41091bU}, {0xbf711d73U, 0xbf3c6f52U},
      {0x3f9d4096U, 0x3f57975eU}, {0xbfae7189U, 0xbf60865bU}, {0x3fd53bc4U, 0x3f6e5664U},
      {0xbfed9c15U, 0xbf73cc6fU}, {0x4024de0dU, 0x3f7d0dd3U}, {0xc030bb23U, 0xbf7df685U},
      {0x405c55d3U, 0x3f7f7a1dU}, {0xc04d2e8bU, 0xbf7f2927U}, {0x409d3eafU, 0x3f7ff8eeU},
      {0xc0aaffd1U, 0xbf7ffd02U}, {0x40e15838U, 0x3f7fffe6U}, {0xc0f7da56U, 0xbf7ffffaU},
      {0x4119100aU, 0x3f800000U}, {0xc13b3dbbU, 0xbf800000U}, {0x00000000U, 0x00000000U},
      {0x80000000U, 0x80000000U}, {0x00000001U, 0x00000001U}, {0x39ddb3d6U, 0x39ddb3d6U},
      {0x39ddb3d7U, 0x39ddb3d6U}, {0x41102cb2U, 0x3f7fffffU}, {0x41102cb3U, 0x3f800000U},
      {0x7f800000U, 0x3f800000U}, {0xff800000U, 0xbf800000U}};
  expect_measured(kMeasured, tanh_of_degree6);
  EXPECT_TRUE(std::isnan(tanh_of_degree6(std::nanf(""))));
}

TEST(PolynomialFunctions, LogHasTheMeasuredResults) {
  constexpr Measured kMeasured[] = {
      {0x49809248U, 0x415de0dbU}, {0x47856691U, 0x41321b61U}, {0x3d0b2c2cU, 0xc0587395U},
      {0x4b0cb453U, 0x41804bcfU}, {0x35919dc3U, 0xc15bbe7aU}, {0x4d96e4d6U, 0x419c94d2U},
      {0x4318fdaaU, 0x40a0f8d9U}, {0x3e9f7ae1U, 0xbf954cc5U}, {0x4c217cb5U, 0x418c7d16U},
      {0x4ca6c4dcU, 0x41924a91U}, {0x42ab9503U, 0x408e7612U}, {0x462fae5fU, 0x41153da7U},
      {0x3e33220bU, 0xbfdf25c8U}, {0x4c3462c4U, 0x418d5fbeU}, {0x45ba71adU, 0x410b1a14U},
      {0x35be50b5U, 0xc15775efU}, {0x4e405e41U, 0x41a411b6U}, {0x3ac71ebdU, 0xc0cfaac6U},
      {0x494981abU, 0x4159fa34U}, {0x37cd20daU, 0xc129e668U}, {0x4e519165U, 0x41a4c118U},
      {0x4ad6df09U, 0x417c46a1U}, {0x34daf392U, 0xc16b6614U}, {0x4cde3cd9U, 0x4194969eU},
      {0x38e39d11U, 0xc1120e1aU}, {0x3ee4d1f9U, 0xbf4e2dfaU}, {0x47eb4887U, 0x413b2f92U},
      {0x51ec03c9U, 0x41cc8574U}, {0x47701674U, 0x41306b3dU}, {0x3d746febU, 0xc0346759U},
      {0x427ba63fU, 0x40848925U}, {0x51fd37d2U, 0x41cd158aU}, {0x00000000U, 0xff800000U},
      {0x80000000U, 0xff800000U}, {0x3f800000U, 0xb5c00000U}, {0x3f7fffffU, 0xb5c80000U},
      {0x3f800001U, 0xb5b00000U}, {0x7f800000U, 0x7f800000U}, {0x7f7fffffU, 0x42b17218U},
      {0x00800000U, 0xc2aeac50U}};
  expect_measured(kMeasured, log_of_degree5);
  EXPECT_EQ(-0x1.8p-20F, log_of_degree5(1));
  EXPECT_TRUE(std::isnan(log_of_degree5(std::nanf(""))));
  EXPECT_TRUE(std::isnan(log_of_degree5(-1)));
}

// How far in units in the last place, at most, and how often not at all.
struct Distance {
  std::int32_t most = 0;
  std::size_t off = 0;
};
Distance distance(float (*right)(float), float (*function)(float), float from, float to) {
  Distance found;
  for (float x = from; x < to; x *= 1.0007F) {
    const auto ulps =
        std::abs(std::bit_cast<std::int32_t>(right(x)) - std::bit_cast<std::int32_t>(function(x)));
    found.most = ulps > found.most ? ulps : found.most;
    found.off += ulps > 0 ? 1 : 0;
  }
  return found;
}

TEST(PolynomialFunctions, TanhAndLogAreNearAndNotAlwaysRight) {
  const Distance tanh = distance(tanh_of, tanh_of_degree6, 0x1p-14F, 12);
  EXPECT_LE(tanh.most, 2);
  EXPECT_GT(tanh.off, 100U);
  const Distance log = distance(log_of, log_of_degree5, 100, 0x1p100F);
  EXPECT_LE(log.most, 8);
  EXPECT_GT(log.off, 100U);
}

// Formula 7.1.26 promises 1.5e-7; to that come a dozen roundings of numbers below 2.
TEST(PolynomialFunctions, ShortErfIsAsNearAsItsFormula) {
  double most = 0;
  for (float x = -4; x < 4; x += 0.00137F) {
    const double error =
        static_cast<double>(short_erf_of(x, exp_of(-(x * x)))) - std::erf(static_cast<double>(x));
    most = std::max(most, std::abs(error));
  }
  EXPECT_LE(most, 1.5e-7 + 12 * 0x1p-24);
  EXPECT_GT(most, 1e-7);
}

}  // namespace
}  // namespace halfmark::suites
