// SPDX-License-Identifier: Apache-2.0
// The checks that every suite's test performs: names parse back, levels are nested, passes are
// earned, and hypotheses differ from the correct results and from each other.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "backends/testing/known_findings.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/suite/promisor.hpp"

namespace halfmark::suites {

inline constexpr std::uint64_t kTestSeed = 7;

inline void expect_names_parse_back_and_levels_nest(const Suite& suite) {
  std::set<std::string> below;
  for (const Level level : {Level::kSmoke, Level::kStandard, Level::kFull, Level::kExhaustive}) {
    std::set<std::string> names;
    for (const Case& c : suite.cases(level, kTestSeed)) {
      EXPECT_EQ(c, parse_case(suite.name, suite.axes, print(c)));
      EXPECT_TRUE(names.insert(print(c)).second) << print(c);
    }
    EXPECT_FALSE(names.empty());
    EXPECT_TRUE(std::includes(names.begin(), names.end(), below.begin(), below.end()));
    below = std::move(names);
  }
}

/// A problem with its operands and expected results.
struct Prepared {
  std::unique_ptr<const Problem> problem;
  TensorSet inputs;
  Expectation expected;

  Prepared(const Suite& suite, const Case& c)
      : problem(suite.bind(c)), inputs(problem->inputs()), expected(problem->expect(inputs)) {}
  [[nodiscard]] Allowance allowance() const { return allowance_of(*problem, expected); }
};

inline void expect_earned(const Suite& suite, Level level) {
  for (const Case& c : suite.cases(level, kTestSeed)) {
    const Prepared prepared(suite, c);
    EXPECT_EQ("", unearned(prepared.inputs, prepared.allowance())) << print(c);
  }
}

/// Each hypothesis leaves the allowance in some smoke case. Returns the number of hypotheses.
inline std::size_t expect_hypotheses_show(const Suite& suite, std::string_view provider) {
  std::map<std::string, bool> shown;
  for (const Case& c : suite.cases(Level::kSmoke, kTestSeed)) {
    if (c.word("provider") != provider) continue;
    const Prepared prepared(suite, c);
    for (const Hypothesis& h : prepared.problem->mistakes()) {
      bool& done = shown[h.name];
      if (done) continue;
      const TensorSet played = h.evaluate(c, prepared.inputs).middle;
      done = compare(prepared.allowance(), played).mismatches > 0;
    }
  }
  for (const auto& [name, done] : shown) EXPECT_TRUE(done) << name;
  return shown.size();
}

enum class NamedBy : std::uint8_t { kClass, kName };

/// Each hypothesis, simulated as a device, leaves the allowance in some smoke case, and the
/// diagnosis of that case first reports this hypothesis or, by class, another of its class.
inline void expect_hypotheses_are_named(const Suite& suite, std::string_view provider,
                                        NamedBy by = NamedBy::kClass) {
  std::map<std::string, bool> named;
  for (const Case& c : suite.cases(Level::kSmoke, kTestSeed)) {
    if (c.word("provider") != provider) continue;
    const Prepared prepared(suite, c);
    for (const Hypothesis& h : prepared.problem->mistakes()) {
      bool& done = named[h.name];
      if (done) continue;
      const TensorSet played = h.evaluate(c, prepared.inputs).middle;
      if (compare(prepared.allowance(), played).mismatches == 0) continue;
      const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), played);
      if (found.empty()) continue;
      done = by == NamedBy::kName
                 ? found.front().hypothesis == h.name
                 : found.front().finding_class == std::string_view(h.finding_class);
    }
  }
  for (const auto& [name, done] : named) EXPECT_TRUE(done) << name;
}

/// Whether a device may leave out the case: it lacks a capability, or has no such provider.
inline bool may_be_left_out(const Problem& problem, const backends::DeviceInfo& device) {
  return plan_of_calls(problem, device).needs || problem.c().word("provider") != kPortable;
}

/// Whether a test on every device of a machine accepts a library's miss: the library's own
/// documents leave it open, or it is a known finding.
inline bool is_a_known_miss(const CaseResult& result, const Problem& problem,
                            const backends::DeviceInfo& device) {
  const backends::Library* library = promisor_of(problem, device).library;
  if (library == nullptr || result.verdict != Verdict::kFail) return false;
  if (result.standing == Standing::kDeviation && !library->promises.empty()) return true;
  const auto exact = std::ranges::find_if(
      result.explanations, [&](const Explanation& e) { return e.exact(result.mismatches); });
  return backends::is_known(library->name, result.name,
                            exact == result.explanations.end() ? "" : exact->hypothesis);
}

/// Runs every case of a level through the whole pipeline on one device: each passes, unless the
/// device may leave it out. With `deviations`, what the device's own promises permit is accepted.
inline void expect_conforming(const Suite& suite, const std::string& selector,
                              Level level = Level::kSmoke, bool deviations = false) {
  Session session(backends::Device::open(selector));
  const backends::DeviceInfo& device = session.device().info();
  for (const Case& c : suite.cases(level, kTestSeed)) {
    if (suite.concerns != nullptr && !suite.concerns(c, device)) continue;
    const auto problem = suite.bind(c);
    const CaseResult result = run_problem(session, *problem);
    if (result.verdict == Verdict::kNotSupported && may_be_left_out(*problem, device)) continue;
    if (result.standing == Standing::kDeviation && deviations) continue;
    if (is_a_known_miss(result, *problem, device)) continue;
    EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict))
        << selector << ": " << result.name << ": " << result.reason;
  }
}

/// The same on the software device and on every driver of this machine. Simulators are excluded,
/// because they take minutes.
inline void expect_conforming_everywhere(const Suite& suite, Level level = Level::kSmoke,
                                         bool deviations = false) {
  for (const backends::BackendStatus& status : backends::enumerate()) {
    for (const backends::DeviceInfo& info : status.devices) {
      if (info.kind != "simulator") expect_conforming(suite, info.selector, level, deviations);
    }
  }
}

/// The same on the software device and on the CPU drivers that keep subnormals. What other devices
/// do differently is a finding and no matter of a test.
inline void expect_conforming_where_subnormals_are_kept(const Suite& suite) {
  for (const backends::BackendStatus& status : backends::enumerate()) {
    for (const backends::DeviceInfo& info : status.devices) {
      const bool is_cpu = info.kind == "cpu" || info.kind == "software";
      if (is_cpu && info.offers("fp32.subnormals")) expect_conforming(suite, info.selector);
    }
  }
}

}  // namespace halfmark::suites
