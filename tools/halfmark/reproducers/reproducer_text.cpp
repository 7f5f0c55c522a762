// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;

std::string hexadecimal(const Format& f, formats::Bits bits) {
  return "0x" + formats::hex(f, bits);
}

// An expression that is true outside the range. Encodings of one sign are ordered like their values
// or in reverse; both zeros are equal.
std::string out_of_range(const Format& f, formats::Bits least, formats::Bits greatest) {
  const formats::Bits sign = f.sign_mask();
  if (formats::is_zero(f, least)) least = sign;
  if (formats::is_zero(f, greatest)) greatest = 0;
  const std::string low = hexadecimal(f, least), high = hexadecimal(f, greatest);
  const bool below = (least & sign) != 0, above = (greatest & sign) == 0;
  if (below && above)
    return fmt::format("got > {} && (got < {} || got > {})", high, hexadecimal(f, sign), low);
  return below ? fmt::format("got < {} || got > {}", high, low)
               : fmt::format("got < {} || got > {}", low, high);
}

// The operands of the call that produces the tensor, by the names that the suite uses.
suites::TensorSet operands_of_call(std::string_view tensor, const suites::TensorSet& inputs) {
  if (!suites::is_related(tensor)) return inputs;
  suites::TensorSet own;
  for (const auto& [name, operand] : inputs) {
    if (suites::is_related(name)) own.emplace(suites::name_in_first(name), operand);
  }
  return own;
}

}  // namespace

WrongResult wrong_result(const suites::Case& c, const suites::Element& wrong, const Format& format,
                         const suites::TensorSet& inputs, std::size_t index) {
  WrongResult result{.format = &format, .expected = wrong.expected_hex};
  const std::optional<suites::Enclosure> around =
      suites::find_suite(c.suite).bind(c)->expect(operands_of_call(wrong.tensor, inputs)).enclosure;
  if (!around) return result;
  const std::string tensor(suites::name_in_first(wrong.tensor));
  result.least = formats::hex(format, around->low.at(tensor).at(index));
  result.greatest = formats::hex(format, around->high.at(tensor).at(index));
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

std::string expected_line(const WrongResult& result) {
  std::string text = fmt::format("static const {} expected = 0x{};", element_type(*result.format),
                                 result.expected);
  if (result.least != result.greatest)
    text += fmt::format("  // allowed: 0x{} to 0x{}", result.least, result.greatest);
  return text;
}

std::string difference(const WrongResult& result) {
  const Format& f = *result.format;
  const auto bits = formats::parse_hex(f, result.expected);
  const bool either_zero = !result.least.empty() && bits && formats::is_zero(f, *bits);
  if (result.least != result.greatest || either_zero) {
    return out_of_range(f, *formats::parse_hex(f, result.least),
                        *formats::parse_hex(f, result.greatest));
  }
  if (!bits || !formats::is_nan(f, *bits)) return "got != expected";
  if (!f.has_infinity()) return "got != expected";  // formats with one NaN of each sign
  return fmt::format("(got & {}) <= {}", hexadecimal(f, f.magnitude_mask()),
                     hexadecimal(f, formats::infinity(f)));
}

std::string print_format(const Format& f) {
  const std::size_t digits = 2 * f.storage_bytes();
  return fmt::format("%0{}{}", digits, f.storage_bytes() == 8 ? "llx" : "x");
}

std::string packed(const std::vector<std::string>& items, const char* separator,
                   std::size_t columns) {
  std::string text;
  std::size_t line = 0;
  for (const std::string& item : items) {
    const bool breaks = line != 0 && line + item.size() + 6 > columns;
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

std::string partly_filled(std::string text, const backends::Words& words) {
  for (const auto& [place, word] : words) {
    const std::string open = "@" + place + "@";
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
      text.replace(at, open.size(), word);
      at += word.size();
    }
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

std::string quoted_pairs(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string list;
  for (const auto& [name, value] : pairs)
    list += fmt::format("{{{}, {}}}, ", quoted(name), quoted(value));
  return list;
}

}  // namespace halfmark::tools
