// SPDX-License-Identifier: Apache-2.0
//
// Texts of drivers and plug-ins, made safe to show and to store. Decides how long they may be.
#pragma once

#include <string>
#include <string_view>

namespace halfmark::backends {

// The text as one line for a terminal: line ends become "; ", invalid UTF-8 and the
// characters that could control the screen (text::steers) become '?', and excess length is cut.
[[nodiscard]] std::string one_line(std::string_view text);

// A backend's own text, which may have several lines, sanitised in the same way. Null gives an
// empty text.
[[nodiscard]] std::string kept_words(const char* text);

}  // namespace halfmark::backends
