// SPDX-License-Identifier: Apache-2.0
// The whole line on the built-in device: right kernels pass, and each kind of wrong work gets its
// verdict and class.
#include <gtest/gtest.h>

#include "suites/arithmetic/canaries.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/arithmetic/suite.hpp"
#include "suites/core/line.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using PlanFunction = Plan (*)(const Case&, const backends::DeviceInfo&);

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

CaseResult run_with(PlanFunction plan, std::string_view name) {
  Suite changed = suite();
  if (plan != nullptr) changed.plan = plan;
  return run_case(session(), changed, parse_case("arithmetic", suite().axes, name));
}

Plan plan_of(std::string_view format, std::string_view operation) {
  return plan_for(*find_operation(format, operation), 4096);
}

constexpr std::string_view kAdd = "arithmetic.fp32.add.portable.n4096.tiny.s7";
constexpr std::string_view kMulAdd = "arithmetic.fp32.muladd.portable.n4096.cancel.s7";

TEST(ArithmeticOnHost, EverySmokeCasePasses) {
  for (const Case& c : suite().cases(Level::kSmoke, 7)) {
    const CaseResult result = run_case(session(), suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
  }
}

TEST(ArithmeticOnHost, EveryCanaryIsWell) {
  for (const auto& canary : run_canaries(session()))
    EXPECT_EQ("ok", canary.at("standing")) << canary.dump();
}

TEST(Line, AnotherOperationFailsUnexplained) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) { return plan_of("fp32", "mul"); }, kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ("unexplained", result.finding_class);
  ASSERT_FALSE(result.wrong.empty());
  EXPECT_EQ(2u, result.wrong[0].operands.size());
}

TEST(Line, AFusedMultiplyAddIsNamedContraction) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) { return plan_of("fp32", "fma"); }, kMulAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("contraction", result.finding_class);
  EXPECT_TRUE(result.explanations.at(0).exact(result.mismatches));
}

TEST(Line, AGroupThatNeverRanIsUnwritten) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan = plan_of("fp32", "add");
        plan.launches[0].groups[0] -= 1;
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("uninit", result.finding_class);
  EXPECT_NE(std::string::npos,
            result.reason.find("64 elements of 'd' were never written, the first at 4032"));
}

TEST(Line, AWriteBehindTheEndBreaksTheGuard) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan = plan_of("fp32", "add");
        plan.launches[0].groups[0] += 1;
        plan.launches[0].arguments.back() = std::int32_t{4097};
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("out_of_bounds", result.finding_class);
}

TEST(Line, AnInputThatIsWrittenToIsSeen) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan = plan_of("fp32", "add");
        Launch again = plan.launches[0];
        again.arguments[2] = TensorRef{"a"};  // the sum goes over its own operand
        plan.launches.push_back(again);
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("input_changed", result.finding_class);
}

TEST(Line, AKernelThatDoesNotExistIsAnErrorWithItsReason) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan = plan_of("fp32", "add");
        plan.launches[0].entry = "fp32_frobnicate";
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kError, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("fp32_frobnicate")) << result.reason;
}

TEST(Line, ACompilerRefusalShowsItsLog) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan = plan_of("fp32", "add");
        plan.launches[0].defines.emplace_back("n", "=");
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kError, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("error:")) << result.reason;
}

TEST(Line, WhatADeviceDoesNotOfferIsNotSupportedWithItsAnswer) {
  const CaseResult result = run_with(
      [](const Case&, const backends::DeviceInfo&) {
        Plan plan;
        plan.needs = "fp4.arithmetic";
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kNotSupported, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("fp4.arithmetic"));
}

}  // namespace
}  // namespace halfmark::suites::arithmetic
