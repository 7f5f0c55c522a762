// SPDX-License-Identifier: Apache-2.0
// The whole pipeline on the built-in device: correct kernels pass, and each kind of wrong result
// gets its verdict and class.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "suites/arithmetic/canaries.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/arithmetic/suite.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/forwarding_problem.hpp"

namespace halfmark::suites::arithmetic {
namespace {

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

CaseResult run_with(AlteredProblem::ChangedPlan plan, std::string_view name) {
  const Case c = parse_case("arithmetic", suite().axes, name);
  return run_problem(session(), AlteredProblem(suite().bind(c), std::move(plan)));
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
  const CaseResult result = run_with([](const Plan&) { return plan_of("fp32", "mul"); }, kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_EQ("unexplained", result.finding_class);
  ASSERT_FALSE(result.wrong.empty());
  EXPECT_EQ(2u, result.wrong[0].operands.size());
}

TEST(Line, AFusedMultiplyAddIsNamedContraction) {
  const CaseResult result = run_with([](const Plan&) { return plan_of("fp32", "fma"); }, kMulAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("contraction", result.finding_class);
  EXPECT_TRUE(result.explanations.at(0).exact(result.mismatches));
}

TEST(Line, AGroupThatNeverRanIsUnwritten) {
  const CaseResult result = run_with(
      [](const Plan&) {
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

// A kernel that knows only one piece runs past the first of four.
TEST(Line, EachStretchOfATensorHasItsGuard) {
  const CaseResult result = run_with(
      [](const Plan&) {
        Plan plan = plan_of("fp32", "add");
        plan.tensors.back().stretches = 4;
        plan.tensors.back().apart = 4096;
        return plan;
      },
      kAdd);
  EXPECT_EQ("out_of_bounds", result.finding_class);
}

TEST(Line, MemoryThatADeviceLacksIsNotSupported) {
  const CaseResult result = run_with(
      [](const Plan&) {
        Plan plan = plan_of("fp32", "add");
        plan.tensors.back().stretches = 2;
        plan.tensors.back().apart = std::size_t{1} << 50;
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kNotSupported, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("the device has no such memory"))
      << result.reason;
}

TEST(Line, AWriteBehindTheEndBreaksTheGuard) {
  const CaseResult result = run_with(
      [](const Plan&) {
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
      [](const Plan&) {
        Plan plan = plan_of("fp32", "add");
        Launch again = plan.launches[0];
        again.arguments[2] = TensorRef{"a"};  // the sum overwrites its own operand
        plan.launches.push_back(again);
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("input_changed", result.finding_class);
}

TEST(Line, AKernelThatDoesNotExistIsAnErrorWithItsReason) {
  const CaseResult result = run_with(
      [](const Plan&) {
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
      [](const Plan&) {
        Plan plan = plan_of("fp32", "add");
        plan.launches[0].defines.emplace_back("n", "=");
        return plan;
      },
      kAdd);
  EXPECT_EQ(Verdict::kError, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("error:")) << result.reason;
}

// 17 rows of pairs, compared by digests of 1024 results each.
constexpr std::string_view kSweep = "arithmetic.fp16.add.portable.n1114112.pairs.s15360";

TEST(PairsOnHost, RowsOfNumbersAndOfNaNsPass) {
  for (const std::string_view operation :
       {"add", "sub", "mul", "div", "add_in_fp32", "sub_in_fp32", "mul_in_fp32", "div_in_fp32"}) {
    // Rows starting at 1, infinity and a negative infinity.
    for (const int row : {15360, 31744, 64512}) {
      const CaseResult result = run_with(
          nullptr, fmt::format("arithmetic.fp16.{}.portable.n1114112.pairs.s{}", operation, row));
      EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
      EXPECT_EQ(1114112u, result.elements);
    }
  }
}

// The product of the first pair overwrites its sum.
Plan with_one_wrong_result(Plan plan) {
  const bool digested = plan.tensors.back().name != "d";
  Launch wrong = plan_of("fp16", "mul").launches[0];
  wrong.groups = {1, 1, 1};
  wrong.arguments = {TensorRef{digested ? "encodings" : "a"},
                     TensorRef{digested ? "encodings" : "b"}, TensorRef{digested ? "results" : "d"},
                     std::int32_t{1}};
  plan.launches.insert(plan.launches.begin() + 1, wrong);
  return plan;
}

TEST(PairsOnHost, OneWrongPairIsFoundAndNamed) {
  const CaseResult result = run_with(with_one_wrong_result, kSweep);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ(Standing::kViolation, result.standing);
  EXPECT_NE(std::string::npos,
            result.reason.find(
                "1 parts differ, the first one arithmetic.fp16.add.portable.n65536.pairs.s15360"))
      << result.reason;
  ASSERT_EQ(1u, result.wrong.size());
  EXPECT_EQ("3c00", result.wrong[0].operands.at(0).hex);
  EXPECT_EQ("0000", result.wrong[0].operands.at(1).hex);
  EXPECT_EQ("3c00", result.wrong[0].expected_hex);
  EXPECT_EQ("0000", result.wrong[0].actual_hex);
}

TEST(PairsOnHost, AWrongOperationIsExplainedByItsParts) {
  const CaseResult result = run_with(
      [](Plan plan) {
        for (Launch& launch : plan.launches) {
          if (launch.entry == "pairs_fp16_add") launch.entry = "pairs_fp16_sub";
          if (launch.entry == "fp16_add") launch.entry = "fp16_sub";
        }
        return plan;
      },
      kSweep);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("17 parts differ")) << result.reason;
}

// Digests computed with other places than the pairs' own, as from a kernel that ignores places.
TEST(PairsOnHost, DigestsOfOtherPlacesFail) {
  const CaseResult result = run_with(
      [](Plan plan) {
        for (Launch& launch : plan.launches) {
          if (launch.entry == "pairs_digest") launch.arguments[2] = std::int32_t{0};
        }
        return plan;
      },
      kSweep);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("unexplained", result.finding_class);
  EXPECT_NE(std::string::npos, result.reason.find("element by element 16 of them are right"))
      << result.reason;
}

TEST(Line, WhatADeviceDoesNotOfferIsNotSupportedWithItsAnswer) {
  const CaseResult result = run_with(
      [](const Plan&) {
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
