// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/slow.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace halfmark::slow {
namespace {

// An operand by its fields alone: IEEE 754-2019, 3.4.
struct Operand {
  bool negative;
  bool nan;
  bool signaling;
  bool infinite;
  bool zero;
  Exact value;  // of finite ones
};

Operand read(const Format& f, Bits bits, const Environment& env, int smallest_normal_exponent) {
  const Bits fraction = bits & f.fraction_mask();
  const Bits field = bits >> f.fraction_bits & Bits(f.max_exponent_field());
  const bool top = field == Bits(f.max_exponent_field());
  Operand operand{.negative = (bits & f.sign_mask()) != 0,
                  .nan = top && fraction != 0,
                  .signaling = top && fraction != 0 && (fraction >> (f.fraction_bits - 1)) == 0,
                  .infinite = top && fraction == 0,
                  .zero = field == 0 && fraction == 0,
                  .value = {}};
  if (top || operand.zero) return operand;
  operand.value = exact_value(f, bits);
  const bool small = compare_magnitude(Natural(1), smallest_normal_exponent, operand.value) > 0;
  if (env.flushes_in() && small) operand.zero = true;
  return operand;
}

Operand read(const Format& f, Bits bits, const Environment& env) {
  return read(f, bits, env, 1 - f.bias);
}

Operand read_mixed(const Format& f, Bits bits, const Environment& env, const Format& result) {
  return read(f, bits, env, std::min(1 - f.bias, 1 - result.bias));
}

Bits signed_zero(const Format& f, bool negative) { return negative ? f.sign_mask() : 0; }
Bits signed_infinity(const Format& f, bool negative) {
  return signed_zero(f, negative) | Bits(f.max_exponent_field()) << f.fraction_bits;
}
Result nan(const Format& f, bool invalid) {
  return {signed_infinity(f, false) | Bits{1} << (f.fraction_bits - 1),
          invalid ? unsigned{soft::kInvalid} : 0u};
}

// 6.3: the sum of zeros, or of numbers that cancel.
Bits zero_of_sum(const Format& f, bool a_negative, bool b_negative, const Environment& env) {
  if (a_negative && b_negative) return signed_zero(f, true);
  if (!a_negative && !b_negative) return signed_zero(f, false);
  return signed_zero(f, env.rounding == soft::Rounding::kDown);
}

Exact exact_sum(const Exact& a, const Exact& b) {
  const int common = std::min(a.exponent, b.exponent);
  const Natural x = a.numerator.shifted_left(a.exponent - common);
  const Natural y = b.numerator.shifted_left(b.exponent - common);
  Exact sum;
  sum.negative = a.negative;
  sum.exponent = common;
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

// The sum of two operands that are not NaNs.
Result sum(const Format& f, const Operand& a, const Operand& b, const Environment& env) {
  if (a.infinite && b.infinite && a.negative != b.negative) return nan(f, true);
  if (a.infinite) return {signed_infinity(f, a.negative), 0};
  if (b.infinite) return {signed_infinity(f, b.negative), 0};
  if (a.zero && b.zero) return {zero_of_sum(f, a.negative, b.negative, env), 0};
  if (a.zero) return round_exact(f, b.value, env);
  if (b.zero) return round_exact(f, a.value, env);
  const Exact total = exact_sum(a.value, b.value);
  if (total.numerator.is_zero()) return {zero_of_sum(f, a.negative, b.negative, env), 0};
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
  if (p.infinite || p.zero) return p;
  p.value = {.negative = p.negative,
             .numerator = a.value.numerator * b.value.numerator,
             .exponent = a.value.exponent + b.value.exponent};
  return p;
}

bool zero_times_infinity(const Operand& a, const Operand& b) {
  return (a.zero && b.infinite) || (a.infinite && b.zero);
}

Result deliver(const Format& f, const Operand& x, const Environment& env) {
  if (x.infinite) return {signed_infinity(f, x.negative), 0};
  if (x.zero) return {signed_zero(f, x.negative), 0};
  return round_exact(f, x.value, env);
}

Bits flushed(const Format& f, Bits a, const Environment& env) {
  const Operand x = read(f, a, env);
  return x.zero ? signed_zero(f, x.negative) : a;
}

// -1, 0, 1 as a < b, a = b, a > b for operands that are not NaNs; zeros are equal.
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
  if ((x.nan && y.nan) || ((x.nan || y.nan) && !numbers_win)) return {nan(f, false).bits, flags};
  if (x.nan) return {flushed(f, b, env), flags};
  if (y.nan) return {flushed(f, a, env), flags};
  int a_against_b = order(f, a, b, env);
  if (a_against_b == 0) a_against_b = int{y.negative} - int{x.negative};  // -0 below +0
  const bool take_a = largest ? a_against_b > 0 : a_against_b < 0;
  return {flushed(f, take_a ? a : b, env), flags};
}

// 5.11: a signaling comparison dislikes every NaN, a quiet one only signaling NaNs.
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
  if (x.nan || y.nan) return nan(f, x.signaling || y.signaling);
  return sum(f, x, y, env);
}

Result sub(const Format& f, Bits a, Bits b, const Environment& env) {
  return add(f, a, b ^ f.sign_mask(), env);
}

Result mul(const Format& ab, Bits a, Bits b, const Format& result, const Environment& env) {
  const Operand x = read_mixed(ab, a, env, result);
  const Operand y = read_mixed(ab, b, env, result);
  if (x.nan || y.nan) return nan(result, x.signaling || y.signaling);
  if (zero_times_infinity(x, y)) return nan(result, true);
  return deliver(result, product(x, y), env);
}

Result fma(const Format& ab, Bits a, Bits b, const Format& fc, Bits c, const Environment& env) {
  const Operand x = read_mixed(ab, a, env, fc);
  const Operand y = read_mixed(ab, b, env, fc);
  const Operand z = read(fc, c, env);
  if (zero_times_infinity(x, y)) return nan(fc, true);
  if (x.nan || y.nan || z.nan) return nan(fc, x.signaling || y.signaling || z.signaling);
  return sum(fc, product(x, y), z, env);
}

Result div(const Format& f, Bits a, Bits b, const Environment& env) {
  const Operand x = read(f, a, env);
  const Operand y = read(f, b, env);
  const bool negative = x.negative != y.negative;
  if (x.nan || y.nan) return nan(f, x.signaling || y.signaling);
  if ((x.zero && y.zero) || (x.infinite && y.infinite)) return nan(f, true);
  if (x.infinite) return {signed_infinity(f, negative), 0};
  if (y.infinite || x.zero) return {signed_zero(f, negative), 0};
  if (y.zero) return {signed_infinity(f, negative), soft::kDivideByZero};
  return round_exact(f,
                     {.negative = negative,
                      .numerator = x.value.numerator,
                      .denominator = y.value.numerator,
                      .exponent = x.value.exponent - y.value.exponent},
                     env);
}

Result sqrt(const Format& f, Bits a, const Environment& env) {
  Operand x = read(f, a, env);
  if (x.nan) return nan(f, x.signaling);
  if (x.zero) return {signed_zero(f, x.negative), 0};
  if (x.negative) return nan(f, true);
  if (x.infinite) return {signed_infinity(f, false), 0};
  x.value.root = true;
  return round_exact(f, x.value, env);
}

Result rint(const Format& f, Bits a, const Environment& env) {
  const Operand x = read(f, a, env);
  if (x.nan) return nan(f, x.signaling);
  if (x.infinite || x.zero || x.value.exponent >= 0) return deliver(f, x, env);
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << f.precision();
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (compare_magnitude(Natural(middle), 0, x.value) <= 0 ? low : high) = middle;
  }
  const Neighbours n{.lower = compare_magnitude(Natural(low), 0, x.value),
                     .middle = compare_magnitude(Natural(2 * low + 1), -1, x.value),
                     .lower_is_even = low % 2 == 0};
  const std::uint64_t integer = choose_upper(n, x.negative, env.rounding) ? low + 1 : low;
  const unsigned flags = n.lower != 0 ? unsigned{soft::kInexact} : 0u;
  if (integer == 0) return {signed_zero(f, x.negative), flags};
  const Exact value{.negative = x.negative, .numerator = Natural(integer)};
  return {round_exact(f, value, env).bits, flags};
}

Result convert(const Format& from, const Format& to, Bits a, const Environment& env) {
  const Operand x = read(from, a, env);
  if (x.nan) return nan(to, x.signaling);
  return deliver(to, x, env);
}

Result ldexp(const Format& f, Bits a, int n, const Environment& env) {
  Operand x = read(f, a, env);
  if (x.nan) return nan(f, x.signaling);
  x.value.exponent += std::clamp(n, -2000, 2000);
  return deliver(f, x, env);
}

Result from_int(const Format& f, std::int64_t integer, const Environment& env) {
  if (integer == 0) return {0, 0};
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
