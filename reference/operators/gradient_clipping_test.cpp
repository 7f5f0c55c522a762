// SPDX-License-Identifier: Apache-2.0
// Clipping in each profile's order: what is clipped, what the check sees of an infinity, and what
// the wrong order and a norm in fp16 change. The gradients' sums of squares are exact, so that the
// norm is the same in any order of the sum.
#include "reference/operators/gradient_clipping.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kOne = 0x3f800000;
constexpr float kInfinity = INFINITY;

Bits single(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

Tensor tensor(const formats::Format& format, const std::vector<float>& values) {
  Tensor result = Tensor::zeros(format, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    result.set(i, soft::convert(kFp32, format, single(values[i])).bits);
  return result;
}

LossScaler scaler_of(std::string_view name) {
  const LossScalerProfile* profile = find_loss_scaler_profile(name);
  return {.profile = profile, .settings = profile->defaults};
}

// A scale in the format in which the profile keeps it.
Bits scale_of(const LossScaler& scaler, float scale) {
  return soft::convert(kFp32, *scaler.profile->scale_format, single(scale)).bits;
}

ClippedGradients run(std::string_view profile, float scale, const std::vector<Tensor>& gradients,
                     Bits limit = kOne, const ClippingVariant& variant = {}) {
  const LossScaler scaler = scaler_of(profile);
  return clipped(scaler, scale_of(scaler, scale), gradients, limit, {}, variant);
}

float value_at(const Tensor& t, std::size_t i) {
  return number(soft::convert(*t.format, kFp32, t.at(i)).bits);
}

// 3, 4 times the scale: a norm of 5 after unscaling.
TEST(GradientClipping, EveryProfileClipsTheUnscaledGradients) {
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    const ClippedGradients got = run(profile.name, 64, {tensor(kFp32, {192, 256})});
    EXPECT_NEAR(0.6F, value_at(got.gradients[0], 0), 1e-6F) << profile.name;
    EXPECT_NEAR(0.8F, value_at(got.gradients[0], 1), 1e-6F) << profile.name;
    EXPECT_FALSE(got.found[0]) << profile.name;
  }
}

TEST(GradientClipping, WhatIsBelowTheLimitIsUnscaledAlone) {
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    const ClippedGradients got = run(profile.name, 64, {tensor(kFp32, {16, -32})});
    EXPECT_EQ(0.25F, value_at(got.gradients[0], 0)) << profile.name;
    EXPECT_EQ(-0.5F, value_at(got.gradients[0], 1)) << profile.name;
  }
}

// 5.000001 is rounded, its reciprocal too, and so is each product.
TEST(GradientClipping, TheFactorHasPyTorchsRoundings) {
  const ClippedGradients got = run("pytorch", 1, {tensor(kFp32, {3, 4})});
  const float factor = (1.0F / (5.0F + 1e-6F)) * 1.0F;
  EXPECT_EQ(single(5), got.norm);
  EXPECT_EQ(single(3 * factor), got.gradients[0].at(0));
  EXPECT_EQ(single(4 * factor), got.gradients[0].at(1));
}

TEST(GradientClipping, TheNormIsThatOfAllDevices) {
  const ClippedGradients got = run("pytorch", 1, {tensor(kFp32, {3}), tensor(kFp32, {4})});
  EXPECT_EQ(single(5), got.norm);
  EXPECT_NEAR(0.8F, value_at(got.gradients[1], 0), 1e-6F);
}

// An infinite norm makes the factor 0, and 0 times infinity a NaN: the check may come last.
TEST(GradientClipping, AnInfinityIsFoundInEveryOrder) {
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    for (const float odd : {kInfinity, -kInfinity, std::nanf("")}) {
      const ClippedGradients got =
          run(profile.name, 1024, {tensor(kFp16, {1, odd, 2}), tensor(kFp16, {1})});
      EXPECT_TRUE(got.found[0]) << profile.name << ' ' << odd;
    }
  }
}

// An infinity spreads to other devices only as a NaN does, through the factor.
TEST(GradientClipping, AnInfinityMakesTheOthersZeroAndANanMakesThemNan) {
  const ClippedGradients infinite =
      run("genesis", 1, {tensor(kFp32, {kInfinity, 1}), tensor(kFp32, {1})});
  EXPECT_EQ(0.0F, value_at(infinite.gradients[1], 0));
  EXPECT_FALSE(infinite.found[1]);
  const ClippedGradients nan =
      run("genesis", 1, {tensor(kFp32, {std::nanf("")}), tensor(kFp32, {1})});
  EXPECT_TRUE(nan.found[1]);
}

// Clipped before they are unscaled, gradients are smaller by the scale.
TEST(GradientClipping, TheWrongOrderShows) {
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    const ClippedGradients got =
        run(profile.name, 64, {tensor(kFp32, {192, 256})}, kOne, {.before_unscaling = true});
    EXPECT_NEAR(0.6F / 64, value_at(got.gradients[0], 0), 1e-6F) << profile.name;
  }
}

// 256 squared is beyond fp16, so that everything becomes zero.
TEST(GradientClipping, ANormInHalfOverflows) {
  const std::vector<Tensor> gradients = {tensor(kFp32, {256, 1})};
  const ClippedGradients got = run("pytorch", 1, gradients, kOne, {.norm_in_half = true});
  EXPECT_EQ(0.0F, value_at(got.gradients[0], 0));
  EXPECT_LT(0.99F, value_at(run("pytorch", 1, gradients).gradients[0], 0));
}

TEST(GradientClipping, RefusesALimitThatIsNone) {
  EXPECT_NO_THROW(require_clip_limit(kOne));
  for (const float limit : {0.0F, -1.0F, kInfinity, std::nanf("")})
    EXPECT_THROW(require_clip_limit(single(limit)), std::invalid_argument) << limit;
}

}  // namespace
}  // namespace halfmark::operators
