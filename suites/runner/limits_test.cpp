// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/limits.hpp"

#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

using namespace std::chrono_literals;

CaseResult took(const char* name, double seconds, Verdict verdict = Verdict::kPass) {
  CaseResult result;
  result.name = name;
  result.verdict = verdict;
  result.execute_seconds = seconds;
  return result;
}

TEST(Limits, WithoutHistoryOnlyTheTimeout) {
  const Patience patience = Limits(120s).patience("gemm.fp16.m4.normal.s1");
  EXPECT_EQ(120s, patience.total);
  EXPECT_EQ(120s, patience.stage);
  EXPECT_EQ(15s, patience.silence);
}

TEST(Limits, GrantOurOwnWorkTenTimesTheTimeoutAndTenMinutes) {
  EXPECT_EQ(1200s, Limits(120s).patience("gemm.fp16.m4.normal.s1").own);
  EXPECT_EQ(600s, Limits(1s).patience("gemm.fp16.m4.normal.s1").own);
}

TEST(Limits, TwentyTimesTheSlowestOfTheClassWithinBounds) {
  Limits limits(120s);
  limits.learn(took("gemm.fp16.m4.normal.s1", 2.0));
  limits.learn(took("gemm.fp16.m4.cancel.s1", 3.0));
  limits.learn(took("gemm.fp16.m4.uniform.s1", 1.0));
  EXPECT_EQ(60s, limits.patience("gemm.fp16.m4.tiny.s7").stage);
  EXPECT_EQ(120s, limits.patience("gemm.fp16.m4.tiny.s7").total);
  EXPECT_EQ(120s, limits.patience("gemm.fp16.m8.tiny.s7").stage) << "another class";
  limits.learn(took("gemm.fp16.m4.normal.s1", 50.0));
  EXPECT_EQ(120s, limits.patience("gemm.fp16.m4.tiny.s7").stage) << "never above the timeout";
}

TEST(Limits, AFastClassKeepsAShareOfTheTimeout) {
  Limits limits(120s);
  limits.learn(took("gemm.fp16.m4.normal.s1", 0.001));
  EXPECT_EQ(30s, limits.patience("gemm.fp16.m4.tiny.s7").stage);
}

TEST(Limits, WhatTheDeviceDidNotAnswerTeachesNothing) {
  Limits limits(120s);
  for (const Verdict verdict : kAllVerdicts) {
    if (verdict == Verdict::kPass || verdict == Verdict::kFail || verdict == Verdict::kUntrusted)
      continue;
    limits.learn(took("gemm.fp16.m4.normal.s1", 0.001, verdict));
  }
  EXPECT_EQ(120s, limits.patience("gemm.fp16.m4.tiny.s7").stage);
  limits.learn(took("gemm.fp16.m4.normal.s1", 0.001, Verdict::kFail));
  EXPECT_EQ(30s, limits.patience("gemm.fp16.m4.tiny.s7").stage);
}

TEST(Limits, AShortTimeoutDoesNotMistakeABusyMachineForAFrozenProcess) {
  EXPECT_EQ(5s, Limits(2s).patience("gemm.fp16.m4.normal.s1").silence);
}

}  // namespace
}  // namespace halfmark::suites
