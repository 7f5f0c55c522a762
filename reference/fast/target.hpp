// SPDX-License-Identifier: Apache-2.0
// Which instruction set the engine uses, decided at run time: the best one that this host executes
// and its operating system saves, or what the caller or HALFMARK_FAST_TARGET names. A choice of
// speed only: every target gives the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace halfmark::fast {

// kPortable is no vector code at all but the soft-float.
enum class Target : std::uint8_t { kPortable, kNeon, kNeonFp16, kAvx2, kAvx3, kAvx3Spr };

// What this host can run, best first; kPortable is always the last.
[[nodiscard]] std::span<const Target> host_targets();

[[nodiscard]] std::string_view to_string(Target target);

// The best of host_targets(), or the one that the environment variable HALFMARK_FAST_TARGET names;
// throws std::invalid_argument, naming the choices, when the host does not have it.
[[nodiscard]] Target default_target();

}  // namespace halfmark::fast
