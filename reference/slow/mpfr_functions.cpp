// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/mpfr_functions.hpp"

#include <cstdlib>
#include <optional>

#include "reference/formats/classify.hpp"
#include "reference/slow/mpfr_number.hpp"

namespace halfmark::slow::mpfr {

void load(Number& x, const Format& f, Bits bits) {
  const Exact exact = exact_value(f, bits);
  const Bits field = formats::exponent_field(f, bits) == 0 ? 0 : Bits{1} << f.fraction_bits;
  mpfr_set_ui_2exp(x.value, formats::fraction_field(f, bits) | field, exact.exponent, MPFR_RNDN);
  mpfr_setsign(x.value, x.value, formats::sign(f, bits) ? 1 : 0, MPFR_RNDN);
}

Exact cut_value(const Number& number, bool more) {
  Exact exact{.negative = mpfr_signbit(number.value) != 0, .numerator = Natural(1)};
  const mpfr_exp_t end = mpfr_zero_p(number.value) != 0 ? kSmallest : mpfr_get_exp(number.value);
  if (end <= kSmallest || end >= kLargest) {
    exact.exponent = static_cast<int>(end <= kSmallest ? kSmallest : kLargest);
    return exact;
  }
  Number scaled(kBits);
  mpfr_mul_2si(scaled.value, number.value, kBits - end, MPFR_RNDN);
  mpfr_abs(scaled.value, scaled.value, MPFR_RNDN);
  exact.numerator = Natural(2 * mpfr_get_ui(scaled.value, MPFR_RNDN) + (more ? 1 : 0));
  exact.exponent = static_cast<int>(end - kBits - 1);
  return exact;
}

namespace {

constexpr mpfr_prec_t kWidest = 4096;

// --- composed functions: bounds of the magnitude -------------------------------------------------

struct Interval {
  explicit Interval(mpfr_prec_t precision) : low(precision), high(precision) {}
  Number low;
  Number high;
};

// 1 / (1 + e^-x)
void sigmoid(Interval& result, const Number& x) {
  Number minus_x(mpfr_get_prec(x.value));
  mpfr_neg(minus_x.value, x.value, MPFR_RNDN);
  mpfr_exp(result.low.value, minus_x.value, MPFR_RNDU);
  mpfr_add_ui(result.low.value, result.low.value, 1, MPFR_RNDU);
  mpfr_ui_div(result.low.value, 1, result.low.value, MPFR_RNDD);
  mpfr_exp(result.high.value, minus_x.value, MPFR_RNDD);
  mpfr_add_ui(result.high.value, result.high.value, 1, MPFR_RNDD);
  mpfr_ui_div(result.high.value, 1, result.high.value, MPFR_RNDU);
}

// |x| erfc(-x / sqrt 2) / 2; erfc decreases.
void gelu_bound(Number& result, const Number& x, bool low) {
  const mpfr_rnd_t way = low ? MPFR_RNDD : MPFR_RNDU;
  const bool away = (mpfr_signbit(x.value) != 0) == low;  // a larger |x| / sqrt 2
  Number t(mpfr_get_prec(result.value));
  mpfr_sqrt_ui(t.value, 2, away ? MPFR_RNDD : MPFR_RNDU);
  mpfr_div(t.value, x.value, t.value, away ? MPFR_RNDA : MPFR_RNDZ);
  mpfr_neg(t.value, t.value, MPFR_RNDN);
  mpfr_erfc(result.value, t.value, way);
  mpfr_mul(result.value, result.value, x.value, low ? MPFR_RNDZ : MPFR_RNDA);
  mpfr_abs(result.value, result.value, MPFR_RNDN);
  mpfr_div_2ui(result.value, result.value, 1, MPFR_RNDN);
}
void gelu(Interval& result, const Number& x) {
  gelu_bound(result.low, x, true);
  gelu_bound(result.high, x, false);
}

// tanh(sqrt(2/pi) (|x| + 0.044715 |x|^3)), every step rounded in one direction.
void gelu_slope(Number& result, const Number& x, mpfr_rnd_t way) {
  const mpfr_rnd_t against = way == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
  Number factor(mpfr_get_prec(result.value));
  mpfr_const_pi(factor.value, against);
  mpfr_ui_div(factor.value, 2, factor.value, way);
  mpfr_sqrt(factor.value, factor.value, way);
  Number size(mpfr_get_prec(x.value));
  mpfr_abs(size.value, x.value, MPFR_RNDN);
  mpfr_pow_ui(result.value, size.value, 3, way);
  mpfr_mul_ui(result.value, result.value, 44715, way);
  mpfr_div_ui(result.value, result.value, 1000000, way);
  mpfr_add(result.value, result.value, size.value, way);
  mpfr_mul(result.value, result.value, factor.value, way);
  mpfr_tanh(result.value, result.value, way);
}

// |x| / 2 (1 +- that)
void gelu_tanh(Interval& result, const Number& x) {
  const bool negative = mpfr_signbit(x.value) != 0;
  gelu_slope(negative ? result.high : result.low, x, MPFR_RNDD);
  gelu_slope(negative ? result.low : result.high, x, MPFR_RNDU);
  for (const bool low : {true, false}) {
    Number& end = low ? result.low : result.high;
    if (negative) mpfr_neg(end.value, end.value, MPFR_RNDN);
    mpfr_add_ui(end.value, end.value, 1, low ? MPFR_RNDD : MPFR_RNDU);
    mpfr_mul(end.value, end.value, x.value, low ? MPFR_RNDZ : MPFR_RNDA);
    mpfr_abs(end.value, end.value, MPFR_RNDN);
    mpfr_div_2ui(end.value, end.value, 1, MPFR_RNDN);
  }
}

Exact compose(void (*function)(Interval&, const Number&), const Number& x, bool negative) {
  for (mpfr_prec_t precision = 128; precision <= kWidest; precision *= 2) {
    Interval bounds(precision);
    function(bounds, x);
    mpfr_nextbelow(bounds.high.value);  // the exact value lies strictly between
    const bool vanishes = mpfr_get_exp(bounds.high.value) <= kSmallest;
    Number low(kBits);
    Number high(kBits);
    mpfr_set(low.value, bounds.low.value, MPFR_RNDZ);
    mpfr_set(high.value, bounds.high.value, MPFR_RNDZ);
    if (!vanishes && mpfr_equal_p(low.value, high.value) == 0) continue;
    Exact exact = cut_value(high, true);
    exact.negative = negative;
    return exact;
  }
  std::abort();
}

using Direct = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

Exact direct(Direct function, const Number& x) {
  Number result(kBits);
  const int ternary = function(result.value, x.value, MPFR_RNDZ);
  return cut_value(result, ternary != 0);
}

Exact exact_at(Function function, const Number& x) {
  const bool negative = mpfr_signbit(x.value) != 0;
  switch (function) {
    case Function::kExp:
      return direct(mpfr_exp, x);
    case Function::kExp2:
      return direct(mpfr_exp2, x);
    case Function::kLog:
      return direct(mpfr_log, x);
    case Function::kLog2:
      return direct(mpfr_log2, x);
    case Function::kRsqrt:
      return direct(mpfr_rec_sqrt, x);
    case Function::kTanh:
      return direct(mpfr_tanh, x);
    case Function::kErf:
      return direct(mpfr_erf, x);
    case Function::kSigmoid:
      return compose(sigmoid, x, false);
    case Function::kGelu:
      return compose(gelu, x, negative);
    case Function::kGeluTanh:
      return compose(gelu_tanh, x, negative);
    case Function::kSin:
      return direct(mpfr_sin, x);
    case Function::kCos:
      return direct(mpfr_cos, x);
    case Function::kTan:
      return direct(mpfr_tan, x);
    case Function::kAsin:
      return direct(mpfr_asin, x);
    case Function::kAcos:
      return direct(mpfr_acos, x);
    case Function::kAtan:
      return direct(mpfr_atan, x);
    case Function::kSinh:
      return direct(mpfr_sinh, x);
    case Function::kCosh:
      return direct(mpfr_cosh, x);
    case Function::kExp10:
      return direct(mpfr_exp10, x);
    case Function::kExpm1:
      return direct(mpfr_expm1, x);
    case Function::kLog10:
      return direct(mpfr_log10, x);
    case Function::kLog1p:
      return direct(mpfr_log1p, x);
    case Function::kCbrt:
      return direct(mpfr_cbrt, x);
    case Function::kErfc:
      return direct(mpfr_erfc, x);
    case Function::kSinpi:
      return direct(mpfr_sinpi, x);
    case Function::kCospi:
      return direct(mpfr_cospi, x);
  }
  std::abort();
}

// --- zeros and infinities: IEEE 754-2019, 9.2.1, and limits --------------------------------------

using Kind = FunctionValue::Kind;

// +-2^exponent; the exponent means nothing if the value is not finite.
FunctionValue power(Kind kind, bool negative = false, int exponent = 0) {
  return {kind, {.negative = negative, .numerator = Natural(1), .exponent = exponent}};
}
FunctionValue finite(int exponent, bool negative = false) {
  return power(Kind::kFinite, negative, exponent);
}

// pi * 2^exponent
FunctionValue pi(int exponent, bool negative = false) {
  Number value(kBits);
  mpfr_const_pi(value.value, MPFR_RNDZ);
  mpfr_mul_2si(value.value, value.value, exponent, MPFR_RNDN);
  Exact exact = cut_value(value, true);
  exact.negative = negative;
  return {Kind::kFinite, exact};
}

FunctionValue at_infinity(Function function, bool negative) {
  switch (function) {
    case Function::kExp:
    case Function::kExp2:
      return power(negative ? Kind::kZero : Kind::kInfinity);
    case Function::kLog:
    case Function::kLog2:
      return power(negative ? Kind::kInvalid : Kind::kInfinity);
    case Function::kRsqrt:
      return power(negative ? Kind::kInvalid : Kind::kZero);
    case Function::kTanh:
    case Function::kErf:
      return finite(0, negative);
    case Function::kSigmoid:
      return negative ? power(Kind::kZero) : finite(0);
    case Function::kGelu:
    case Function::kGeluTanh:
      return negative ? power(Kind::kZero, true) : power(Kind::kInfinity);
    case Function::kSin:
    case Function::kCos:
    case Function::kTan:
    case Function::kAsin:
    case Function::kAcos:
    case Function::kSinpi:
    case Function::kCospi:
      return power(Kind::kInvalid);
    case Function::kAtan:
      return pi(-1, negative);
    case Function::kSinh:
    case Function::kCbrt:
      return power(Kind::kInfinity, negative);
    case Function::kCosh:
      return power(Kind::kInfinity);
    case Function::kExp10:
      return power(negative ? Kind::kZero : Kind::kInfinity);
    case Function::kExpm1:
      return negative ? finite(0, true) : power(Kind::kInfinity);
    case Function::kLog10:
    case Function::kLog1p:
      return power(negative ? Kind::kInvalid : Kind::kInfinity);
    case Function::kErfc:
      return negative ? finite(1) : power(Kind::kZero);
  }
  std::abort();
}

bool is_logarithm(Function function) {
  return function == Function::kLog || function == Function::kLog2 || function == Function::kLog10;
}

// Where the function is infinite or zero although x is finite.
std::optional<FunctionValue> special_at(Function function, const Number& x) {
  const int beside_one = mpfr_cmp_ui(x.value, 1);
  const int beside_minus_one = mpfr_cmp_si(x.value, -1);
  const bool negative = mpfr_sgn(x.value) < 0;
  if (beside_one == 0 && (is_logarithm(function) || function == Function::kAcos)) {
    return power(Kind::kZero);
  }
  if (negative && (is_logarithm(function) || function == Function::kRsqrt)) {
    return power(Kind::kInvalid);
  }
  if (function == Function::kLog1p && beside_minus_one <= 0) {
    return beside_minus_one == 0 ? power(Kind::kPole, true) : power(Kind::kInvalid);
  }
  if (function == Function::kSinpi && mpfr_integer_p(x.value) != 0) {
    return power(Kind::kZero, negative);
  }
  if (function == Function::kCospi && mpfr_integer_p(x.value) == 0) {
    Number twice(64);
    mpfr_mul_2ui(twice.value, x.value, 1, MPFR_RNDN);
    if (mpfr_integer_p(twice.value) != 0) return power(Kind::kZero);
  }
  const bool is_arc = function == Function::kAsin || function == Function::kAcos;
  if (is_arc && (beside_one > 0 || beside_minus_one < 0)) return power(Kind::kInvalid);
  return std::nullopt;
}

}  // namespace

Function find_function(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "exp",       "exp2",  "log",   "log2",  "rsqrt", "tanh", "erf",   "sigmoid", "gelu",
      "gelu_tanh", "sin",   "cos",   "tan",   "asin",  "acos", "atan",  "sinh",    "cosh",
      "exp10",     "expm1", "log10", "log1p", "cbrt",  "erfc", "sinpi", "cospi"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Function>(i);
  }
  std::abort();
}

FunctionValue value_at_zero(Function function, bool negative) {
  switch (function) {
    case Function::kExp:
    case Function::kExp2:
    case Function::kExp10:
    case Function::kCos:
    case Function::kCosh:
    case Function::kErfc:
    case Function::kCospi:
      return finite(0);
    case Function::kAcos:
      return pi(-1);
    case Function::kSigmoid:
      return finite(-1);
    case Function::kLog:
    case Function::kLog2:
    case Function::kLog10:
      return power(Kind::kPole, true);
    case Function::kRsqrt:
      return power(Kind::kPole, negative);
    case Function::kTanh:
    case Function::kErf:
    case Function::kGelu:
    case Function::kGeluTanh:
    case Function::kSin:
    case Function::kTan:
    case Function::kAsin:
    case Function::kAtan:
    case Function::kSinh:
    case Function::kExpm1:
    case Function::kLog1p:
    case Function::kCbrt:
    case Function::kSinpi:
      return power(Kind::kZero, negative);
  }
  std::abort();
}

FunctionValue value_of(Function function, const Format& f, Bits a) {
  const bool negative = formats::sign(f, a);
  if (formats::is_signaling(f, a)) return power(Kind::kInvalid);
  if (formats::is_nan(f, a)) return power(Kind::kQuietNan);
  if (formats::is_infinity(f, a)) return at_infinity(function, negative);
  if (formats::is_zero(f, a)) return value_at_zero(function, negative);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  Number x(64);
  load(x, f, a);
  if (const auto special = special_at(function, x)) return *special;
  return {Kind::kFinite, exact_at(function, x)};
}

Result rounded(const FunctionValue& value, const Format& f, const Environment& env) {
  const bool negative = value.value.negative;
  switch (value.kind) {
    case Kind::kQuietNan:
      return {formats::quiet_nan(f), 0};
    case Kind::kInvalid:
      return {formats::quiet_nan(f), soft::kInvalid};
    case Kind::kZero:
      return {formats::zero(f, negative), 0};
    case Kind::kFinite:
      return round_exact(f, value.value, env);
    case Kind::kInfinity:
    case Kind::kPole:
      break;
  }
  Result result{formats::infinity(f, negative), 0};
  if (!f.has_infinity() || env.overflow == soft::Overflow::kSaturate) {
    // Out of range like a huge number.
    result =
        round_exact(f, {.negative = negative, .numerator = Natural(1), .exponent = kLargest}, env);
  }
  if (value.kind == Kind::kPole) result.flags |= soft::kDivideByZero;
  return result;
}

}  // namespace halfmark::slow::mpfr
