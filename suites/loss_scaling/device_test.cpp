// SPDX-License-Identifier: Apache-2.0
// The kernels give the reference's bits, and kernels that are given wrong rules fail with the
// mistake's class.
#include <gtest/gtest.h>

#include <algorithm>

#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/loss_scaling/suite.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

TEST(LossScalingKernels, GiveTheReferencesBits) {
  constexpr bool kDeviations = true;  // a driver may flush where its promises permit it
  expect_conforming_everywhere(suite(), Level::kSmoke, kDeviations);
}

TEST(LossScalingKernels, GiveThemAtEveryShapeOfTheLevelStandard) {
  expect_conforming(suite(), "host", Level::kStandard);
}

struct Planted {
  const char* name;   // of the case
  const char* entry;  // whose argument is changed in every launch
  std::size_t argument;
  PlanArgument value;
  const char* finding_class;
  const char* sentence;
};

TEST(LossScalingKernels, WrongRulesAreNamed) {
  const Planted kPlanted[] = {
      {"pytorch.fp32.portable.n67d1.top.s7", "scaling_update", 7, 0, "overflow",
       "the scale grows past its limit"},
      {"tensorflow.fp32.portable.n67d2.bottom.s7", "scaling_update", 14, 0.0F, "underflow",
       "the scale falls below its floor"},
      {"halfmark.fp16.portable.n1021d2.overflow.s7", "scaling_update", 10, 4, "amp_state",
       "the scale grows one step after its interval"},
      {"halfmark.fp16.portable.n1021d2.overflow.s7", "scaling_update", 13, 1.0F, "amp_state",
       "the scale stays after an overflow"},
      {"megatron.fp16.portable.n67d2.restore.s7", "scaling_update", 8, 0, "amp_state",
       "the scale falls at the first overflow"},
      {"halfmark.fp16.portable.n1021d2.overflow.s7", "scaling_unscale", 8, 2, "amp_state",
       "gradients are divided by the scale"},
      {"keras.fp16.portable.n67d2.overflow.s7", "scaling_unscale", 8, 0, "amp_state",
       "gradients are multiplied by the reciprocal"},
      {"keras.fp16.portable.n67d2.factors.s7", "scaling_update", 13, 1 / 1.1F, "amp_state",
       "the scale is multiplied by the reciprocal of the growth factor"},
  };
  Session session(backends::Device::open("host"));
  for (const Planted& planted : kPlanted) {
    const Case c =
        parse_case("loss_scaling", suite().axes, std::string("loss_scaling.") + planted.name);
    const AlteredProblem broken(suite().bind(c), [&](Plan plan) {
      for (Launch& launch : plan.launches) {
        if (launch.entry == planted.entry) launch.arguments.at(planted.argument) = planted.value;
      }
      return plan;
    });
    const CaseResult result = run_problem(session, broken);
    EXPECT_EQ(Verdict::kFail, result.verdict) << planted.sentence;
    EXPECT_EQ(planted.finding_class, result.finding_class) << planted.sentence << result.reason;
    EXPECT_NE(std::string::npos, result.reason.find(planted.sentence)) << result.reason;
  }
}

// The state that is restored is that of another place.
TEST(LossScalingKernels, AStateThatIsNotRestoredShows) {
  Session session(backends::Device::open("host"));
  const Case c = parse_case("loss_scaling", suite().axes,
                            "loss_scaling.pytorch.bf16.portable.n67d3.restore.s7");
  const AlteredProblem broken(suite().bind(c), [](Plan plan) {
    std::erase_if(plan.launches, [&](const Launch& launch) {
      return launch.entry == "scaling_copy_state" &&
             std::get<TensorRef>(launch.arguments[0]).name == "saved_scale";
    });
    return plan;
  });
  EXPECT_EQ(Verdict::kFail, run_problem(session, broken).verdict);
}

// Below zero the hysteresis changes no scale, and its bits are those of a NaN of fp32: only counts
// that are compared as integers show that an overflow was counted twice.
TEST(LossScalingKernels, AWrongCountBelowZeroShows) {
  constexpr std::size_t kStep = 6;  // of "ii.iiiai....", where the count is below zero
  Session session(backends::Device::open("host"));
  const Case c = parse_case("loss_scaling", suite().axes,
                            "loss_scaling.megatron.fp32.portable.n67d2.bottom.s7");
  const AlteredProblem broken(suite().bind(c), [](Plan plan) {
    std::size_t step = 0;
    const auto at = std::ranges::find_if(plan.launches, [&](const Launch& launch) {
      return launch.entry == "scaling_update" && step++ == kStep;
    });
    const Launch again = *at;
    plan.launches.insert(at, again);
    return plan;
  });
  const CaseResult result = run_problem(session, broken);
  EXPECT_EQ(Verdict::kFail, result.verdict) << result.reason;
  EXPECT_EQ(4U, result.mismatches) << "until the scale grows, and the count starts again";
  for (const auto& element : result.wrong) EXPECT_EQ("05_counts", element.tensor);
}

}  // namespace
}  // namespace halfmark::suites::loss_scaling
