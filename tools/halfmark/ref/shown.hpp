// SPDX-License-Identifier: Apache-2.0
// Words of an input line as they stand in a one-line error: shorter than elsewhere, since the line
// has its number and what it should be to say as well.
#pragma once

#include <string>
#include <string_view>

#include "reference/text/visible.hpp"

namespace halfmark::tools {

inline constexpr std::size_t kMostShown = 40;

[[nodiscard]] inline std::string shown(std::string_view text) {
  return text::visible_line(text, kMostShown);
}

}  // namespace halfmark::tools
