// SPDX-License-Identifier: Apache-2.0
// The course of each framework's loss scale: by its own rules in the reference, replayed on the
// built-in device, and what is said of a training that ends while its scaler looks for a larger
// scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <string>

#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/left_open.hpp"
#include "tools/halfmark/lab/progress.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;

// Enough for a scale to grow and to fall, and quick.
constexpr Size kTiny{"tiny", 16, {64, 64, 16}, 8};

const Experiment& scalers() { return experiment_named("scalers"); }

constexpr std::size_t kStepsOfAll = 22;

Request with_scalers(std::size_t steps) {
  return {.experiment = &scalers(), .size = &kTiny, .modes = {}, .seed = 1, .steps = steps};
}

// "16 16 (17) 16": in parentheses where the step was skipped.
std::string course_of(const std::vector<StepTrace>& steps) {
  std::string course;
  for (const StepTrace& step : steps) {
    const std::string scale = std::to_string(step.scale);
    course += (course.empty() ? "" : " ") + (step.skipped ? "(" + scale + ")" : scale);
  }
  return course;
}

TEST(Scalers, AreAllProfilesWithTheScalesTheyBeginWith) {
  std::vector<std::string_view> names;
  for (const Mode& mode : scalers().modes) {
    if (!mode.dynamic) continue;
    const operators::LossScalerProfile* profile = operators::find_loss_scaler_profile(mode.scaler);
    ASSERT_NE(nullptr, profile) << mode.scaler;
    EXPECT_EQ(profile->defaults.scale, static_cast<Bits>(1023 + mode.scale) << 52) << mode.name;
    names.push_back(mode.name);
  }
  for (const operators::LossScalerProfile& profile : operators::loss_scaler_profiles())
    EXPECT_EQ(1, std::ranges::count(names, profile.name)) << profile.name;
}

// Written down from the rules. Gradients of this network overflow from 2^23 on.
TEST(Scalers, GrowAndFallByTheirOwnRules) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  // After two clean steps the scale grows; the overflow ends the next interval at once.
  const char* const from_16 =
      "16 16 17 17 18 18 19 19 20 20 21 21 22 22 (23) 22 22 (23) 22 22 (23) 22";
  const char* const from_15 =
      "15 15 16 16 17 17 18 18 19 19 20 20 21 21 22 22 (23) 22 22 (23) 22 22";
  const std::pair<std::string_view, std::string_view> kCourses[] = {
      {"halfmark", from_16},
      {"pytorch", from_16},
      {"genesis", from_16},
      {"apex", from_16},
      {"keras", from_15},
      {"tensorflow", from_15},
      // One overflow passes after each growth, and at the beginning.
      {"megatron",
       "(32) (32) (31) (30) (29) (28) (27) (26) (25) (24) (23) 22 22 (23) (23) 22 22 (23) (23) 22 "
       "22 (23)"},
      // Only an overflow sets the count back, so that an interval after one has a step more.
      {"deepspeed", "16 16 16 17 17 18 18 19 19 20 20 21 21 22 22 (23) (23) 22 22 22 (23) (23)"}};
  for (const auto& [name, course] : kCourses) {
    const ModeResult result =
        in_reference(with_scalers(kStepsOfAll), mode_of(scalers(), name), network_of_tiny);
    EXPECT_EQ(course, course_of(result.steps)) << name;
    EXPECT_TRUE(result.cause.recovered) << name << ": " << result.cause.text;
  }
}

TEST(Scalers, AreReportedWithWhatTheyCost) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  nlohmann::json modes = nlohmann::json::array();
  for (const char* name : {"fp32", "megatron"})
    modes.push_back(
        to_json(in_reference(with_scalers(14), mode_of(scalers(), name), network_of_tiny)));
  std::ostringstream out;
  print_scalers("reference", modes, out);
  for (const char* words : {"  megatron   (32) (32) (31) ", " (23) 22 22 (23)\n"})
    EXPECT_NE(std::string::npos, out.str().find(words)) << out.str();
  EXPECT_EQ(std::string::npos, out.str().find("fp32       0 0")) << "it has no scale";
  const std::size_t row = out.str().find("\n  megatron          2       12 ");
  ASSERT_NE(std::string::npos, row) << out.str();
  EXPECT_EQ('-', out.str().at(out.str().find('\n', row + 1) - 1)) << "it has recovered";
}

TEST(Scalers, ThatProbeALargerScaleAtTheEndHaveRecovered) {
  const auto step = [](int scale, bool skipped) {
    StepTrace trace{.scale = scale};
    trace.skipped = skipped;
    if (skipped) trace.first_non_finite = {"dW2", 0};
    return trace;
  };
  const Mode& mode = mode_of(scalers(), "pytorch");
  const std::vector<StepTrace> probing{step(20, false), step(20, false), step(21, true)};
  EXPECT_TRUE(cause_of(probing, {}, mode).recovered);
  EXPECT_NE(std::string::npos, cause_of(probing, {}, mode).text.find("at scale 2^20 was made"));
  const std::vector<StepTrace> sinking{step(20, false), step(21, true), step(20, true)};
  EXPECT_FALSE(cause_of(sinking, {}, mode).recovered) << "2^20 served before";
  EXPECT_FALSE(cause_of(std::vector{step(20, true)}, {}, mode).recovered) << "none was made";
  std::vector<StepTrace> diverging = probing;
  diverging.back().loss = NAN;
  EXPECT_FALSE(cause_of(diverging, {}, mode).recovered) << "the forward pass has no scale";
}

// Megatron's begins with gradients that are infinite in fp16, of which GELU's gradient makes
// infinities or a NaN, by the formula that a library uses.
TEST(Scalers, AccuseNoLibraryOfWhatItMakesOfInfinities) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  suites::Session session(backends::Device::open("host"));
  const ModeResult result = on_device(with_scalers(6), mode_of(scalers(), "megatron"),
                                      network_of_tiny, session, {.provider = "library"});
  EXPECT_EQ("overflow", result.cause.of) << result.cause.text;
  EXPECT_TRUE(result.deviations.empty()) << result.cause.text;
}

TEST(LeftOpen, OfAnInfiniteGradientIsANanButNoNumber) {
  const auto fp16 = [](Bits bits) {
    return formats::Tensor::from_bits(formats::kFp16, std::array<Bits, 1>{bits});
  };
  constexpr Bits kInfinity = 0x7c00, kNan = 0x7e00, kLargest = 0x7bff, kOne = 0x3c00;
  const formats::Tensor h = fp16(kOne), infinite = fp16(kInfinity), finite = fp16(kOne);
  const auto is_open = [&](const formats::Tensor& dy, Bits expected, Bits actual) {
    return is_left_open({.kind = Kind::kGeluGradient, .tensor = "dh", .to = &formats::kFp16},
                        {&dy, &h}, 0, {formats::kFp16, expected, actual});
  };
  EXPECT_TRUE(is_open(infinite, kInfinity, kNan)) << "the formula adds two infinities";
  EXPECT_TRUE(is_open(infinite, kNan, 0)) << "the derivative may be zero";
  EXPECT_FALSE(is_open(infinite, kInfinity, kLargest)) << "the overflow is hidden";
  EXPECT_FALSE(is_open(infinite, kInfinity, kInfinity | 0x8000)) << "the sign is wrong";
  EXPECT_FALSE(is_open(finite, kOne, kNan));
}

// Growth shows in no other experiment.
TEST(Scalers, UpdatesAreReplayed) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  const auto with = [&](const char* name, const char* fault) {
    suites::Session session(backends::Device::open("host", {{"fault", fault}}));
    return on_device(with_scalers(kStepsOfAll), mode_of(scalers(), name), network_of_tiny, session,
                     {.provider = "portable", .diagnoses = false});
  };
  for (const operators::LossScalerProfile& profile : operators::loss_scaler_profiles()) {
    const std::string name(profile.name);
    const ModeResult right = with(name.c_str(), "");
    EXPECT_TRUE(right.deviations.empty()) << name << ": " << right.cause.text;
    EXPECT_EQ(
        course_of(in_reference(with_scalers(kStepsOfAll), mode_of(scalers(), name), network_of_tiny)
                      .steps),
        course_of(right.steps))
        << name;
  }
  for (const char* fault : {"X13", "X15"}) {
    const ModeResult wrong = with("pytorch", fault);
    ASSERT_FALSE(wrong.deviations.empty()) << fault;
    EXPECT_EQ("update of the scale", wrong.deviations.front().operation) << fault;
  }
}

}  // namespace
}  // namespace halfmark::tools::lab
