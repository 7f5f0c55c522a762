// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/mpfr_binary_functions.hpp"

#include <cstdlib>
#include <iterator>

#include "reference/formats/classify.hpp"
#include "reference/slow/mpfr_number.hpp"

namespace halfmark::slow::mpfr {
namespace {

using Kind = FunctionValue::Kind;
using Binary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

// Cases where a^b has a value but e^(b log a) does not.
int powr(mpfr_t result, const mpfr_t a, const mpfr_t b, mpfr_rnd_t way) {
  const bool zero_times_infinity =
      (mpfr_zero_p(b) != 0 && (mpfr_zero_p(a) != 0 || mpfr_inf_p(a) != 0)) ||
      (mpfr_inf_p(b) != 0 && mpfr_cmp_ui(a, 1) == 0);
  if (mpfr_nan_p(a) != 0 || mpfr_nan_p(b) != 0 || mpfr_sgn(a) < 0 || zero_times_infinity) {
    mpfr_set_nan(result);
    return 0;
  }
  Number size(mpfr_get_prec(a));
  mpfr_abs(size.value, a, MPFR_RNDN);
  return mpfr_pow(result, size.value, b, way);
}

struct Row {
  std::string_view name;
  Binary evaluate;
};
constexpr Row kRows[] = {{"pow", mpfr_pow},     {"powr", powr},      {"atan2", mpfr_atan2},
                         {"hypot", mpfr_hypot}, {"fmod", mpfr_fmod}, {"remainder", mpfr_remainder}};

void read(Number& x, const Format& f, Bits bits, const Environment& env) {
  const bool negative = formats::sign(f, bits);
  if (formats::is_nan(f, bits)) {
    mpfr_set_nan(x.value);
  } else if (formats::is_infinity(f, bits)) {
    mpfr_set_inf(x.value, negative ? -1 : 1);
  } else if (formats::is_zero(f, bits) || (env.flushes_in() && formats::is_subnormal(f, bits))) {
    mpfr_set_zero(x.value, negative ? -1 : 1);
  } else {
    load(x, f, bits);
  }
}

FunctionValue special(Kind kind, bool negative) {
  return {kind, {.negative = negative, .numerator = Natural(1)}};
}

}  // namespace

FunctionValue value_of(std::string_view name, const Format& f, Bits a, Bits b,
                       const Environment& env) {
  if (formats::is_signaling(f, a) || formats::is_signaling(f, b)) {
    return special(Kind::kInvalid, false);
  }
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  Number x(64);
  Number y(64);
  read(x, f, a, env);
  read(y, f, b, env);
  Number result(kBits);
  mpfr_clear_flags();
  int ternary = 0;
  const Row* row = std::begin(kRows);
  while (row->name != name) {
    if (++row == std::end(kRows)) std::abort();
  }
  ternary = row->evaluate(result.value, x.value, y.value, MPFR_RNDZ);
  const bool negative = mpfr_signbit(result.value) != 0;
  if (mpfr_nan_p(result.value) != 0) {
    const bool quiet = mpfr_nan_p(x.value) != 0 || mpfr_nan_p(y.value) != 0;
    return special(quiet ? Kind::kQuietNan : Kind::kInvalid, false);
  }
  if (mpfr_inf_p(result.value) != 0) {
    return special(mpfr_divby0_p() != 0 ? Kind::kPole : Kind::kInfinity, negative);
  }
  if (mpfr_zero_p(result.value) != 0 && ternary == 0) return special(Kind::kZero, negative);
  return {Kind::kFinite, cut_value(result, ternary != 0)};
}

}  // namespace halfmark::slow::mpfr
