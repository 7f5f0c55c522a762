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

#include "reference/soft/functions.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;

constexpr Real u(std::int64_t tenths) { return Real(tenths) * kSingleRounding / Real(10); }

constexpr Real kSqrtHalf = Real(0xb504f333f9de6484 >> 11, -53);
constexpr Real kSlope = Real::of(formats::kFp64, 0x3fe9884533d43651);  // sqrt(2 / pi)
constexpr Real kCubic = Real(44715) / Real(1000000);
constexpr Real kTwoOverRootPi = Real::of(formats::kFp64, 0x3ff20dd750429b6d);  // 2 / sqrt(pi)
constexpr Real kDensity = Real::of(formats::kFp64, 0x3fd9884533d43651);        // 1 / sqrt(2 pi)
constexpr Real kHalf = Real(1, -1);
constexpr Real kInfinity = Real(1) / Real();

// The arguments at which the forms of GELU and SiLU have their minima, within 2^-19, which the
// radius covers.
constexpr Real kLeastOfErf = Real(-788310, -20);
constexpr Real kLeastOfTanh = Real(-789013, -20);
constexpr Real kLeastOfSilu = Real(-1340565, -20);
constexpr Real kLeastSubnormal = Real(1, -149);
constexpr Real kLeastNormal = Real(1, -126);
constexpr Real kLargestOfSubnormalExp = Real(16);  // |x| of exp(-x^2 / 2) > 2^-150

using Function = soft::Result (*)(const formats::Format&, Bits, const soft::Environment&);

// Evaluates the function in fp32: an error of 1.5u at values near 1, including the operand's
// own rounding.
Real applied(Function function, Real x) {
  return Real::of(kFp32, function(kFp32, x.in(kFp32), {}).bits);
}

Real in_half(Real x) { return Real::of(kFp16, x.in(kFp16)); }

Real limited(Function function, Real z, const GeluDeparture& d) {
  const Real zero;
  if (zero < d.exp_limit && d.exp_limit < z) return zero / zero;
  if (zero < d.tanh_limit && !(z.abs() < d.tanh_limit)) return z < zero ? Real(-1) : Real(1);
  return applied(function, z);
}

// The range of 1 + tanh or 1 + erf.
RealInterval tail(Real t, Real radius, const GeluDeparture& d) {
  const RealInterval sum = around(Real(1) + t, radius);
  if (!d.tail_in_half) return sum;
  return {in_half(sum.low), in_half(sum.high)};
}

Real decay(Real exponent) { return applied(soft::exp, Real() - exponent); }

Real erf_radius(Real a) { return Real(42) < Real(10) * a.abs() ? decay(a * a) : u(60); }

Real tanh_radius(Real z) {
  const Real a = z.abs();
  if (!(Real(97) < Real(10) * a)) return u(90);
  const Real below = a < Real(56) ? kLeastSubnormal : Real();  // e^(-112) times any x is below it
  const Real in_double = a < Real(20) ? Real(1, -52) : Real();
  return Real(2) * decay(Real(2) * a) * (Real(1) + a * u(200) + u(80)) + below + in_double;
}

RealInterval multiplied(Real factor, const RealInterval& interval) {
  const RealInterval product{factor * interval.low, factor * interval.high};
  return factor < Real() ? RealInterval{product.high, product.low} : product;
}

RealInterval widened(const RealInterval& interval, Real radius) {
  return {interval.low - radius, interval.high + radius};
}

RealInterval relatively(const RealInterval& interval) {
  const Real larger = interval.low.abs() < interval.high.abs() ? interval.high : interval.low;
  return widened(interval, larger.abs() * u(30));
}

Real cube(Real x, const GeluDeparture& d) {
  const Real exact = x * x * x;
  return d.cube_in_half ? in_half(exact) : exact;
}

bool is_zero(Real x) { return !(x < Real()) && !(Real() < x) && !x.is_nan(); }

Real cubic(const GeluDeparture& d) {
  if (!is_zero(d.cubic)) return d.cubic;
  return d.cubic_in == nullptr ? kCubic : Real::of(*d.cubic_in, kCubic.in(*d.cubic_in));
}

// The factor of the argument.
Real slope_or(Real right, const GeluDeparture& d) { return is_zero(d.slope) ? right : d.slope; }

Real tanh_argument(Real x, const GeluDeparture& d) {
  return slope_or(kSlope, d) * (x + cubic(d) * cube(x, d));
}

RealInterval tanh_form(Real x, const GeluDeparture& d) {
  const Real z = tanh_argument(x, d);
  const Real t = limited(soft::tanh, z, d);
  const Real radius = tanh_radius(z) + d.tanh_error * t.abs();
  return relatively(multiplied(kHalf * x, tail(t, radius, d)));
}

RealInterval sum_of(const RealInterval& interval, Real x) {
  return {interval.low + x, interval.high + x};
}

RealInterval tanh_gradient(Real x, const GeluDeparture& d) {
  const Real z = tanh_argument(x, d);
  const Real t = limited(soft::tanh, z, d);
  const Real power = Real(d.no_three ? 1 : 3) * cubic(d) * cube(x, d);
  const Real inner = d.no_inner ? x : slope_or(kSlope, d) * (d.no_growth ? x : x + power);
  const Real growth = d.no_second_term ? Real() : kHalf * inner;
  const Real rest = (Real(1) - t * t) * growth;
  if (rest.is_nan()) return {rest, rest};
  const Real flushed = z.abs() < Real(56) ? kLeastNormal : Real();  // as in tanh_radius()
  const Real lost = Real(2) * tanh_radius(z) + flushed;
  const RealInterval half = multiplied(kHalf, tail(t, tanh_radius(z), d));
  return sum_of(widened(half, lost * growth.abs() + u(20) * (half.high + rest.abs())), rest);
}

RealInterval erf_form(Real x, const GeluDeparture& d) {
  const Real a = x * slope_or(kSqrtHalf, d);
  return relatively(multiplied(kHalf * x, tail(limited(soft::erf, a, d), erf_radius(a), d)));
}

RealInterval erf_gradient(Real x, const GeluDeparture& d) {
  const Real a = x * slope_or(kSqrtHalf, d);
  const Real inner = d.no_inner ? Real(1) : slope_or(kSqrtHalf, d);
  const bool is_right = !d.no_inner && is_zero(d.slope);
  const Real density = is_right ? kDensity : kTwoOverRootPi * kHalf * inner;
  const Real slope = d.no_second_term ? Real() : x * density * decay(a * a);
  const RealInterval half = multiplied(kHalf, tail(limited(soft::erf, a, d), erf_radius(a), d));
  const bool may_be_subnormal = x.abs() < kLargestOfSubnormalExp;
  const Real flushed = may_be_subnormal ? kLargestOfSubnormalExp * kLeastNormal : Real();
  // Half of erf, and the roundings of three sums of terms below 1.
  const Real about_half = is_zero(d.erf_error) ? Real() : kHalf * d.erf_error + u(15);
  const Real radius =
      u(10) * ((x * x + Real(12)) * slope.abs() + Real(2) * half.high) + flushed + about_half;
  return sum_of(widened(half, radius), slope);
}

// x / (1 + exp(-factor x)); overflow of exp gives 0.
RealInterval sigmoid_form(Real x, Real factor) {
  const Real z = factor * x;
  const Real value = x / (Real(1) + decay(z));
  if (value.is_nan()) return {value, value};
  const Real share = Real(1) / (Real(1) + decay(Real() - z));
  return around(value, value.abs() * (u(80) + z.abs() * share * u(30)));
}

bool is_infinite(Real x) { return !(x.abs() < kInfinity) && !x.is_nan(); }

// An infinity has no rounding. Where the derivative may be zero, the sign of the product is open.
RealInterval of_infinity(const RealInterval& derivative, Real dy) {
  const bool has_sign = Real() < derivative.low || derivative.high < Real();
  if (!has_sign) return {Real() - kInfinity, kInfinity};
  return {dy * derivative.low, dy * derivative.low};
}

RealInterval gradient(const RealInterval& derivative, Real dy, const GeluDeparture& d) {
  RealInterval kept = derivative;
  if (d.gradient_in != nullptr && !kept.low.is_nan()) {
    kept = {Real::of(*d.gradient_in, kept.low.in(*d.gradient_in)),
            Real::of(*d.gradient_in, kept.high.in(*d.gradient_in))};
  }
  if (is_infinite(dy) && !kept.low.is_nan()) return of_infinity(kept, dy);
  const Real in_products = kLargestOfSubnormalExp * kLeastSubnormal;
  return widened(relatively(multiplied(dy, kept)), is_zero(dy) ? Real() : in_products);
}

RealInterval united(const RealInterval& a, const RealInterval& b) {
  return {b.low < a.low ? b.low : a.low, a.high < b.high ? b.high : a.high};
}

template <typename Of>
RealInterval image(const RealInterval& x, Real least, const Of& of) {
  const RealInterval low = of(x.low);
  const RealInterval high = of(x.high);
  if (low.low.is_nan() || high.low.is_nan()) return {low.low + high.low, low.low + high.low};
  RealInterval all = united(low, high);
  if (x.low < least && least < x.high) all = united(all, of(least));
  return widened(all, (x.high - x.low) * u(200));
}

}  // namespace

RealInterval gelu_interval(Gelu form, Real x, Real dy, const GeluDeparture& d) {
  const Real nan = kInfinity - kInfinity;
  const bool infinite = is_infinite(x);
  if (d.nan_at_infinity && infinite) return {nan, nan};
  if (infinite && Real() < d.exp_limit) return {nan, nan};
  if (infinite && !(x < Real())) return {x, x};
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

RealInterval silu_interval(Real x) { return sigmoid_form(x, Real(1)); }

RealInterval gelu_image(Gelu form, const RealInterval& x, const GeluDeparture& d) {
  const auto of = [&](Real at) { return gelu_interval(form, at, Real(), d); };
  return image(x, form == Gelu::kErf ? kLeastOfErf : kLeastOfTanh, of);
}

RealInterval gelu_sigmoid_image(const RealInterval& x) {
  const RealInterval image = silu_image({x.low * kSigmoidFactor, x.high * kSigmoidFactor});
  return {image.low / kSigmoidFactor, image.high / kSigmoidFactor};
}

RealInterval silu_image(const RealInterval& x) { return image(x, kLeastOfSilu, silu_interval); }

}  // namespace halfmark::suites
