// SPDX-License-Identifier: Apache-2.0
#include "reference/models/unit_error.hpp"

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/models/unit_terms.hpp"

namespace halfmark::models {
namespace {

// Fraction bits of kFloored's sum before the final rounding.
constexpr int kFlooredBits = 31;

// Step by step: the largest size of the sum, and its largest distance from the exact one.
class UnitErrors {
 public:
  UnitErrors(const Unit& unit, const Vector& a, const Vector& b) : unit_(unit), a_(a), b_(b) {}

  void start(const std::optional<Encoded>& c) {
    if (!c) return;
    sizes_.add(*c->format, formats::magnitude(*c->format, c->bits));
    if (*c->format != *unit_.output) round(-unit_.output->precision(), unit_.output->min_place());
  }
  void step(std::size_t first, std::size_t count) {
    const int grid = largest_exponent(first, count) - unit_.fraction_bits;
    const Magnitude c = reach();
    for (std::size_t k = first; k < first + count; ++k) add_product(sizes_, k);
    switch (unit_.rule) {
      case Rule::kTruncated:
        lose({count + (c.significand != 0 ? 1u : 0u), grid});
        break;
      case Rule::kFloored:
        lose({count + 2, grid});
        round(-kFlooredBits, unit_.output->min_exponent() - kFlooredBits);
        break;
      case Rule::kFlooredSplit:
        lose({count + 4, grid});
        round(-kFlooredBits, unit_.output->min_exponent() - kFlooredBits);
        break;
      case Rule::kFlushedPairs:
        flush(first, count, static_cast<std::size_t>(std::bit_width(count - 1)) + 2);
        return;
      case Rule::kEvenOdd:
        flush(first, count, (count + 1) / 2 + 2);
        return;
      case Rule::kFlushedChain:
        flush(first, count, count);
        return;
      case Rule::kOddPairs:
        flush(first, count, 2 * (count + 1));
        return;
      case Rule::kExact:
      case Rule::kFmaChain:
      case Rule::kScaledTruncated:
      case Rule::kGroupScaled:
      case Rule::kThroughHalf:
        break;
    }
    const bool nearest = unit_.rounding == soft::Rounding::kNearEven;
    const int dropped = unit_.output->fraction_bits - unit_.kept_bits;
    round(-unit_.kept_bits - (nearest ? 1 : 0), unit_.output->min_place() + dropped);
  }
  // One rounding, with a relative error of 2^relative or an absolute one of 2^least.
  void round(int relative, int least) { lose(sum_up(scaled(reach(), relative), {1, least})); }
  // An upper bound of every sum so far.
  [[nodiscard]] Magnitude reach() const { return sum_up(magnitude(sizes_, true), error_); }
  [[nodiscard]] const Magnitude& error() const { return error_; }

 private:
  void lose(const Magnitude& x) { error_ = sum_up(error_, x); }

  void add_product(ExactSum& sum, std::size_t k) const {
    sum.add_product(*a_.format, formats::magnitude(*a_.format, a_.at(k)), *b_.format,
                    formats::magnitude(*b_.format, b_.at(k)));
  }

  [[nodiscard]] bool is_flushed(const Format& f, Bits x) const {
    const bool keeps =
        unit_.rule != Rule::kFlushedPairs && f.min_place() >= unit_.output->min_exponent();
    return formats::is_subnormal(f, x) && !keeps;
  }

  // A tree of `depth` operations that flush. No level has more operations than there are products.
  void flush(std::size_t first, std::size_t count, std::size_t depth) {
    ExactSum flushed;
    for (std::size_t k = first; k < first + count; ++k) {
      if (is_flushed(*a_.format, a_.at(k)) || is_flushed(*b_.format, b_.at(k)))
        add_product(flushed, k);
    }
    lose(magnitude(flushed, true));
    const int smallest = unit_.output->min_exponent();
    lose({1, smallest});
    for (std::size_t level = 0; level < depth; ++level) {
      lose(sum_up(scaled(reach(), -unit_.output->precision()), {count, smallest}));
    }
  }

  // An upper limit of the exponents of the terms in a step; c counts with the largest exponent that
  // it may have.
  [[nodiscard]] int largest_exponent(std::size_t first, std::size_t count) const {
    const bool floors = unit_.rule == Rule::kFloored || unit_.rule == Rule::kFlooredSplit;
    int largest = floors ? unit_.output->min_exponent() : unit_.zero_exponent;
    rules::Specials specials;
    for (std::size_t k = first; k < first + count; ++k) {
      const rules::Term term = rules::product(*a_.format, a_.at(k), *b_.format, b_.at(k), specials);
      if (term.significand != 0) largest = std::max(largest, term.exponent);
    }
    const Magnitude c = reach();
    if (c.significand == 0) return largest;
    return std::max({largest, exponent_of(c), unit_.output->min_exponent()});
  }

  const Unit& unit_;
  const Vector& a_;
  const Vector& b_;
  ExactSum sizes_;
  Magnitude error_;
};

}  // namespace

bool has_error_limit(const Unit& unit, const Format& a, const Format& b) {
  const auto takes = [](FormatSet set, const Format& f) {
    return std::any_of(set.begin(), set.end(), [&](const Format* one) { return *one == f; });
  };
  const bool known = unit.scale == nullptr && unit.rule != Rule::kThroughHalf;
  return known && takes(unit.a, a) && takes(unit.b, b);
}

std::optional<Magnitude> unit_error_limit(const Unit& unit, const Vector& a, const Vector& b,
                                          std::size_t count, const std::optional<Encoded>& c,
                                          const Format& result) {
  if (!has_error_limit(unit, *a.format, *b.format)) return std::nullopt;
  UnitErrors errors(unit, a, b);
  errors.start(c);
  for (std::size_t first = 0; first < count; first += unit.step()) {
    errors.step(first, std::min(unit.step(), count - first));
  }
  if (result != *unit.output) errors.round(-result.precision(), result.min_place());
  const Magnitude reach = errors.reach();
  const int most = std::min(unit.output->max_exponent(), result.max_exponent());
  if (reach.significand != 0 && exponent_of(reach) >= most) return std::nullopt;
  return errors.error();
}

}  // namespace halfmark::models
