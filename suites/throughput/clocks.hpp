// SPDX-License-Identifier: Apache-2.0
// Samples of launch times by the device's clock and the host's, and whether the former is credible.
// Assumes: `launch` waits for the device, so that the host's clock shows at least the time of the
// device's events, unless the device's clock is a model.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <string>

namespace halfmark::suites::throughput {

/// One sample by both clocks: sums over its launches.
struct Clocks {
  std::uint64_t event_ns = 0, host_ns = 0;
  std::int64_t launches = 0;
  std::int64_t steps = 1;  // kernels and operators in each launch; each adds host overhead
  /// Of the device's clock: one for each pair of events, after which the host waits. Several
  /// launches between them are queued. 0: one for each launch.
  std::int64_t readings = 0;
  std::uint64_t grain_ns = 0;  // of which all readings are multiples

  /// Adds what the device's clock shows for launches between two events.
  void read(std::uint64_t ns, std::int64_t more_launches = 1) {
    event_ns += ns;
    launches += more_launches;
    ++readings;
    if (ns > 1) grain_ns = std::gcd(grain_ns, ns);  // 1 stands for none, of drivers with floats
  }

  /// Adds launches of the same plan.
  Clocks& operator+=(const Clocks& more) {
    event_ns += more.event_ns;
    host_ns += more.host_ns;
    launches += more.launches;
    steps = more.steps;
    readings += more.readings;
    grain_ns = std::gcd(grain_ns, more.grain_ns);
    return *this;
  }
};

/// Why the device's clock is not credible: its events last longer than the host waited, by more
/// than its step explains, or, in the sample where the two are closest, the host waited over 2 %
/// longer plus 200 us per step. Of queued launches only one in each group counts so, and each other
/// one 15 us. Empty if there is no doubt.
[[nodiscard]] std::string clock_doubt(std::span<const Clocks> samples);

/// Why the device's clock is too coarse for the launches: its steps leave more than 2 % of their
/// time open. A step is the greatest number of which all readings are multiples; of fewer than
/// eight readings it is not known. The error of a sum of independent readings is a step for one,
/// and grows with the root of their number.
[[nodiscard]] std::string coarseness_doubt(std::span<const Clocks> samples);

/// Why the launches are too short to show the kernel's speed; empty if they are long enough.
[[nodiscard]] std::string shortness_doubt(std::span<const Clocks> samples);

/// The first of these doubts. What a coarse clock shows says nothing else about it.
[[nodiscard]] std::string doubt_of(std::span<const Clocks> samples);

}  // namespace halfmark::suites::throughput
