// SPDX-License-Identifier: Apache-2.0
// Rules of the naive twin whose operations each round their result: kExact, kFlushedPairs,
// kFmaChain, kEvenOdd, kFlushedChain and kOddPairs.
#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/slow/unit_evaluation.hpp"

namespace halfmark::slow {

using models::Rule;

Real UnitEvaluation::exact(std::size_t first, std::size_t last, const Real& c) const {
  UnitTerms terms = products(first, last);
  if (is(Variation::kLateC)) return delivered(exact_sum(c, delivered(special_sum(terms))));
  terms.push_back(addend(c));
  if (is(Variation::kInfiniteProducts)) overflow(terms, terms.size() - 1);
  return delivered(special_sum(terms));
}

// kFlushedPairs tests the rounded result.
Real UnitEvaluation::flushed(const Real& x) const {
  const Real r = delivered(x);
  return is(Variation::kUnflushed) ? r : flush(r, kSmallestFp32, r.negative);
}

Real UnitEvaluation::positive_flush(const Format& f, const Real& x) const {
  return is(Variation::kUnflushed) ? x : flush(x, f.min_exponent(), false);
}

Real UnitEvaluation::flushed_pairs(std::size_t first, std::size_t last, const Real& c) const {
  std::vector<Real> level;
  for (std::size_t k = first; k < last; ++k) {
    level.push_back(flushed(exact_product(positive_flush(*problem_.a_format, a_[k]),
                                          positive_flush(*problem_.b_format, b_[k]))));
  }
  const Real start = positive_flush(*unit_.output, c);
  if (is(Variation::kFirstC)) level[0] = flushed(exact_sum(start, level[0]));
  while (level.size() > 1) {
    std::vector<Real> next;
    if (is(Variation::kSequentialPairs)) {
      next.assign(level.begin() + 1, level.end());
      next[0] = flushed(exact_sum(level[0], level[1]));
    } else {
      for (std::size_t i = 0; i < level.size(); i += 2) {
        const bool alone = i + 1 == level.size();
        next.push_back(alone ? level[i] : flushed(exact_sum(level[i], level[i + 1])));
      }
    }
    level = next;
  }
  return is(Variation::kFirstC) ? level[0] : flushed(exact_sum(start, level[0]));
}

Real UnitEvaluation::daz(const Real& x) const {
  return is(Variation::kUnflushed) ? x : flush(x, kSmallestFp32, x.negative);
}

Real UnitEvaluation::ftz(const Real& x) const {
  if (x.kind != Real::Kind::kFinite || x.value == 0 || is(Variation::kUnflushed)) {
    return delivered(x);
  }
  const Rational unbounded =
      to_multiple(x.value, floor_log2(x.value) - formats::kFp32.fraction_bits, unit_.rounding);
  if (abs(unbounded) < power_of_two(kSmallestFp32)) return {Real::Kind::kFinite, x.negative, 0};
  return delivered(x);
}

Real UnitEvaluation::chain(std::size_t first, std::size_t last, std::size_t stride,
                           Real sum) const {
  const bool flushing = unit_.rule == Rule::kEvenOdd;
  for (std::size_t k = first; k < last; k += stride) {
    if (flushing) {
      sum = ftz(exact_sum(exact_product(daz(a_[k]), daz(b_[k])), sum));
    } else {
      const Real product = exact_product(a_[k], b_[k]);
      sum = delivered(exact_sum(is(Variation::kUnfused) ? delivered(product) : product, sum));
    }
  }
  return sum;
}

Real UnitEvaluation::even_odd(std::size_t first, std::size_t last, const Real& c) const {
  if (is(Variation::kEarlyC)) return chain(first, last, 1, daz(c));
  const Real even = chain(first, last, 2, Real{});
  const Real odd = chain(first + 1, last, 2, Real{});
  return ftz(exact_sum(daz(c), ftz(exact_sum(even, odd))));
}

// A bf16 number is the upper half of an fp32 number. The first bit of a quiet NaN's fraction
// is set.
void UnitEvaluation::look_for_nan(std::size_t k) {
  const auto quiet = [](Bits word) { return word | 0x00400000; };
  if (a_[k].is_nan()) {
    nan_ = quiet(problem_.a[k] << 16);
  } else if (b_[k].is_nan()) {
    nan_ = quiet(problem_.b[k] << 16);
  }
}

Real UnitEvaluation::flushed_chain(std::size_t first, std::size_t last, Real sum) {
  if (first == 0 && problem_.c && sum.is_nan() && *problem_.c->format == formats::kFp32)
    nan_ = problem_.c->bits | 0x00400000;
  for (std::size_t k = last; k-- > first;) {
    look_for_nan(k);
    sum = ftz(exact_sum(exact_product(daz(a_[k]), daz(b_[k])), daz(sum)));
    if (sum.is_nan() && !nan_) nan_ = unit_.nan_word;
  }
  return sum;
}

// Rounds to odd: of the two neighbours of a number between them, the odd one.
Real UnitEvaluation::odd(const Real& x) const {
  if (x.kind != Real::Kind::kFinite || x.value == 0) return x;
  if (unit_.rounding != Rounding::kNearEven) return ftz(x);
  if (daz(x).value == 0) return daz(x);
  const int place = std::max(floor_log2(x.value), kSmallestFp32) - formats::kFp32.fraction_bits;
  Rational result = to_multiple(x.value, place, Rounding::kTowardZero);
  const bool is_even = to_multiple(result, place + 1, Rounding::kTowardZero) == result;
  if (result != x.value && is_even)
    result += x.negative ? -power_of_two(place) : power_of_two(place);
  if (abs(result) >= power_of_two(128)) return {Real::Kind::kInfinity, x.negative, 0};
  return {Real::Kind::kFinite, x.negative, result};
}

Real UnitEvaluation::odd_pairs(std::size_t first, std::size_t last, const Real& c) const {
  Real sum = odd(exact_product(daz(a_[first]), daz(b_[first])));
  for (std::size_t k = first + 1; k < last; ++k)
    sum = odd(exact_sum(sum, odd(exact_product(daz(a_[k]), daz(b_[k])))));
  return odd(exact_sum(daz(c), sum));
}

}  // namespace halfmark::slow
