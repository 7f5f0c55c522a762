// SPDX-License-Identifier: Apache-2.0
// How far fp32 evaluations of GELU and SiLU may lie from the exact value. u is 2^-24. Assumes erf,
// tanh and exp within 2 ulp, and exactly 1 where their value rounds to it; terms that depend on the
// order of operations are rounded up. "Centre" is the error of the value computed here.
//
// GELU erf, forward, 0.5 x (1 + erf(x c)): the argument is off by 2u relative, which moves erf by
// at most 2u max(2/sqrt(pi) a e^(-a^2)) = u; erf itself 2u, the sum u, the centre 1.5u. Total: 5.5u
// times |x| / 2, plus the relative errors of two products.
//
// GELU erf, backward, dy (Phi(x) + x phi(x)): Phi 3u; x phi(x) <= 0.25 with relative error 8u, plus
// x^2 u of it from the exponent, where |x|^3 phi(x) <= 0.47; two sums; the centre 1.5u. Total: 8u,
// plus the product with dy.
//
// GELU tanh, forward: the argument is off by 8u relative, which moves tanh by 8u max(a sech^2 a) <
// 4u; tanh 2u, the sum u, the centre 1.5u. Total: 8.5u times |x| / 2. Where tanh is 1 in fp32, a
// form that does not cancel keeps 1 - |tanh| < 2 e^(-2a): the argument moves it by 16u a relative,
// the exponent here by 2u a, exp and its rounding by 6u. A form that does cancel, but in fp64, is
// off by 2 ulp of fp64, 2^-52, until its tanh is 1, too, from 19.1 on.
//
// GELU tanh, backward: (1 + t) / 2 as in the forward form, 4.5u; 1 - t^2 is off by 16u while t is
// not 1, times (k/2) |x| (1 + 3c x^2) <= 9 for |x| <= 5.2. Beyond, t is 1 in fp32, and the loss is
// below 4 e^(-2z) times the same factor, at most 10u.
//
// Where exp is subnormal in fp32, it may be kept or flushed: gradients lose up to 2^-126 of
// it, times x, which is below 16 there. So may their product with dy, in either order of its
// three factors.
//
// SiLU, x / (1 + exp(-x)): exp 4u, the sum and the quotient u each, the centre 1.5u. Total: 8u
// relative, plus |x| times 3u from the argument of exp, there and here, times the share of exp(-x)
// in the sum.
//
// Intervals: each function has one minimum and no maximum, so its values lie between those at the
// ends and at the minimum. A radius changes by less than 10u of a change of x, and decreases only
// where the function is flat: 20u of the interval's width covers both.
#include "suites/core/bounds/gelu.hpp"

#include <cmath>
#include <limits>

#include "reference/soft/functions.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;

constexpr double u(int tenths) { return tenths * kRoundoff / 10; }

constexpr double kSqrtHalf = 0x1.6a09e667f3bccp-1;  // cut, not rounded
constexpr double kSlope = 0x1.9884533d43651p-1;     // sqrt(2 / pi)
constexpr double kCubic = 0.044715;
constexpr double kTwoOverRootPi = 0x1.20dd750429b6dp0;  // 2 / sqrt(pi)
constexpr double kDensity = 0x1.9884533d43651p-2;       // 1 / sqrt(2 pi)
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The arguments at which the forms of GELU and SiLU have their minima, within 2^-19, which the
// radius covers.
constexpr double kLeastOfErf = -788310 * 0x1p-20;
constexpr double kLeastOfTanh = -789013 * 0x1p-20;
constexpr double kLeastOfSilu = -1340565 * 0x1p-20;
constexpr double kLeastSubnormal = 0x1p-149;
constexpr double kLargestOfSubnormalExp = 16;  // |x| of exp(-x^2 / 2) > 2^-150

using Function = soft::Result (*)(const formats::Format&, Bits, const soft::Environment&);

// Evaluates the function in fp32: an error of 1.5u at values near 1, including the operand's
// own rounding.
double applied(Function function, double x) {
  return value_of(kFp32, function(kFp32, nearest(kFp32, x), {}).bits);
}

double limited(Function function, double z, const GeluDeparture& d) {
  if (0 < d.exp_limit && d.exp_limit < z) return kNan;
  if (0 < d.tanh_limit && !(std::abs(z) < d.tanh_limit)) return z < 0 ? -1 : 1;
  return applied(function, z);
}

// The range of 1 + tanh or 1 + erf.
Interval tail(double t, double radius, const GeluDeparture& d) {
  const Interval sum = around(1 + t, radius);
  if (!d.tail_in_half) return sum;
  return through(&kFp16, sum);
}

double decay(double exponent) { return applied(soft::exp, -exponent); }

double erf_radius(double a) { return 4.2 < std::abs(a) ? decay(a * a) : u(60); }

double tanh_radius(double z) {
  const double a = std::abs(z);
  if (!(9.7 < a)) return u(90);
  const double below = a < 56 ? kLeastSubnormal : 0;  // e^(-112) times any x is below it
  const double in_double = a < 20 ? 0x1p-52 : 0;
  return 2 * decay(2 * a) * (1 + a * u(200) + u(80)) + below + in_double;
}

Interval multiplied(double factor, const Interval& interval) {
  const Interval product{factor * interval.low, factor * interval.high};
  return factor < 0 ? Interval{product.high, product.low} : product;
}

Interval wider(const Interval& interval, double radius) {
  return {interval.low - radius, interval.high + radius};
}

Interval relatively(const Interval& interval) {
  const double larger =
      std::abs(interval.low) < std::abs(interval.high) ? interval.high : interval.low;
  return wider(interval, std::abs(larger) * u(30));
}

double cube(double x, const GeluDeparture& d) {
  const double exact = x * x * x;
  return d.cube_in_half ? through(&kFp16, exact) : exact;
}

double cubic(const GeluDeparture& d) {
  if (d.cubic != 0) return d.cubic;
  return through(d.cubic_in, kCubic);
}

// The factor of the argument.
double slope_or(double right, const GeluDeparture& d) { return d.slope == 0 ? right : d.slope; }

double tanh_argument(double x, const GeluDeparture& d) {
  return slope_or(kSlope, d) * (x + cubic(d) * cube(x, d));
}

Interval tanh_form(double x, const GeluDeparture& d) {
  const double z = tanh_argument(x, d);
  const double t = limited(soft::tanh, z, d);
  const double radius = tanh_radius(z) + d.tanh_error * std::abs(t);
  return relatively(multiplied(0.5 * x, tail(t, radius, d)));
}

Interval sum_of(const Interval& interval, double x) {
  return {interval.low + x, interval.high + x};
}

Interval tanh_gradient(double x, const GeluDeparture& d) {
  const double z = tanh_argument(x, d);
  const double t = limited(soft::tanh, z, d);
  const double power = (d.no_three ? 1 : 3) * cubic(d) * cube(x, d);
  const double inner = d.no_inner ? x : slope_or(kSlope, d) * (d.no_growth ? x : x + power);
  const double growth = d.no_second_term ? 0 : 0.5 * inner;
  const double rest = (1 - t * t) * growth;
  if (std::isnan(rest)) return {rest, rest};
  const double flushed = std::abs(z) < 56 ? kLeastNormal : 0;  // as in tanh_radius()
  const double lost = 2 * tanh_radius(z) + flushed;
  const Interval half = multiplied(0.5, tail(t, tanh_radius(z), d));
  return sum_of(wider(half, lost * std::abs(growth) + u(20) * (half.high + std::abs(rest))), rest);
}

Interval erf_form(double x, const GeluDeparture& d) {
  const double a = x * slope_or(kSqrtHalf, d);
  return relatively(multiplied(0.5 * x, tail(limited(soft::erf, a, d), erf_radius(a), d)));
}

Interval erf_gradient(double x, const GeluDeparture& d) {
  const double a = x * slope_or(kSqrtHalf, d);
  const double inner = d.no_inner ? 1 : slope_or(kSqrtHalf, d);
  const bool is_right = !d.no_inner && d.slope == 0;
  const double density = is_right ? kDensity : kTwoOverRootPi * 0.5 * inner;
  const double slope = d.no_second_term ? 0 : x * density * decay(a * a);
  const Interval half = multiplied(0.5, tail(limited(soft::erf, a, d), erf_radius(a), d));
  const bool may_be_subnormal = std::abs(x) < kLargestOfSubnormalExp;
  const double flushed = may_be_subnormal ? kLargestOfSubnormalExp * kLeastNormal : 0;
  // Half of erf, and the roundings of three sums of terms below 1.
  const double about_half = d.erf_error == 0 ? 0 : 0.5 * d.erf_error + u(15);
  const double radius =
      u(10) * ((x * x + 12) * std::abs(slope) + 2 * half.high) + flushed + about_half;
  return sum_of(wider(half, radius), slope);
}

// x / (1 + exp(-factor x)); overflow of exp gives 0.
Interval sigmoid_form(double x, double factor) {
  const double z = factor * x;
  const double value = x / (1 + decay(z));
  if (std::isnan(value)) return {value, value};
  const double share = 1 / (1 + decay(-z));
  return around(value, std::abs(value) * (u(80) + std::abs(z) * share * u(30)));
}

// An infinity has no rounding. Where the derivative may be zero, the sign of the product is open.
Interval of_infinity(const Interval& derivative, double dy) {
  const bool has_sign = 0 < derivative.low || derivative.high < 0;
  if (!has_sign) return {-kInfinity, kInfinity};
  return {dy * derivative.low, dy * derivative.low};
}

Interval gradient(const Interval& derivative, double dy, const GeluDeparture& d) {
  Interval kept = derivative;
  if (d.gradient_in != nullptr && !std::isnan(kept.low)) {
    kept = through(d.gradient_in, kept);
  }
  if (std::isinf(dy) && !std::isnan(kept.low)) return of_infinity(kept, dy);
  const double in_products = kLargestOfSubnormalExp * kLeastSubnormal;
  return wider(relatively(multiplied(dy, kept)), dy == 0 ? 0 : in_products);
}

Interval united(const Interval& a, const Interval& b) {
  return {b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high};
}

template <typename Of>
Interval image(const Interval& x, double least, const Of& of) {
  const Interval low = of(x.low);
  const Interval high = of(x.high);
  if (std::isnan(low.low) || std::isnan(high.low)) return {low.low + high.low, low.low + high.low};
  Interval all = united(low, high);
  if (x.low < least && least < x.high) all = united(all, of(least));
  return wider(all, (x.high - x.low) * u(200));
}

}  // namespace

Interval gelu_interval(Gelu form, double x, double dy, const GeluDeparture& d) {
  const bool infinite = std::isinf(x);
  if (d.nan_at_infinity && infinite) return {kNan, kNan};
  if (infinite && 0 < d.exp_limit) return {kNan, kNan};
  if (infinite && !(x < 0)) return {x, x};
  if (d.sigmoid) return sigmoid_form(x, kSigmoidFactor);
  switch (form) {
    case Gelu::kErf:
      return erf_form(x, d);
    case Gelu::kTanh:
      return tanh_form(x, d);
    case Gelu::kErfGradient:
      return gradient(erf_gradient(x, d), dy, d);
    case Gelu::kTanhGradient:
      return gradient(tanh_gradient(x, d), dy, d);
  }
  return {x, x};
}

Interval silu_interval(double x) { return sigmoid_form(x, 1); }

Interval gelu_image(Gelu form, const Interval& x, const GeluDeparture& d) {
  const auto of = [&](double at) { return gelu_interval(form, at, 0, d); };
  return image(x, form == Gelu::kErf ? kLeastOfErf : kLeastOfTanh, of);
}

Interval gelu_sigmoid_image(const Interval& x) {
  const Interval image = silu_image({x.low * kSigmoidFactor, x.high * kSigmoidFactor});
  return {image.low / kSigmoidFactor, image.high / kSigmoidFactor};
}

Interval silu_image(const Interval& x) { return image(x, kLeastOfSilu, silu_interval); }

}  // namespace halfmark::suites
