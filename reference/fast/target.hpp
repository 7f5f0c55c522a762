// SPDX-License-Identifier: Apache-2.0
// The instruction set that the engine uses, chosen at run time: the best one that this host
// executes and its operating system saves, or the one that the caller or HALFMARK_FAST_TARGET
// names. It affects only speed: every target gives the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace halfmark::fast {

// kPortable has no vector code and uses the soft-float.
enum class Target : std::uint8_t { kPortable, kNeon, kNeonFp16, kAvx2, kAvx3, kAvx3Spr };

// The targets that this host can run, best first; kPortable is always the last.
[[nodiscard]] std::span<const Target> host_targets();

[[nodiscard]] std::string_view to_string(Target target);

// The best of host_targets(), or the one named by the environment variable HALFMARK_FAST_TARGET.
// Throws std::invalid_argument, naming the choices, if the host does not have it.
[[nodiscard]] Target default_target();

}  // namespace halfmark::fast
