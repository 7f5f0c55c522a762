// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/exact.hpp"

#include <algorithm>

namespace halfmark::slow {
namespace {

using formats::NonFinite;
using soft::Rounding;

Bits magnitude_ones(const Format& f) {
  return (Bits{1} << (f.exponent_bits + f.fraction_bits)) - 1;
}

Bits max_finite_magnitude(const Format& f) {
  switch (f.non_finite) {
    case NonFinite::kIeee:  // the whole top exponent field is reserved
      return (((Bits{1} << f.exponent_bits) - 1) << f.fraction_bits) - 1;
    case NonFinite::kNanAllOnes:
      return magnitude_ones(f) - 1;
    case NonFinite::kNanMinusZero:
    case NonFinite::kNone:
      break;
  }
  return magnitude_ones(f);
}

// The value of a magnitude, extended one step past the largest finite one: IEEE 754 rounds as if
// the format continued there without an exponent limit.
Exact magnitude_value(const Format& f, Bits magnitude) {
  const Bits fraction = magnitude & f.fraction_mask();
  const auto field = static_cast<int>(magnitude >> f.fraction_bits);
  const bool subnormal = f.has_zero && field == 0;
  const Bits implicit = subnormal ? 0 : Bits{1} << f.fraction_bits;
  return {.numerator = Natural(implicit + fraction),
          .exponent = (subnormal ? 1 : field) - f.bias - f.fraction_bits};
}

int compare_magnitude_bits(const Format& f, Bits magnitude, const Exact& x) {
  const Exact value = magnitude_value(f, magnitude);
  return compare_magnitude(value.numerator, value.exponent, x);
}

// The largest finite magnitude that does not exceed x, by bisecting a range of encodings: those
// within a factor of four of x, or all of them if that range leaves the format.
Bits lower_neighbour(const Format& f, const Exact& x) {
  int size = x.numerator.bit_length() - x.denominator.bit_length() + x.exponent;
  if (x.root) size = size >> 1;
  const int field = size + f.bias;
  const bool inside = field > 2 && field + 2 < f.max_exponent_field();
  Bits low = inside ? Bits(field - 2) << f.fraction_bits : 0;
  Bits high = inside ? Bits(field + 2) << f.fraction_bits : max_finite_magnitude(f) + 1;
  while (high - low > 1) {
    const Bits middle = low + (high - low) / 2;
    (compare_magnitude_bits(f, middle, x) <= 0 ? low : high) = middle;
  }
  return low;
}

struct Rounded {
  Bits magnitude;  // max_finite_magnitude + 1 stands for everything beyond
  bool inexact;
};

Rounded round_magnitude(const Format& f, const Exact& x, const Environment& env) {
  const Bits low = lower_neighbour(f, x);
  const Exact a = magnitude_value(f, low);
  const Exact b = magnitude_value(f, low + 1);
  // low + 1 is one unit of low's last place above it.
  const Neighbours n = compare_neighbours(a.numerator, a.exponent, x, env);
  const bool beyond = compare_magnitude(b.numerator, b.exponent, x) <= 0;
  if (beyond) return {low + 1, true};  // at or past 2^(max exponent + 1)
  return {choose_upper(n, x.negative, env.rounding) ? low + 1 : low, n.lower != 0};
}

// The format with the same precision and an exponent range that no value here can leave.
Format unbounded(const Format& f) {
  return {.name = "unbounded",
          .bits = f.fraction_bits + 14,
          .exponent_bits = 13,
          .fraction_bits = f.fraction_bits,
          .bias = 4095};
}

bool is_below(const Exact& x, int exponent) {
  return compare_magnitude(Natural(1), exponent, x) > 0;
}

bool is_tiny(const Format& f, const Exact& x, const Environment& env) {
  // Rounding cannot go below a representable number.
  if (!is_below(x, least_exponent(f))) return false;
  const Format wide = unbounded(f);
  const Exact rounded = magnitude_value(wide, round_magnitude(wide, x, env).magnitude);
  return is_below(rounded, least_exponent(f));
}

// Whether overflow gives infinity in this direction (IEEE 754-2019, 7.4).
bool overflows_to_infinity(bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearEven:
    case Rounding::kNearAway:
    case Rounding::kStochastic:
      return true;
    case Rounding::kTowardZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
  }
  return false;
}

Bits sign_bit(const Format& f, bool negative) {
  return negative ? Bits{1} << (f.exponent_bits + f.fraction_bits) : 0;
}

// The result beyond the largest finite number, by the policy and then by the direction.
Result overflow(const Format& f, bool negative, const Environment& env) {
  const unsigned flags = soft::kOverflow | soft::kInexact;
  const Bits finite = sign_bit(f, negative) | max_finite_magnitude(f);
  if (env.overflow == soft::Overflow::kSaturate) return {finite, flags};
  if (!overflows_to_infinity(negative, env.rounding)) return {finite, flags};
  switch (f.non_finite) {
    case NonFinite::kIeee:
      return {finite + 1, flags};
    case NonFinite::kNanAllOnes:
    case NonFinite::kNanMinusZero:
      return {deliver_nan(f, false).bits, flags};
    case NonFinite::kNone:
      break;
  }
  return {finite, flags};
}

}  // namespace

Result deliver_nan(const Format& f, bool invalid) {
  const unsigned flags = invalid ? unsigned{soft::kInvalid} : 0u;
  switch (f.non_finite) {
    case NonFinite::kIeee: {
      const Bits field = ((Bits{1} << f.exponent_bits) - 1) << f.fraction_bits;
      return {field | Bits{1} << (f.fraction_bits - 1), flags};
    }
    case NonFinite::kNanAllOnes:
      return {magnitude_ones(f), flags};
    case NonFinite::kNanMinusZero:
      return {magnitude_ones(f) + 1, flags};
    case NonFinite::kNone:
      break;
  }
  return {max_finite_magnitude(f), soft::kInvalid};
}

Result deliver_infinity(const Format& f, bool negative, const Environment& env) {
  if (negative && !f.has_sign) return deliver_nan(f, true);
  const bool kept = f.non_finite == NonFinite::kIeee && env.overflow == soft::Overflow::kInfinity;
  if (kept) return {sign_bit(f, negative) | (max_finite_magnitude(f) + 1), 0};
  return overflow(f, negative, env);
}

Result deliver_zero(const Format& f, bool negative) {
  if (!f.has_zero) return {0, soft::kUnderflow | soft::kInexact};
  const bool minus = negative && f.non_finite != NonFinite::kNanMinusZero;
  return {sign_bit(f, minus), 0};
}

int least_exponent(const Format& f) { return f.has_zero ? 1 - f.bias : -f.bias; }

Exact exact_value(const Format& f, Bits bits) {
  Exact value = magnitude_value(f, bits & magnitude_ones(f));
  value.negative = f.has_sign && bits > magnitude_ones(f);
  return value;
}

Exact times(const Exact& a, const Exact& b) {
  Exact product;
  product.negative = a.negative != b.negative;
  product.numerator = a.numerator * b.numerator;
  product.exponent = a.exponent + b.exponent;
  return product;
}

Exact plus(const Exact& a, const Exact& b) {
  if (a.numerator.is_zero()) return b;
  if (b.numerator.is_zero()) return a;
  const int common = std::min(a.exponent, b.exponent);
  const Natural x = a.numerator.shifted_left(a.exponent - common);
  const Natural y = b.numerator.shifted_left(b.exponent - common);
  Exact sum;
  sum.exponent = common;
  sum.negative = a.negative;
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

int compare_magnitude(const Natural& integer, int exponent, const Exact& x) {
  Natural left = integer;
  int left_exponent = exponent;
  if (x.root) {
    left = left * left;
    left_exponent *= 2;
  }
  if (!x.denominator.is_one()) left = left * x.denominator;
  if (left.is_zero() || x.numerator.is_zero()) {
    return (left.is_zero() ? 0 : 1) - (x.numerator.is_zero() ? 0 : 1);
  }
  // Different lengths decide without building the possibly enormous shifted numbers.
  const int left_end = left.bit_length() + left_exponent;
  const int right_end = x.numerator.bit_length() + x.exponent;
  if (left_end != right_end) return left_end < right_end ? -1 : 1;
  const int common = std::min(left_exponent, x.exponent);
  if (left_exponent != common) left = left.shifted_left(left_exponent - common);
  if (x.exponent == common) return compare(left, x.numerator);
  return compare(left, x.numerator.shifted_left(x.exponent - common));
}

Neighbours compare_neighbours(const Natural& integer, int exponent, const Exact& x,
                              const Environment& env) {
  Neighbours n{.lower = compare_magnitude(integer, exponent, x),
               .middle = compare_magnitude(integer + integer + Natural(1), exponent - 1, x),
               .point = 1,
               .lower_is_even = integer.is_even()};
  if (env.rounding == Rounding::kStochastic) {
    const std::uint64_t above = (std::uint64_t{1} << env.random_bits) - env.random;
    n.point = compare_magnitude(integer.shifted_left(env.random_bits) + Natural(above),
                                exponent - env.random_bits, x);
  }
  return n;
}

bool choose_upper(const Neighbours& n, bool negative, Rounding rounding) {
  if (n.lower == 0) return false;  // x is the lower neighbour
  switch (rounding) {
    case Rounding::kNearEven:
      return n.middle < 0 || (n.middle == 0 && !n.lower_is_even);
    case Rounding::kNearAway:
      return n.middle <= 0;
    case Rounding::kTowardZero:
      return false;
    case Rounding::kDown:
      return negative;
    case Rounding::kUp:
      return !negative;
    case Rounding::kStochastic:
      return n.point <= 0;
  }
  return false;
}

Result round_exact(const Format& f, const Exact& x, const Environment& env) {
  if (x.negative && !f.has_sign) return deliver_nan(f, true);
  const bool tiny = is_tiny(f, x, env);
  const unsigned lost = soft::kInexact | (tiny ? unsigned{soft::kUnderflow} : 0u);
  if (tiny && env.flushes_out()) return {deliver_zero(f, x.negative).bits, lost};
  if (!f.has_zero && is_below(x, least_exponent(f))) return {0, lost};
  const Rounded rounded = round_magnitude(f, x, env);
  // Overflow is decided by rounding in the format with unbounded exponent.
  if (rounded.magnitude > max_finite_magnitude(f)) return overflow(f, x.negative, env);
  const unsigned flags = rounded.inexact ? lost : 0u;
  if (rounded.magnitude == 0 && f.has_zero) return {deliver_zero(f, x.negative).bits, flags};
  return {sign_bit(f, x.negative) | rounded.magnitude, flags};
}

}  // namespace halfmark::slow
