// SPDX-License-Identifier: Apache-2.0
#include "reference/text/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/text/utf8.hpp"

namespace halfmark::text {
namespace {

struct Range {
  char32_t first, last;
};

// Unicode 15.0: categories Cc, Zl, Zp, and the members of Cf that direct, join or hide text.
constexpr Range kSteering[] = {
    {0x00, 0x08},     {0x0b, 0x1f},       {0x7f, 0x9f},      {0xad, 0xad},     {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f},   {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
    {0xfff9, 0xfffb}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f}};

}  // namespace

bool steers(char32_t c) {
  return std::ranges::any_of(kSteering,
                             [c](Range range) { return c >= range.first && c <= range.last; });
}

namespace {

std::string spelled(std::string_view bytes, Character character) {
  if (character.bytes == 0 || character.code < 0x80)
    return fmt::format("\\x{:02x}", static_cast<std::uint8_t>(bytes.front()));
  return fmt::format("\\u{{{:x}}}", static_cast<std::uint32_t>(character.code));
}

// RFC 2781, section 2.1.
std::vector<std::uint16_t> utf16(char32_t code) {
  if (code < 0x10000) return {static_cast<std::uint16_t>(code)};
  const char32_t rest = code - 0x10000;
  return {static_cast<std::uint16_t>(0xd800 | (rest >> 10u)),
          static_cast<std::uint16_t>(0xdc00 | (rest & 0x3ffu))};
}

std::string without_steering(std::string_view foreign, bool lines, std::size_t most_bytes) {
  std::string shown;
  while (!foreign.empty() && shown.size() < most_bytes) {
    const Character character = first_character(foreign);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    const bool breaks = character.code == '\n' || character.code == '\t';
    if (character.bytes == 0 || steers(character.code)) {
      shown += spelled(foreign, character);
    } else if (breaks && !lines) {
      shown += character.code == '\n' ? "\\n" : "\\t";
    } else {
      shown += foreign.substr(0, bytes);
    }
    foreign.remove_prefix(bytes);
  }
  return foreign.empty() ? shown : shown + "...";
}

}  // namespace

std::string visible(std::string_view foreign) {
  return without_steering(foreign, true, std::string_view::npos);
}

std::string visible_line(std::string_view foreign, std::size_t most_bytes) {
  return without_steering(foreign, false, most_bytes);
}

std::string visible_json(std::string_view json) {
  std::string shown;
  while (!json.empty()) {
    const Character character = first_character(json);
    const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
    if (character.code >= 0x20 && steers(character.code)) {
      for (const std::uint16_t unit : utf16(character.code))
        shown += fmt::format("\\u{:04x}", unit);
    } else {
      shown += json.substr(0, bytes);
    }
    json.remove_prefix(bytes);
  }
  return shown;
}

}  // namespace halfmark::text
