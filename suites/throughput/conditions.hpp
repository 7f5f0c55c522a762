// SPDX-License-Identifier: Apache-2.0
// The conditions of a measurement: rotating buffers, so that no launch finds its operands in a
// cache because the last one left them there; inputs that the device has not seen; and what the
// data sheet and the driver declare. Decides how many copies are enough; judges nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// Size of the last-level cache, as the driver reports it; 0 if it does not.
[[nodiscard]] std::uint64_t cache_bytes(const backends::DeviceInfo& device);

/// The declared rate, in 1e9 operations per second, for formats as a case names them
/// ("fp16.acc-fp32.out-fp16"); 0 if the device has no data sheet or the sheet lacks the
/// format. Keys of the sheet name the operands' format, and the accumulator where it
/// matters: "fp16.acc-fp16".
[[nodiscard]] double declared_gflops(const backends::DeviceInfo& device, std::string_view formats);

/// The clock behind the device's times, from the first word of `extra.clock`: "events" (its own;
/// the default if it says nothing), "host", or "modelled".
[[nodiscard]] std::string clock_of(const backends::DeviceInfo& device);

/// Whether the device's times come from a model and are unrelated to the host's clock.
[[nodiscard]] bool has_modelled_clock(const backends::DeviceInfo& device);

/// How many copies of `bytes` bytes cover twice the cache, and at least two; but at most sixteen,
/// and at most one gibibyte in total unless a single copy is larger.
[[nodiscard]] std::size_t copies_for(std::uint64_t bytes, std::uint64_t cache);

/// Adds the compiled instructions of a plan's kernels as `instructions` of a row's conditions:
/// counts over all kernels, each once per launch, and the part in innermost loops if that is known;
/// `unresolved_calls` where arithmetic may hide from the count. If an image cannot be read,
/// `instructions_unread` says why.
void add_instructions(const Plan& plan,
                      const std::function<std::vector<std::byte>(const Launch&)>& image,
                      nlohmann::json& conditions);

/// Copies of a plan's buffers, launched in rotation.
class Rotation {
 public:
  /// `first`, unless null, is one of the copies.
  Rotation(Session& session, const Plan& plan, const TensorSet& inputs,
           std::unique_ptr<PreparedPlan> first = nullptr);
  std::uint64_t launch();
  /// The library's answer if it does not offer the plan: then the launches so far did nothing.
  [[nodiscard]] std::optional<std::string> not_supported() const;
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

/// The least time of `launches` launches on inputs that the device has not seen (the same elements,
/// each time in another order), each after a launch of `warm` that keeps the clocks up.
[[nodiscard]] std::uint64_t fresh_launch_ns(Session& session, const Plan& plan,
                                            const TensorSet& inputs, Rotation& warm, int launches);

}  // namespace halfmark::suites::throughput
