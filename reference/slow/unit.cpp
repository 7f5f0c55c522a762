// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/unit.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/slow/unit_evaluation.hpp"

namespace halfmark::slow {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using models::Rule;
using models::Unit;
using soft::Rounding;

UnitEvaluation::UnitEvaluation(const Unit& unit, const UnitProblem& problem, Variation variation)
    : unit_(unit), problem_(problem), variation_(variation) {
  for (std::size_t k = 0; k < problem.a.size(); ++k) {
    a_.push_back(operand(*problem.a_format, problem.a[k]));
    b_.push_back(operand(*problem.b_format, problem.b[k]));
  }
  if (is(Variation::kReversed)) {
    std::reverse(a_.begin(), a_.end());
    std::reverse(b_.begin(), b_.end());
  }
}

Bits UnitEvaluation::answer() {
  Real d;
  if (problem_.c) d = real_of(*problem_.c->format, problem_.c->bits);
  d = nearest(d);
  const bool by_instruction = unit_.rule == Rule::kThroughHalf || unit_.rule == Rule::kEvenOdd;
  const auto step = static_cast<std::size_t>(by_instruction ? unit_.instruction_k : unit_.block);
  for (std::size_t k = 0; k < a_.size(); k += step) {
    d = evaluate(k, std::min(k + step, a_.size()), d);
    if (is(Variation::kFlushedResult)) d = flush(d, unit_.output->min_exponent(), d.negative);
    if (is(Variation::kPositiveZero) && d.is_zero()) d.negative = false;
  }
  const Bits nan = unit_.nan_word != 0 ? unit_.nan_word : formats::quiet_nan(*unit_.output);
  return encoding_of(*unit_.output, d, unit_.propagates_nan ? nan_.value_or(nan) : nan);
}

Real UnitEvaluation::flush(const Real& x, int smallest, bool negative) {
  const bool small = x.kind == Real::Kind::kFinite && abs(x.value) < power_of_two(smallest);
  return small ? Real{Real::Kind::kFinite, negative, 0} : x;
}

Real UnitEvaluation::nearest(const Real& x) const {
  return rounded(*unit_.output, unit_.output->fraction_bits, x, Rounding::kNearEven);
}

Real UnitEvaluation::delivered(const Real& x) const {
  return rounded(*unit_.output, unit_.output->fraction_bits, x, unit_.rounding);
}

UnitTerm UnitEvaluation::addend(const Real& c) const {
  return {c, exponent_of(*unit_.output, c), c.value == 0};
}

Real UnitEvaluation::operand(const Format& f, Bits bits) const {
  const bool cut = f == kFp32 && *unit_.a[0] == formats::kTf32;
  const Format& read = cut ? formats::kTf32 : f;
  Real x = real_of(read, cut ? bits >> 13 : bits);
  if (is(Variation::kFlushedInputs)) x = flush(x, read.min_exponent(), x.negative);
  if (is(Variation::kBrainOperands)) x = rounded(formats::kBf16, 7, x, Rounding::kNearEven);
  return x;
}

int UnitEvaluation::exponent_of(const Format& f, const Real& x) const {
  if (x.value == 0) return f.min_exponent();
  const int exponent = floor_log2(x.value);
  return is(Variation::kTrueExponents) ? exponent : std::max(exponent, f.min_exponent());
}

UnitTerm UnitEvaluation::product(const Format& fa, const Format& fb, std::size_t k) const {
  Real p = exact_product(a_[k], b_[k]);
  if (p.kind != Real::Kind::kFinite || p.value == 0) return {p, 0, true};
  if (is(Variation::kNormalisedProducts)) return {p, floor_log2(p.value), false};
  return {p, exponent_of(fa, a_[k]) + exponent_of(fb, b_[k]), false};
}

UnitTerms UnitEvaluation::products(std::size_t first, std::size_t last) const {
  UnitTerms terms;
  const Format& a = *unit_.a[0] == formats::kTf32 ? formats::kTf32 : *problem_.a_format;
  const Format& b = *unit_.a[0] == formats::kTf32 ? formats::kTf32 : *problem_.b_format;
  for (std::size_t k = first; k < last; ++k) terms.push_back(product(a, b, k));
  return terms;
}

Real UnitEvaluation::special_sum(const UnitTerms& terms) const {
  Real sum{Real::Kind::kFinite, true, 0};
  bool plus = false, minus = false, nan = false;
  for (const UnitTerm& term : terms) {
    nan = nan || term.real.is_nan();
    if (term.real.is_infinite()) (term.real.negative ? minus : plus) = true;
    sum = exact_sum(sum, term.real);
  }
  if (is(Variation::kOpposites) && plus && minus && !nan) {
    return {Real::Kind::kInfinity, false, 0};
  }
  return sum;
}

void UnitEvaluation::overflow(UnitTerms& terms, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Real& p = terms[i].real;
    if (p.kind == Real::Kind::kFinite && abs(p.value) >= power_of_two(128)) {
      p = {Real::Kind::kInfinity, p.negative, 0};
    }
  }
}

Real UnitEvaluation::evaluate(std::size_t first, std::size_t last, const Real& c) {
  switch (unit_.rule) {
    case Rule::kFmaChain:
      return chain(first, last, 1, c);
    case Rule::kTruncated:
      return with_c(products(first, last), c);
    case Rule::kScaledTruncated:
      return scaled(first, last, c);
    case Rule::kGroupScaled:
      return group_scaled(first, last, c);
    case Rule::kThroughHalf:
      return through_half(first, last, c);
    case Rule::kExact:
      return exact(first, last, c);
    case Rule::kFlushedPairs:
      return flushed_pairs(first, last, c);
    case Rule::kFloored:
    case Rule::kFlooredSplit:
      return floored(first, last, c);
    case Rule::kEvenOdd:
      return even_odd(first, last, c);
    case Rule::kFlushedChain:
      return flushed_chain(first, last, c);
    case Rule::kOddPairs:
      return odd_pairs(first, last, c);
  }
  return c;
}

Bits unit_dot(const Unit& unit, const UnitProblem& problem, Variation variation) {
  return UnitEvaluation(unit, problem, variation).answer();
}

}  // namespace halfmark::slow
