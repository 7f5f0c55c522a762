// SPDX-License-Identifier: Apache-2.0
// Makes foreign text (from a device, a driver, a user) safe for a terminal, a log or a Markdown
// file: nothing in it can control the reader's screen. This file decides which characters are
// escaped: those of Unicode's categories Cc (C0, DEL, C1) except line feed and tab, line and
// paragraph separators (Zl, Zp), every character that directs or hides text (UAX #9 section 2,
// and zero-width characters), and bytes that are not valid UTF-8 (RFC 3629). It does not know
// any markup.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halfmark::text {

/// Whether the character is escaped. Line feed and tab are not among them.
[[nodiscard]] bool steers(char32_t character);

/// Keeps line breaks. The byte 0x1b becomes "\x1b", U+202E becomes "\u{202e}", a stray byte "\xff".
[[nodiscard]] std::string visible(std::string_view foreign);

/// The same on one line: line feeds and tabs are escaped too, and text longer than `most_bytes` is
/// cut and ends in "...".
[[nodiscard]] std::string visible_line(std::string_view foreign, std::size_t most_bytes = 200);

/// Valid JSON whose strings have the same values, with escapes like "\u202e".
[[nodiscard]] std::string visible_json(std::string_view json);

/// The limit for a whole message whose foreign parts have already been escaped.
inline constexpr std::size_t kMostOfMessage = 4000;

}  // namespace halfmark::text
