// SPDX-License-Identifier: Apache-2.0
// One problem of the naive twin (unit.hpp) under evaluation. unit.cpp has the operands and their
// products, which all rules share, unit_aligned.cpp the rules that align terms to a common grid and
// add them there, unit_stepwise.cpp the rules that round after each operation. Tests only.
#pragma once

#include <optional>
#include <vector>

#include "reference/slow/unit.hpp"

namespace halfmark::slow {

struct UnitTerm {
  Real real;
  int exponent;
  bool zero;  // uses the row's zero exponent instead of its own
};
using UnitTerms = std::vector<UnitTerm>;

class UnitEvaluation {
 public:
  UnitEvaluation(const models::Unit& unit, const UnitProblem& problem, Variation variation);

  formats::Bits answer();

 private:
  using Bits = formats::Bits;
  using Format = formats::Format;
  using Rounding = soft::Rounding;

  static constexpr int kSmallestFp32 = -126;  // exponent of the smallest normal number

  [[nodiscard]] bool is(Variation variation) const { return variation_ == variation; }

  // tf32 operands are the upper bits of an fp32 word.
  [[nodiscard]] Real operand(const Format& f, Bits bits) const;
  // A number below 2^smallest becomes a zero of the given sign.
  static Real flush(const Real& x, int smallest, bool negative);
  [[nodiscard]] Real nearest(const Real& x) const;
  // The result of an operation in a rule built from operations.
  [[nodiscard]] Real delivered(const Real& x) const;
  // The exponent field of a number of a format: smaller numbers have that of the smallest normal
  // one.
  [[nodiscard]] int exponent_of(const Format& f, const Real& x) const;
  [[nodiscard]] UnitTerm product(const Format& fa, const Format& fb, std::size_t k) const;
  [[nodiscard]] UnitTerms products(std::size_t first, std::size_t last) const;
  [[nodiscard]] UnitTerm addend(const Real& c) const;
  // The exact sum; infinities and NaNs take part.
  [[nodiscard]] Real special_sum(const UnitTerms& terms) const;
  // Of the first `count` terms, those of 2^128 and more become infinities.
  static void overflow(UnitTerms& terms, std::size_t count);

  // The products from `first` to before `last`, added to c by the unit's rule.
  [[nodiscard]] Real evaluate(std::size_t first, std::size_t last, const Real& c);

  // unit_aligned.cpp
  struct Sum {
    Rational value;
    std::optional<int> exponent;  // none: every term was zero
  };
  [[nodiscard]] Rounding alignment() const;
  [[nodiscard]] Real finish(const Rational& total, bool negative_zero) const;
  [[nodiscard]] Real truncated_sum(UnitTerms terms) const;
  [[nodiscard]] Real with_c(UnitTerms terms, const Real& c) const;
  [[nodiscard]] Real scale_of(const std::vector<Bits>& scales, std::size_t k) const;
  [[nodiscard]] Real scaled(std::size_t first, std::size_t last, const Real& c) const;
  [[nodiscard]] Real group_scaled(std::size_t first, std::size_t last, const Real& c) const;
  [[nodiscard]] bool in_second_step(std::size_t k) const;
  [[nodiscard]] Real through_half(std::size_t first, std::size_t last, const Real& c) const;
  [[nodiscard]] Sum own_grid(const UnitTerms& terms) const;
  [[nodiscard]] Rational lowered(const Rational& x, int place) const;
  [[nodiscard]] Sum split(const UnitTerms& terms) const;
  [[nodiscard]] Real floored(std::size_t first, std::size_t last, const Real& c) const;

  // unit_stepwise.cpp
  [[nodiscard]] Real exact(std::size_t first, std::size_t last, const Real& c) const;
  [[nodiscard]] Real flushed(const Real& x) const;
  [[nodiscard]] Real positive_flush(const Format& f, const Real& x) const;
  [[nodiscard]] Real flushed_pairs(std::size_t first, std::size_t last, const Real& c) const;
  // One operation of a machine that treats subnormal operands (daz) and tiny results (ftz) as
  // zeros; tininess is detected after rounding with unbounded exponent.
  [[nodiscard]] Real daz(const Real& x) const;
  [[nodiscard]] Real ftz(const Real& x) const;
  [[nodiscard]] Real chain(std::size_t first, std::size_t last, std::size_t stride, Real sum) const;
  [[nodiscard]] Real even_odd(std::size_t first, std::size_t last, const Real& c) const;
  void look_for_nan(std::size_t k);
  [[nodiscard]] Real flushed_chain(std::size_t first, std::size_t last, Real sum);
  [[nodiscard]] Real odd(const Real& x) const;
  [[nodiscard]] Real odd_pairs(std::size_t first, std::size_t last, const Real& c) const;

  const models::Unit& unit_;
  const UnitProblem& problem_;
  Variation variation_;
  std::vector<Real> a_, b_;
  std::optional<Bits> nan_;  // of a unit that propagates them
};

}  // namespace halfmark::slow
