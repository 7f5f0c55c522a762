// SPDX-License-Identifier: Apache-2.0
// Times one case's launches by the device's own events, under Google Benchmark.
// Decides how often is enough and when a clock is not to be believed. Does not verify: only cases
// that passed may come here. Writes nothing to stdout, which belongs to the driver. Assumes:
// `launch` waits for the device, so the host's clock must see at least what the device's events
// tell.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "suites/core/case.hpp"
#include "suites/core/execute.hpp"

namespace benchmark {
class State;
}

namespace halfmark::suites::throughput {

/// How many launches make one sample, and how many samples are taken.
struct Sampling {
  std::int64_t iterations = 1;
  int repetitions = 1;
  bool operator==(const Sampling&) const = default;
};

/// Nine samples of at least 20 ms of device time, within about a second as the host sees it.
[[nodiscard]] Sampling sampling_for(std::uint64_t event_ns, std::uint64_t host_ns);

/// One sample by both clocks; sums over its launches.
struct Clocks {
  std::uint64_t event_ns = 0, host_ns = 0;
  std::int64_t launches = 0;
};

/// Why the device's clock is not to be believed; empty when nothing speaks against it.
[[nodiscard]] std::string clock_doubt(std::span<const Clocks> samples);

/// Why the launches are too short to say how fast the kernel is; empty when they are long enough.
[[nodiscard]] std::string shortness_doubt(std::span<const Clocks> samples);

/// The body of a benchmark with manual time: one launch an iteration. A driver's error ends it as
/// skipped.
[[nodiscard]] Clocks time_launches(benchmark::State& state, PreparedPlan& plan);

/// The fields of reports::ThroughputRun, and beside them `host_ns` (a launch as the host sees it,
/// the least of all samples). `doubt` says why the times must not be used, a driver's error among
/// them; empty when they may.
[[nodiscard]] nlohmann::json measure(Session& session, const Case& c);

}  // namespace halfmark::suites::throughput
