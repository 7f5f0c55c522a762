// SPDX-License-Identifier: Apache-2.0
// Both ends of the worker: the loop inside the child that may touch drivers, and the client that
// the runner holds. Decides what a dead or silent worker means for the case that it was on. The
// runner itself never touches a driver.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/runner/child.hpp"
#include "suites/runner/device_identity.hpp"
#include "suites/runner/rates.hpp"

namespace halfmark::suites {

/// The first argument that makes a Halfmark program a worker.
inline constexpr const char* kWorkerArgument = "--halfmark-worker";

/// Serves requests on kRequestFd until it is closed; what `main` calls when its first argument is
/// kWorkerArgument.
[[nodiscard]] int serve_worker();

/// What starts this program again as a worker.
[[nodiscard]] std::vector<std::string> worker_command();

struct WorkerOptions {
  std::string plugin;  // the file that the device comes from; empty for a built-in backend
  std::chrono::milliseconds case_limit = kCaseLimit;
  std::uint64_t processes_before = 0;  // of the run, in earlier sessions
};

/// What the machine prevents is no verdict: then every request throws DeviceUnusable.
class Worker {
 public:
  explicit Worker(WorkerOptions options) : options_(std::move(options)) {}

  /// Makes the device the one that later cases run on. Throws DeviceUnusable with the driver's
  /// words.
  [[nodiscard]] backends::DeviceInfo open(const std::string& selector);

  /// Of the device that is open: device_identity(), which reads all files of its driver. From the
  /// first call on, whatever opens the device again throws DeviceUnusable if it has become another
  /// one.
  [[nodiscard]] const nlohmann::json& identity();

  /// One case. A crash or hang becomes its verdict, and the next case gets a fresh worker. After a
  /// lost device the worker is replaced and the case, the suspect, runs again alone: its second
  /// verdict counts, and a loss that did not happen again is kept as an incident.
  /// `interrupted()` may be true afterwards: then the result must be dropped. `found` as of
  /// run_case().
  [[nodiscard]] CaseResult run(const Case& c, const Patience& patience,
                               const Identified* found = nullptr);
  [[nodiscard]] CaseResult run(const Case& c, const Identified* found = nullptr) {
    return run(c, Patience{.total = options_.case_limit}, found);
  }

  /// Makes a failed case small, in the device's process; what happens there is no verdict, and a
  /// process that does not survive it is an incident. Adds the outcome to `failed`.
  void shrink(const Case& c, const Patience& patience, CaseResult& failed);

  /// A request, but asked once more, of a fresh worker, when the first one did not survive it; that
  /// is an incident of the name `what`.
  [[nodiscard]] nlohmann::json insist(const nlohmann::json& message, const std::string& what,
                                      const Patience& patience);
  [[nodiscard]] nlohmann::json insist(const nlohmann::json& message, const std::string& what) {
    return insist(message, what, Patience{.total = options_.case_limit});
  }

  /// What happened since the last call and is no case's verdict: {"case", "what", "then"}, and
  /// "lost": true where it took a process or the device with it.
  [[nodiscard]] std::vector<nlohmann::json> take_incidents();

  /// A request that is not a case ("canaries", "measure"): its answer, or {"error": text}, with
  /// "lost" beside it when the process did not survive.
  [[nodiscard]] nlohmann::json request(const nlohmann::json& message, const Patience& patience);
  [[nodiscard]] nlohmann::json request(const nlohmann::json& message) {
    return request(message, Patience{.total = options_.case_limit});
  }

 private:
  [[nodiscard]] Answer ask(const nlohmann::json& message, const Patience& patience);
  [[nodiscard]] std::string reopen();
  void check_identity();
  [[nodiscard]] CaseResult attempt(const Case& c, const Patience& patience,
                                   const Identified* found);

  WorkerOptions options_;
  std::unique_ptr<Child> child_;
  std::string selector_;
  backends::DeviceInfo device_;
  LoadedFiles files_;
  nlohmann::json identity_;
  std::uint64_t processes_ = 0;  // started here
  int failed_opens_ = 0;         // in a row
  std::vector<nlohmann::json> incidents_;
};

}  // namespace halfmark::suites
