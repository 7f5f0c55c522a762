// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/clocks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace halfmark::suites::throughput {
namespace {

// The host's overhead per wait beyond the kernel: queues and wake-ups. Other load on the machine
// disturbs individual samples, so the closest one counts.
constexpr std::uint64_t kWaitOverheadNs = 200'000;
// The host's overhead per call that is only queued: its description on the way to the library.
// Measured on the stand-ins, on a busy machine: 1 to 2 us with three tensors, 5 to 7 with eight.
constexpr std::uint64_t kQueueOverheadNs = 15'000;
// A driver's own work between the two events of a launch takes a few microseconds; in shorter
// launches it would be more than a tenth of the reported time, and the same for every format.
constexpr std::uint64_t kShortestLaunchNs = 20'000;
// The two clocks may differ by this fraction of the host's time, in addition to the overhead.
constexpr std::uint64_t kClockParts = 50;  // 2 %
// Two independent readings of a launch seldom have a large common divisor, eight never do.
constexpr std::int64_t kFewestReadings = 8;

// The sample with the least host overhead per launch beyond the device's time; null if nothing
// was launched.
const Clocks* closest_of(std::span<const Clocks> samples) {
  const auto beyond = [](const Clocks& sample) {
    return (static_cast<double>(sample.host_ns) - static_cast<double>(sample.event_ns)) /
           static_cast<double>(sample.launches);
  };
  const Clocks* closest = nullptr;
  for (const Clocks& sample : samples) {
    if (sample.launches == 0) continue;
    if (closest == nullptr || beyond(sample) < beyond(*closest)) closest = &sample;
  }
  return closest;
}

Clocks sum_of(std::span<const Clocks> samples) {
  Clocks all;
  for (const Clocks& sample : samples) all += sample;
  return all;
}

bool has_known_step(const Clocks& all) { return all.readings >= kFewestReadings; }

// The error of a sum of independent readings, whose steps add up as the root of their number.
double open_ns(std::uint64_t grain_ns, std::int64_t readings) {
  return static_cast<double>(grain_ns) * std::sqrt(static_cast<double>(readings));
}

// How long the host may wait for a sample. The reading of a group may lack one of the clock's
// steps; whether these are short enough is another question (coarseness_doubt).
std::uint64_t longest_wait_ns(const Clocks& sample, const Clocks& all) {
  const std::int64_t waits = sample.readings > 0 ? sample.readings : sample.launches;
  const std::int64_t queued = sample.launches - waits;
  const auto overhead = [&](std::int64_t count, std::uint64_t ns) {
    return static_cast<std::uint64_t>(count * sample.steps) * ns;
  };
  return sample.event_ns + sample.host_ns / kClockParts + overhead(waits, kWaitOverheadNs) +
         overhead(queued, kQueueOverheadNs) +
         (queued > 0 && has_known_step(all) ? static_cast<std::uint64_t>(waits) * all.grain_ns : 0);
}

// The most that the events of a sample may sum to while the host waited: readings are rounded.
std::uint64_t longest_events_ns(const Clocks& sample, const Clocks& all) {
  if (!has_known_step(all)) return sample.host_ns;
  return sample.host_ns + static_cast<std::uint64_t>(open_ns(all.grain_ns, sample.readings));
}

}  // namespace

std::string clock_doubt(std::span<const Clocks> samples) {
  const Clocks all = sum_of(samples);
  for (const Clocks& sample : samples) {
    if (sample.launches == 0) continue;
    if (sample.event_ns > longest_events_ns(sample, all)) {
      return fmt::format(
          "the device's clock is wrong: its events sum to {} ns in {} ns of the host's clock",
          sample.event_ns, sample.host_ns);
    }
  }
  const Clocks* closest = closest_of(samples);
  if (closest == nullptr) return {};
  // In the other direction, overhead is a part of the host's time.
  if (closest->host_ns <= longest_wait_ns(*closest, all)) return {};
  return fmt::format(
      "the device's clock is doubtful: its events sum to {} ns while the host waited {} ns for {} "
      "launches, in the sample where they are closest",
      closest->event_ns, closest->host_ns, closest->launches);
}

std::string shortness_doubt(std::span<const Clocks> samples) {
  std::uint64_t event_ns = 0;
  std::uint64_t launches = 0;
  for (const Clocks& sample : samples) {
    event_ns += sample.event_ns;
    launches += static_cast<std::uint64_t>(sample.launches);
  }
  if (launches == 0 || event_ns >= launches * kShortestLaunchNs) return {};
  return fmt::format(
      "too short: a launch takes {} ns, much of it the launching itself; a higher level has larger "
      "sizes",
      event_ns / launches);
}

std::string coarseness_doubt(std::span<const Clocks> samples) {
  const Clocks all = sum_of(samples);
  if (!has_known_step(all) || all.event_ns == 0) return {};
  if (open_ns(all.grain_ns, all.readings) * static_cast<double>(kClockParts) <=
      static_cast<double>(all.event_ns))
    return {};
  return fmt::format(
      "the device's clock is too coarse: all its readings are multiples of {} ns, and {} of them "
      "make {} ns",
      all.grain_ns, all.readings, all.event_ns);
}

std::string doubt_of(std::span<const Clocks> samples) {
  std::string doubt = coarseness_doubt(samples);
  if (doubt.empty()) doubt = clock_doubt(samples);
  return doubt.empty() ? shortness_doubt(samples) : doubt;
}

}  // namespace halfmark::suites::throughput
