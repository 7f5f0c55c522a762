// SPDX-License-Identifier: Apache-2.0
// The terms of a fused sum: significands and exponents as a matrix unit sees them, alignment to a
// grid, and the final rounding. The fused rules share this code; no rule is decided here.
//
// Assumption: the significand of a term, shifted to its grid, stays below 2^56, so that 65 of
// them fit in 63 bits. (Significands are below 2^(places + 2), and grids are at most 35 bits
// below the exponent.)
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "reference/models/unit_rules.hpp"
#include "reference/soft/codec.hpp"

namespace halfmark::models::rules {

// Below every exponent that can occur.
inline constexpr int kNoExponent = std::numeric_limits<int>::min() / 4;

// (-1)^negative * significand * 2^(exponent - places); `places` belongs to the list of terms.
struct Term {
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;
};

// What the non-finite terms contribute.
struct Specials {
  bool nan = false;
  bool plus_infinity = false;
  bool minus_infinity = false;

  constexpr void infinity(bool negative) { (negative ? minus_infinity : plus_infinity) = true; }
  [[nodiscard]] constexpr bool any() const { return nan || plus_infinity || minus_infinity; }
};

[[nodiscard]] constexpr Bits special_result(const Unit& unit, const Specials& specials) {
  if (specials.nan || (specials.plus_infinity && specials.minus_infinity)) return unit.nan();
  return formats::infinity(*unit.output, specials.minus_infinity);
}

// An operand decoded without normalisation, with f.fraction_bits places.
[[nodiscard, gnu::always_inline]] constexpr Term decode(const Format& f, Bits bits, bool& nan,
                                                        bool& infinite) {
  const int field = formats::exponent_field(f, bits);
  const bool negative = formats::sign(f, bits);
  const Bits fraction = formats::fraction_field(f, bits);
  if (field == 0 || field == f.max_exponent_field()) [[unlikely]] {
    switch (formats::classify(f, bits)) {
      case formats::Class::kZero:
        return {negative, f.min_exponent(), 0};
      case formats::Class::kSubnormal:
        return {negative, f.min_exponent(), fraction};
      case formats::Class::kInfinity:
        infinite = true;
        return {negative, f.max_exponent(), 1};
      case formats::Class::kQuietNan:
      case formats::Class::kSignalingNan:
        nan = true;
        return {};
      case formats::Class::kNormal:
        break;
    }
  }
  return {negative, field - f.bias, fraction | Bits{1} << f.fraction_bits};
}

[[nodiscard, gnu::always_inline]] constexpr Term decode(const Format& f, Bits bits,
                                                        Specials& specials) {
  bool infinite = false;
  const Term term = decode(f, bits, specials.nan, infinite);
  if (infinite) specials.infinity(term.negative);
  return term;
}

// The exact product; zero keeps its sign.
[[nodiscard, gnu::always_inline]] constexpr Term product(const Format& fa, Bits a, const Format& fb,
                                                         Bits b, Specials& specials) {
  bool nan = false;
  bool infinite = false;
  const Term x = decode(fa, a, nan, infinite);
  const Term y = decode(fb, b, nan, infinite);
  const Term p{x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
  if (nan || infinite) [[unlikely]] {
    if (nan || p.significand == 0) {  // an infinity's significand may be any value except zero
      specials.nan = true;
    } else {
      specials.infinity(p.negative);
    }
  }
  return p;
}

// The products of a block.
struct Products {
  std::array<Term, kMostProducts> terms;
  std::size_t count;
  int places;
  Specials specials;
  bool all_negative = true;

  [[nodiscard]] std::span<const Term> span() const { return {terms.data(), count}; }
};

// Writes to `products` because the object is large.
inline void multiply(const Block& block, Products& products) {
  products.count = block.a.size();
  products.places = block.a_format->fraction_bits + block.b_format->fraction_bits;
  for (std::size_t k = 0; k < products.count; ++k) {
    products.terms[k] =
        product(*block.a_format, block.a[k], *block.b_format, block.b[k], products.specials);
    products.all_negative = products.all_negative && products.terms[k].negative;
  }
}

// significand * 2^shift toward zero. Only a zero is ever shifted up out of the word, because its
// exponent does not limit the others.
[[nodiscard, gnu::always_inline]] constexpr std::uint64_t shifted(std::uint64_t significand,
                                                                  int shift) {
  if (shift >= 0) return shift < 64 ? significand << shift : 0;
  return shift > -64 ? significand >> -shift : 0;
}

// value * 2^shift toward minus infinity.
[[nodiscard, gnu::always_inline]] constexpr std::int64_t floored_shift(std::int64_t value,
                                                                       int shift) {
  if (shift >= 0) return value * (std::int64_t{1} << shift);
  return value >> std::min(-shift, 63);
}

// The term in units of 2^grid, toward zero.
[[nodiscard, gnu::always_inline]] constexpr std::int64_t on_grid(const Term& term, int places,
                                                                 int grid) {
  const auto size =
      static_cast<std::int64_t>(shifted(term.significand, term.exponent - places - grid));
  return term.negative ? -size : size;
}

// The largest exponent among the nonzero terms, at least `floor`.
[[nodiscard]] constexpr int largest_exponent(std::span<const Term> terms, int floor) {
  int largest = floor;
  for (const Term& term : terms) {
    if (term.significand != 0) largest = std::max(largest, term.exponent);
  }
  return largest;
}

[[nodiscard]] constexpr std::int64_t sum_on_grid(std::span<const Term> terms, int places,
                                                 int grid) {
  std::int64_t sum = 0;
  for (const Term& term : terms) sum += on_grid(term, places, grid);
  return sum;
}

// total * 2^place in unit.output, rounded as the row says.
[[nodiscard]] constexpr Bits round_total(const Unit& unit, std::int64_t total, int place,
                                         bool all_negative) {
  const Format& f = *unit.output;
  if (total == 0) return formats::zero(f, all_negative && !unit.zero_is_positive);
  const int dropped = f.fraction_bits - unit.kept_bits;
  Format kept = f;
  kept.bits -= dropped;
  kept.fraction_bits = unit.kept_bits;
  const bool negative = total < 0;
  const auto size =
      negative ? -static_cast<std::uint64_t>(total) : static_cast<std::uint64_t>(total);
  const int lead = 63 - std::countl_zero(size);
  const soft::Result result = soft::round(
      kept, negative, place + lead, size << (soft::kLead - lead), {.rounding = unit.rounding});
  if ((result.flags & soft::kOverflow) != 0) return formats::infinity(f, negative);
  return result.bits << dropped;
}

}  // namespace halfmark::models::rules
