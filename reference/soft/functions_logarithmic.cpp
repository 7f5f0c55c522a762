// SPDX-License-Identifier: Apache-2.0
// Both evaluations of the logarithms, and of the cube root and the powers, which use a logarithm.
// log x = e u + L, where u is the logarithm of 2 and L that of a significand in (0.7, 1.42): 2
// atanh of (m - 1) / (m + 1). Nothing cancels, because |L| is less than half of u.
#include "reference/soft/functions_edges.hpp"
#include "reference/soft/functions_fixed.hpp"
#include "reference/soft/functions_series.hpp"

namespace halfmark::soft::detail {
namespace {

constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kLead;

// --- the argument of the logarithm, for both evaluations -----------------------------------------

// L = 2 atanh(distance / sum), negative when `halved`; both are exact.
struct Reduced {
  bool halved;
  int whole;  // powers of two
  std::uint64_t distance;
  std::uint64_t sum;
};

Reduced reduced(const Value& x) {
  const bool halved = x.significand > kLeadingOne / 5 * 7;
  const std::uint64_t base = halved ? 2 * kLeadingOne : kLeadingOne;
  return {halved, x.exponent + (halved ? 1 : 0),
          halved ? base - x.significand : x.significand - base, base + x.significand};
}

constexpr int kLargestSum = 61;

// 1 + x, for x > -1 and |x| >= 2^-26. It is exact: for |x| below 1 it has at most 50 bits, and
// above that the bits of the integer part, at most 63, or of x's fraction. From 2^62 on it is x.
Value one_more(const Value& x) {
  if (x.exponent > kLargestSum) return x;
  Value sum{Kind::kFinite, false, 0, 0};
  if (x.exponent < 0) {
    const std::uint64_t size = x.significand >> -x.exponent;
    const std::uint64_t total = x.negative ? kLeadingOne - size : kLeadingOne + size;
    const int zeros = std::countl_zero(total) - 1;
    sum.exponent = -zeros;
    sum.significand = total << zeros;
    return sum;
  }
  const std::uint64_t total = x.significand + (kLeadingOne >> x.exponent);
  const int carry = total >> 63 != 0 ? 1 : 0;
  sum.exponent = x.exponent + carry;
  sum.significand = total >> carry;
  return sum;
}

// x = m 2^(3 third), m in [1, 8)
struct Thirds {
  int third;
  Value m;
};
Thirds thirds(const Value& x) {
  const int third = (x.exponent - (x.exponent < 0 ? 2 : 0)) / 3;
  return {third, Value{Kind::kFinite, false, x.exponent - 3 * third, x.significand}};
}

// --- in fixed point ------------------------------------------------------------------------------

struct Tables {
  Tables();

  std::array<std::uint64_t, 12> atanh_terms;  // 1 / (2n + 3)
  Wide ln2;                                   // * 2^119
  Wide log10_2;                               // * 2^119
  std::uint64_t log2e_half;                   // log2 e / 2, a fraction
  std::uint64_t log10e_twice;                 // 2 log10 e, a fraction
};

Tables::Tables() {
  const Constants& known = constants(kSourceLimbs);
  const Enclosure one(kSourceLimbs, 1);
  for (std::size_t n = 0; n < atanh_terms.size(); ++n) {
    atanh_terms[n] = cut(one.divided_by(2 * n + 3), 64);
  }
  ln2 = known.ln2.low_scaled(119);
  log10_2 = known.log10_2.low_scaled(119);
  log2e_half = cut(known.log2e, 63);
  log10e_twice = cut(known.log10e, 65);
}

const Tables& tables() {
  static const Tables kAll;
  return kAll;
}

struct Logarithm {
  bool negative;  // of the part
  int whole;      // powers of two
  int exponent;   // of the part
  std::uint64_t significand;
};

// part = 2 atanh(s) = 2 s (1 + w (1/3 + w/5 + ...)), w = s^2 < 0.0295. The part is off by less than
// 4 units of a significand that is at least 2^61, or zero. The quotient is truncated (1, times
// 1.01); w and the 12 terms give 3 units of 2^-64, times w (the tail is below 2^-70), which with
// the truncations of both products is less than 2.
Logarithm logarithm(const Value& x) {
  const Reduced r = reduced(x);
  if (r.distance == 0) return {false, r.whole, -64, 0};
  const int up = std::countl_zero(r.distance);
  const int down = std::countl_zero(r.sum);
  // s = quotient * 2^(down - up - 62), the quotient in [2^61, 2^63)
  const auto quotient =
      static_cast<std::uint64_t>((Wide{r.distance << up} << 62) / (r.sum << down));
  const int places = 62 + up - down;
  const std::uint64_t s = static_cast<std::uint64_t>(
      places >= 64 ? shift_right(quotient, places - 64) : Wide{quotient} << (64 - places));
  const std::uint64_t w = multiply(s, s);
  const std::uint64_t series = multiply(w, horner(tables().atanh_terms, w));
  return {r.halved, r.whole, 64 - places, quotient + multiply(quotient, series)};
}

// Multiplied by log2 e. With the truncations of the constant and of the product, the error is
// 6 units.
Logarithm binary(Logarithm log) {
  log.significand = multiply(log.significand, tables().log2e_half);
  log.exponent += 1;
  return log;
}

// In units of 2^-119, truncated.
Wide part_of(const Logarithm& log) {
  return shift_right(Wide{log.significand} << 57, 1 - log.exponent);
}

// A logarithm whose significand is off by at most `error` units.
struct Sum {
  bool negative;
  Power size;
  std::uint64_t error;
};

// whole * unit +- part. `unit` has 119 places, the last of which may be too small by one. The part
// is off by `error` units of at most 2^-62, and the total, at least 1/3, has units of at least
// 2^-65. (Half of both for decimal logarithms.)
Sum sum_of(const Logarithm& log, Wide unit, std::uint64_t error) {
  const bool negative = log.whole < 0;
  if (log.whole == 0) return {log.negative, {log.exponent, log.significand}, error};
  const Wide whole = unit * static_cast<Wide>(negative ? -log.whole : log.whole);
  const Wide part = part_of(log);
  const Wide total = negative == log.negative ? whole + part : whole - part;
  const auto high = static_cast<std::uint64_t>(total >> 64);
  const int zeros = std::countl_zero(high);
  const auto leading = static_cast<std::uint64_t>(total << zeros >> 64);
  return {negative, {8 - zeros, leading}, 8 * error + 2};
}

Bounds add_whole(const Logarithm& log, Wide unit, std::uint64_t error) {
  const Sum sum = sum_of(log, unit, error);
  return around(sum.negative, sum.size.exponent, sum.size.significand, sum.error);
}

// y log2 x = product 2^(exponent - 95), with the product from 2^95 to 2^97. Its relative error is
// less than 2^-57: the logarithm is off by 6 units of at least 2^60 or by 50 of 2^63.
struct BinaryPower {
  bool negative;
  int exponent;
  Wide product;
};

constexpr int kFactorPlaces = 32;  // below the leading one of y
std::uint64_t factor_of(const Value& y) { return y.significand >> (kLead - kFactorPlaces); }

BinaryPower binary_power(const Value& x, const Value& y) {
  const Sum log = sum_of(binary(logarithm(x)), Wide{1} << 119, 6);
  const int zeros = std::countl_zero(log.size.significand);
  return {log.negative != y.negative, log.size.exponent - zeros + y.exponent,
          Wide{log.size.significand << zeros} * factor_of(y)};
}

// --- in enclosures -------------------------------------------------------------------------------

Scaled log_of(const Value& x, const Enclosure& unit, const Enclosure& per_natural) {
  const int limbs = unit.fraction_limbs();
  const Reduced r = reduced(x);
  const Enclosure s = Enclosure(limbs, r.distance) / Enclosure(limbs, r.sum);
  const Enclosure part = (atanh(s) * per_natural).shifted(1);
  if (r.whole == 0) return {r.halved, part, 0};
  const bool negative = r.whole < 0;
  const Enclosure whole = unit.times(static_cast<std::uint64_t>(negative ? -r.whole : r.whole));
  return {negative, negative == r.halved ? whole + part : whole - part, 0};
}

}  // namespace

Bounds fast_log(const Value& x) { return add_whole(logarithm(x), tables().ln2, 4); }

Bounds fast_log2(const Value& x) { return add_whole(binary(logarithm(x)), Wide{1} << 119, 6); }

// The part times log10 e, with the truncations of the constant and of the product.
Bounds fast_log10(const Value& x) {
  Logarithm log = logarithm(x);
  log.significand = multiply(log.significand, tables().log10e_twice);
  log.exponent -= 1;
  return add_whole(log, tables().log10_2, 6);
}

// Where the 1 is left out, the error is less than one unit of 2^-62.
Bounds fast_log1p(const Value& x) { return add_whole(logarithm(one_more(x)), tables().ln2, 5); }

// 2^(log2(m) / 3). The logarithm is off by 6 units of at most 2^-62, which are 24 of 2^-64, and
// truncated; a third of that and one more truncation are below 10, of which power_of accounts for
// two. Ten units of 2^-64 in the exponent change a number below 2^64 by less than 7.
Bounds fast_cbrt(const Value& x) {
  const Thirds t = thirds(x);
  const Logarithm log = binary(logarithm(t.m));
  const Wide whole = static_cast<Wide>(log.whole) << 64;
  const Wide part = part_of(log) >> 55;
  const Power root = power_of((log.negative ? whole - part : whole + part) / 3, false);
  return around(x.negative, t.third + root.exponent, root.significand, kPowerError + 7);
}

// The error of the exponent counts 0.7 times, and is 2^7 units of 2^-64 for each one in
// the exponent.
Bounds fast_pow(const Value& x, const Value& y) {
  const BinaryPower t = binary_power(x, y);
  const int carry = static_cast<int>(t.product >> 96);
  const auto leading = static_cast<std::uint64_t>(t.product >> (95 - kLead + carry));
  const Value exponent{Kind::kFinite, t.negative, t.exponent + carry, leading};
  if (const auto edge = edge_of_exp(exponent)) return *edge;
  const Wide units = shift_right(t.product, 31 - t.exponent);
  const auto ones = static_cast<std::uint64_t>(units >> 64) + 1;
  const Power power = power_of(units, t.negative);
  return around(false, power.exponent, power.significand, kPowerError + (ones << 7));
}

Scaled wide_log(const Value& x, int limbs) {
  return log_of(x, constants(limbs).ln2, Enclosure(limbs, 1));
}

Scaled wide_log2(const Value& x, int limbs) {
  return log_of(x, Enclosure(limbs, 1), constants(limbs).log2e);
}

Scaled wide_log10(const Value& x, int limbs) {
  return log_of(x, constants(limbs).log10_2, constants(limbs).log10e);
}

// log(1 + x) = log x + 2 atanh(1 / (2x + 1)) where the sum is not exact.
Scaled wide_log1p(const Value& x, int limbs) {
  const Scaled log = wide_log(one_more(x), limbs);
  if (x.exponent <= kLargestSum) return log;
  const Enclosure one(limbs, 1);
  const Enclosure rest = atanh(one / (argument(x, limbs).shifted(1) + one)).shifted(1);
  return {false, log.value + rest, 0};
}

Scaled wide_pow(const Value& x, const Value& y, int limbs) {
  const Scaled log = wide_log2(x, limbs);
  const Enclosure size = log.value.times(factor_of(y)).shifted(y.exponent - kFactorPlaces);
  return power_of_two(size, log.negative != y.negative);
}

Scaled wide_cbrt(const Value& x, int limbs) {
  const Thirds t = thirds(x);
  const Scaled root = power_of_two(wide_log2(t.m, limbs).value.divided_by(3), false);
  return {x.negative, root.value, root.exponent + t.third};
}

}  // namespace halfmark::soft::detail
