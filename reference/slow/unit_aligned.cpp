// SPDX-License-Identifier: Apache-2.0
// Rules of the naive twin that align terms to the grid of the largest one and add them there:
// kTruncated, kScaledTruncated, kGroupScaled, kThroughHalf, kFloored and kFlooredSplit.
#include <algorithm>
#include <limits>

#include "reference/formats/classify.hpp"
#include "reference/slow/unit_evaluation.hpp"

namespace halfmark::slow {
namespace {

using models::Rule;

bool all_negative(const UnitTerms& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const UnitTerm& t) { return t.real.negative; });
}

}  // namespace

soft::Rounding UnitEvaluation::alignment() const {
  if (is(Variation::kAlignedNearest)) return Rounding::kNearEven;
  return is(Variation::kAlignedDown) ? Rounding::kDown : Rounding::kTowardZero;
}

Real UnitEvaluation::finish(const Rational& total, bool negative_zero) const {
  const bool is_negative = total == 0 ? negative_zero && !unit_.zero_is_positive : total < 0;
  const Real sum{Real::Kind::kFinite, is_negative, total};
  Real d = rounded(*unit_.output, unit_.kept_bits, sum, unit_.rounding);
  if (is(Variation::kSaturated) && d.is_infinite()) {
    return real_of(*unit_.output, formats::max_finite(*unit_.output, d.negative));
  }
  return d;
}

Real UnitEvaluation::truncated_sum(UnitTerms terms) const {
  if (is(Variation::kInfiniteProducts)) overflow(terms, terms.size() - 1);
  Real special = special_sum(terms);
  if (special.kind != Real::Kind::kFinite) return special;
  int largest = std::numeric_limits<int>::min();
  for (const UnitTerm& term : terms) {
    largest = std::max(largest, term.zero ? unit_.zero_exponent : term.exponent);
  }
  Rational total = 0;
  for (const UnitTerm& term : terms) {
    total += to_multiple(term.real.value, largest - unit_.fraction_bits, alignment());
  }
  return finish(total, all_negative(terms));
}

Real UnitEvaluation::with_c(UnitTerms terms, const Real& c) const {
  if (!is(Variation::kLateC)) {
    terms.push_back(addend(c));
    return truncated_sum(terms);
  }
  terms.push_back({Real{}, 0, true});
  return nearest(exact_sum(c, truncated_sum(terms)));
}

Real UnitEvaluation::scale_of(const std::vector<Bits>& scales, std::size_t k) const {
  Real x = real_of(*unit_.scale, scales[k / static_cast<std::size_t>(unit_.scale_block)]);
  if (!is(Variation::kSignedScales)) {
    x.negative = false;
    x.value = abs(x.value);
  }
  return x;
}

Real UnitEvaluation::scaled(std::size_t first, std::size_t last, const Real& c) const {
  UnitTerms terms = products(first, last);
  for (std::size_t k = first; k < last; ++k) {
    for (const auto* scales : {&problem_.a_scales, &problem_.b_scales}) {
      const Real scale = scale_of(*scales, k);
      terms[k - first].real = exact_product(terms[k - first].real, scale);
      if (!scale.is_nan()) terms[k - first].exponent += floor_log2(scale.value);
    }
  }
  return with_c(terms, c);
}

Real UnitEvaluation::group_scaled(std::size_t first, std::size_t last, const Real& c) const {
  constexpr std::size_t kGroup = 16;
  UnitTerms groups;
  for (std::size_t k = first; k < last; k += kGroup) {
    const UnitTerms terms = products(k, std::min(k + kGroup, last));
    const Real x = scale_of(problem_.a_scales, k);
    const Real y = scale_of(problem_.b_scales, k);
    const Real scale = exact_product(x, y);
    const Real group = exact_product(special_sum(terms), scale);
    const bool all_zero = std::all_of(terms.begin(), terms.end(),
                                      [](const UnitTerm& t) { return t.real.value == 0; });
    const bool cancels = is(Variation::kGroupExponents) && group.is_zero();
    groups.push_back({group, exponent_of(*unit_.scale, x) + exponent_of(*unit_.scale, y),
                      all_zero || scale.is_zero() || cancels});
  }
  return with_c(groups, c);
}

bool UnitEvaluation::in_second_step(std::size_t k) const {
  if (is(Variation::kHalves)) return k >= 16;
  if (is(Variation::kEvenThenOdd)) return k % 2 == 1;
  return k % 4 >= 2;
}

Real UnitEvaluation::through_half(std::size_t first, std::size_t last, const Real& c) const {
  Real sum = is(Variation::kEarlyC) ? c : Real{};
  for (const bool second : {false, true}) {
    UnitTerms terms;
    for (std::size_t k = first; k < last; ++k) {
      if (in_second_step(k - first) == second) {
        terms.push_back(product(formats::kFp16, formats::kFp16, k));
      }
    }
    if (terms.empty()) continue;
    terms.push_back(addend(sum));
    sum = truncated_sum(terms);
  }
  return is(Variation::kEarlyC) ? sum : nearest(exact_sum(c, sum));
}

UnitEvaluation::Sum UnitEvaluation::own_grid(const UnitTerms& terms) const {
  std::optional<int> largest;
  for (const UnitTerm& term : terms) {
    if (term.real.value != 0) largest = std::max(largest.value_or(term.exponent), term.exponent);
  }
  Sum sum{0, largest};
  for (const UnitTerm& term : terms) {
    if (largest) {
      sum.value += to_multiple(term.real.value, *largest - unit_.fraction_bits, alignment());
    }
  }
  return sum;
}

Rational UnitEvaluation::lowered(const Rational& x, int place) const {
  if (is(Variation::kJoinNearest)) return to_multiple(x, place, Rounding::kNearEven);
  return to_multiple(x, place,
                     is(Variation::kTruncatedJoin) ? Rounding::kTowardZero : Rounding::kDown);
}

UnitEvaluation::Sum UnitEvaluation::split(const UnitTerms& terms) const {
  UnitTerms halves[2];
  for (std::size_t k = 0; k < terms.size(); ++k) halves[k % 2].push_back(terms[k]);
  Sum even = own_grid(halves[0]);
  Sum odd = own_grid(halves[1]);
  if (!even.exponent) return odd;
  if (!odd.exponent) return even;
  const int larger = std::max(*even.exponent, *odd.exponent);
  const int place = larger - unit_.fraction_bits;
  return {lowered(even.value, place) + lowered(odd.value, place), larger};
}

Real UnitEvaluation::floored(std::size_t first, std::size_t last, const Real& c) const {
  UnitTerms terms = products(first, last);
  if (!is(Variation::kFiniteProducts)) overflow(terms, terms.size());
  UnitTerms all = terms;
  if (!is(Variation::kLateC)) all.push_back(addend(c));
  Real special = special_sum(all);
  if (special.kind != Real::Kind::kFinite) return special;
  const bool is_split = unit_.rule == Rule::kFlooredSplit && !is(Variation::kNoSplit);
  const Sum dot = is_split ? split(terms) : own_grid(terms);
  if (is(Variation::kLateC)) return nearest(exact_sum(c, finish(dot.value, all_negative(all))));
  const int c_exponent = exponent_of(*unit_.output, c);
  const int larger = std::max(dot.exponent.value_or(c_exponent), c_exponent);
  Rational joined = lowered(c.value, larger - unit_.fraction_bits);
  if (unit_.rule == Rule::kFlooredSplit && c_exponent < larger - unit_.fraction_bits - 1 &&
      !is(Variation::kKeepC)) {
    joined = 0;
  }
  Rational total = lowered(dot.value, larger - 32) + joined;
  if (total != 0 && !is(Variation::kNoFinalFloor)) {
    total = lowered(total, std::max(floor_log2(total), kSmallestFp32) - 31);
  }
  return finish(total, all_negative(all));
}

}  // namespace halfmark::slow
