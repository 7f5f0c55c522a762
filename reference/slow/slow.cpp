// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/slow.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace halfmark::slow {
namespace {

// An operand decoded from its fields only: IEEE 754-2019, 3.4.
struct Operand {
  bool negative;
  bool nan;
  bool signaling;
  bool infinite;
  bool zero;
  Exact value;  // for finite operands
};

// Which encodings are NaNs and infinities: IEEE 754-2019, 3.4; OFP8 and MX.
Operand read_special(const Format& f, Bits bits) {
  const Bits ones = (Bits{1} << (f.exponent_bits + f.fraction_bits)) - 1;
  Operand operand{.negative = f.has_sign && bits > ones,
                  .nan = false,
                  .signaling = false,
                  .infinite = false,
                  .zero = f.has_zero && (bits & ones) == 0,
                  .value = {}};
  switch (f.non_finite) {
    case formats::NonFinite::kIeee: {
      const Bits fraction = bits & f.fraction_mask();
      const bool top = (bits & ones) >= ones - f.fraction_mask();
      operand.infinite = top && fraction == 0;
      operand.nan = top && fraction != 0;
      operand.signaling = operand.nan && (fraction >> (f.fraction_bits - 1)) == 0;
      break;
    }
    case formats::NonFinite::kNanAllOnes:
      operand.nan = (bits & ones) == ones;
      break;
    case formats::NonFinite::kNanMinusZero:
      operand.nan = bits == ones + 1;
      break;
    case formats::NonFinite::kNone:
      break;
  }
  if (operand.nan) operand.zero = false;
  return operand;
}

Operand read(const Format& f, Bits bits, const Environment& env, int smallest_normal_exponent) {
  Operand operand = read_special(f, bits);
  if (operand.nan || operand.infinite || operand.zero) return operand;
  operand.value = exact_value(f, bits);
  const bool small = compare_magnitude(Natural(1), smallest_normal_exponent, operand.value) > 0;
  if (env.flushes_in() && small) operand.zero = true;
  return operand;
}

Operand read(const Format& f, Bits bits, const Environment& env) {
  return read(f, bits, env, least_exponent(f));
}

Operand read_mixed(const Format& f, Bits bits, const Environment& env, const Format& result) {
  return read(f, bits, env, std::min(least_exponent(f), least_exponent(result)));
}

// 6.3: the sign of the sum of zeros, or of numbers that cancel.
Result zero_of_sum(const Format& f, bool a_negative, bool b_negative, const Environment& env) {
  if (a_negative && b_negative) return deliver_zero(f, true);
  if (!a_negative && !b_negative) return deliver_zero(f, false);
  return deliver_zero(f, env.rounding == soft::Rounding::kDown);
}

// The sum of two operands, neither of them a NaN.
Result sum(const Format& f, const Operand& a, const Operand& b, const Environment& env) {
  if (a.infinite && b.infinite && a.negative != b.negative) return deliver_nan(f, true);
  if (a.infinite) return deliver_infinity(f, a.negative, env);
  if (b.infinite) return deliver_infinity(f, b.negative, env);
  if (a.zero && b.zero) return zero_of_sum(f, a.negative, b.negative, env);
  if (a.zero) return round_exact(f, b.value, env);
  if (b.zero) return round_exact(f, a.value, env);
  const Exact total = plus(a.value, b.value);
  if (total.numerator.is_zero()) return zero_of_sum(f, a.negative, b.negative, env);
  return round_exact(f, total, env);
}

// The exact product of two operands that are neither NaN nor zero times infinity.
Operand product(const Operand& a, const Operand& b) {
  Operand p{.negative = a.negative != b.negative,
            .nan = false,
            .signaling = false,
            .infinite = a.infinite || b.infinite,
            .zero = a.zero || b.zero,
            .value = {}};
  if (!p.infinite && !p.zero) p.value = times(a.value, b.value);
  return p;
}

bool zero_times_infinity(const Operand& a, const Operand& b) {
  return (a.zero && b.infinite) || (a.infinite && b.zero);
}

Result deliver(const Format& f, const Operand& x, const Environment& env) {
  if (x.infinite) return deliver_infinity(f, x.negative, env);
  if (x.zero) return deliver_zero(f, x.negative);
  return round_exact(f, x.value, env);
}

Bits flushed(const Format& f, Bits a, const Environment& env) {
  const Operand x = read(f, a, env);
  return x.zero ? deliver_zero(f, x.negative).bits : a;
}

// -1, 0 or 1 for a < b, a = b or a > b; neither operand may be a NaN; zeros are equal.
int order(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  if (x.zero && y.zero) return 0;
  const int x_side = x.zero ? 0 : (x.negative ? -1 : 1);
  const int y_side = y.zero ? 0 : (y.negative ? -1 : 1);
  if (x_side != y_side) return x_side < y_side ? -1 : 1;
  int size = 0;
  if (x.infinite || y.infinite) {
    size = int{x.infinite} - int{y.infinite};
  } else {
    size = compare_magnitude(x.value.numerator, x.value.exponent, y.value);
  }
  return size * x_side;
}

Result extremum(const Format& f, Bits a, Bits b, const Environment& env, bool largest,
                bool numbers_win) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  const unsigned flags = x.signaling || y.signaling ? unsigned{soft::kInvalid} : 0u;
  if ((x.nan && y.nan) || ((x.nan || y.nan) && !numbers_win))
    return {deliver_nan(f, false).bits, flags};
  if (x.nan) return {flushed(f, b, env), flags};
  if (y.nan) return {flushed(f, a, env), flags};
  int a_against_b = order(f, a, b, env);
  if (a_against_b == 0) a_against_b = int{y.negative} - int{x.negative};  // -0 below +0
  const bool take_a = largest ? a_against_b > 0 : a_against_b < 0;
  return {flushed(f, take_a ? a : b, env), flags};
}

// 5.11: a signaling comparison raises invalid for every NaN, a quiet one only for signaling NaNs.
Result comparison(const Format& f, Bits a, Bits b, const Environment& env, bool quiet,
                  bool (*holds)(int)) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  const bool invalid = quiet ? x.signaling || y.signaling : x.nan || y.nan;
  const bool answer = !x.nan && !y.nan && holds(order(f, a, b, env));
  return {answer ? Bits{1} : Bits{0}, invalid ? unsigned{soft::kInvalid} : 0u};
}

}  // namespace

Result add(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  if (x.nan || y.nan) return deliver_nan(f, x.signaling || y.signaling);
  return sum(f, x, y, env);
}

Result sub(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  Operand y = read(f, b, env);
  if (x.nan || y.nan) return deliver_nan(f, x.signaling || y.signaling);
  y.negative = !y.negative;
  y.value.negative = !y.value.negative;
  return sum(f, x, y, env);
}

Result mul(const Format& ab, Bits a, Bits b, const Format& result, const Environment& env) {
  const Operand x = read_mixed(ab, a, env, result);
  const Operand y = read_mixed(ab, b, env, result);
  if (x.nan || y.nan) return deliver_nan(result, x.signaling || y.signaling);
  if (zero_times_infinity(x, y)) return deliver_nan(result, true);
  return deliver(result, product(x, y), env);
}

Result fma(const Format& ab, Bits a, Bits b, const Format& fc, Bits c, const Environment& env) {
  const Operand x = read_mixed(ab, a, env, fc);
  const Operand y = read_mixed(ab, b, env, fc);
  const Operand z = read(fc, c, env);
  if (zero_times_infinity(x, y)) return deliver_nan(fc, true);
  if (x.nan || y.nan || z.nan) return deliver_nan(fc, x.signaling || y.signaling || z.signaling);
  return sum(fc, product(x, y), z, env);
}

Result div(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  const bool negative = x.negative != y.negative;
  if (x.nan || y.nan) return deliver_nan(f, x.signaling || y.signaling);
  if ((x.zero && y.zero) || (x.infinite && y.infinite)) return deliver_nan(f, true);
  if (x.infinite) return deliver_infinity(f, negative, env);
  if (y.infinite || x.zero) return deliver_zero(f, negative);
  if (y.zero) {
    const Result infinite = deliver_infinity(f, negative, env);
    return {infinite.bits, infinite.flags | soft::kDivideByZero};
  }
  return round_exact(f,
                     {.negative = negative,
                      .numerator = x.value.numerator,
                      .denominator = y.value.numerator,
                      .exponent = x.value.exponent - y.value.exponent},
                     env);
}

Result sqrt(const Format& f, Bits a, const Environment& env) {
  Operand x = read(f, a, env);
  if (x.nan) return deliver_nan(f, x.signaling);
  if (x.zero) return deliver_zero(f, x.negative);
  if (x.negative) return deliver_nan(f, true);
  if (x.infinite) return deliver_infinity(f, false, env);
  x.value.root = true;
  return round_exact(f, x.value, env);
}

Result hypot(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  if (x.signaling || y.signaling) return deliver_nan(f, true);
  if (x.infinite || y.infinite) return deliver_infinity(f, false, env);
  if (x.nan || y.nan) return deliver_nan(f, false);
  const Exact nothing{};
  const Exact& first = x.zero ? nothing : x.value;
  const Exact& second = y.zero ? nothing : y.value;
  Exact sum = plus(times(first, first), times(second, second));
  if (sum.numerator.is_zero()) return deliver_zero(f, false);
  sum.negative = false;
  sum.root = true;
  return round_exact(f, sum, env);
}

namespace {

// x - n y by long division of integers: subtracts y 2^i for decreasing i; n is odd if y itself
// was subtracted.
Result remainder_of(const Format& f, Bits a, Bits b, bool nearest, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  if (x.nan || y.nan) return deliver_nan(f, x.signaling || y.signaling);
  if (x.infinite || y.zero) return deliver_nan(f, true);
  if (x.zero || y.infinite) return deliver(f, x, env);
  Exact result = x.value;
  result.exponent = std::min(x.value.exponent, y.value.exponent);
  Natural rest = x.value.numerator.shifted_left(x.value.exponent - result.exponent);
  const Natural divisor = y.value.numerator.shifted_left(y.value.exponent - result.exponent);
  bool odd = false;
  for (int i = std::max(0, rest.bit_length() - divisor.bit_length()); i >= 0; --i) {
    const Natural multiple = divisor.shifted_left(i);
    odd = compare(rest, multiple) >= 0;
    if (odd) rest = rest - multiple;
  }
  const int half = compare(rest.shifted_left(1), divisor);
  if (nearest && (half > 0 || (half == 0 && odd))) {
    rest = divisor - rest;
    result.negative = !result.negative;
  }
  if (rest.is_zero()) return deliver_zero(f, x.negative);
  result.numerator = rest;
  return round_exact(f, result, env);
}

}  // namespace

Result fmod(const Format& f, Bits a, Bits b, const Environment& env) {
  return remainder_of(f, a, b, false, env);
}

Result remainder(const Format& f, Bits a, Bits b, const Environment& env) {
  return remainder_of(f, a, b, true, env);
}

Result rint(const Format& f, Bits a, const Environment& env) {
  const Operand x = read(f, a, env);
  if (x.nan) return deliver_nan(f, x.signaling);
  if (x.infinite || x.zero || x.value.exponent >= 0) return deliver(f, x, env);
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << f.precision();
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (compare_magnitude(Natural(middle), 0, x.value) <= 0 ? low : high) = middle;
  }
  const Neighbours n = compare_neighbours(Natural(low), 0, x.value, env);
  const std::uint64_t integer = choose_upper(n, x.negative, env.rounding) ? low + 1 : low;
  const unsigned flags = n.lower != 0 ? unsigned{soft::kInexact} : 0u;
  if (integer == 0) {
    const Result zero = deliver_zero(f, x.negative);
    return {zero.bits, zero.flags | flags};
  }
  const Result whole = round_exact(f, {.negative = x.negative, .numerator = Natural(integer)}, env);
  return {whole.bits, whole.flags | flags};
}

Result convert(const Format& from, const Format& to, Bits a, const Environment& env) {
  const Operand x = read(from, a, env);
  if (x.nan) return deliver_nan(to, x.signaling);
  return deliver(to, x, env);
}

Result ldexp(const Format& f, Bits a, int n, const Environment& env) {
  Operand x = read(f, a, env);
  if (x.nan) return deliver_nan(f, x.signaling);
  x.value.exponent += std::clamp(n, -2200, 2200);
  return deliver(f, x, env);
}

Result from_int(const Format& f, std::int64_t integer, const Environment& env) {
  if (integer == 0) return deliver_zero(f, false);
  const auto bits = static_cast<std::uint64_t>(integer);
  return round_exact(
      f, {.negative = integer < 0, .numerator = Natural(integer < 0 ? 0 - bits : bits)}, env);
}

Result minimum(const Format& f, Bits a, Bits b, const Environment& env) {
  return extremum(f, a, b, env, false, false);
}
Result maximum(const Format& f, Bits a, Bits b, const Environment& env) {
  return extremum(f, a, b, env, true, false);
}
Result minimum_number(const Format& f, Bits a, Bits b, const Environment& env) {
  return extremum(f, a, b, env, false, true);
}
Result maximum_number(const Format& f, Bits a, Bits b, const Environment& env) {
  return extremum(f, a, b, env, true, true);
}

Result eq(const Format& f, Bits a, Bits b, const Environment& env) {
  return comparison(f, a, b, env, true, [](int order) { return order == 0; });
}
Result lt(const Format& f, Bits a, Bits b, const Environment& env) {
  return comparison(f, a, b, env, false, [](int order) { return order < 0; });
}
Result le(const Format& f, Bits a, Bits b, const Environment& env) {
  return comparison(f, a, b, env, false, [](int order) { return order <= 0; });
}

}  // namespace halfmark::slow
