// SPDX-License-Identifier: Apache-2.0
// A number with its noun where digits are not grouped: in texts that a digest covers, and in those
// about a fleet. `plural` (writers/text.hpp) groups them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace halfmark::reports {

/// "1 case", "12345 cases".
[[nodiscard]] inline std::string plain_plural(std::uint64_t number, std::string_view noun) {
  std::string text = std::to_string(number) + ' ';
  text += noun;
  return number == 1 ? text : text + 's';
}

}  // namespace halfmark::reports
