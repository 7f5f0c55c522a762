// SPDX-License-Identifier: Apache-2.0
// Where a plan's tensors lie in memory, what surrounds them, and the copies that put them there and
// take them out. Decides that numbers are copied without their guards, as their own number of
// bytes: what engines do to copies of whole windows shows on them. Assumes: memory as large as
// memory_bytes().
#pragma once

#include <cstddef>
#include <vector>

#include "backends/backend.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// What memory holds that nobody gives: outputs and scratch before a launch, and the guard behind
/// every tensor. Both are finite in every format. They differ, so that an element that was made of
/// a guard is not taken for one that was never written.
struct Unset {
  std::byte contents{0xa5}, behind{0x4b};
};

inline constexpr std::size_t kGuardBytes = 256;

/// A tensor in memory: stretches of so many bytes, from one beginning to the next, each followed by
/// a guard.
struct Placed {
  std::size_t stretches = 1, bytes = 0, apart = 0;

  [[nodiscard]] std::size_t memory_bytes() const {
    return (stretches - 1) * apart + bytes + kGuardBytes;
  }
  [[nodiscard]] std::size_t start_of(std::size_t stretch) const { return stretch * apart; }
};
[[nodiscard]] Placed placed(const TensorSpec& spec);

[[nodiscard]] bool is_given(const TensorSpec& spec);
[[nodiscard]] bool is_output(const TensorSpec& spec);

/// A stretch and its guard before anything runs.
[[nodiscard]] std::vector<std::byte> first_image(const TensorSpec& spec, std::size_t stretch,
                                                 const TensorSet& inputs, const Unset& unset);
/// Unset memory first, then what is given: where that does not arrive, unset memory is left.
void write_first(backends::Buffer& buffer, const TensorSpec& spec, const TensorSet& inputs,
                 const Unset& unset);

/// A stretch and its guard as they are; `host` stands where the driver puts nothing.
[[nodiscard]] std::vector<std::byte> read_stretch(const backends::Buffer& buffer,
                                                  const Placed& place, std::size_t stretch,
                                                  std::byte host = std::byte{0});

}  // namespace halfmark::suites
