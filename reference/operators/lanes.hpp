// SPDX-License-Identifier: Apache-2.0
// The order in which every specified kernel reduces a row: 64 lanes on every device. Lane i takes
// the elements i, i + 64, ... in that order; then the lanes are folded in halves, lane i with lane
// i + 32, then i + 16, ... kernels/lanes.hk states the same order in the kernel dialect.
#pragma once

#include <array>
#include <cstddef>

#include "reference/formats/format.hpp"

namespace halfmark::operators {

inline constexpr std::size_t kLanes = 64;

/// step(accumulator, index) returns a lane's next accumulator; combine(left, right) folds two
/// lanes. A lane without elements keeps `initial`.
template <typename Step, typename Combine>
[[nodiscard]] formats::Bits reduce_lanes(std::size_t count, formats::Bits initial, Step&& step,
                                         Combine&& combine) {
  std::array<formats::Bits, kLanes> lanes;
  lanes.fill(initial);
  for (std::size_t i = 0; i < count; ++i) lanes[i % kLanes] = step(lanes[i % kLanes], i);
  for (std::size_t stride = kLanes / 2; stride > 0; stride /= 2) {
    for (std::size_t i = 0; i < stride; ++i) lanes[i] = combine(lanes[i], lanes[i + stride]);
  }
  return lanes[0];
}

}  // namespace halfmark::operators
