// SPDX-License-Identifier: Apache-2.0
// The kernel on the built-in device: equal to the reference on every smoke case, and caught when
// the plan makes it do the wrong work. The judge does not know what was planted.
#include <gtest/gtest.h>

#include <functional>

#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::uint64_t kSeed = 7;

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

Case named(std::string_view tail) {
  return parse_case("gemm", suite().axes, std::string("gemm.") + std::string(tail));
}

// As in a run, where the bound is too weak: judged by the arithmetic that probes identify.
CaseResult judged(const Case& c) {
  const CaseResult result = run_case(session(), suite(), c);
  if (result.verdict != Verdict::kUntrusted || suite().modelling->key(c).empty()) return result;
  const Identified found = suite().modelling->identify(session(), c, {});
  return run_case(session(), suite(), c, &found);
}

TEST(GemmOnHost, EverySmokeCasePasses) {
  std::size_t passed = 0;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const CaseResult result = judged(c);
    const bool absent = result.verdict == Verdict::kNotSupported;
    EXPECT_TRUE(result.verdict == Verdict::kPass || absent) << result.name << ": " << result.reason;
    if (!absent) ++passed;
  }
  EXPECT_GT(passed, 50u);
}

// Positions in the argument list of kernels/gemm.hk.
enum Argument : std::size_t {
  kC = 2,
  kM = 4,
  kN,
  kK,
  kARow,
  kAColumn,
  kABatch,
  kBRow,
  kBColumn,
  kBBatch,
  kCRow,
  kScaled = 17,
  kAlpha,
  kBeta
};

std::int32_t& number(Plan& plan, Argument which) {
  return std::get<std::int32_t>(plan.launches.at(0).arguments.at(which));
}

struct Sabotage {
  const char* name;
  const char* what;
  std::function<void(Plan&)> apply;
};

TEST(GemmOnHost, WrongWorkIsCaught) {
  const Sabotage sabotages[] = {
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "last product missing",
       [](Plan& p) { --number(p, kK); }},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "last row unwritten",
       [](Plan& p) { --number(p, kM); }},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7",
       "second tile of columns unwritten", [](Plan& p) { p.launches[0].groups[0] = 1; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.ties.s7", "not launched at all",
       [](Plan& p) { p.launches.clear(); }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.cancel.s7", "B not transposed",
       [](Plan& p) { std::swap(number(p, kBRow), number(p, kBColumn)); }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.batch3.normal.s7",
       "every batch reads the first", [](Plan& p) { number(p, kABatch) = number(p, kBBatch) = 0; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ldpad.normal.s7", "rows of C taken as dense",
       [](Plan& p) { number(p, kCRow) = 17; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ldpad.normal.s7", "a column too many",
       [](Plan& p) { ++number(p, kN); }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "alpha and beta ignored",
       [](Plan& p) { number(p, kScaled) = 0; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "alpha in half",
       [](Plan& p) { p.launches[0].arguments[kAlpha] = 0x1.554p-2f; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.beta0nan.normal.s7", "C read",
       [](Plan& p) { p.launches[0].arguments[kBeta] = 1.0f; }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m17n33k65.plain.permutation.s7", "bits read as bf16",
       [](Plan& p) { p.launches[0].defines[0].second = "HM_BF16"; }},
      {"fp16.acc-fp32.out-fp32.portable.tn.m17n33k64.plain.border.s7", "half accumulator",
       [](Plan& p) {
         if (session().device().info().offers("fp16.arithmetic")) {
           p.launches[0].defines[2].second = "HM_FP16";
         } else {
           p.launches.clear();
         }
       }},
  };
  for (const Sabotage& s : sabotages) {
    const Case c = named(s.name);
    const TensorSet inputs = suite().bind(c)->inputs();
    Plan plan = suite().bind(c)->plan(session().device().info());
    s.apply(plan);
    const DeviceResult got = execute(session(), plan, inputs);
    ASSERT_FALSE(got.error) << s.what << ": " << got.error->text << got.error->log;
    EXPECT_GT(compare(suite().bind(c)->expect(inputs).middle, got.outputs, 0).mismatches, 0u)
        << s.what;
  }
}

// Elements past A and B, or the previous contents of D, take part: wrong in both runs, and
// differently in each.
TEST(GemmOnHost, WhatResultsFollowIsTold) {
  const Sabotage sabotages[] = {
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "over_read",
       [](Plan& p) { ++number(p, kK); }},
      {"fp16.acc-fp32.out-fp16.portable.nt.m33n17k40.ab.normal.s7", "uninit",
       [](Plan& p) { p.launches[0].arguments[kC] = TensorRef{"d"}; }},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "uninit",
       [](Plan& p) { --number(p, kM); }},
      {"fp16.acc-fp32.out-fp16.portable.nn.m15n17k33.plain.integer.s7", "", [](Plan&) {}},
  };
  for (const Sabotage& s : sabotages) {
    const Case c = named(s.name);
    Plan plan = suite().bind(c)->plan(session().device().info());
    s.apply(plan);
    const DeviceResult got = execute(session(), plan, suite().bind(c)->inputs());
    EXPECT_EQ(s.what, memory_fault(got)) << s.name;
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
