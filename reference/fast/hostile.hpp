// SPDX-License-Identifier: Apache-2.0
// Floating-point states that other code leaves in a process, and a guard that simulates such code,
// for tests and self-tests of the engine.
#pragma once

#include <cstdint>

#include "reference/fast/floating_point.hpp"

namespace halfmark::fast {

#if defined(__x86_64__)
inline constexpr std::uint64_t kDefaultState = 0x1f80;
inline constexpr std::uint64_t kStickyFlags = 0x3f;
inline constexpr std::uint64_t kTrapsMasked = 0x1f80;
// The default; flush-to-zero; denormals-are-zero; each other direction; all of these at once with
// every trap unmasked.
inline constexpr std::uint64_t kHostStates[] = {kDefaultState, 0x9f80, 0x1fc0, 0x3f80,
                                                0x5f80,        0x7f80, 0xe040};
#elif defined(__aarch64__)
inline constexpr std::uint64_t kDefaultState = 0;
inline constexpr std::uint64_t kStickyFlags = std::uint64_t{0x0800009f} << 32;
inline constexpr std::uint64_t kTrapsMasked = 0;
// The default; subnormals flushed, in fp32 and in fp16; each other direction; the alternative half
// without infinities; all of these at once. Few of these processors can trap, and no state here
// enables traps.
inline constexpr std::uint64_t kHostStates[] = {kDefaultState, 0x01000000, 0x00080000, 0x00400000,
                                                0x00800000,    0x00c00000, 0x04000000, 0x07c80000};
#else
inline constexpr std::uint64_t kDefaultState = 0;
inline constexpr std::uint64_t kStickyFlags = 0;
inline constexpr std::uint64_t kTrapsMasked = 0;
inline constexpr std::uint64_t kHostStates[] = {kDefaultState};
#endif

// Sets a state that some library may leave in this thread, and restores the thread's own state at
// the end of the scope.
class HostileHost {
 public:
  explicit HostileHost(std::uint64_t control) : before_(floating_point_control()) {
    set_floating_point_control(control);
  }
  ~HostileHost() { set_floating_point_control(before_); }
  HostileHost(const HostileHost&) = delete;
  HostileHost& operator=(const HostileHost&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace halfmark::fast
