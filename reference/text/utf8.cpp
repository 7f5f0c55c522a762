// SPDX-License-Identifier: Apache-2.0
#include "reference/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace halfmark::text {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// The length of the character that begins with this byte; 0 if no character does.
std::size_t bytes_of_character(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

}  // namespace

Character first_character(std::string_view text) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const std::size_t bytes = bytes_of_character(byte_at(text, 0));
  if (bytes == 0 || text.size() < bytes) return {};
  char32_t code = bytes == 1 ? byte_at(text, 0) : byte_at(text, 0) & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte_at(text, i) & 0xc0u) != 0x80u) return {};
    code = code << 6u | (byte_at(text, i) & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || surrogate || code > 0x10ffff) return {};
  return {code, bytes};
}

std::string utf8_fault(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = first_character(text.substr(at)).bytes;
    if (bytes == 0) return fmt::format("byte {} is 0x{:02x}", at, byte_at(text, at));
    at += bytes;
  }
  return {};
}

std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::uint8_t byte = byte_at(text, text.size() - back);
    if ((byte & 0xc0u) == 0x80u) continue;
    return bytes_of_character(byte) > back ? back : 0;
  }
  return 0;
}

}  // namespace halfmark::text
