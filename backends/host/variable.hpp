// SPDX-License-Identifier: Apache-2.0
//
// A number from an environment variable.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "backends/environment_fault.hpp"

namespace halfmark::backends::host {

// Decimal, or hexadecimal after 0x. Returns nothing when the variable is unset or empty. Throws
// EnvironmentFault for any other text and for values outside least..most.
[[nodiscard]] inline std::optional<std::uint64_t> number_in(const char* variable,
                                                            std::uint64_t least,
                                                            std::uint64_t most) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
  char* end = nullptr;
  errno = 0;
  const std::uint64_t number = std::strtoull(text, &end, base);
  const bool is_number = std::isdigit(static_cast<unsigned char>(*text)) != 0 && *end == '\0';
  if (is_number && errno == 0 && number >= least && number <= most) return number;
  throw EnvironmentFault(fmt::format("{}='{}' is no number from {} to {}; give one, or unset it",
                                     variable, text, least, most));
}

}  // namespace halfmark::backends::host
