// SPDX-License-Identifier: Apache-2.0
#include "reference/soft/numeral.hpp"

#include <algorithm>

#include "reference/soft/codec.hpp"

namespace halfmark::soft {
namespace {

constexpr std::int64_t kExponentLimit = std::int64_t{1} << 40;
constexpr std::int64_t kMostWritten = 30'000;

// A number that can decide a rounding has at most 64 bits and a last place of 2^-1200 or above, so
// it has fewer than 1200 * log10(5) + 64 * log10(2) < 860 digits. Of the digits after this many,
// only whether any is nonzero matters.
constexpr std::size_t kDecisiveDigits = 1000;
// Above and below these decimal (for hex, binary) exponents nothing is left to decide either.
constexpr std::int64_t kFarAway = 5000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int digit_value(char c, bool hex) {
  if (c >= '0' && c <= '9') return c - '0';
  return hex && lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || lower(text.front()) != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool take_sign(std::string_view& text) {
  if (take(text, '-')) return true;
  take(text, '+');
  return false;
}

bool equals(std::string_view text, std::string_view word) {
  return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::optional<Numeral::Kind> special_kind(std::string_view text) {
  if (equals(text, "inf") || equals(text, "infinity")) return Numeral::Kind::kInfinity;
  if (equals(text, "nan")) return Numeral::Kind::kQuietNan;
  if (equals(text, "snan")) return Numeral::Kind::kSignalingNan;
  return std::nullopt;
}

// Digits with at most one point among them; returns false when there is no digit.
bool take_digits(std::string_view& text, Numeral& numeral) {
  bool any = false;
  bool after_point = false;
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (digit_value(text.front(), numeral.hex) < 0) break;
    numeral.digits.push_back(lower(text.front()));
    if (after_point) numeral.exponent -= numeral.hex ? 4 : 1;
    any = true;
  }
  return any;
}

// An optional sign and at least one digit up to the end of the text, clamped to the limit.
std::optional<std::int64_t> whole_exponent(std::string_view text) {
  const bool negative = take_sign(text);
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (digit_value(c, false) < 0) return std::nullopt;
    value = std::min(value * 10 + digit_value(c, false), kExponentLimit);
  }
  return negative ? -value : value;
}

void strip_zeros(Numeral& numeral) {
  std::string& digits = numeral.digits;
  digits.erase(0, digits.find_first_not_of('0'));
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  numeral.exponent += static_cast<std::int64_t>(digits.size() - kept) * (numeral.hex ? 4 : 1);
  digits.resize(kept);
}

BigNatural integer_of(std::string_view digits, bool hex) {
  BigNatural integer;
  for (const char c : digits) {
    integer.multiply_add(hex ? 16 : 10, static_cast<std::uint32_t>(digit_value(c, hex)));
  }
  return integer;
}

ExactNumber exact_of(const Numeral& numeral) {
  ExactNumber x{.negative = numeral.negative, .numerator = integer_of(numeral.digits, numeral.hex)};
  if (numeral.hex) {
    x.exponent = numeral.exponent;
  } else if (numeral.exponent >= 0) {
    x.numerator = x.numerator * power(5, numeral.exponent);
    x.exponent = numeral.exponent;
  } else {
    x.denominator = power(5, -numeral.exponent);
    x.exponent = numeral.exponent;
  }
  return x;
}

Result round_special(const Format& f, const Numeral& numeral, const Environment& env) {
  Value value{Kind::kZero, numeral.negative, 0, 0};
  if (numeral.kind == Numeral::Kind::kInfinity) value.kind = Kind::kInfinity;
  if (numeral.kind == Numeral::Kind::kQuietNan) value.kind = Kind::kQuietNan;
  if (numeral.kind == Numeral::Kind::kSignalingNan) value.kind = Kind::kSignalingNan;
  return round(f, value, env);
}

// The exponent of the leading digit in the numeral's own base, ten or two.
std::int64_t leading_exponent(const Numeral& numeral) {
  const auto count = static_cast<std::int64_t>(numeral.digits.size());
  return numeral.exponent + (count - 1) * (numeral.hex ? 4 : 1);
}

}  // namespace

std::optional<Numeral> parse_numeral(std::string_view text) {
  Numeral numeral;
  numeral.negative = take_sign(text);
  if (const auto kind = special_kind(text)) {
    numeral.kind = *kind;
    return numeral;
  }
  if (text.size() > 1 && text[0] == '0' && lower(text[1]) == 'x') {
    text.remove_prefix(2);
    numeral.hex = true;
  }
  if (!take_digits(text, numeral)) return std::nullopt;
  if (take(text, numeral.hex ? 'p' : 'e')) {
    const auto exponent = whole_exponent(text);
    if (!exponent) return std::nullopt;
    numeral.exponent += *exponent;
  } else if (numeral.hex || !text.empty()) {
    return std::nullopt;
  }
  strip_zeros(numeral);
  return numeral;
}

Result round(const Format& f, const Numeral& numeral, const Environment& env) {
  if (numeral.kind != Numeral::Kind::kFinite || numeral.digits.empty()) {
    return round_special(f, numeral, env);
  }
  const std::int64_t leading = leading_exponent(numeral);
  if (leading > kFarAway || leading < -kFarAway) {
    constexpr int kFar = 1 << 20;
    constexpr std::uint64_t kOneAndMore = (std::uint64_t{1} << kLead) | 1;
    return round(f, numeral.negative, leading > 0 ? kFar : -kFar, kOneAndMore, env);
  }
  if (numeral.digits.size() <= kDecisiveDigits) return round(f, exact_of(numeral), env);
  Numeral cut = numeral;
  const auto lost = static_cast<std::int64_t>(numeral.digits.size() - kDecisiveDigits) - 1;
  cut.digits.resize(kDecisiveDigits);
  cut.digits.push_back('1');  // stands for the digits cut off
  cut.exponent += lost * (numeral.hex ? 4 : 1);
  return round(f, exact_of(cut), env);
}

std::optional<ExactNumber> exact_number(const Numeral& numeral) {
  const auto count = static_cast<std::int64_t>(numeral.digits.size());
  const bool short_enough = count <= kMostWritten && std::abs(numeral.exponent) <= kMostWritten;
  if (numeral.kind != Numeral::Kind::kFinite || !short_enough) return std::nullopt;
  return exact_of(numeral);
}

}  // namespace halfmark::soft
