// SPDX-License-Identifier: Apache-2.0
// The floating-point state of a thread while the engine computes. A host process may have left any
// state: a library built for speed that flushes subnormals, another rounding direction, unmasked
// traps. FloatingPointScope sets the state that the engine needs and restores the previous one,
// including sticky flags.
//
// It does not protect against unsafe compiler flags: simd.hpp refuses to compile with them, and
// require_sound_arithmetic() detects their effects if they are set in another way.
//
// Assumption: the engine's arithmetic is behind a call that the compiler cannot see through (a
// table of functions), so that none of it moves across the ends of a scope.
#pragma once

#include <cstdint>

namespace halfmark::fast {

enum class Direction : std::uint8_t { kNearEven, kTowardZero };

// Until the end of the scope, this thread keeps subnormals, does not trap, and rounds in the
// given direction.
class FloatingPointScope {
 public:
  explicit FloatingPointScope(Direction direction = Direction::kNearEven);
  ~FloatingPointScope();
  FloatingPointScope(const FloatingPointScope&) = delete;
  FloatingPointScope& operator=(const FloatingPointScope&) = delete;

 private:
  std::uint64_t saved_;
};

// The control and status registers of this thread (MXCSR; FPCR, with FPSR in the upper half), for
// tests that simulate a hostile host.
[[nodiscard]] std::uint64_t floating_point_control();
void set_floating_point_control(std::uint64_t control);

// Throws std::runtime_error, stating the reason, unless this thread's arithmetic rounds in this
// direction, keeps subnormals, handles NaN and the sign of zero, and neither fuses nor reorders.
void require_sound_arithmetic(Direction direction = Direction::kNearEven);

}  // namespace halfmark::fast
