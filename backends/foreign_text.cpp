// SPDX-License-Identifier: Apache-2.0
#include "backends/foreign_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "reference/text/utf8.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::backends {
namespace {

// The limits of a line and of a longer text such as a build log, in bytes.
constexpr std::size_t kMostOfLine = 4096;
constexpr std::size_t kMostWords = std::size_t{1} << 16;

std::string printable(std::string_view text, std::string_view line_end, std::size_t most) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size() && at < most) {
    const text::Character character = text::first_character(text.substr(at));
    if (character.bytes == 0 || text::steers(character.code)) {
      result += '?';
    } else if (character.code == '\n') {
      result += line_end;
    } else if (character.code == '\t') {
      result += ' ';
    } else {
      result += text.substr(at, character.bytes);
    }
    at += std::max<std::size_t>(character.bytes, 1);
  }
  if (at < text.size()) result += " ... (cut)";
  return result;
}

}  // namespace

std::string one_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return printable(text, "; ", kMostOfLine);
}

std::string kept_words(const char* text) {
  if (text == nullptr) return {};
  return printable({text, ::strnlen(text, kMostWords + 1)}, "\n", kMostWords);
}

}  // namespace halfmark::backends
