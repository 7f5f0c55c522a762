// SPDX-License-Identifier: Apache-2.0
// The roll-up: what one device answered to one run, in at most a few KiB however large its
// scorecard is, so that a fleet of any size can be merged. Decides the members, their limits and
// their JSON form (reports/schema/rollup.schema.json); rollup_of.hpp makes one from a scorecard.
//
// Assumption: 64-bit digests here detect accidents and disagreements; they resist no forger.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::fleet {

inline constexpr std::string_view kRollupSchema = "halfmark-rollup/1";
/// The miss, and the suite, that stand for more losses of the device than incidents.hpp allows.
inline constexpr std::string_view kLosses = "losses";
inline constexpr std::size_t kMostMisses = 16;
inline constexpr std::size_t kMostRates = 8;
inline constexpr std::size_t kMostSuites = 64;
/// A roll-up file that is larger is refused.
inline constexpr std::size_t kMostRollupBytes = std::size_t{1} << 16;

/// Who answered, as the launcher named it.
struct Origin {
  std::string run;   // "slurm-1234": the same in all tasks of one launch
  std::string task;  // "3", or "2.3": task 3 of array element 2
  std::string node;
  bool operator==(const Origin&) const = default;
};

/// Devices with the same words here are peers: they owe the same bits to the same question.
struct DeviceIdentity {
  std::string selector;  // of the device within its node
  std::string backend, name, platform, driver;
  bool operator==(const DeviceIdentity&) const = default;
};

/// What was asked. Answers to different questions are never compared.
struct Question {
  std::string version, contract_revision, level, shard;
  std::uint64_t seed = 0;
  std::vector<std::string> filters, suites;
  std::string golden = {};  // SHA-256 of the golden store; empty: none
  bool operator==(const Question&) const = default;
};

/// What the run learned of its golden store: cases that passed by it; cases whose digests the
/// reference confirmed, or has otherwise, so that the store is in error.
struct GoldenCounts {
  std::uint64_t matched = 0, confirmed = 0, refuted = 0;
  bool operator==(const GoldenCounts&) const = default;
};

/// Whether an injected fault was noticed before the run (suites/core/run/self_test.hpp).
enum class SelfTest {
  kNone,  // nobody asked for one
  kCaught,
  kMissed,   // the pipeline does not notice faults: no pass of this run proves anything
  kNotDone,  // the device does not offer what it takes
};

enum class Completeness {
  kComplete,
  kPartial,  // cases are left without a result
  kError,    // no answer at all: the device or its driver cannot be used
};

/// Both digests are sums of 64-bit digests of cases, so that they do not depend on the order.
struct SuiteAnswers {
  std::string suite;
  std::uint64_t passed = 0;
  std::uint64_t missed = 0;  // violations and deaths, also those that are not listed in `misses`
  std::uint64_t asked = 0;   // digest of the names of the cases
  std::uint64_t bits = 0;    // digest of their names, verdicts and the digests of their results
  bool operator==(const SuiteAnswers&) const = default;
};

enum class MissKind {
  kViolation,    // breaks a promise of the device
  kDied,         // the case crashed, hung, lost the device or ended in error
  kVaries,       // the device contradicts itself, as an open freedom permits
  kContradicts,  // the device contradicts itself, and nothing permits it
};

/// A case that the device did not answer as it should. `result` is the digest of its wrong results.
struct Miss {
  std::string case_name, finding_class, result;
  MissKind kind = MissKind::kViolation;
  bool operator==(const Miss&) const = default;
};

struct Rate {
  std::string name;       // "fma.fp32", "copy"
  double per_second = 0;  // 1e9 flops or bytes
  double clock_mhz = 0;   // 0: the device gave no reading
  bool operator==(const Rate&) const = default;
};

struct Rollup {
  Origin origin;
  DeviceIdentity device;
  Question question;
  Completeness completeness = Completeness::kError;
  std::string reason;  // why it is not complete; empty if it is
  std::string card;    // digest of the scorecard; empty: there is none
  std::string started;
  std::uint64_t expected = 0, reported = 0;  // cases
  std::vector<SuiteAnswers> answers;         // sorted by suite
  std::vector<Miss> misses;                  // the first kMostMisses by name
  std::uint64_t total_misses = 0;
  std::vector<Rate> rates;
  SelfTest self_test = SelfTest::kNone;
  GoldenCounts golden = {};
  bool operator==(const Rollup&) const = default;
};

[[nodiscard]] std::uint64_t trials(const Rollup& rollup);  // cases that passed

[[nodiscard]] std::string_view name_of(Completeness);
[[nodiscard]] std::string_view name_of(MissKind);
[[nodiscard]] std::string_view name_of(SelfTest);

/// Whether the device breaks a promise in it: a case that varies as a freedom permits does not.
[[nodiscard]] bool breaks_a_promise(const Rollup& rollup);

/// Whether its answers prove nothing, although they may be complete: the store that they rest on is
/// in error, or the self-test failed.
[[nodiscard]] bool is_doubtful(const Rollup& rollup);

/// One line that says why a text is no roll-up.
struct RollupError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] nlohmann::json to_json(const Rollup& rollup);
/// One line of JSON with its own `check`, so that a damaged or edited roll-up is noticed.
[[nodiscard]] std::string print(const Rollup& rollup);
/// Throws RollupError.
[[nodiscard]] Rollup parse_rollup(std::string_view text);

}  // namespace halfmark::fleet
