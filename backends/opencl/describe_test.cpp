// SPDX-License-Identifier: Apache-2.0
// What a driver's answers promise. No driver is asked.
#include "backends/opencl/describe.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "backends/opencl/promises.hpp"

namespace halfmark::backends::opencl {
namespace {

// A driver of the full profile with cl_khr_fp16.
Answers answers_with(cl_device_fp_config half) {
  return {.version = "OpenCL 1.2 test",
          .profile = "FULL_PROFILE",
          .extensions = "cl_khr_fp64 cl_khr_fp16",
          .single = {.answer = "single", .bits = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
          .half = {.answer = "half", .bits = half}};
}

Promise promise(const Answers& answers, std::string_view capability) {
  const std::vector<Promise> all = promises_of(answers);
  const auto found = std::ranges::find(all, capability, &Promise::capability);
  if (found != all.end()) return *found;
  ADD_FAILURE() << "nothing is said of " << capability;
  return {};
}

TEST(Promises, HalfThatOnlyRoundsTowardZeroIsNotRoundedToNearest) {
  const Answers answers = answers_with(CL_FP_ROUND_TO_ZERO);
  EXPECT_TRUE(promise(answers, "fp16.arithmetic").offered);
  const Promise nearest = promise(answers, "fp16.arithmetic.round_to_nearest");
  EXPECT_FALSE(nearest.offered);
  EXPECT_EQ("half lacks CL_FP_ROUND_TO_NEAREST", nearest.evidence);
  EXPECT_NE(std::string::npos, nearest.clause.find("round to zero")) << nearest.clause;
}

TEST(Promises, HalfIsRoundedToNearestWhereTheBitIsSet) {
  const Answers answers =
      answers_with(CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
  EXPECT_TRUE(promise(answers, "fp16.arithmetic.round_to_nearest").offered);
}

TEST(Promises, NoDriverPromisesCorrectlyRoundedQuotientsOfHalf) {
  const Answers answers = answers_with(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  const Promise rounded = promise(answers, "fp16.arithmetic.divide_sqrt_correctly_rounded");
  EXPECT_FALSE(rounded.offered);
  EXPECT_FALSE(rounded.evidence.empty());
}

TEST(Promises, OnlyADriverThatSaysSoHasTheEmbeddedProfile) {
  Answers answers = answers_with(CL_FP_ROUND_TO_ZERO);
  EXPECT_TRUE(promise(answers, "full_profile").offered);
  answers.profile = "";
  EXPECT_TRUE(promise(answers, "full_profile").offered);
  answers.profile = "EMBEDDED_PROFILE";
  EXPECT_FALSE(promise(answers, "full_profile").offered);
  EXPECT_EQ("CL_DEVICE_PROFILE=EMBEDDED_PROFILE, whose arithmetic this version does not judge",
            promise(answers, "full_profile").evidence);
  EXPECT_FALSE(promise(answers, "functions.opencl-c").offered);
}

TEST(Promises, AnExtensionIsAWholeWord) {
  Answers answers = answers_with(CL_FP_ROUND_TO_NEAREST);
  answers.extensions = "cl_khr_fp16_more";
  EXPECT_FALSE(promise(answers, "fp16.arithmetic").offered);
  EXPECT_FALSE(promise(answers, "fp64").offered);
}

// By this one Intel's driver for processors has half of its own, or emulates it.
TEST(Variables, ThatDecideHowHalfIsComputedAreRecorded) {
  constexpr const char* kTarget = "CL_CONFIG_CPU_TARGET_ARCH";
  const char* set = std::getenv(kTarget);
  const std::string before = set == nullptr ? "" : set;
  ::setenv(kTarget, "skx", 1);
  EXPECT_EQ("skx", recorded_variables().value(kTarget, "not recorded"));
  ::unsetenv(kTarget);
  EXPECT_FALSE(recorded_variables().contains(kTarget));
  if (set != nullptr) ::setenv(kTarget, before.c_str(), 1);
}

}  // namespace
}  // namespace halfmark::backends::opencl
