// SPDX-License-Identifier: Apache-2.0
// Times one case's launches by the device's own events.
// Decides how often is enough and when a clock is not to be believed. Does not verify: only cases
// that passed may come here. Writes nothing to stdout, which belongs to the driver. Assumes:
// `launch` waits for the device, so the host's clock must see at least what the device's events
// tell, but for a device whose clock is a model.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "suites/core/case/case.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
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

/// Nine samples of at least so much device time, within about a second as the host sees it.
[[nodiscard]] Sampling sampling_for(std::uint64_t event_ns, std::uint64_t host_ns,
                                    std::uint64_t sample_ns = kSampleNs);

/// One sample by both clocks; sums over its launches.
struct Clocks {
  std::uint64_t event_ns = 0, host_ns = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 1;  // kernels and operators in each launch; each costs the host its part

  /// More launches of the same plan.
  Clocks& operator+=(const Clocks& more) {
    event_ns += more.event_ns;
    host_ns += more.host_ns;
    launches += more.launches;
    steps = more.steps;
    return *this;
  }
};

/// Why the device's clock is not to be believed: its events last longer than the host waited, or,
/// in the sample where the two are closest, the host waited over 2 % longer beside 200 us a launch.
/// Empty when nothing speaks against it.
[[nodiscard]] std::string clock_doubt(std::span<const Clocks> samples);

/// Why the launches are too short to say how fast the kernel is; empty when they are long enough.
[[nodiscard]] std::string shortness_doubt(std::span<const Clocks> samples);

/// One sample of so many launches. A driver's error leaves as BackendError.
[[nodiscard]] Clocks time_launches(Rotation& rotation, std::int64_t launches);

[[nodiscard]] nlohmann::json to_json(const Clocks& clocks);
[[nodiscard]] Clocks clocks_from_json(const nlohmann::json& value);

/// What a name (see measure()) stands for, its buffers in place, to be launched as often as
/// somebody asks. Its stages are told (stage.hpp), so that a driver that hangs is seen.
class Launcher {
 public:
  Launcher(Session& session, std::string name, Plan plan, const TensorSet& inputs);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }
  /// That one launch must move.
  [[nodiscard]] std::uint64_t bytes() const { return traffic_bytes(plan_); }
  [[nodiscard]] Clocks launch(std::int64_t launches) { return time_launches(rotation_, launches); }

 private:
  std::string name_;
  Plan plan_;  // which the rotation refers to
  Rotation rotation_;
};

/// Null when casts are asked for and no library of the device converts.
[[nodiscard]] std::unique_ptr<Launcher> launcher_for(Session& session, const std::string& name);

/// The fields of reports::ThroughputRun, and beside them `host_ns` (a launch as the host sees it,
/// the least of all samples). `doubt` says why the times must not be used, a driver's error among
/// them; empty when they may.
/// `name` is a case's, behind kAutocast (autocast.hpp) when its casts are timed with it.
/// `passed_case` is the case of the same kernel that passed in this run: where that is another one
/// than the name says (empty: it is not), witnesses_of() the name's are verified first and listed
/// under `verified`, and nothing is timed unless all of them pass; `found` as of verify().
[[nodiscard]] nlohmann::json measure(Session& session, const std::string& name,
                                     const std::string& passed_case = {},
                                     const Identified* found = nullptr);

}  // namespace halfmark::suites::throughput
