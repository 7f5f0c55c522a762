// SPDX-License-Identifier: Apache-2.0
// Both ends of the worker: the loop inside the child process that may touch drivers, and the client
// in the runner. Decides what a dead or silent worker means for its current case. The runner itself
// never touches a driver.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/golden/golden.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/runner/child.hpp"
#include "suites/runner/device_identity.hpp"
#include "suites/runner/rates.hpp"

namespace halfmark::suites {

/// The first argument that makes a Halfmark program a worker.
inline constexpr const char* kWorkerArgument = "--halfmark-worker";

/// Serves requests on kRequestFd until it is closed; `main` calls it if its first argument
/// is kWorkerArgument.
[[nodiscard]] int serve_worker();

/// The command line that starts this program as a worker.
[[nodiscard]] std::vector<std::string> worker_command();

struct WorkerOptions {
  std::string plugin;  // the plug-in file of the device; empty for a built-in backend
  std::chrono::milliseconds case_limit = kCaseLimit;
  std::uint64_t processes_before = 0;  // of the run, before it was resumed
};

/// The client of a worker process. If the environment fails, every request throws DeviceUnusable,
/// since that is not a verdict.
class Worker {
 public:
  explicit Worker(WorkerOptions options) : options_(std::move(options)) {}

  /// Opens the device for later cases. Throws DeviceUnusable with the driver's message.
  [[nodiscard]] backends::DeviceInfo open(const std::string& selector);

  /// The device_identity() of the open device, which reads all files of its driver. After the first
  /// call, any reopening throws DeviceUnusable if the identity has changed.
  [[nodiscard]] const nlohmann::json& identity();

  /// Runs one case. A crash or hang becomes its verdict, and the next case gets a fresh
  /// worker. After a device loss, a lack of memory, or a signal from outside, the worker is
  /// replaced and the suspect case runs again by itself: its second verdict counts, and a loss that
  /// did not recur is kept as an incident. If `interrupted()` is true afterwards, the result must
  /// be dropped. `found` and `golden` as in run_case().
  [[nodiscard]] CaseResult run(const Case& c, const Patience& patience,
                               const Identified* found = nullptr,
                               const GoldenCheck* golden = nullptr);
  [[nodiscard]] CaseResult run(const Case& c, const Identified* found = nullptr) {
    return run(c, Patience{.total = options_.case_limit}, found);
  }

  /// Asks the device more, to tell the explanations of a failed case apart. Changes nothing but
  /// `experiments` if the process dies, which is an incident.
  void experiment(const Case& c, const Patience& patience, CaseResult& failed);

  /// Shrinks a failed case in the worker and adds the outcome to `failed`. Nothing there is a
  /// verdict; a process that dies is an incident.
  void shrink(const Case& c, const Patience& patience, CaseResult& failed);

  /// Like request(), but retries twice, each time on a fresh worker, if the last one did not
  /// survive; each time is an incident named `what`.
  [[nodiscard]] nlohmann::json insist(const nlohmann::json& message, const std::string& what,
                                      const Patience& patience);
  [[nodiscard]] nlohmann::json insist(const nlohmann::json& message, const std::string& what) {
    return insist(message, what, Patience{.total = options_.case_limit});
  }

  /// The events since the last call that are not a verdict: {"case", "what", "then"}, and "lost":
  /// true if the process or the device was lost.
  [[nodiscard]] std::vector<nlohmann::json> take_incidents();

  /// A request that is not a case ("canaries", "measure"): returns its answer, or {"error": text}
  /// plus "lost": whether the driver's process is gone, or the device and with it the process; and
  /// "loss": whether that is beyond doubt the driver's doing, as a hang is not, whose limit may be
  /// too short. With neither, the device did not open again, or gave an error.
  [[nodiscard]] nlohmann::json request(const nlohmann::json& message, const Patience& patience);
  [[nodiscard]] nlohmann::json request(const nlohmann::json& message) {
    return request(message, Patience{.total = options_.case_limit});
  }

 private:
  [[nodiscard]] Answer ask(const nlohmann::json& message, const Patience& patience);
  [[nodiscard]] std::string reopen();
  void check_identity();
  // The outcome of running a case once.
  struct Attempt {
    CaseResult result;
    bool is_lost = false;   // the device or its process; the case is worth another attempt
    bool of_driver = true;  // if lost: while the driver was at work
  };
  [[nodiscard]] Attempt attempt(const Case& c, const Patience& patience, const Identified* found,
                                const GoldenCheck* golden);

  WorkerOptions options_;
  std::unique_ptr<Child> child_;
  std::string selector_;
  backends::DeviceInfo device_;
  LoadedFiles files_;
  nlohmann::json identity_;
  std::uint64_t processes_ = 0;  // started by this object
  int failed_opens_ = 0;         // in a row
  std::vector<nlohmann::json> incidents_;
};

}  // namespace halfmark::suites
