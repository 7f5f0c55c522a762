// SPDX-License-Identifier: Apache-2.0
#include "reference/formats/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"

namespace halfmark::formats {
namespace {

// A finite magnitude as integer * 2^exponent.
struct Scaled {
  std::uint64_t integer;
  int exponent;
};

Scaled scaled(const Format& f, Bits bits) {
  const bool normal = classify(f, bits) == Class::kNormal;
  const Bits integer = fraction_field(f, bits) | (normal ? Bits{1} << f.fraction_bits : 0);
  const int field = exponent_field(f, bits);
  return {integer, (normal ? field - f.bias : f.min_exponent()) - f.fraction_bits};
}

// A natural number as decimal digits, least significant first; it has at most 1,100 digits.
using Digits = std::string;

Digits digits_of(std::uint64_t integer) {
  Digits digits = std::to_string(integer);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

void multiply(Digits& digits, int factor) {  // at most 2 * 10^8, so that nothing overflows an int
  int carry = 0;
  for (char& digit : digits) {
    const int product = (digit - '0') * factor + carry;
    digit = static_cast<char>('0' + product % 10);
    carry = product / 10;
  }
  for (; carry != 0; carry /= 10) digits.push_back(static_cast<char>('0' + carry % 10));
}

// Multiplies by base^power, by `many` = base^at_once at a time.
void multiply_power(Digits& digits, int base, int power, int many, int at_once) {
  for (; power >= at_once; power -= at_once) multiply(digits, many);
  for (; power > 0; --power) multiply(digits, base);
}

// integer * 2^exponent * 10^places, which is an integer because 2^-n = 5^n / 10^n.
Digits exact_digits(std::uint64_t integer, int exponent, int places) {
  Digits digits = digits_of(integer);
  multiply_power(digits, 2, exponent, 1 << 26, 26);
  multiply_power(digits, 5, -exponent, 48828125, 11);
  const int missing = places - std::max(0, -exponent);
  digits.insert(0, static_cast<std::size_t>(missing), '0');
  return digits;
}

bool less(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() < b.size();
  return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

// Keeps the leading `kept` digits, rounded to nearest, ties upward (any choice inside the interval
// is valid).
Digits keep_leading(Digits digits, std::size_t kept) {
  if (kept >= digits.size()) return digits;
  const std::size_t cut = digits.size() - kept;
  const bool up = digits[cut - 1] >= '5';
  std::fill_n(digits.begin(), cut, '0');
  for (std::size_t i = cut; up; ++i) {
    if (i == digits.size()) {
      digits.push_back('1');
      break;
    }
    if (digits[i] != '9') {
      ++digits[i];
      break;
    }
    digits[i] = '0';
  }
  return digits;
}

// The digits without trailing zeros: in plain notation near one, else in scientific notation.
std::string layout(const Digits& digits, int places) {
  std::string text(digits.rbegin(), digits.rend());
  const int power = static_cast<int>(text.size()) - 1 - places;
  text.erase(text.find_last_not_of('0') + 1);
  const int count = static_cast<int>(text.size());
  if (power < -5 || power > 9) {
    if (count > 1) text.insert(1, 1, '.');
    return fmt::format("{}e{}{:02}", text, power < 0 ? '-' : '+', std::abs(power));
  }
  if (power < 0) return fmt::format("0.{:0>{}}", text, count - power - 1);
  if (count > power + 1) return text.insert(static_cast<std::size_t>(power) + 1, 1, '.');
  return text.append(static_cast<std::size_t>(power + 1 - count), '0');
}

std::string shortest(Scaled value, bool at_binade_start) {
  // Everything in quarters of a last place, so that the midpoints to both neighbours are integers.
  const int exponent = value.exponent - 2;
  const int places = std::max(0, -exponent);
  const std::uint64_t quarters = value.integer * 4;
  const Digits exact = exact_digits(quarters, exponent, places);
  const Digits low = exact_digits(quarters - (at_binade_start ? 1 : 2), exponent, places);
  const Digits high = exact_digits(quarters + 2, exponent, places);
  // Integers of readable length are shown in full: 65504 says more than 65500.
  const bool whole = exact.find_first_not_of('0') >= static_cast<std::size_t>(places);
  const std::size_t fewest =
      whole && exact.size() - static_cast<std::size_t>(places) < 10 ? exact.size() : 1;
  for (std::size_t kept = fewest; kept < exact.size(); ++kept) {
    const Digits candidate = keep_leading(exact, kept);
    if (less(low, candidate) && less(candidate, high)) return layout(candidate, places);
  }
  return layout(exact, places);
}

std::string special(Class kind) {
  switch (kind) {
    case Class::kInfinity:
      return "inf";
    case Class::kQuietNan:
      return "nan";
    case Class::kSignalingNan:
      return "snan";
    case Class::kZero:
    case Class::kSubnormal:
    case Class::kNormal:
      break;
  }
  return {};
}

}  // namespace

std::string hex(const Format& f, Bits bits) {
  return fmt::format("{:0{}x}", f.to_word(bits), f.hex_digits());
}

std::string hex_float(const Format& f, Bits bits) {
  const Class kind = classify(f, bits);
  if (kind == Class::kQuietNan || kind == Class::kSignalingNan) return special(kind);
  const std::string prefix = sign(f, bits) ? "-" : "";
  if (kind == Class::kInfinity) return prefix + special(kind);
  if (kind == Class::kZero) return prefix + "0x0p+0";
  const Scaled value = scaled(f, bits);
  const int width = static_cast<int>(std::bit_width(value.integer));
  const std::uint64_t aligned = value.integer << (64 - width);
  std::string text = fmt::format("{:016x}", aligned << 1);
  text.erase(text.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}p{:+}", prefix, text.empty() ? "" : ".", text,
                     value.exponent + width - 1);
}

std::string decimal(const Format& f, Bits bits) {
  const Class kind = classify(f, bits);
  if (kind == Class::kQuietNan || kind == Class::kSignalingNan) return special(kind);
  const std::string prefix = sign(f, bits) ? "-" : "";
  if (kind == Class::kInfinity) return prefix + special(kind);
  if (kind == Class::kZero) return prefix + "0";
  // At a power of two the neighbour below is only half as far, except at the bottom of the range.
  const int lowest_field = f.has_zero ? 1 : 0;
  const bool at_binade_start =
      fraction_field(f, bits) == 0 && exponent_field(f, bits) > lowest_field;
  return prefix + shortest(scaled(f, bits), at_binade_start);
}

std::optional<Bits> parse_hex(const Format& f, std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  if (text.empty() || text.size() > static_cast<std::size_t>(f.hex_digits())) return std::nullopt;
  Bits word = 0;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool digit = lower >= '0' && lower <= '9';
    if (!digit && (lower < 'a' || lower > 'f')) return std::nullopt;
    word = word << 4 | static_cast<Bits>(digit ? lower - '0' : lower - 'a' + 10);
  }
  if (word >> f.padding_bits > f.mask()) return std::nullopt;
  return f.from_word(word);
}

}  // namespace halfmark::formats
