// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/exact.hpp"

#include <algorithm>

namespace halfmark::slow {
namespace {

using soft::Rounding;

Bits max_finite_magnitude(const Format& f) {
  return (Bits(f.max_exponent_field()) << f.fraction_bits) - 1;
}

// The value of a magnitude, continued past the largest finite one by one step: there the format
// would go on if its exponent had no limit, and IEEE 754 rounds as if it did.
Exact magnitude_value(const Format& f, Bits magnitude) {
  const Bits fraction = magnitude & f.fraction_mask();
  const auto field = static_cast<int>(magnitude >> f.fraction_bits);
  const Bits implicit = field == 0 ? 0 : Bits{1} << f.fraction_bits;
  return {.numerator = Natural(implicit + fraction),
          .exponent = std::max(field, 1) - f.bias - f.fraction_bits};
}

int compare_magnitude_bits(const Format& f, Bits magnitude, const Exact& x) {
  const Exact value = magnitude_value(f, magnitude);
  return compare_magnitude(value.numerator, value.exponent, x);
}

// The largest finite magnitude that does not exceed x, by halving a range of encodings: those
// within a factor of four of x, or all of them where that range leaves the format.
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

Rounded round_magnitude(const Format& f, const Exact& x, Rounding rounding) {
  const Bits low = lower_neighbour(f, x);
  const Exact a = magnitude_value(f, low);
  const Exact b = magnitude_value(f, low + 1);
  // low + 1 is one unit of low's last place above it, so the midpoint is half a unit above.
  const Natural twice_middle = a.numerator + a.numerator + Natural(1);
  const Neighbours n{.lower = compare_magnitude(a.numerator, a.exponent, x),
                     .middle = compare_magnitude(twice_middle, a.exponent - 1, x),
                     .lower_is_even = (low & 1) == 0};
  const bool beyond = compare_magnitude(b.numerator, b.exponent, x) <= 0;
  if (beyond) return {low + 1, true};  // at or past 2^(max exponent + 1)
  return {choose_upper(n, x.negative, rounding) ? low + 1 : low, n.lower != 0};
}

// The format with the same precision and an exponent range that nothing here can leave.
Format unbounded(const Format& f) {
  return {.name = "unbounded",
          .bits = f.fraction_bits + 14,
          .exponent_bits = 13,
          .fraction_bits = f.fraction_bits,
          .bias = 4095};
}

bool is_tiny(const Format& f, const Exact& x, Rounding rounding) {
  const bool normal = compare_magnitude(Natural(1), 1 - f.bias, x) <= 0;
  if (normal) return false;  // rounding cannot pass below a representable number
  const Format wide = unbounded(f);
  const Exact rounded = magnitude_value(wide, round_magnitude(wide, x, rounding).magnitude);
  return compare_magnitude(Natural(1), 1 - f.bias, rounded) > 0;
}

// What lies beyond the largest finite number becomes, by direction (IEEE 754-2019, 7.4).
bool overflows_to_infinity(bool negative, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearEven:
    case Rounding::kNearAway:
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

}  // namespace

Exact exact_value(const Format& f, Bits bits) {
  Exact value = magnitude_value(f, bits & f.magnitude_mask());
  value.negative = (bits & f.sign_mask()) != 0;
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
  // Different lengths decide without building the (possibly enormous) shifted numbers.
  const int left_end = left.bit_length() + left_exponent;
  const int right_end = x.numerator.bit_length() + x.exponent;
  if (left_end != right_end) return left_end < right_end ? -1 : 1;
  const int common = std::min(left_exponent, x.exponent);
  if (left_exponent != common) left = left.shifted_left(left_exponent - common);
  if (x.exponent == common) return compare(left, x.numerator);
  return compare(left, x.numerator.shifted_left(x.exponent - common));
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
  }
  return false;
}

Result round_exact(const Format& f, const Exact& x, const Environment& env) {
  const Bits sign = x.negative ? f.sign_mask() : 0;
  const bool tiny = is_tiny(f, x, env.rounding);
  if (tiny && env.flushes_out()) return {sign, soft::kUnderflow | soft::kInexact};
  const Rounded rounded = round_magnitude(f, x, env.rounding);
  // Whether the number overflows is asked of the format whose exponent has no limit.
  if (rounded.magnitude > max_finite_magnitude(f)) {
    const bool infinite = overflows_to_infinity(x.negative, env.rounding);
    return {sign | (max_finite_magnitude(f) + (infinite ? 1 : 0)),
            soft::kOverflow | soft::kInexact};
  }
  unsigned flags = 0;
  if (rounded.inexact) flags = soft::kInexact | (tiny ? soft::kUnderflow : 0u);
  return {sign | rounded.magnitude, flags};
}

}  // namespace halfmark::slow
