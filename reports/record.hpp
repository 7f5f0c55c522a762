// SPDX-License-Identifier: Apache-2.0
// The plain data that a run hands to `tally` (scorecard.hpp). Decides nothing. Assumes:
// 1. `device` holds only what is the same in every run on that device; what changes with time
//    (clocks, power, temperature, load) belongs in `environment`.
// 2. No two results carry the same case name.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/judge/result.hpp"

namespace halfmark::reports {

/// What the run asked of the device. Two scorecards are aligned when version, contract, level, seed
/// and, where both have one, golden store agree.
struct RunIdentity {
  std::string version;            // of the suite
  std::string contract_revision;  // of the rules
  std::string level;              // smoke, standard, full, exhaustive
  std::uint64_t seed = 0;
  std::vector<std::string> filters;  // globs given by the user; empty: every case
  std::string shard;                 // "2/8"; empty: not sharded
  std::vector<std::string> suites;   // named by the user; empty: every suite
  std::string golden = {};           // SHA-256 of the golden store; empty: none was used
};

/// A preflight probe: what the device claims and what it was observed to do. A probe of subnormals
/// is named `FORMAT.subnormals.OPERATION` (with `.operand` when it probes subnormal operands), and
/// its `observed` begins with "kept" or "flushed"; reports summarise those in one line.
struct Canary {
  std::string name;      // "fp32.subnormals.fma"
  std::string observed;  // "flushed: fma(00000001, 3f800000, 00000000) = 00000000"
  std::string meaning;   // one sentence for a reader
  std::string standing;  // ok, deviation, violation, unknown
  std::string claim;     // the driver's own answer; empty: it gave none
};

/// A case that was verified with the operator, provider, formats and shape of a row, right before
/// the row was timed.
struct VerifiedCase {
  std::string name;
  std::string tier;     // exact, specified, modelled, bounded
  std::string verdict;  // as for a case: "pass"
  std::uint64_t elements = 0;
  std::uint64_t results = 0;  // of which `elements` were compared; 0: not known
};

/// The row and the fastest fp32 kernel of its run, timed alternately in the order A B B A.
struct Duel {
  struct Pair {
    std::uint64_t against_ns = 0, own_ns = 0;
  };
  std::string against;              // name of a row on fp32 data
  std::uint64_t against_flops = 0;  // of one launch of `against`
  std::vector<Pair> pairs;
};

/// Times of one kernel, shape and fill. They are published only when `passed_case` names a case
/// that passed; a row larger than that case must have been verified under its own name.
struct ThroughputRun {
  std::string name;  // case name without its seed
  std::string provider, operation;
  std::string formats;  // input format first: "fp16", "fp16.acc-fp32"
  std::string shape, fill;
  std::string shape_class = "stream";     // products: aligned, ragged, skinny; else chain, stream
  std::vector<std::uint64_t> samples_ns;  // raw, in the order taken
  std::uint64_t flops = 0, bytes = 0;     // of one sample; 0: does not apply
  std::string passed_case;
  double declared_gflops = 0;  // from the device's data sheet, for these formats; 0: none
  std::uint64_t fresh_ns = 0;  // a launch on inputs that the device had not seen; 0: not tried
  /// Conditions of the measurement: copies of the operands, caches, warm-up, telemetry.
  nlohmann::json conditions = nlohmann::json::object();
  std::string doubt = {};  // why the measurement is not trusted; empty: the times count
  std::vector<VerifiedCase> verified = {};
  std::optional<Duel> duel = std::nullopt;
  std::optional<Duel> beside = std::nullopt;  // the same with this row's counterpart in fp32
  // Minimum time of the same launch with all steps and with half of them, run alternately; 0:
  // not tried.
  std::uint64_t whole_work_ns = 0, half_work_ns = 0;
};

/// What an operator was found to compute, determined by probes and checked against fresh data of
/// the cases.
struct ArithmeticEntry {
  std::string operation, provider, library, formats;
  std::vector<std::string> shapes;  // layouts and sizes at which it was found
  std::string outcome;     // named, described, unexplained, not_repeatable, not_uniform, no_answer
  std::string arithmetic;  // a named arithmetic, a description, or "none"
  std::string evidence;
  std::vector<std::string> others;    // other names that explain the same bits, and why
  std::vector<std::string> observed;  // the tree, and single behaviours
  std::uint64_t explained_cases = 0;
  std::vector<std::string> contradicted_cases;  // cases that a named arithmetic does not explain
};

/// "gemm.fp16.acc-fp32.out-fp16.library.": how the names of its cases begin.
[[nodiscard]] std::string operator_prefix(const ArithmeticEntry& entry);

/// What was found for the operator and shape of a case; null: nothing.
[[nodiscard]] const ArithmeticEntry* arithmetic_at(const std::vector<ArithmeticEntry>& found,
                                                   std::string_view case_name);

struct NotAsserted {
  std::string subject, reason;
};

struct RunRecord {
  RunIdentity identity;
  std::vector<std::string> required_marks;
  /// Why this run can carry no mark at all (planted faults, a stand-in driver), one sentence each;
  /// empty if it can.
  std::vector<std::string> mark_bars;
  std::string replay_options;  // options of a replay line in addition to the device's selector
  nlohmann::json device = nlohmann::json::object();
  nlohmann::json environment = nlohmann::json::object();
  std::vector<Canary> canaries;
  std::vector<suites::CaseResult> results;
  std::uint64_t expected_cases = 0;      // cases of this run (of this shard)
  bool completed = false;                // the runner reached its end
  std::vector<std::string> doubts = {};  // why the answers are not believed, one sentence each
  std::vector<ThroughputRun> throughput;
  std::vector<ArithmeticEntry> arithmetic;
  std::vector<NotAsserted> not_asserted;
  nlohmann::json training_step = nullptr;  // as suites/runner/training_step.hpp gives it
};

}  // namespace halfmark::reports
