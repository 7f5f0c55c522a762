// SPDX-License-Identifier: Apache-2.0
// A sum without rounding errors: adds numbers and products of any two formats exactly, in any
// order, and rounds the sum once at the end.
//
// It has two registers. The short one, 1024 bits from 2^-448, takes the terms that can be products
// of two fp32 numbers: it has room for 2^190 of them, scaled by a third factor (alpha * a * b),
// with a last place of at least 2^-447 and a magnitude below 2^384. The long one, 6464 bits from
// 2^-3264, takes the other terms, which need fp64: it has room for 2^127, scaled. It is allocated
// only when needed, so sums of narrow formats do not pay for it.
//
// Rules for special values, whatever the order of the terms:
//  - a NaN term, infinity times zero, or infinities of both signs give the default quiet NaN;
//    invalid is raised by signaling NaNs, by infinity times zero, and by opposite infinities if no
//    term is a NaN;
//  - otherwise an infinite term is the result;
//  - a sum of exactly zero: if all terms have one sign (and so are zeros), it keeps that sign; else
//    it is +0, or -0 when rounding down, as IEEE 754-2019, 6.3, specifies for every sum; without
//    terms it is +0.
// Operands are never flushed: to model that, flush them before adding.
#pragma once

#include <vector>

#include "reference/models/complete_register.hpp"

namespace halfmark::models {

class ExactSum {
 public:
  void add(const formats::Format& f, formats::Bits x);
  void add_product(const formats::Format& fa, formats::Bits a, const formats::Format& fb,
                   formats::Bits b);

  // Multiplies the whole sum by a number, exactly. Call it at most once per sum of products, else
  // the range may overflow. A zero sum times an infinity is invalid.
  void scale(const formats::Format& f, formats::Bits factor);

  // Adds another sum, special values included.
  void add(const ExactSum& other);

  [[nodiscard]] soft::Result round(const formats::Format& f,
                                   const soft::Environment& env = {}) const;

  // A finite sum as an unpacked number, whatever its exponent; the last bit is sticky.
  [[nodiscard]] soft::Value unpacked() const;

 private:
  using Short = CompleteRegister<16, -448>;
  using Long = CompleteRegister<101, -3264>;

  void add_special(const soft::Value& value);
  void add_finite(bool negative, int place, int exponent, soft::Wide integer);
  void see_sign(bool negative) { (negative ? negative_seen_ : positive_seen_) = true; }
  [[nodiscard]] bool is_special() const { return nan_ || plus_infinity_ || minus_infinity_; }
  Long& long_register();
  void gather();
  void scale_special(const soft::Value& factor);

  // The sum is the total of both registers. At most one long register exists.
  Short short_;
  std::vector<Long> long_;
  bool positive_seen_ = false;
  bool negative_seen_ = false;
  bool plus_infinity_ = false;
  bool minus_infinity_ = false;
  bool nan_ = false;
  bool invalid_ = false;
};

}  // namespace halfmark::models
