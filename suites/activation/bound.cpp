// SPDX-License-Identifier: Apache-2.0
// How far fp32 evaluations of GELU may lie from its value. u is 2^-24; erf, tanh and exp are taken
// within 2 ulp, and as exactly 1 where their value rounds to it; a term that follows from the order
// of operations is rounded up.
//
// erf form, forward, 0.5 x (1 + erf(x c)): the argument is off by 2u relative, which moves erf by
// at most 2u max(2/sqrt(pi) a e^(-a^2)) = u; erf itself 2u, the sum u, the centre here 1.5u: 5.5u
// times |x| / 2; two products, relative. erf form, backward, dy (Phi(x) + x phi(x)): Phi 3u; x
// phi(x) <= 0.25 relative 8u, and x^2 u of it from the exponent, where |x|^3 phi(x) <= 0.47; two
// sums; the centre 1.5u: 8u; the product with dy. tanh form, forward: the argument is off by 8u
// relative, which moves tanh by 8u max(a sech^2 a) < 4u; tanh 2u, the sum u, the centre 1.5u: 8.5u
// times |x| / 2. tanh form, backward: (1 + t) / 2 as before, 4.5u; 1 - t^2 off by 16u while t is
// not 1, times (k/2) |x| (1 + 3c x^2) <= 9 for |x| <= 5.2. Beyond, t is 1 in fp32 and what is lost
// is below 4 e^(-2z) times the same factor, at most 10u.
#include "reference/soft/functions.hpp"
#include "suites/activation/binding.hpp"

namespace halfmark::suites::activation {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;

constexpr Real u(std::int64_t tenths) { return Real(tenths) * kSingleRounding / Real(10); }

constexpr Real kSqrtHalf = Real(0xb504f333f9de6484 >> 11, -53);
constexpr Real kSlope = Real::of(formats::kFp64, 0x3fe9884533d43651);  // sqrt(2 / pi)
constexpr Real kCubic = Real(44715) / Real(1000000);
constexpr Real kDensity = Real::of(formats::kFp64, 0x3fd9884533d43651);  // 1 / sqrt(2 pi)
constexpr Real kHalf = Real(1, -1);

using Function = soft::Result (*)(const formats::Format&, Bits, const soft::Environment&);

// Through fp32: 1.5u off at values near 1, with the operand's own rounding.
Real value_of(Function function, Real x) {
  return Real::of(kFp32, function(kFp32, x.in(kFp32), {}).bits);
}

Real in_half(Real x) { return Real::of(kFp16, x.in(kFp16)); }

Real limited(Function function, Real z, const Departure& d) {
  const Real zero;
  if (zero < d.exp_limit && d.exp_limit < z) return zero / zero;
  if (zero < d.tanh_limit && !(z.abs() < d.tanh_limit)) return z < zero ? Real(-1) : Real(1);
  return value_of(function, z);
}

// 1 + tanh or 1 + erf, with everything that it may be.
RealInterval tail(Real t, Real radius, const Departure& d) {
  const RealInterval sum = around(Real(1) + t, radius);
  if (!d.tail_in_half) return sum;
  return {in_half(sum.low), in_half(sum.high)};
}

Real decay(Real exponent) { return value_of(soft::exp, Real() - exponent); }

Real erf_radius(Real a) { return Real(42) < Real(10) * a.abs() ? decay(a * a) : u(60); }

Real tanh_radius(Real z) {
  return Real(97) < Real(10) * z.abs() ? Real(2) * decay(Real(2) * z.abs()) : u(90);
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

Real cube(Real x, const Departure& d) {
  const Real exact = x * x * x;
  return d.cube_in_half ? in_half(exact) : exact;
}

Real cubic(const Departure& d) {
  return d.cubic_in == nullptr ? kCubic : Real::of(*d.cubic_in, kCubic.in(*d.cubic_in));
}

Real tanh_argument(Real x, const Departure& d) { return kSlope * (x + cubic(d) * cube(x, d)); }

RealInterval tanh_form(Real x, const Departure& d) {
  const Real z = tanh_argument(x, d);
  return relatively(multiplied(kHalf * x, tail(limited(soft::tanh, z, d), tanh_radius(z), d)));
}

RealInterval sum_of(const RealInterval& interval, Real x) {
  return {interval.low + x, interval.high + x};
}

RealInterval tanh_gradient(Real x, const Departure& d) {
  const Real z = tanh_argument(x, d);
  const Real t = limited(soft::tanh, z, d);
  const Real power = Real(d.no_three ? 1 : 3) * cubic(d) * cube(x, d);
  const Real growth = d.no_second_term ? Real() : kHalf * kSlope * (x + power);
  const Real rest = (Real(1) - t * t) * growth;
  if (rest.is_nan()) return {rest, rest};
  const Real lost = Real(2) * tanh_radius(z);
  const RealInterval half = multiplied(kHalf, tail(t, tanh_radius(z), d));
  return sum_of(widened(half, lost * growth.abs() + u(20) * (half.high + rest.abs())), rest);
}

RealInterval erf_form(Real x, const Departure& d) {
  const Real a = x * kSqrtHalf;
  return relatively(multiplied(kHalf * x, tail(limited(soft::erf, a, d), erf_radius(a), d)));
}

RealInterval erf_gradient(Real x, const Departure& d) {
  const Real a = x * kSqrtHalf;
  const Real slope = d.no_second_term ? Real() : x * kDensity * decay(a * a);
  const RealInterval half = multiplied(kHalf, tail(limited(soft::erf, a, d), erf_radius(a), d));
  const Real radius = u(10) * ((x * x + Real(12)) * slope.abs() + Real(2) * half.high);
  return sum_of(widened(half, radius), slope);
}

// Overflow of exp gives 0.
RealInterval sigmoid_form(Real x) {
  const Real z = Real(1702) / Real(1000) * x;
  const Real value = x / (Real(1) + decay(z));
  if (value.is_nan()) return {value, value};
  return around(value, value.abs() * u(80) + value.abs() * z.abs() * u(30));
}

RealInterval gradient(const RealInterval& derivative, Real dy, const Departure& d) {
  RealInterval kept = derivative;
  if (d.gradient_in != nullptr && !kept.low.is_nan()) {
    kept = {Real::of(*d.gradient_in, kept.low.in(*d.gradient_in)),
            Real::of(*d.gradient_in, kept.high.in(*d.gradient_in))};
  }
  return relatively(multiplied(dy, kept));
}

}  // namespace

RealInterval gelu_interval(Operation operation, Real x, Real dy, const Departure& d) {
  const Real infinity = Real(1) / Real();
  const bool infinite = !(x.abs() < infinity) && !x.is_nan();
  if (d.nan_at_infinity && infinite) return {infinity - infinity, infinity - infinity};
  if (infinite && Real() < d.exp_limit) return {infinity - infinity, infinity - infinity};
  if (infinite && !(x < Real())) return {x, x};
  if (d.sigmoid) return sigmoid_form(x);
  switch (operation) {
    case Operation::kGelu:
      return erf_form(x, d);
    case Operation::kGeluTanh:
      return tanh_form(x, d);
    case Operation::kGeluBackward:
      return gradient(erf_gradient(x, d), dy, d);
    case Operation::kGeluTanhBackward:
      return gradient(tanh_gradient(x, d), dy, d);
    case Operation::kRelu:
    case Operation::kReluBackward:
    case Operation::kMax:
      break;
  }
  return {x, x};
}

}  // namespace halfmark::suites::activation
