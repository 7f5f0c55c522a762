// SPDX-License-Identifier: Apache-2.0
// The one way in which a specified kernel reduces a row: 64 lanes, whatever the device. Lane i
// takes the elements i, i + 64, ... in that order; then the lanes are folded in halves, lane i with
// lane i + 32, then i + 16, ... The same order in the kernel dialect is kernels/lanes.hk.
#pragma once

#include <array>
#include <cstddef>

#include "reference/formats/format.hpp"

namespace halfmark::operators {

inline constexpr std::size_t kLanes = 64;

/// step(accumulator, index) gives a lane's next accumulator; combine(left, right) folds two lanes.
/// A lane without elements keeps `initial`.
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
