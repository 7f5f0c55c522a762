// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/operand.hpp"

#include <fmt/format.h>

#include <charconv>

#include "reference/formats/text.hpp"
#include "tools/halfmark/ref/shown.hpp"

namespace halfmark::tools {
namespace {

// The hex digits of a word that is spelt as an encoding.
std::optional<std::string_view> encoding_digits(std::string_view text) {
  constexpr std::string_view kPrefix = "bits:";
  if (text.starts_with(kPrefix)) return text.substr(kPrefix.size());
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex && text.find_first_of("pP.") == std::string_view::npos) return text.substr(2);
  return std::nullopt;
}

}  // namespace

ParsedOperand parse_operand(const formats::Format& f, std::string_view text,
                            const soft::Environment& env) {
  if (const auto digits = encoding_digits(text)) {
    const auto bits = formats::parse_hex(f, *digits);
    if (bits) return {Operand{std::string(text), {*bits, 0}, std::nullopt}, {}};
    return {{},
            fmt::format("\"{}\" is not an encoding of {}, which has up to {} hex digits; a hex "
                        "float needs its p, as in 0x1p0",
                        shown(text), f.name, f.hex_digits())};
  }
  if (auto numeral = soft::parse_numeral(text)) {
    const soft::Result read = soft::round(f, *numeral, env);
    return {Operand{std::string(text), read, std::move(numeral)}, {}};
  }
  return {{},
          fmt::format("\"{}\" is not a number; write a decimal such as 0.1 or 1e-5, a hex float "
                      "such as 0x1.8p-3, inf, nan, or an encoding after 0x or bits:",
                      shown(text))};
}

std::optional<std::int32_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::int64_t value = 0;
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (negative) value = -value;
  if (value != static_cast<std::int32_t>(value)) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

}  // namespace halfmark::tools
