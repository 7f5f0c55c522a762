// SPDX-License-Identifier: Apache-2.0
#include "reference/models/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/models/order_walk.hpp"
#include "reference/models/unit_error.hpp"

namespace halfmark::models {
namespace {

using formats::kFp64;
using soft::Rounding;
using soft::Wide;

bool is_finite(const ExactSum& sum) {
  // Only infinities and NaNs remain non-finite when rounding toward zero.
  return formats::is_finite(kFp64, sum.round(kFp64, {.rounding = Rounding::kTowardZero}).bits);
}

// The exponent of the ulp of a sum.
int ulp_place(const ExactSum& sum, const Format& format) {
  const Magnitude x = magnitude(sum, false);
  if (x.significand == 0) return format.min_place();
  return std::max(exponent_of(x), format.min_exponent()) - format.fraction_bits;
}

std::uint64_t sum_or_beyond(std::uint64_t x, std::uint64_t y) {
  return x > Ulps::kBeyond - y ? Ulps::kBeyond : x + y;
}

// Unit roundoffs in units of 2^-kUnit; fp64's, also in directed rounding, is a whole number
// of them.
constexpr int kUnit = 60;

// A sum of unit roundoffs, saturated.
class Weight {
 public:
  constexpr explicit Weight(std::uint64_t parts = 0) : parts_(parts) {}
  [[nodiscard]] constexpr std::uint64_t parts() const { return parts_; }
  [[nodiscard]] constexpr auto operator<=>(const Weight&) const = default;
  friend Weight operator+(Weight x, Weight y) { return Weight(sum_or_beyond(x.parts_, y.parts_)); }

 private:
  std::uint64_t parts_;
};

// Runs an order's program on weights instead of sums: the largest sum of unit roundoffs on the path
// of any operand into each sum, and the total number of roundings.
class Roundings {
 public:
  Roundings(const Arithmetic& arithmetic, const std::optional<Encoded>& c)
      : arithmetic_(arithmetic), c_(c) {}

  void start() { push(converted_addend(*arithmetic_.accumulator)); }
  void start_total() { push(converted_addend(total())); }
  void zero() { push(Weight()); }
  void product(std::size_t) { push(product_weight()); }
  void steps(std::size_t, std::size_t, std::size_t count) {
    Weight sum = pop();
    const Weight product = arithmetic_.step == Step::kFma ? Weight() : product_weight();
    for (std::size_t i = 0; i < count; ++i) {
      sum = std::max(sum, product) + step_unit(*arithmetic_.accumulator);
    }
    count_ += 2 * count;
    push(sum);
  }
  void part() {
    Weight sum = pop();
    if (arithmetic_.parts != nullptr) sum = sum + conversion_unit(*arithmetic_.parts);
    if (arithmetic_.total != nullptr) sum = sum + conversion_unit(*arithmetic_.total);
    push(sum);
  }
  void add() {
    const Weight y = pop();
    push(std::max(pop(), y) + step_unit(total()));
  }
  void add_addend() {
    if (!c_) return;
    push(std::max(pop(), converted_addend(total())) + step_unit(total()));
  }
  void fuse(std::span<const std::size_t> products, std::size_t sums, bool addend) {
    Weight most = addend ? converted_addend(*arithmetic_.accumulator) : Weight();
    if (arithmetic_.step == Step::kMul && !products.empty())
      most = std::max(most, product_weight());
    for (std::size_t i = 0; i < sums; ++i) most = std::max(most, pop());
    count_ += products.size();
    push(most + step_unit(*arithmetic_.accumulator));
  }

  // From the root to the stored result.
  [[nodiscard]] Weight stored(const Format& result) {
    Weight sum = pop();
    if (arithmetic_.early != nullptr) sum = sum + conversion_unit(*arithmetic_.early);
    const bool narrows = answer_format(arithmetic_, result) != result;
    return narrows ? sum + conversion_unit(result) : sum;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void push(Weight weight) { stack_.push_back(weight); }
  Weight pop() {
    const Weight top = stack_.back();
    stack_.pop_back();
    return top;
  }
  [[nodiscard]] const Format& total() const {
    return arithmetic_.total == nullptr ? *arithmetic_.accumulator : *arithmetic_.total;
  }
  [[nodiscard]] Weight step_unit(const Format& f) {
    ++count_;
    const auto rounding = arithmetic_.rounding.value_or(Rounding::kNearEven);
    const bool nearest = rounding == Rounding::kNearEven || rounding == Rounding::kNearAway;
    return Weight(std::uint64_t{1} << (kUnit - f.precision() + (nearest ? 0 : 1)));
  }
  [[nodiscard]] Weight conversion_unit(const Format& f) {
    ++count_;
    return Weight(std::uint64_t{1} << (kUnit - f.precision()));
  }
  [[nodiscard]] Weight converted_addend(const Format& f) {
    return c_ && !f.contains(*c_->format) ? conversion_unit(f) : Weight();
  }
  [[nodiscard]] Weight product_weight() {
    Weight weight = step_unit(*arithmetic_.accumulator);
    if (arithmetic_.product != nullptr) weight = weight + step_unit(*arithmetic_.product);
    return weight;
  }

  const Arithmetic& arithmetic_;
  const std::optional<Encoded>& c_;
  std::vector<Weight> stack_;
  std::uint64_t count_ = 0;
};

// sum |a_k b_k| + |c|.
ExactSum absolute_sum(const Vector& a, const Vector& b, std::size_t count,
                      const std::optional<Encoded>& c) {
  ExactSum sum;
  for (std::size_t k = 0; k < count; ++k) {
    sum.add_product(*a.format, formats::magnitude(*a.format, a.at(k)), *b.format,
                    formats::magnitude(*b.format, b.at(k)));
  }
  if (c) sum.add(*c->format, formats::magnitude(*c->format, c->bits));
  return sum;
}

// Parts of weight / (2^kUnit - weight) * size, where the ulp is 2^place; rounded up.
std::uint64_t relative_parts(Weight weight, const Magnitude& size, int place) {
  const Wide product = Wide{size.significand} * weight.parts();
  if (product == 0) return 0;
  // Shifting up as far as possible before the division keeps every bit that matters.
  const int room = std::countl_zero(static_cast<std::uint64_t>(product >> 64)) - 1;
  const int before = std::max(room, 0);
  const Wide divisor = (Wide{1} << kUnit) - weight.parts();
  const Wide quotient = ((product << before) + divisor - 1) / divisor;
  return shifted(quotient, size.exponent - place + Ulps::kFractionBits - before, true);
}

// Whether no intermediate sum can overflow: with gamma < 1 none reaches twice the sum
// of magnitudes.
bool stays_in_range(const Arithmetic& x, const Format& result, const Magnitude& size) {
  const auto holds = [&](const Format* f) {
    return f == nullptr || size.significand == 0 || exponent_of(size) < f->max_exponent();
  };
  return holds(x.accumulator) && holds(x.product) && holds(x.parts) && holds(x.total) &&
         holds(x.early) && holds(&result);
}

// The exponent of the largest loss of one rounding below the normal numbers.
int underflow_place(const Arithmetic& x, const Format& result) {
  const bool flushes = x.subnormals && *x.subnormals != soft::Subnormals::kKeep;
  int place = result.min_place();
  for (const Format* f : {x.accumulator, x.product, x.parts, x.total, x.early}) {
    if (f != nullptr) place = std::max(place, flushes ? f->min_exponent() : f->min_place());
  }
  return place;
}

// The loss from flushed operands: the products and the addend that contain one.
ExactSum flushed_sum(const Vector& a, const Vector& b, std::size_t count,
                     const std::optional<Encoded>& c) {
  ExactSum sum;
  for (std::size_t k = 0; k < count; ++k) {
    if (!formats::is_subnormal(*a.format, a.at(k)) && !formats::is_subnormal(*b.format, b.at(k))) {
      continue;
    }
    sum.add_product(*a.format, formats::magnitude(*a.format, a.at(k)), *b.format,
                    formats::magnitude(*b.format, b.at(k)));
  }
  if (c && formats::is_subnormal(*c->format, c->bits)) {
    sum.add(*c->format, formats::magnitude(*c->format, c->bits));
  }
  return sum;
}

bool flushes_operands(const Arithmetic& x) {
  const auto policy = x.subnormals.value_or(soft::Subnormals::kKeep);
  return policy == soft::Subnormals::kFlush || policy == soft::Subnormals::kFlushIn;
}

// Parts of a distance, where the ulp is 2^place; rounded up.
std::uint64_t parts_of(const Magnitude& x, int place) {
  return shifted(x.significand, x.exponent - place + Ulps::kFractionBits, true);
}

}  // namespace

ExactSum exact_dot_sum(const Vector& a, const Vector& b, std::size_t count,
                       const std::optional<Encoded>& c) {
  ExactSum sum;
  for (std::size_t k = 0; k < count; ++k) {
    sum.add_product(*a.format, a.at(k), *b.format, b.at(k));
  }
  if (c) sum.add(*c->format, c->bits);
  return sum;
}

std::string print(const Ulps& ulps) {
  if (ulps.parts == Ulps::kBeyond) return "4294967296 or more";
  std::string text = fmt::format("{}.", ulps.parts >> Ulps::kFractionBits);
  std::uint64_t rest = ulps.parts & 0xffffffff;
  do {
    rest *= 10;
    text += static_cast<char>('0' + (rest >> Ulps::kFractionBits));
    rest &= 0xffffffff;
  } while (rest != 0);
  return text;
}

std::optional<Ulps> ulp_error(const ExactSum& exact, const Format& format, Bits computed) {
  if (!is_finite(exact) || !formats::is_finite(format, computed)) {
    const bool same = formats::is_infinity(format, computed) && !is_finite(exact) &&
                      exact.round(format).bits == computed;
    return same ? std::optional(Ulps{}) : std::nullopt;
  }
  ExactSum difference = exact;
  difference.add_product(format, computed, kFp64, formats::one(kFp64, true));
  const Magnitude distance = magnitude(difference, false);
  const int place = ulp_place(exact, format);
  return Ulps{
      shifted(distance.significand, distance.exponent - place + Ulps::kFractionBits, false)};
}

std::optional<Ulps> error_bound(const Arithmetic& arithmetic, const Vector& a, const Vector& b,
                                std::size_t count, const std::optional<Encoded>& c,
                                const Format& result) {
  const ExactSum exact = exact_dot_sum(a, b, count, c);
  if (!is_finite(exact)) return std::nullopt;
  const int place = ulp_place(exact, result);
  if (arithmetic.unit != nullptr && !arithmetic.is_chain_of_unit()) return std::nullopt;
  if (arithmetic.unit != nullptr) {
    const auto limit = unit_error_limit(*arithmetic.unit, a, b, count, c, result);
    // Without a sign, the result of a negative sum is a NaN.
    const bool has_result = formats::is_finite(result, exact.round(result).bits);
    return limit && has_result ? std::optional(Ulps{parts_of(*limit, place)}) : std::nullopt;
  }
  if (arithmetic.is_exact()) {
    // More than half an ulp only where it saturates or, without a zero, underflows.
    constexpr Ulps kHalf{std::uint64_t{1} << (Ulps::kFractionBits - 1)};
    const auto error = ulp_error(exact, result, exact.round(result).bits);
    return error && *error <= kHalf ? std::optional(kHalf) : std::nullopt;
  }
  Roundings roundings(arithmetic, c);
  walk(arithmetic.order, count, roundings);
  const Weight weight = roundings.stored(result);
  if (weight.parts() >= std::uint64_t{1} << (kUnit - 1)) return std::nullopt;
  const Magnitude size = magnitude(absolute_sum(a, b, count, c), true);
  if (!stays_in_range(arithmetic, result, size)) return std::nullopt;
  const int lost = underflow_place(arithmetic, result) + 1;
  const auto rounded =
      sum_or_beyond(relative_parts(weight, size, place),
                    shifted(roundings.count(), lost - place + Ulps::kFractionBits, true));
  if (!flushes_operands(arithmetic)) return Ulps{rounded};
  const Magnitude flushed = magnitude(flushed_sum(a, b, count, c), true);
  return Ulps{sum_or_beyond(rounded, parts_of(flushed, place))};
}

}  // namespace halfmark::models
