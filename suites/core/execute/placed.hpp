// SPDX-License-Identifier: Apache-2.0
// Where a plan's tensors lie in memory, what surrounds them, and the copies that upload and
// download them. Decides that tensor bytes are copied without their guards, at their exact size, so
// that copy-engine faults at such sizes show. Assumes: buffers of memory_bytes().
#pragma once

#include <cstddef>
#include <vector>

#include "backends/backend.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// The poison patterns: `contents` fills outputs and scratch memory before a launch, `behind` fills
/// the guard after every tensor. Both are finite in every format. They differ, so that an element
/// computed from guard bytes is not mistaken for an unwritten one.
struct Unset {
  std::byte contents{0xa5}, behind{0x4b};
};

inline constexpr std::size_t kGuardBytes = 256;

/// Poison is written, and tensors are compared, in pieces of this size: touching fresh memory of
/// the host takes longer than the copy.
inline constexpr std::size_t kPieceBytes = std::size_t{1} << 22;

/// A tensor in memory: `stretches` pieces of `bytes` bytes each, `apart` bytes from one start to
/// the next, each followed by guard bytes.
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

/// The bytes of a stretch and its guard before anything runs.
[[nodiscard]] std::vector<std::byte> first_image(const TensorSpec& spec, std::size_t stretch,
                                                 const TensorSet& inputs, const Unset& unset);
/// Writes the poison first and the given data second, so that data that does not arrive leaves
/// the poison.
void write_first(backends::Buffer& buffer, const TensorSpec& spec, const TensorSet& inputs,
                 const Unset& unset);

/// The present bytes of a stretch and its guard; `host` prefills the host buffer, and remains where
/// the driver delivers nothing.
[[nodiscard]] std::vector<std::byte> read_stretch(const backends::Buffer& buffer,
                                                  const Placed& place, std::size_t stretch,
                                                  std::byte host = std::byte{0});

}  // namespace halfmark::suites
