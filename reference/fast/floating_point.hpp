// SPDX-License-Identifier: Apache-2.0
// The floating-point state of a thread while the engine computes. A host process may have left
// anything in it: a library built for speed that flushes subnormals, another rounding direction,
// unmasked traps. FloatingPointScope sets what the engine needs and puts back what was there,
// sticky flags included.
//
// Does not protect from a compiler that was told not to care: simd.hpp refuses to compile with such
// flags, and require_sound_arithmetic() looks for them where they came by another way.
//
// Assumption: the engine's arithmetic lies behind a call that the compiler cannot see through (a
// table of functions), so that none of it moves across the ends of a scope.
#pragma once

#include <cstdint>

namespace halfmark::fast {

enum class Direction : std::uint8_t { kNearEven, kTowardZero };

// Subnormals kept, no traps, the given direction; on this thread, until the end of the scope.
class FloatingPointScope {
 public:
  explicit FloatingPointScope(Direction direction = Direction::kNearEven);
  ~FloatingPointScope();
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  std::uint64_t saved_;
};

// The control and status of this thread (MXCSR; FPCR, and FPSR in the upper half), for tests that
// play a hostile host.
[[nodiscard]] std::uint64_t floating_point_control();
void set_floating_point_control(std::uint64_t control);

// Throws std::runtime_error, saying what is wrong, unless this thread's arithmetic rounds in this
// direction, keeps subnormals, knows NaN and the sign of zero, and neither fuses nor reorders.
void require_sound_arithmetic(Direction direction = Direction::kNearEven);

}  // namespace halfmark::fast
