// SPDX-License-Identifier: Apache-2.0
// Foreign text as it may stand in a one-line error: short, and without bytes that a terminal obeys.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace halfmark::tools {

inline constexpr std::size_t kMostShown = 40;

// Bytes outside printable ASCII as question marks, all of it.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string result(text);
  std::replace_if(result.begin(), result.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return result;
}

// The same of at most kMostShown characters, with three dots for the rest.
[[nodiscard]] inline std::string shown(std::string_view text) {
  const bool whole = text.size() <= kMostShown;
  return printable(text.substr(0, kMostShown)) + (whole ? "" : "...");
}

}  // namespace halfmark::tools
