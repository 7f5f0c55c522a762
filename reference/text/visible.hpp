// SPDX-License-Identifier: Apache-2.0
// Foreign text (of a card, a driver, a user) as it may reach a terminal, a log or a Markdown file:
// nothing in it steers the reader's screen. Decides which characters are spelled out instead:
// those of Unicode's categories Cc (C0, DEL, C1) but the line feed and the tab, line and paragraph
// separators (Zl, Zp), all that directs or hides text (UAX #9 section 2, and zero-width ones), and
// bytes that are no UTF-8 (RFC 3629). Knows no markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halfmark::text {

/// Lines stay lines. "\x1b" is spelled "\x1b", U+202E "\u{202e}", a stray byte "\xff".
[[nodiscard]] std::string visible(std::string_view foreign);

/// The same on one line: line feeds and tabs are spelled out as well, and what is longer than
/// `most_bytes` ends in "...".
[[nodiscard]] std::string visible_line(std::string_view foreign, std::size_t most_bytes = 200);

/// Valid JSON whose strings hold the same values, spelled "\u202e".
[[nodiscard]] std::string visible_json(std::string_view json);

/// For a whole message, whose foreign parts are shown so already.
inline constexpr std::size_t kMostOfMessage = 4000;

/// How many bytes at the end may be the beginning of a character that is not complete yet.
[[nodiscard]] std::size_t unfinished_bytes(std::string_view text);

}  // namespace halfmark::text
