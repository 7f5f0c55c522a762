// SPDX-License-Identifier: Apache-2.0
#include "fleet/testing/sample.hpp"

#include "fleet/digest64.hpp"
#include "fleet/merge.hpp"

namespace halfmark::fleet::testing {
namespace {

constexpr const char* kCase = "gemm.fp16.s1";

SuiteAnswers& suite_named(Rollup& rollup, const std::string& name) {
  for (SuiteAnswers& one : rollup.answers) {
    if (one.suite == name) return one;
  }
  return rollup.answers.emplace_back(SuiteAnswers{.suite = name});
}

}  // namespace

Rollup right(const std::string& node, const std::string& selector) {
  Rollup rollup;
  rollup.origin = {.run = "test-1", .task = node, .node = node};
  rollup.device = {.selector = selector,
                   .backend = "x",
                   .name = "Model",
                   .platform = "Platform",
                   .driver = "1.0"};
  rollup.question = {.version = "0.1.0",
                     .contract_revision = "10",
                     .level = "smoke",
                     .shard = "",
                     .seed = 1,
                     .filters = {},
                     .suites = {}};
  rollup.completeness = Completeness::kComplete;
  rollup.card = std::string(64, 'a');
  rollup.started = "2026-11-23T00:00:00Z";
  rollup.expected = rollup.reported = 200;
  for (const char* suite : {"gemm", "softmax"})
    rollup.answers.push_back({.suite = suite, .passed = 100, .missed = 0, .asked = 7, .bits = 9});
  return rollup;
}

Rollup wrong(const std::string& node, const std::string& result, const std::string& selector) {
  Rollup rollup = right(node, selector);
  SuiteAnswers& gemm = suite_named(rollup, "gemm");
  gemm.passed = 99;
  gemm.missed = 1;
  gemm.bits += digest64(std::string_view(result));
  rollup.misses = {{kCase, "acc_narrow", result, MissKind::kViolation}};
  rollup.total_misses = 1;
  return rollup;
}

Rollup varying(const std::string& node, MissKind kind) {
  Rollup rollup = right(node);
  SuiteAnswers& gemm = suite_named(rollup, "gemm");
  gemm.passed = 99;
  gemm.asked = 6;  // the case is left out of what is compared
  gemm.bits = 8;
  rollup.misses = {{kCase, kind == MissKind::kVaries ? "nondet" : "race", "", kind}};
  rollup.total_misses = 1;
  return rollup;
}

Rollup cut_short(Rollup rollup, std::uint64_t asked) {
  rollup.completeness = Completeness::kPartial;
  rollup.reason = "killed";
  suite_named(rollup, "gemm").asked = asked;
  return rollup;
}

Rollup doubted(Rollup rollup) {
  rollup.completeness = Completeness::kPartial;
  rollup.reason = "for this";
  return rollup;
}

std::vector<Rollup> fleet_of(int devices) {
  std::vector<Rollup> rollups;
  for (int i = 0; i < devices; ++i) rollups.push_back(right("n" + std::to_string(i)));
  return rollups;
}

FleetReport merged(const std::vector<Rollup>& rollups, const std::string& roster) {
  Merge merge;
  for (const Rollup& rollup : rollups) merge.add(rollup);
  return merge.finish(roster.empty() ? std::nullopt : std::optional(parse_roster(roster)));
}

void give_other_bits(Rollup& rollup, const std::string& suite, std::uint64_t by) {
  suite_named(rollup, suite).bits += by;
}

void set_rate(Rollup& rollup, const std::string& name, double per_second, double clock_mhz) {
  for (Rate& rate : rollup.rates) {
    if (rate.name == name) {
      rate = {name, per_second, clock_mhz};
      return;
    }
  }
  rollup.rates.push_back({name, per_second, clock_mhz});
}

}  // namespace halfmark::fleet::testing
