// SPDX-License-Identifier: Apache-2.0
// Many calls of a library's operator between two events. One call on an idle queue counts the time
// in which the library submits its work, 5 to 15 us on a GPU; calls that wait in the queue do not.
// Decides which plans can be queued, how many calls make a group, and whether the results of
// queued calls are those of a call alone. Assumes: a device whose description says
// `queued_calls` takes the option `calls` (backends/plugin/operators.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "suites/core/execute/execute.hpp"
#include "suites/throughput/measure.hpp"

namespace halfmark::suites::throughput {

/// A group lasts this long or holds this many calls. Event clocks have resolutions of up to
/// a millisecond.
inline constexpr std::uint64_t kGroupNs = 4'000'000;
inline constexpr std::size_t kMostCalls = 256;

/// A plan of several copies of another's buffers, used in rotation by the calls of one group.
class Queue {
 public:
  Queue(Session& session, const Plan& one, const TensorSet& inputs, std::size_t copies);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  [[nodiscard]] std::size_t calls() const { return calls_; }
  /// More calls to a group, until it lasts kGroupNs by the device's clock.
  void grow();
  /// Whether the library declined a group, so that its launches did nothing.
  [[nodiscard]] bool is_declined() const { return prepared_->not_supported().has_value(); }
  /// Sums over the calls of so many groups.
  [[nodiscard]] Clocks time_groups(std::int64_t groups);
  /// Runs one more group, into results that are unset before, and a call alone. The first output of
  /// which the two left different bits; empty if there is none.
  [[nodiscard]] std::string changed_output();

 private:
  void set_calls(std::size_t calls);

  Session& session_;
  const Plan& one_;
  const TensorSet& inputs_;
  std::size_t copies_, calls_ = 0;
  Plan plan_;
  std::unique_ptr<PreparedPlan> prepared_;
};

/// Whether the device queues calls, and the plan is one call of a library that writes outputs only.
[[nodiscard]] bool can_queue(const backends::DeviceInfo& device, const Plan& plan);

/// Null where calls cannot be queued, where the library declines a group of calls, or where a
/// single one lasts as long as a group. The arguments must outlive the result.
[[nodiscard]] std::unique_ptr<Queue> queue_for(Session& session, const Plan& plan,
                                               const TensorSet& inputs, std::size_t copies,
                                               std::uint64_t event_ns);

}  // namespace halfmark::suites::throughput
