// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/unit.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::slow {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using models::Rule;
using models::Unit;
using soft::Rounding;
using Reals = std::vector<Real>;

constexpr int kSmallestFp32 = -126;

struct Term {
  Real real;
  int exponent;
  bool zero;  // uses the row's zero exponent instead of its own
};
using Terms = std::vector<Term>;

class Evaluation {
 public:
  Evaluation(const Unit& unit, const UnitProblem& problem, Variation variation)
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

  Bits answer() {
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

 private:
  [[nodiscard]] bool is(Variation variation) const { return variation_ == variation; }

  static Real flush(const Real& x, int smallest, bool negative) {
    const bool small = x.kind == Real::Kind::kFinite && abs(x.value) < power_of_two(smallest);
    return small ? Real{Real::Kind::kFinite, negative, 0} : x;
  }

  // tf32 operands are the upper bits of an fp32 word.
  Real operand(const Format& f, Bits bits) const {
    const bool cut = f == kFp32 && *unit_.a[0] == formats::kTf32;
    const Format& read = cut ? formats::kTf32 : f;
    Real x = real_of(read, cut ? bits >> 13 : bits);
    if (is(Variation::kFlushedInputs)) x = flush(x, read.min_exponent(), x.negative);
    if (is(Variation::kBrainOperands)) x = rounded(formats::kBf16, 7, x, Rounding::kNearEven);
    return x;
  }

  [[nodiscard]] Real nearest(const Real& x) const {
    return rounded(*unit_.output, unit_.output->fraction_bits, x, Rounding::kNearEven);
  }

  // The result of an operation in a rule built from operations.
  [[nodiscard]] Real delivered(const Real& x) const {
    return rounded(*unit_.output, unit_.output->fraction_bits, x, unit_.rounding);
  }

  // The exponent field of a number of a format: smaller numbers have that of the smallest
  // normal one.
  [[nodiscard]] int exponent_of(const Format& f, const Real& x) const {
    if (x.value == 0) return f.min_exponent();
    const int exponent = floor_log2(x.value);
    return is(Variation::kTrueExponents) ? exponent : std::max(exponent, f.min_exponent());
  }

  [[nodiscard]] Term product(const Format& fa, const Format& fb, std::size_t k) const {
    Real p = exact_product(a_[k], b_[k]);
    if (p.kind != Real::Kind::kFinite || p.value == 0) return {p, 0, true};
    if (is(Variation::kNormalisedProducts)) return {p, floor_log2(p.value), false};
    return {p, exponent_of(fa, a_[k]) + exponent_of(fb, b_[k]), false};
  }

  [[nodiscard]] Terms products(std::size_t first, std::size_t last) const {
    Terms terms;
    const Format& a = *unit_.a[0] == formats::kTf32 ? formats::kTf32 : *problem_.a_format;
    const Format& b = *unit_.a[0] == formats::kTf32 ? formats::kTf32 : *problem_.b_format;
    for (std::size_t k = first; k < last; ++k) terms.push_back(product(a, b, k));
    return terms;
  }

  [[nodiscard]] Term addend(const Real& c) const {
    return {c, exponent_of(*unit_.output, c), c.value == 0};
  }

  // The sum of terms that are not all finite; returns a finite value if they are.
  [[nodiscard]] Real special_sum(const Terms& terms) const {
    Real sum{Real::Kind::kFinite, true, 0};
    bool plus = false, minus = false, nan = false;
    for (const Term& term : terms) {
      nan = nan || term.real.is_nan();
      if (term.real.is_infinite()) (term.real.negative ? minus : plus) = true;
      sum = exact_sum(sum, term.real);
    }
    if (is(Variation::kOpposites) && plus && minus && !nan) {
      return {Real::Kind::kInfinity, false, 0};
    }
    return sum;
  }

  [[nodiscard]] Rounding alignment() const {
    if (is(Variation::kAlignedNearest)) return Rounding::kNearEven;
    return is(Variation::kAlignedDown) ? Rounding::kDown : Rounding::kTowardZero;
  }

  [[nodiscard]] static bool all_negative(const Terms& terms) {
    return std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.real.negative; });
  }

  [[nodiscard]] Real finish(const Rational& total, bool negative_zero) const {
    const bool is_negative = total == 0 ? negative_zero && !unit_.zero_is_positive : total < 0;
    const Real sum{Real::Kind::kFinite, is_negative, total};
    Real d = rounded(*unit_.output, unit_.kept_bits, sum, unit_.rounding);
    if (is(Variation::kSaturated) && d.is_infinite()) {
      return real_of(*unit_.output, formats::max_finite(*unit_.output, d.negative));
    }
    return d;
  }

  Real truncated_sum(Terms terms) const {
    if (is(Variation::kInfiniteProducts)) overflow(terms, terms.size() - 1);
    Real special = special_sum(terms);
    if (special.kind != Real::Kind::kFinite) return special;
    int largest = std::numeric_limits<int>::min();
    for (const Term& term : terms) {
      largest = std::max(largest, term.zero ? unit_.zero_exponent : term.exponent);
    }
    Rational total = 0;
    for (const Term& term : terms) {
      total += to_multiple(term.real.value, largest - unit_.fraction_bits, alignment());
    }
    return finish(total, all_negative(terms));
  }

  Real with_c(Terms terms, const Real& c) const {
    if (!is(Variation::kLateC)) {
      terms.push_back(addend(c));
      return truncated_sum(terms);
    }
    terms.push_back({Real{}, 0, true});
    return nearest(exact_sum(c, truncated_sum(terms)));
  }

  Real evaluate(std::size_t first, std::size_t last, const Real& c) {
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

  [[nodiscard]] Real scale_of(const std::vector<Bits>& scales, std::size_t k) const {
    Real x = real_of(*unit_.scale, scales[k / static_cast<std::size_t>(unit_.scale_block)]);
    if (!is(Variation::kSignedScales)) {
      x.negative = false;
      x.value = abs(x.value);
    }
    return x;
  }

  Real scaled(std::size_t first, std::size_t last, const Real& c) const {
    Terms terms = products(first, last);
    for (std::size_t k = first; k < last; ++k) {
      for (const auto* scales : {&problem_.a_scales, &problem_.b_scales}) {
        const Real scale = scale_of(*scales, k);
        terms[k - first].real = exact_product(terms[k - first].real, scale);
        if (!scale.is_nan()) terms[k - first].exponent += floor_log2(scale.value);
      }
    }
    return with_c(terms, c);
  }

  Real group_scaled(std::size_t first, std::size_t last, const Real& c) const {
    constexpr std::size_t kGroup = 16;
    Terms groups;
    for (std::size_t k = first; k < last; k += kGroup) {
      const Terms terms = products(k, std::min(k + kGroup, last));
      const Real x = scale_of(problem_.a_scales, k);
      const Real y = scale_of(problem_.b_scales, k);
      const Real scale = exact_product(x, y);
      const Real group = exact_product(special_sum(terms), scale);
      const bool all_zero =
          std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.real.value == 0; });
      const bool cancels = is(Variation::kGroupExponents) && group.is_zero();
      groups.push_back({group, exponent_of(*unit_.scale, x) + exponent_of(*unit_.scale, y),
                        all_zero || scale.is_zero() || cancels});
    }
    return with_c(groups, c);
  }

  Real through_half(std::size_t first, std::size_t last, const Real& c) const {
    Real sum = is(Variation::kEarlyC) ? c : Real{};
    for (const bool second : {false, true}) {
      Terms terms;
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

  [[nodiscard]] bool in_second_step(std::size_t k) const {
    if (is(Variation::kHalves)) return k >= 16;
    if (is(Variation::kEvenThenOdd)) return k % 2 == 1;
    return k % 4 >= 2;
  }

  Real exact(std::size_t first, std::size_t last, const Real& c) const {
    Terms terms = products(first, last);
    if (is(Variation::kLateC)) return delivered(exact_sum(c, delivered(special_sum(terms))));
    terms.push_back(addend(c));
    if (is(Variation::kInfiniteProducts)) overflow(terms, terms.size() - 1);
    return delivered(special_sum(terms));
  }

  // kFlushedPairs tests the rounded result.
  [[nodiscard]] Real flushed(const Real& x) const {
    const Real r = delivered(x);
    return is(Variation::kUnflushed) ? r : flush(r, kSmallestFp32, r.negative);
  }
  [[nodiscard]] Real positive_flush(const Format& f, const Real& x) const {
    return is(Variation::kUnflushed) ? x : flush(x, f.min_exponent(), false);
  }

  Real flushed_pairs(std::size_t first, std::size_t last, const Real& c) const {
    Reals level;
    for (std::size_t k = first; k < last; ++k) {
      level.push_back(flushed(exact_product(positive_flush(*problem_.a_format, a_[k]),
                                            positive_flush(*problem_.b_format, b_[k]))));
    }
    const Real start = positive_flush(*unit_.output, c);
    if (is(Variation::kFirstC)) level[0] = flushed(exact_sum(start, level[0]));
    while (level.size() > 1) {
      Reals next;
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

  // Products of 2^128 and more become infinities.
  static void overflow(Terms& terms, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Real& p = terms[i].real;
      if (p.kind == Real::Kind::kFinite && abs(p.value) >= power_of_two(128)) {
        p = {Real::Kind::kInfinity, p.negative, 0};
      }
    }
  }

  struct Sum {
    Rational value;
    std::optional<int> exponent;  // none: every term was zero
  };

  [[nodiscard]] Sum own_grid(const Terms& terms) const {
    std::optional<int> largest;
    for (const Term& term : terms) {
      if (term.real.value != 0) largest = std::max(largest.value_or(term.exponent), term.exponent);
    }
    Sum sum{0, largest};
    for (const Term& term : terms) {
      if (largest) {
        sum.value += to_multiple(term.real.value, *largest - unit_.fraction_bits, alignment());
      }
    }
    return sum;
  }

  [[nodiscard]] Rational lowered(const Rational& x, int place) const {
    if (is(Variation::kJoinNearest)) return to_multiple(x, place, Rounding::kNearEven);
    return to_multiple(x, place,
                       is(Variation::kTruncatedJoin) ? Rounding::kTowardZero : Rounding::kDown);
  }

  [[nodiscard]] Sum split(const Terms& terms) const {
    Terms halves[2];
    for (std::size_t k = 0; k < terms.size(); ++k) halves[k % 2].push_back(terms[k]);
    Sum even = own_grid(halves[0]);
    Sum odd = own_grid(halves[1]);
    if (!even.exponent) return odd;
    if (!odd.exponent) return even;
    const int larger = std::max(*even.exponent, *odd.exponent);
    const int place = larger - unit_.fraction_bits;
    return {lowered(even.value, place) + lowered(odd.value, place), larger};
  }

  Real floored(std::size_t first, std::size_t last, const Real& c) const {
    Terms terms = products(first, last);
    if (!is(Variation::kFiniteProducts)) overflow(terms, terms.size());
    Terms all = terms;
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

  // One operation of a machine that treats subnormal operands and tiny results as zeros; tininess
  // is detected after rounding with unbounded exponent.
  [[nodiscard]] Real daz(const Real& x) const {
    return is(Variation::kUnflushed) ? x : flush(x, kSmallestFp32, x.negative);
  }
  [[nodiscard]] Real ftz(const Real& x) const {
    if (x.kind != Real::Kind::kFinite || x.value == 0 || is(Variation::kUnflushed)) {
      return delivered(x);
    }
    const Rational unbounded =
        to_multiple(x.value, floor_log2(x.value) - kFp32.fraction_bits, unit_.rounding);
    if (abs(unbounded) < power_of_two(kSmallestFp32)) return {Real::Kind::kFinite, x.negative, 0};
    return delivered(x);
  }

  [[nodiscard]] Real chain(std::size_t first, std::size_t last, std::size_t stride,
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

  Real even_odd(std::size_t first, std::size_t last, const Real& c) const {
    if (is(Variation::kEarlyC)) return chain(first, last, 1, daz(c));
    const Real even = chain(first, last, 2, Real{});
    const Real odd = chain(first + 1, last, 2, Real{});
    return ftz(exact_sum(daz(c), ftz(exact_sum(even, odd))));
  }

  // A bf16 number is the upper half of an fp32 number. The first bit of a quiet NaN's fraction
  // is set.
  void look_for_nan(std::size_t k) {
    const auto quiet = [](Bits word) { return word | 0x00400000; };
    if (a_[k].is_nan()) {
      nan_ = quiet(problem_.a[k] << 16);
    } else if (b_[k].is_nan()) {
      nan_ = quiet(problem_.b[k] << 16);
    }
  }

  Real flushed_chain(std::size_t first, std::size_t last, Real sum) {
    if (first == 0 && problem_.c && sum.is_nan() && *problem_.c->format == kFp32)
      nan_ = problem_.c->bits | 0x00400000;
    for (std::size_t k = last; k-- > first;) {
      look_for_nan(k);
      sum = ftz(exact_sum(exact_product(daz(a_[k]), daz(b_[k])), daz(sum)));
      if (sum.is_nan() && !nan_) nan_ = unit_.nan_word;
    }
    return sum;
  }

  // Rounds to odd: of the two neighbours of a number between them, the odd one.
  [[nodiscard]] Real odd(const Real& x) const {
    if (x.kind != Real::Kind::kFinite || x.value == 0) return x;
    if (unit_.rounding != Rounding::kNearEven) return ftz(x);
    if (daz(x).value == 0) return daz(x);
    const int place = std::max(floor_log2(x.value), kSmallestFp32) - kFp32.fraction_bits;
    Rational result = to_multiple(x.value, place, Rounding::kTowardZero);
    const bool is_even = to_multiple(result, place + 1, Rounding::kTowardZero) == result;
    if (result != x.value && is_even)
      result += x.negative ? -power_of_two(place) : power_of_two(place);
    if (abs(result) >= power_of_two(128)) return {Real::Kind::kInfinity, x.negative, 0};
    return {Real::Kind::kFinite, x.negative, result};
  }

  Real odd_pairs(std::size_t first, std::size_t last, const Real& c) const {
    Real sum = odd(exact_product(daz(a_[first]), daz(b_[first])));
    for (std::size_t k = first + 1; k < last; ++k)
      sum = odd(exact_sum(sum, odd(exact_product(daz(a_[k]), daz(b_[k])))));
    return odd(exact_sum(daz(c), sum));
  }

  const Unit& unit_;
  const UnitProblem& problem_;
  Variation variation_;
  Reals a_, b_;
  std::optional<Bits> nan_;  // of a unit that propagates them
};

}  // namespace

Bits unit_dot(const Unit& unit, const UnitProblem& problem, Variation variation) {
  return Evaluation(unit, problem, variation).answer();
}

}  // namespace halfmark::slow
