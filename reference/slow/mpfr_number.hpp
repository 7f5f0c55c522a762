// SPDX-License-Identifier: Apache-2.0
// Shared by the files mpfr_*functions.cpp: an RAII MPFR number, conversion of operands to such
// numbers, and results truncated for the twin's rounding. Tests only.
#pragma once

#include <mpfr.h>

#include "reference/slow/exact.hpp"

namespace halfmark::slow::mpfr {

inline constexpr mpfr_prec_t kBits = 62;  // of every value
// Values below or above these powers of two are too small or too large for every format.
inline constexpr mpfr_exp_t kSmallest = -450;
inline constexpr mpfr_exp_t kLargest = 450;

struct Number {
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};

// Loads a finite encoding.
void load(Number& x, const Format& f, Bits bits);

// A number truncated toward zero; `more` says whether anything was lost.
[[nodiscard]] Exact cut_value(const Number& number, bool more);

}  // namespace halfmark::slow::mpfr
