// SPDX-License-Identifier: Apache-2.0
// What the files mpfr_*functions.cpp share: an MPFR number that frees itself, operands as such
// numbers, and results cut for the twin's rounding. Test only.
#pragma once

#include <mpfr.h>

#include "reference/slow/exact.hpp"

namespace halfmark::slow::mpfr {

inline constexpr mpfr_prec_t kBits = 62;  // kept of every value
// What is smaller or larger than these powers of two is so for every format.
inline constexpr mpfr_exp_t kSmallest = -450;
inline constexpr mpfr_exp_t kLargest = 450;

struct Number {
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value); }
  mpfr_t value;
};

// A finite encoding.
void load(Number& x, const Format& f, Bits bits);

// A number that was cut toward zero, `more` telling whether something was lost.
[[nodiscard]] Exact cut_value(const Number& number, bool more);

}  // namespace halfmark::slow::mpfr
