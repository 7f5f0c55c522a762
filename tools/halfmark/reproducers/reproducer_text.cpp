// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;

// Encodings in the order of their numbers, zeros alike and NaN beyond all.
std::string out_of_range(const Format& f, std::int64_t least, std::int64_t greatest) {
  const std::string place =
      fmt::format("(got & 0x{} ? -(int)(got & 0x{}) : (int)got)", formats::hex(f, f.sign_mask()),
                  formats::hex(f, f.magnitude_mask()));
  return fmt::format("{0} < {1} || {0} > {2}", place, least, greatest);
}

}  // namespace

WrongResult wrong_result(const suites::Case& c, const suites::Element& wrong, const Format& format,
                         const suites::TensorSet& inputs, std::size_t index) {
  WrongResult result{.format = &format, .expected = wrong.expected_hex};
  const suites::Suite& suite = suites::find_suite(c.suite);
  if (suite.enclose == nullptr) return result;
  const std::optional<suites::Enclosure> around = suite.enclose(c, inputs);
  if (!around) return result;
  result.least = formats::hex(format, around->low.at(wrong.tensor).at(index));
  result.greatest = formats::hex(format, around->high.at(wrong.tensor).at(index));
  return result;
}

std::string element_type(const Format& f) {
  switch (f.storage_bytes()) {
    case 1:
      return "unsigned char";
    case 2:
      return "unsigned short";
    case 4:
      return "unsigned";
    default:
      return "unsigned long long";
  }
}

std::string expected_line(const WrongResult& result, const std::string& more) {
  std::string text = fmt::format("static const {} expected = 0x{};{}", element_type(*result.format),
                                 result.expected, more);
  if (result.least != result.greatest)
    text += fmt::format("  // allowed: 0x{} to 0x{}", result.least, result.greatest);
  return text;
}

std::string difference(const WrongResult& result) {
  const Format& f = *result.format;
  const auto bits = formats::parse_hex(f, result.expected);
  const bool either_zero = !result.least.empty() && bits && formats::is_zero(f, *bits);
  if (result.least != result.greatest || either_zero) {
    return out_of_range(f, formats::ordered(f, *formats::parse_hex(f, result.least)),
                        formats::ordered(f, *formats::parse_hex(f, result.greatest)));
  }
  if (!bits || !formats::is_nan(f, *bits)) return "got != expected";
  return fmt::format("(got & 0x{}) <= 0x{}", formats::hex(f, f.magnitude_mask()),
                     formats::hex(f, formats::infinity(f)));
}

std::string packed(const std::vector<std::string>& items, const char* separator) {
  constexpr std::size_t kColumns = 150;
  std::string text;
  std::size_t line = 0;
  for (const std::string& item : items) {
    const bool breaks = line != 0 && line + item.size() > kColumns;
    if (!text.empty()) text += separator;
    if (breaks) {
      while (text.ends_with(' ')) text.pop_back();
      text += "\n    ";
    }
    line = breaks ? item.size() : line + item.size() + 2;
    text += item;
  }
  return text;
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == '\\' || c == '@'; },
      ' ');
  return text;
}

std::string quoted(const std::string& text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

}  // namespace halfmark::tools
