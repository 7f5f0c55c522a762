// SPDX-License-Identifier: Apache-2.0
#include "reference/soft/exact_number.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/soft/codec.hpp"

namespace halfmark::soft {
namespace {

// The leading `bits` bits of a magnitude: integer * 2^exponent <= |x| < (integer + 1) * 2^exponent.
struct Leading {
  BigNatural integer;
  std::int64_t exponent;
  bool exact;
};

Leading leading_bits(const ExactNumber& x, int bits) {
  const std::int64_t have = x.numerator.bit_length() - x.denominator.bit_length();
  const std::int64_t shift = bits + 1 - have;  // the quotient has bits + 1 or bits + 2 bits
  const Division division = shift >= 0 ? divide(x.numerator.shifted_left(shift), x.denominator)
                                       : divide(x.numerator, x.denominator.shifted_left(-shift));
  const std::int64_t surplus = division.quotient.bit_length() - bits;
  BigNatural integer = division.quotient.shifted_right(surplus);
  const bool exact = division.remainder.is_zero() &&
                     compare(integer.shifted_left(surplus), division.quotient) == 0;
  return {std::move(integer), x.exponent - shift + surplus, exact};
}

// Decimal digits without leading and trailing zeros; value 0.d1d2d3... * 10^point.
struct Digits {
  std::string text;
  std::int64_t point;
  bool cut;
};

Digits stripped(std::string text, std::int64_t point, bool cut, std::size_t most_digits) {
  if (text.size() > most_digits) {
    cut = cut || text.find_last_not_of('0') >= most_digits;
    text.resize(most_digits);
  }
  if (!cut) text.erase(text.find_last_not_of('0') + 1);
  return {std::move(text), point, cut};
}

// numerator * 2^exponent / (5^fives * rest) with rest coprime to ten. The decimal terminates only
// if rest = 1 or rest divides the numerator.
Digits digits_of(const ExactNumber& x, std::size_t most_digits) {
  const std::int64_t twos = x.denominator.trailing_zeros();
  BigNatural rest = x.denominator.shifted_right(twos);
  const std::int64_t exponent = x.exponent - twos;
  std::int64_t fives = 0;
  for (BigNatural fifth = rest; fifth.divide_by(5) == 0; ++fives) rest = fifth;
  const Division whole = divide(x.numerator, rest);
  if (whole.remainder.is_zero()) {
    const std::int64_t places = std::max({fives, -exponent, std::int64_t{0}});
    const BigNatural scaled =
        (whole.quotient * power(5, places - fives)).shifted_left(places + exponent);
    std::string text = scaled.decimal();
    const auto point = static_cast<std::int64_t>(text.size()) - places;
    return stripped(std::move(text), point, false, most_digits);
  }
  // Enough places for the integer part of x * 10^places to have the required digits (log10(2)
  // > 0.301).
  const std::int64_t size = x.numerator.bit_length() - x.denominator.bit_length() + x.exponent;
  const std::int64_t places = static_cast<std::int64_t>(most_digits) + 2 - size * 301 / 1000;
  ExactNumber scaled = x;
  (places >= 0 ? scaled.numerator : scaled.denominator) =
      (places >= 0 ? x.numerator : x.denominator) * power(10, std::abs(places));
  const BigNatural& n = scaled.numerator;
  const BigNatural& d = scaled.denominator;
  std::string text = (x.exponent >= 0 ? divide(n.shifted_left(x.exponent), d)
                                      : divide(n, d.shifted_left(-x.exponent)))
                         .quotient.decimal();
  const auto point = static_cast<std::int64_t>(text.size()) - places;
  return stripped(std::move(text), point, true, most_digits);
}

std::string layout(const Digits& digits) {
  const std::string dots = digits.cut ? "..." : "";
  const auto count = static_cast<std::int64_t>(digits.text.size());
  const bool unknown_places = digits.cut && count < digits.point;
  if (digits.point < -6 || digits.point > 21 || unknown_places) {
    std::string text = digits.text;
    if (count > 1) text.insert(1, 1, '.');
    return fmt::format("{}{}e{:+03}", text, dots, digits.point - 1);
  }
  if (digits.point <= 0) {
    return fmt::format("0.{}{}{}", std::string(static_cast<std::size_t>(-digits.point), '0'),
                       digits.text, dots);
  }
  const auto point = static_cast<std::size_t>(digits.point);
  if (count <= digits.point) {
    return digits.text + std::string(point - digits.text.size(), '0') + dots;
  }
  return digits.text.substr(0, point) + "." + digits.text.substr(point) + dots;
}

}  // namespace

ExactNumber exact_number(const Format& f, Bits bits) {
  const Value value = unpack(f, bits);
  if (value.kind != Kind::kFinite) return {.negative = value.negative, .numerator = {}};
  return {.negative = value.negative,
          .numerator = BigNatural(value.significand),
          .exponent = std::int64_t{value.exponent} - kLead};
}

ExactNumber power_of_two(std::int64_t exponent) {
  return {.numerator = BigNatural(1), .exponent = exponent};
}

ExactNumber operator-(ExactNumber a) {
  a.negative = !a.negative;
  return a;
}

ExactNumber operator+(const ExactNumber& a, const ExactNumber& b) {
  const std::int64_t common = std::min(a.exponent, b.exponent);
  const BigNatural x = (a.numerator * b.denominator).shifted_left(a.exponent - common);
  const BigNatural y = (b.numerator * a.denominator).shifted_left(b.exponent - common);
  ExactNumber sum{.negative = a.negative,
                  .numerator = {},
                  .denominator = a.denominator * b.denominator,
                  .exponent = common};
  if (a.negative == b.negative) {
    sum.numerator = x + y;
  } else if (compare(x, y) >= 0) {
    sum.numerator = x - y;
  } else {
    sum.numerator = y - x;
    sum.negative = b.negative;
  }
  return sum;
}

ExactNumber operator-(const ExactNumber& a, const ExactNumber& b) { return a + -ExactNumber(b); }

ExactNumber operator*(const ExactNumber& a, const ExactNumber& b) {
  return {.negative = a.negative != b.negative,
          .numerator = a.numerator * b.numerator,
          .denominator = a.denominator * b.denominator,
          .exponent = a.exponent + b.exponent};
}

ExactNumber operator/(const ExactNumber& a, const ExactNumber& b) {
  return {.negative = a.negative != b.negative,
          .numerator = a.numerator * b.denominator,
          .denominator = a.denominator * b.numerator,
          .exponent = a.exponent - b.exponent};
}

int compare(const ExactNumber& a, const ExactNumber& b) {
  const ExactNumber difference = a - b;
  if (difference.is_zero()) return 0;
  return difference.negative ? -1 : 1;
}

Root square_root(const ExactNumber& x, int bits) {
  if (x.is_zero()) return {x, true};
  // sqrt(n / d) = sqrt(n * d) / d, with an even exponent and enough places below.
  BigNatural square = x.numerator * x.denominator;
  std::int64_t exponent = x.exponent;
  const std::int64_t missing = std::max<std::int64_t>(0, 2 * bits - square.bit_length());
  const std::int64_t places = missing + ((missing ^ exponent) & 1);
  square = square.shifted_left(places);
  exponent -= places;
  const BigNatural root = integer_root(square);
  return {{.numerator = root, .denominator = x.denominator, .exponent = exponent / 2},
          compare(root * root, square) == 0};
}

Result round(const Format& f, const ExactNumber& x, const Environment& env) {
  if (x.is_zero()) return round(f, Value{Kind::kZero, x.negative, 0, 0}, env);
  // One bit more than a significand has, so that a sticky last bit cannot be mistaken for a digit.
  const Leading leading = leading_bits(x, kLead + 1);
  constexpr std::int64_t kFarEnough = 1 << 20;  // every format has overflowed or vanished by then
  const std::int64_t exponent = std::clamp(leading.exponent + kLead, -kFarEnough, kFarEnough);
  return round(f, x.negative, static_cast<int>(exponent),
               leading.integer.low_word() | (leading.exact ? 0 : 1), env);
}

std::string decimal(const ExactNumber& x, std::size_t most_digits) {
  const std::string prefix = x.negative ? "-" : "";
  return prefix + (x.is_zero() ? "0" : layout(digits_of(x, most_digits)));
}

std::string hex_float(const ExactNumber& x) {
  const std::string prefix = x.negative ? "-" : "";
  if (x.is_zero()) return prefix + "0x0p+0";
  constexpr int kFractionBits = 64;
  const Leading leading = leading_bits(x, kFractionBits + 1);
  std::string fraction = fmt::format("{:016x}", leading.integer.low_word());
  if (leading.exact) fraction.erase(fraction.find_last_not_of('0') + 1);
  return fmt::format("{}0x1{}{}{}p{:+}", prefix, fraction.empty() ? "" : ".", fraction,
                     leading.exact ? "" : "...", leading.exponent + kFractionBits);
}

}  // namespace halfmark::soft
