// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/mpfr.hpp"

#include <mpfr.h>

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::slow::mpfr {
namespace {

// An RAII MPFR number. kWide is enough for every operand and intermediate value here.
struct Number {
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};
constexpr mpfr_prec_t kWide = 64;

void set_wide_range() {
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

mpfr_rnd_t direction(Rounding rounding) {
  switch (rounding) {
    case Rounding::kTowardZero:
      return MPFR_RNDZ;
    case Rounding::kDown:
      return MPFR_RNDD;
    case Rounding::kUp:
      return MPFR_RNDU;
    case Rounding::kNearEven:
    case Rounding::kNearAway:
    case Rounding::kStochastic:
      break;
  }
  return MPFR_RNDN;
}

void load(Number& number, const Format& f, Bits bits) {
  const bool negative = formats::sign(f, bits);
  if (formats::is_infinity(f, bits)) return mpfr_set_inf(number.value, negative ? -1 : 1);
  const int field = formats::exponent_field(f, bits);
  const bool subnormal = f.has_zero && field == 0;
  const Bits integer =
      formats::fraction_field(f, bits) | (subnormal ? 0 : Bits{1} << f.fraction_bits);
  const int place = (subnormal ? 1 : field) - f.bias - f.fraction_bits;
  mpfr_set_ui_2exp(number.value, integer, place, MPFR_RNDN);
  mpfr_setsign(number.value, number.value, negative ? 1 : 0, MPFR_RNDN);
}

Bits store(const Format& f, const Number& number) {
  const bool negative = mpfr_signbit(number.value) != 0;
  if (mpfr_inf_p(number.value) != 0) return formats::infinity(f, negative);
  if (mpfr_zero_p(number.value) != 0) return formats::zero(f, negative);
  const int exponent = static_cast<int>(mpfr_get_exp(number.value)) - 1;  // MPFR's exponent is
                                                                          // one larger
  const int place = std::max(exponent, f.min_exponent()) - f.fraction_bits;
  Number scaled(kWide);
  mpfr_mul_2si(scaled.value, number.value, -place, MPFR_RNDN);
  mpfr_abs(scaled.value, scaled.value, MPFR_RNDN);
  const Bits integer = mpfr_get_ui(scaled.value, MPFR_RNDN);
  if (!f.has_zero && exponent < f.min_exponent()) return 0;
  const Bits binades = Bits(std::max(exponent, f.min_exponent()) + f.bias - 1) << f.fraction_bits;
  return formats::encode(f, negative, integer + binades);
}

int apply(Operation operation, Number& result, const Number& a, const Number& b, const Number& c,
          mpfr_rnd_t rounding) {
  switch (operation) {
    case Operation::kAdd:
      return mpfr_add(result.value, a.value, b.value, rounding);
    case Operation::kSub:
      return mpfr_sub(result.value, a.value, b.value, rounding);
    case Operation::kMul:
      return mpfr_mul(result.value, a.value, b.value, rounding);
    case Operation::kDiv:
      return mpfr_div(result.value, a.value, b.value, rounding);
    case Operation::kFma:
      return mpfr_fma(result.value, a.value, b.value, c.value, rounding);
    case Operation::kSqrt:
      return mpfr_sqrt(result.value, a.value, rounding);
    case Operation::kRint:
      return mpfr_rint(result.value, a.value, rounding);
    case Operation::kConvert:
      return mpfr_set(result.value, a.value, rounding);
  }
  return 0;
}

// Brings a result rounded with unbounded exponent into the format's range; returns the new
// ternary value.
int enter_range(const Format& f, Number& number, int ternary, mpfr_rnd_t way) {
  mpfr_set_emin(f.min_place() + 1);
  mpfr_set_emax(f.max_exponent() + 1);
  ternary = mpfr_check_range(number.value, ternary, way);
  ternary = mpfr_subnormalize(number.value, ternary, way);
  set_wide_range();
  return ternary;
}

// The result beyond the largest finite number of a format.
Result beyond(const Format& f, const Number& number, bool exact_infinity, mpfr_rnd_t way,
              unsigned flags) {
  const bool negative = mpfr_signbit(number.value) != 0;
  if (exact_infinity && f.has_infinity()) return {formats::infinity(f, negative), flags};
  const bool cut = way == MPFR_RNDZ || way == (negative ? MPFR_RNDU : MPFR_RNDD);
  const Bits bits = cut ? formats::max_finite(f, negative) : formats::infinity(f, negative);
  return {bits, flags | soft::kOverflow | soft::kInexact};
}

}  // namespace

Bits parse_decimal(const Format& f, const char* text) {
  return parse_numeral(f, text, Rounding::kNearEven);
}

Bits parse_numeral(const Format& f, const char* text, Rounding rounding) {
  set_wide_range();
  const mpfr_rnd_t way = direction(rounding);
  Number number(f.precision());
  const int ternary = mpfr_strtofr(number.value, text, nullptr, 0, way);
  enter_range(f, number, ternary, way);
  return store(f, number);
}

bool offers(Rounding rounding) {
  return rounding != Rounding::kNearAway && rounding != Rounding::kStochastic;
}

std::optional<Result> evaluate(Operation operation, const Format& in, Bits a, Bits b, Bits c,
                               const Format& out, Rounding rounding) {
  const bool uses_b = operation <= Operation::kFma;
  const bool uses_c = operation == Operation::kFma;
  if (formats::is_nan(in, a) || (uses_b && formats::is_nan(in, b)) ||
      (uses_c && formats::is_nan(out, c))) {
    return std::nullopt;
  }
  set_wide_range();
  Number x(kWide);
  Number y(kWide);
  Number z(kWide);
  load(x, in, a);
  if (uses_b) load(y, in, b);
  if (uses_c) load(z, out, c);

  // First with unbounded exponent: this result decides overflow and tininess.
  const mpfr_rnd_t way = direction(rounding);
  Number result(out.precision());
  mpfr_clear_flags();
  int ternary = apply(operation, result, x, y, z, way);
  if (mpfr_nan_p(result.value) != 0) return std::nullopt;
  const unsigned flags = mpfr_divby0_p() != 0 ? unsigned{soft::kDivideByZero} : 0u;
  const bool negative = mpfr_signbit(result.value) != 0;
  const bool zero = mpfr_zero_p(result.value) != 0;
  if (negative && !zero && !out.has_sign) return Result{formats::quiet_nan(out), soft::kInvalid};
  Number largest(kWide);
  load(largest, out, formats::max_finite(out));
  if (mpfr_cmpabs(result.value, largest.value) > 0) {
    const bool exact_infinity = mpfr_inf_p(result.value) != 0 && ternary == 0;
    return beyond(out, result, exact_infinity, way, flags);
  }
  if (zero && !out.has_zero) return Result{0, flags | soft::kInexact | soft::kUnderflow};

  // Then in the format's own range.
  const bool tiny = !zero && mpfr_get_exp(result.value) - 1 < out.min_exponent();
  if (out.has_zero) ternary = enter_range(out, result, ternary, way);
  const bool inexact = ternary != 0 || (tiny && !out.has_zero);
  const unsigned lost = soft::kInexact | (tiny ? unsigned{soft::kUnderflow} : 0u);
  return Result{store(out, result), flags | (inexact ? lost : 0u)};
}

}  // namespace halfmark::slow::mpfr
