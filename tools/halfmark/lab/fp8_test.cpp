// SPDX-License-Identifier: Apache-2.0
// Scales and their history worked out by hand, what a jump of magnitude does to both recipes, and
// the built-in device with portable kernels bit for bit.
#include "tools/halfmark/lab/fp8.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "tools/halfmark/lab/experiment.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kE4m3fn;
using formats::kE5m2;
using formats::kFp32;
using formats::Tensor;

constexpr Fp8Recipe kCurrent{.history = 0, .most_recent = false};

Bits fp32(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(Fp8Scale, IsTheLargestNumberOverTheAmaxRoundedOnce) {
  const Bits one = fp32(1);
  EXPECT_EQ(fp32(224), scale_of(kCurrent, kE4m3fn, fp32(2), one));
  EXPECT_EQ(fp32(448.0F / 3.0F), scale_of(kCurrent, kE4m3fn, fp32(3), one));
  EXPECT_EQ(fp32(57344.0F / 0.3F), scale_of(kCurrent, kE5m2, fp32(0.3F), one));
  EXPECT_EQ(fp32(std::numeric_limits<float>::max()), scale_of(kCurrent, kE4m3fn, 1, one));
}

TEST(Fp8Scale, IsOneOrWhatItWasWhereTheAmaxSaysNothing) {
  constexpr Fp8Recipe kDelayed{.history = 4, .most_recent = false};
  for (const float amax : {0.0F, std::numeric_limits<float>::infinity()}) {
    EXPECT_EQ(fp32(1), scale_of(kCurrent, kE4m3fn, fp32(amax), fp32(7)));
    EXPECT_EQ(fp32(7), scale_of(kDelayed, kE4m3fn, fp32(amax), fp32(7)));
  }
}

std::vector<float> scales_of(const Fp8Recipe& recipe, const std::vector<float>& amaxes) {
  Scales scales(recipe);
  std::vector<float> list;
  for (const float amax : amaxes)
    list.push_back(
        std::bit_cast<float>(static_cast<std::uint32_t>(scales.next("x", kE4m3fn, fp32(amax)))));
  return list;
}

// A history of two: the 4 leaves after two steps.
TEST(Fp8Scales, FollowTheirHistory) {
  const std::vector<float> amaxes{4, 1, 1, 1, 8};
  using List = std::vector<float>;
  EXPECT_EQ((List{112, 448, 448, 448, 56}), scales_of(kCurrent, amaxes));
  EXPECT_EQ((List{1, 112, 112, 448, 448}), scales_of({.history = 2, .most_recent = false}, amaxes));
  EXPECT_EQ((List{1, 112, 448, 448, 448}), scales_of({.history = 2, .most_recent = true}, amaxes));
  EXPECT_EQ((List{1, 112, 112, 112, 112}), scales_of({.history = 9, .most_recent = false}, amaxes));
}

TEST(Fp8Scales, AreOfEachTensorAlone) {
  Scales scales({.history = 2, .most_recent = false});
  static_cast<void>(scales.next("x", kE4m3fn, fp32(4)));
  EXPECT_EQ(fp32(4), scales.expected("x"));
  EXPECT_EQ(0U, scales.expected("y"));
  EXPECT_EQ(fp32(1), scales.next("y", kE4m3fn, fp32(4)));
}

// 464 lies between 448 and what would be 480, and rounds to the even one of the two.
TEST(Beyond, CountsWhatRoundsPastTheLargestNumber) {
  const auto count = [](float value, const formats::Format& format) {
    return beyond(Tensor::from_bits(kFp32, std::array<Bits, 1>{fp32(value)}), format);
  };
  for (const float value : {448.0F, -464.0F, 0.0F}) EXPECT_EQ(0U, count(value, kE4m3fn)) << value;
  EXPECT_EQ(1U, count(464.1F, kE4m3fn));
  EXPECT_EQ(1U, count(-1e9F, kE4m3fn));
  EXPECT_EQ(0U, count(61000, kE5m2));
  EXPECT_EQ(1U, count(61440, kE5m2));
  EXPECT_EQ(0U, count(std::numeric_limits<float>::infinity(), kE5m2));
}

const Experiment& fp8() { return experiment_named("fp8"); }

Request request(std::size_t steps) {
  return {.experiment = &fp8(),
          .size = &size_of(mlp_design(), "small"),
          .modes = {},
          .seed = 1,
          .steps = steps};
}

const Network& network() {
  static const Network kNetwork = first_network(request(1));
  return kNetwork;
}

ModeResult reference(const char* mode) {
  return in_reference(request(10), mode_of(fp8(), mode), network());
}

TEST(Fp8InReference, AJumpOfMagnitudeMeetsAnOldScaleInTheDelayedRecipeAlone) {
  const ModeResult delayed = reference("delayed-jump");
  EXPECT_EQ("old scale", delayed.cause.of) << delayed.cause.text;
  EXPECT_EQ(kJumpStep, delayed.cause.step);
  EXPECT_EQ("input of h1", delayed.cause.tensor);
  EXPECT_TRUE(delayed.cause.recovered);
  const ScaledTrace& x = delayed.steps[kJumpStep].scaled.front();
  EXPECT_GT(x.beyond, x.count / 2);
  EXPECT_NEAR(64, x.excess(), 16);
  EXPECT_EQ(0U, delayed.steps[kJumpStep + 1].scaled.front().beyond);
  for (const char* name : {"current", "delayed", "recent", "current-jump"})
    EXPECT_EQ("", reference(name).cause.of) << name;
  for (const StepTrace& step : reference("current-jump").steps) {
    for (const ScaledTrace& tensor : step.scaled) EXPECT_EQ(0U, tensor.beyond) << tensor.name;
  }
}

TEST(Fp8InReference, TrainsAsBf16Does) {
  const ModeResult wide = reference("bf16");
  for (const char* name : {"current", "delayed", "recent"}) {
    const ModeResult result = reference(name);
    EXPECT_NEAR(wide.steps.back().loss, result.steps.back().loss, 0.05) << name;
    EXPECT_NE(wide.digests, result.digests) << name;
    EXPECT_EQ(9U, result.steps[0].scaled.size()) << name;  // three of each layer
  }
}

// A classifier that is certain of everything has nothing to learn, and nothing was lost.
TEST(Cause, GradientsOfALossOfZeroHaveNotUnderflowed) {
  ModeResult result = reference("current");
  result.steps.resize(1);
  for (TensorTrace& tensor : result.steps[0].tensors) {
    tensor.statistics.zeros = tensor.statistics.count;
  }
  EXPECT_EQ("underflow", cause_of(result.steps, {}, *result.mode).of);
  result.steps[0].loss = 0;
  EXPECT_EQ("", cause_of(result.steps, {}, *result.mode).of);
}

// A tensor that has grown a little has a few numbers at the largest; a scale of an older magnitude
// begins at twice that.
TEST(Cause, AScaleIsOldBeyondTwiceItsAmax) {
  ModeResult result = reference("current");
  result.steps.resize(1);
  ScaledTrace& first = result.steps[0].scaled.front();
  first.beyond = 3;
  for (const auto& [amax, of] : {std::pair{2.0F, ""}, std::pair{2.001F, "old scale"}}) {
    first.expected = fp32(1);
    first.amax = fp32(amax);
    EXPECT_EQ(of, cause_of(result.steps, {}, *result.mode).of) << amax;
  }
  first.beyond = 0;
  EXPECT_EQ("", cause_of(result.steps, {}, *result.mode).of);
}

// Inputs and weights are e4m3, gradients e5m2; each is rounded once in a step.
TEST(Fp8InReference, GradientsHaveMoreRangeThanTheRest) {
  for (const ScaledTrace& tensor : reference("current").steps[0].scaled)
    EXPECT_EQ(tensor.name.starts_with("gradient") ? kE5m2 : kE4m3fn, *tensor.format) << tensor.name;
}

TEST(Fp8OnHost, PortableKernelsGiveTheReferencesBitsInEveryMode) {
  suites::Session session(backends::Device::open("host"));
  for (const Mode& mode : fp8().modes) {
    const ModeResult expected = in_reference(request(8), mode, network());
    const ModeResult result = on_device(request(8), mode, network(), session,
                                        {.provider = "portable", .diagnoses = false});
    EXPECT_TRUE(result.deviations.empty()) << mode.name << ": " << result.cause.text;
    EXPECT_EQ(expected.digests, result.digests) << mode.name;
    EXPECT_EQ(expected.cause.of, result.cause.of) << mode.name;
  }
}

// The top binade of e4m3 is lost in conversions of the library.
TEST(Fp8OnHost, AFaultOfTheConversionIsACast) {
  suites::Session session(backends::Device::open("host", {{"fault", "C10"}}));
  const ModeResult result = on_device(request(2), mode_of(fp8(), "current"), network(), session,
                                      {.provider = "library", .diagnoses = false});
  EXPECT_EQ("operator", result.cause.of) << result.cause.text;
  EXPECT_EQ("cast", result.deviations.front().operation);
  EXPECT_EQ("input of h1", result.cause.tensor);
}

}  // namespace
}  // namespace halfmark::tools::lab
