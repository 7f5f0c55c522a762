// SPDX-License-Identifier: Apache-2.0
// Times one case's launches by the device's own events. Decides how many samples are enough; when
// a clock is not credible, clocks.hpp decides. Does not verify: the caller passes only cases that
// passed. Writes nothing to stdout, which belongs to the driver.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "suites/core/case/case.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/throughput/clocks.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {

/// How many launches make one sample, and how many samples are taken.
struct Sampling {
  std::int64_t iterations = 1;
  int repetitions = 1;
  bool operator==(const Sampling&) const = default;
};

inline constexpr std::uint64_t kSampleNs = 20'000'000;

/// Nine samples of at least `sample_ns` of device time, within about a second of host time. If that
/// is too short: shorter samples, then fewer of them, but six unless a launch takes more than half
/// a second; then one.
[[nodiscard]] Sampling sampling_for(std::uint64_t event_ns, std::uint64_t host_ns,
                                    std::uint64_t sample_ns = kSampleNs);

/// Takes one sample of `launches` launches. Driver errors propagate as BackendError.
[[nodiscard]] Clocks time_launches(Rotation& rotation, std::int64_t launches);

[[nodiscard]] nlohmann::json to_json(const Clocks& clocks);
[[nodiscard]] Clocks clocks_from_json(const nlohmann::json& value);

/// The plan that a name (see measure()) stands for, with its buffers allocated, to be launched
/// repeatedly. Reports its stages (progress.hpp), so that a hanging driver is detected.
class Launcher {
 public:
  Launcher(Session& session, std::string name, Plan plan, const TensorSet& inputs);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The bytes that one launch must move.
  [[nodiscard]] std::uint64_t bytes() const { return traffic_bytes(plan_); }
  [[nodiscard]] Clocks launch(std::int64_t launches) { return time_launches(rotation_, launches); }

 private:
  std::string name_;
  Plan plan_;  // the rotation refers to it
  Rotation rotation_;
};

/// Null if the name asks for casts and no library of the device converts.
[[nodiscard]] std::unique_ptr<Launcher> launcher_for(Session& session, const std::string& name);

/// Returns the fields of reports::ThroughputRun, plus `host_ns` (the host time of a launch, the
/// least of all samples). `doubt` says why the times must not be used, including a driver's error;
/// empty if they may be used. `name` is a case's name, prefixed with kAutocast (autocast.hpp) if
/// its casts are timed with it. `passed_case` is the case of the same kernel that passed in this
/// run. If it differs from the name's case (empty: it does not), the name's witnesses_of() are
/// verified first and listed under `verified`, and nothing is timed unless all of them pass;
/// `found` as in verify().
[[nodiscard]] nlohmann::json measure(Session& session, const std::string& name,
                                     const std::string& passed_case = {},
                                     const Identified* found = nullptr);

}  // namespace halfmark::suites::throughput
