// SPDX-License-Identifier: Apache-2.0
// The engine's threads. Parts of a problem are distributed in any order to any number of threads; a
// part's result depends only on the part, so neither the number nor the order affects results.
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

// Calls body(part) once for every part < count, each thread in a FloatingPointScope of this
// direction and after require_sound_arithmetic. Rethrows the first exception of a body here.
void for_each_part(std::size_t count, unsigned threads, Direction direction,
                   const std::function<void(std::size_t)>& body);

}  // namespace halfmark::fast
