// SPDX-License-Identifier: Apache-2.0
// Words of an input line as one-line errors quote them: shorter than elsewhere, since the error
// also gives the line number and what was expected.
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
