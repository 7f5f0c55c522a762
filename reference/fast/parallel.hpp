// SPDX-License-Identifier: Apache-2.0
// The engine's threads. Parts of a problem are handed out in any order to any number of threads;
// a part's result depends on the part alone, so neither number nor order can show.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "reference/fast/floating_point.hpp"
#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct Options {
  unsigned threads = 0;               // 0: as many as the host has
  std::optional<Target> target = {};  // none: default_target()

  [[nodiscard]] Target chosen_target() const { return target ? *target : default_target(); }
};

// Calls body(part) once for every part < count, in a FloatingPointScope of this direction, on each
// thread after require_sound_arithmetic. The first exception of a body is thrown again here.
void for_each_part(std::size_t count, unsigned threads, Direction direction,
                   const std::function<void(std::size_t)>& body);

}  // namespace halfmark::fast
