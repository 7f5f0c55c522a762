// SPDX-License-Identifier: Apache-2.0
// The scorecard as a value, and the step that makes one from a run. Decides what is counted, which
// results are findings, and their order; marks, true fp16 and throughput have their own files. Does
// not format or write. Guarantees that, for the same device, level and seed, all that the digest
// covers (digest.hpp) is the same in whatever order the results arrived.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exit_codes.hpp"
#include "reports/record.hpp"
#include "suites/core/case/finding_classes.hpp"

namespace halfmark::reports {

inline constexpr std::string_view kSchemaName = "halfmark-scorecard/1";

/// The number of cases that ended in each verdict.
struct VerdictCounts {
  std::array<std::uint64_t, std::size(suites::kAllVerdicts)> of{};

  [[nodiscard]] std::uint64_t& operator[](suites::Verdict v) {
    return of[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] std::uint64_t operator[](suites::Verdict v) const {
    return of[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] std::uint64_t total() const;
  [[nodiscard]] std::uint64_t died() const;  // in verdicts that suites::died() names
  bool operator==(const VerdictCounts&) const = default;
};

struct SuiteTally {
  std::string name;
  VerdictCounts verdicts;
  std::map<std::string, VerdictCounts> tiers;
};

/// One case in one line, so that every report can be made again from the file alone.
struct CaseLine {
  std::string name;
  suites::Verdict verdict = suites::Verdict::kError;
  std::string digest, reason;
  std::uint64_t process = 0, attempt = 1;  // as in CaseResult; not in the digest
};

/// The largest distance of any case of a row from the exact value.
struct AccuracyEntry {
  std::string rule, case_name;  // the first case by name with that distance
  suites::Accuracy farthest;    // `results`: of all cases of the row
};

/// A violation or a deviation, with everything needed to understand and repeat it.
struct Finding {
  std::string id;        // F001, in order: violations first, graver ones first, then by name
  std::string severity;  // critical, major, minor, note
  std::string replay;    // a command line
  suites::CaseResult result;
};

struct Interval {
  double low_ns = 0, high_ns = 0;
};

/// Rate in fp16 over rate in fp32, for the same operator, provider, shape and fill; for chains, at
/// the best width of each format.
struct Gain {
  std::string fp32_formats;
  double ratio = 0;
  double fp32_gflops = 0;      // 0: the operator has no agreed count of flops
  bool apart = false;          // the intervals of both rates do not overlap
  std::string band, sentence;  // from gain_bands() in throughput.hpp
};

/// The bits are right, but the time indicates a problem.
struct TimeFault {
  std::string name;  // a class of suites/core/case/finding_classes.hpp
  std::string sentence;
};

/// What autocast adds to a product: the row with the casts of its operands minus the one without.
struct CastCost {
  double ns = 0;
  std::uint64_t bytes = 0;  // read in fp32, written in fp16
};

struct ThroughputRow {
  ThroughputRun run;
  double median_ns = 0;
  std::optional<Interval> interval;  // 95 % interval of the median; absent with too few samples
  std::string excluded;              // why the times do not count; empty: they do
  std::optional<TimeFault> fault = std::nullopt;  // see performance.hpp
  std::optional<Gain> gain = std::nullopt;  // only for fp16 rows that have a counted fp32 partner
  std::optional<CastCost> casts = std::nullopt;  // only for autocast rows, where both rows count
};

struct Evidence {
  std::string source, statement;
};

/// The verdict on one operation of the device: a chain at its best width, or the fastest product.
struct Fp16Operation {
  std::string operation;  // add, mul, fma, muladd, gemm
  std::string kind;       // from true_fp16.hpp: native, emulated, undecided, ...
  std::string width;      // chains: "w4"; products: provider, formats and shape
  double gflops = 0;
  std::optional<double> fp32_gflops = std::nullopt, gain = std::nullopt;
  std::string sentence;
};

/// Contains times, so the digest leaves it out.
struct TrueFp16 {
  /// A kind of true_fp16.hpp, "undecided" or "disputed"; "mixed": the operations differ;
  /// "storage-only" or "not-offered": as the driver states; "contradicted": cases failed, and
  /// nothing was timed.
  std::string kind;
  std::string verdict;  // the same as a sentence
  std::vector<Fp16Operation> operations;
  std::vector<Evidence> evidence;
};

/// The verdict on one operator on fp16 data at one shape. Contains times, so the digest leaves
/// it out.
struct Fp16Operator {
  std::string operation, provider;
  std::string formats;  // includes the accumulator: "fp16.acc-fp32.out-fp16"
  std::string shape_class, shape;
  std::string kind;     // from true_fp16.hpp: native, emulated, disputed, ...
  std::string verdict;  // the same as a sentence
  double gflops = 0;
  std::optional<double> fp32_gflops = std::nullopt, gain = std::nullopt;
  std::vector<Evidence> evidence;  // bits, time, instructions
};

/// The rate of a chain at one packed width in 1e9 flops per second, and the bounds from the
/// interval of its median (0 without an interval).
struct WidthRate {
  std::string width;
  double gflops = 0, low = 0, high = 0;
  double of_declared = 0;  // fraction of the data sheet's rate; 0: there is none
};

/// The best rate that the device reached for one operation in one format.
struct Roof {
  std::string operation, formats;
  WidthRate best;
  std::vector<WidthRate> widths;  // all widths, in order
};

struct MemoryRoof {
  std::string operation;  // copy, triad
  std::uint64_t word_bytes = 0;
  double gbytes_per_s = 0, low = 0, high = 0;
};

/// The fastest sample of all rows that may serve as a roof, and the name of its row.
struct BestRate {
  double gflops = 0;  // 0: there is none
  std::string row;
};

/// What the device reached, by measurement only. Contains times, so the digest leaves it out.
struct Roofs {
  std::vector<Roof> operations;  // chains of add, mul, fma, muladd and convert
  std::vector<MemoryRoof> memory;
  BestRate fp32_best;          // over all counted rows on fp32 data
  BestRate fp32_step_best;     // the same, but a fused multiply-add is one step, not two flops
  BestRate wide_product_best;  // over fp32_best and products in tf32; none if these are unknown
  /// The factor by which load may have hidden a faster kernel on fp32 data: the widest interval of
  /// a median (high over low) among fp32 chains and the fp32 sides of duels, or the largest change
  /// of a row that was timed again.
  double unrest = 1;
  std::string clocks;  // says that clocks moved within the run; empty: no evidence of it
};

struct Mark {
  std::string id, title;
  bool held = false;
  std::string level;
  std::vector<std::string> reasons;  // why it is withheld; empty when held
  std::vector<std::string> scope;    // what it covers and what it does not
};

struct SuiteTimes {
  std::string name;
  double execute_seconds = 0, refer_seconds = 0;
  std::uint64_t device_ns = 0;
};

struct SlowCase {
  std::string name;
  double seconds = 0;
};

struct Times {
  std::vector<SuiteTimes> suites;
  std::vector<SlowCase> slowest;  // the ten slowest cases, device and reference together
};

/// "nn.m33n17k40 and 4 more": the shapes of an entry, a long list by its first one; "-"
/// if it has none.
[[nodiscard]] std::string shapes_text(const ArithmeticEntry& entry);

struct Scorecard {
  bool complete = false;
  std::vector<std::string> incomplete_reasons;
  RunIdentity suite;
  nlohmann::json device = nlohmann::json::object();
  nlohmann::json environment = nlohmann::json::object();
  std::vector<SuiteTally> suites;
  std::uint64_t expected_cases = 0;
  std::vector<ArithmeticEntry> arithmetic;
  std::vector<AccuracyEntry> accuracy;  // sorted by rule
  std::vector<Finding> findings;
  std::vector<Canary> canaries;
  std::vector<ThroughputRow> throughput;
  Roofs roofs;
  TrueFp16 true_fp16;
  std::vector<Fp16Operator> fp16_operators;
  std::vector<NotAsserted> not_asserted;
  /// What the device counted of the tensors of a training step; null: nothing. Contains times, so
  /// the digest leaves it out.
  nlohmann::json training_step = nullptr;
  std::vector<Mark> marks;
  Times times;
  std::vector<CaseLine> cases;  // sorted by name
  std::string digest;           // see digest.hpp
};

/// Makes the scorecard of a run, with its digest. The card goes through its JSON text once, so that
/// it equals what a reader of the file gets.
[[nodiscard]] Scorecard tally(const RunRecord& record);

/// The exit code of a run (exit_codes.hpp). 1: a violation (by a case or a canary), a case that
/// died, more losses of the device than incidents.hpp allows, or a required mark withheld from a
/// complete run; else 4 for a partial run; else 0. A violation outranks "incomplete": more cases
/// cannot undo it.
[[nodiscard]] int exit_code(const Scorecard& card, std::span<const std::string> required_marks);

/// The marks that the run required and does not hold, in the order in which they were named.
[[nodiscard]] std::vector<std::string> missing_marks(const Scorecard& card);

[[nodiscard]] std::uint64_t count_findings(const Scorecard& card, suites::Standing standing);
[[nodiscard]] std::uint64_t count_canaries(const Scorecard& card, suites::Standing standing);

[[nodiscard]] VerdictCounts total_verdicts(const Scorecard& card);

/// Of a case, such as "gemm": the name of a suite is the first word of the names of its cases.
[[nodiscard]] std::string_view suite_of(std::string_view case_name);

[[nodiscard]] const Mark* find_mark(const Scorecard& card, std::string_view id);
[[nodiscard]] const Finding* find_finding(const Scorecard& card, std::string_view id);

/// A text member of the device's own description; empty if it is missing.
[[nodiscard]] std::string device_text(const Scorecard& card, const char* key);

}  // namespace halfmark::reports
