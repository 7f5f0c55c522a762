// SPDX-License-Identifier: Apache-2.0
// A run over one device: canaries, cases, throughput, each journalled before the next begins.
// Decides their order and what `--resume` may skip; the verdicts come from run_case() in
// worker processes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/registry.hpp"
#include "suites/runner/golden_store.hpp"
#include "suites/runner/journal.hpp"
#include "suites/runner/worker.hpp"

namespace halfmark::suites {

struct RunOptions {
  std::vector<Case> cases;     // selected; the run includes those that concern the device
  nlohmann::json identity;     // level, seed, filters, ...: what must agree for --resume
  nlohmann::json environment;  // this machine, described by the caller
  bool resume = false;
  bool throughput = true;
  std::uint64_t most_failures = 0;  // the run ends after this many new failures; 0: never
  WorkerOptions worker;
  std::shared_ptr<const GoldenStore> golden = nullptr;  // null: the reference computes every case
  std::string node = {};                    // decides which cases are recomputed (is_recomputed)
  std::vector<std::string> self_test = {};  // cases for a self-test before any other; empty: none
};

/// Everything that a scorecard is made of; the same whether it comes from a run or from
/// its journal.
struct DeviceRun {
  nlohmann::json identity, environment;
  backends::DeviceInfo device;
  nlohmann::json canaries = nlohmann::json::array();
  std::vector<Identified> arithmetics;
  std::vector<CaseResult> results;
  std::vector<nlohmann::json> throughput;
  nlohmann::json training_step;           // as training_step(); null: not taken
  std::vector<nlohmann::json> incidents;  // as Worker::take_incidents
  nlohmann::json self_test;  // {"case", "done", "caught", "located", "what"}; null: none was asked
  std::uint64_t expected_cases = 0;
  std::uint64_t processes = 0;     // started so far
  nlohmann::json device_identity;  // of every process with a verdict; null: none has begun
  bool completed = false;
};

struct RunProgress {
  /// Called after each case; `resumed` if its result comes from the journal.
  std::function<void(const CaseResult&, std::uint64_t done, std::uint64_t total, bool resumed)>
      on_case;
  std::function<void(const std::string& what)> on_stage;
  std::function<void(const nlohmann::json& incident)> on_incident;
};

/// Runs on the device that `selector` names. Stops early, not completed, when interrupted or when
/// the number of failures reaches the limit in the options; --resume continues from there. Throws
/// EnvironmentError if the device cannot be opened or the journal cannot be written, UsageError if
/// --resume does not fit.
[[nodiscard]] DeviceRun run_device(const std::string& selector, const RunOptions& options,
                                   const std::filesystem::path& journal_file,
                                   const RunProgress& progress);

/// Throws EnvironmentError, with file, line and remedy, for inconsistent lines: missing fields, two
/// verdicts for one case, two devices.
[[nodiscard]] DeviceRun from_journal(const JournalText& text, const std::filesystem::path& file);

}  // namespace halfmark::suites
