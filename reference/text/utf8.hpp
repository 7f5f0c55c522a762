// SPDX-License-Identifier: Apache-2.0
// The only decoder of UTF-8. This file decides which bytes are a character: RFC 3629, section 4,
// without overlong forms, surrogates and anything above U+10FFFF.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace halfmark::text {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: the bytes are not UTF-8
};

/// The text must not be empty.
[[nodiscard]] Character first_character(std::string_view text);

/// The first place where the text is not UTF-8 ("byte 17 is 0xff"); empty when all of it is.
[[nodiscard]] std::string utf8_fault(std::string_view text);

/// The number of bytes at the end that may begin a character that is still incomplete.
[[nodiscard]] std::size_t unfinished_bytes(std::string_view text);

}  // namespace halfmark::text
