// SPDX-License-Identifier: Apache-2.0
// The digest of a run's results, computed where they lie, so that bytes travel instead of tensors.
// Decides which tensors are digested on the device: large ones of words that the kernel reads, on
// devices with memory of their own, a compiler and groups of the kernel's size. Others are read
// back and digested on the host, with the same outcome. Inputs and guards are checked as well; of
// inputs digested on the device, NaN counts as a class.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/fast/digest.hpp"
#include "suites/core/execute/execute.hpp"

namespace halfmark::suites {

/// Smaller tensors are read back, because a launch costs more than that; on processors, and where
/// groups are smaller than the kernel's, all are.
[[nodiscard]] std::size_t least_bytes_digested(const backends::DeviceInfo& device);

class DeviceDigests {
 public:
  /// The plan and the inputs must outlive it.
  DeviceDigests(Session& session, const Plan& plan, const TensorSet& inputs,
                std::size_t least_bytes);

  /// Whether the outputs of a run that ended have this digest (Golden::sum), and nothing else was
  /// changed: neither inputs nor guards.
  [[nodiscard]] bool hold(const PreparedPlan& run, std::uint64_t expected);

  /// The digest of one tensor whose element 0 has the index `first`; nothing if its
  /// guard is broken.
  [[nodiscard]] std::optional<fast::Digest> digest_of(const PreparedPlan& run,
                                                      const TensorSpec& spec, std::uint64_t first);
  [[nodiscard]] std::uint64_t launches() const { return launches_; }
  [[nodiscard]] std::uint64_t device_ns() const { return device_ns_; }

 private:
  [[nodiscard]] bool inputs_are_unchanged(const PreparedPlan& run);
  [[nodiscard]] bool may_launch(const TensorSpec& spec, std::uint64_t first) const;
  [[nodiscard]] fast::Digest launch(const PreparedPlan& run, const TensorSpec& spec,
                                    std::uint32_t first);

  Session& session_;
  const Plan& plan_;
  const TensorSet& inputs_;
  std::size_t least_bytes_;
  bool can_build_ = true;
  std::map<std::string, fast::Digest> of_inputs_;
  std::uint64_t launches_ = 0, device_ns_ = 0;
};

/// Every program that digests tensors: the kernel text and its definitions.
[[nodiscard]] std::vector<Launch> digest_programs();

/// Whether every run of the plan may be checked by its digest instead of its tensors: it launches
/// something and repeats nothing, which would need the tensors of the first run.
[[nodiscard]] bool may_be_digested(const Plan& plan);

}  // namespace halfmark::suites
