// SPDX-License-Identifier: Apache-2.0
// Under what circumstances a time is taken: buffers in turn, so that no launch finds its operands
// in a cache because the last one left them there; inputs that the device has not seen; what the
// data sheet and the driver say. Decides how many copies are enough; judges nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// Of the last cache before memory, as the driver says; 0 when it does not.
[[nodiscard]] std::uint64_t cache_bytes(const backends::DeviceInfo& device);

/// The declared rate for formats as a case names them ("fp16.acc-fp32.out-fp16"), 1e9 operations a
/// second; 0 when the device has no data sheet or that lacks the format. Keys of the sheet name the
/// format of the operands, and the accumulator where it matters: "fp16.acc-fp16".
[[nodiscard]] double declared_gflops(const backends::DeviceInfo& device, std::string_view formats);

/// Of which clock the device's times are, by the first word of `extra.clock`: "events" (its own,
/// and what is taken for granted where it says nothing), "host", or "modelled".
[[nodiscard]] std::string clock_of(const backends::DeviceInfo& device);

/// Whether the device's times come from a model and have nothing to do with the host's clock.
[[nodiscard]] bool has_modelled_clock(const backends::DeviceInfo& device);

/// How many copies of so many bytes cover twice the cache: at least two, at most sixteen, and
/// together at most a gibibyte unless that were less than one.
[[nodiscard]] std::size_t copies_for(std::uint64_t bytes, std::uint64_t cache);

/// What the device's compiler made of a plan's kernels, as `instructions` of a row's conditions:
/// counts over all of them, each kernel once for each launch, and of that what lies in innermost
/// loops where that is known; `unresolved_calls` where arithmetic may hide from the count. Where an
/// image cannot be read, `instructions_unread` says why.
void add_instructions(const Plan& plan,
                      const std::function<std::vector<std::byte>(const Launch&)>& image,
                      nlohmann::json& conditions);

/// Copies of a plan's buffers, launched in turn.
class Rotation {
 public:
  Rotation(Session& session, const Plan& plan, const TensorSet& inputs);
  std::uint64_t launch();
  [[nodiscard]] std::size_t copies() const { return copies_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Kernels and operators in each launch.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  std::vector<std::unique_ptr<PreparedPlan>> copies_;
  std::uint64_t bytes_ = 0;
  std::int64_t steps_ = 1;
  std::size_t next_ = 0;
};

/// The least of so many launches on inputs that the device has not seen (the same elements, each
/// time in another order), each behind a launch of `warm` that keeps the clocks up.
[[nodiscard]] std::uint64_t fresh_launch_ns(Session& session, const Plan& plan,
                                            const TensorSet& inputs, Rotation& warm, int launches);

}  // namespace halfmark::suites::throughput
