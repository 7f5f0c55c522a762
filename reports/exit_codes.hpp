// SPDX-License-Identifier: Apache-2.0
// The exit codes of every program and verb, as the root README documents them. Decides what each
// means, and which counts if several devices, cards or models have one each.
#pragma once

#include <algorithm>

namespace halfmark::reports {

inline constexpr int kExitConforms = 0;
/// A violation, a gate or check that fails, or a rule that warns.
inline constexpr int kExitDoesNotConform = 1;
/// Wrong usage: an option, a name or a file that makes no sense, or cards that cannot be compared.
inline constexpr int kExitUnusable = 2;
/// The environment prevents an answer: no such device, a full disk.
inline constexpr int kExitNoAnswer = 3;
/// Cases or devices are left without an answer, and nothing that was found fails the run.
inline constexpr int kExitIncomplete = 4;

/// The code of several: "does not conform" outranks all others, since it is already an answer.
[[nodiscard]] constexpr int worse(int a, int b) {
  const bool fails = a == kExitDoesNotConform || b == kExitDoesNotConform;
  return fails ? kExitDoesNotConform : std::max(a, b);
}

}  // namespace halfmark::reports
