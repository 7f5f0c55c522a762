// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "reference/fast/parallel.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp64;
using operators::readings;

bool before(const Format& f, Bits a, Bits b) {
  return formats::ordered(f, a) < formats::ordered(f, b);
}

double magnitude_of(const Format& f, Bits x) {
  return std::fabs(std::bit_cast<double>(soft::convert(f, kFp64, x).bits));
}

// What is allowed in addition to ULPs: an absolute error, as an fp64 number.
std::optional<Bits> absolute_of(Bits x, const Terms& terms) {
  const double size = magnitude_of(*terms.format, x);
  const bool near_one = terms.shape == Shape::kNearOne && size >= 0.5 && size <= 2.0;
  if (near_one) return std::bit_cast<std::uint64_t>(0x1p-21);
  if (terms.shape == Shape::kOneCircle) return std::bit_cast<std::uint64_t>(0x1p-11);
  return std::nullopt;
}

// 2|x| is rounded up to an integer; beyond 2^10 functions that grow like this have no useful value.
Ulps ulps_of(Bits x, const Terms& terms) {
  if (terms.shape != Shape::kGrowing) return terms.ulps;
  const double more = 2 * std::min(magnitude_of(*terms.format, x), 0x1p10);
  Ulps ulps = terms.ulps;
  ulps.halves += 2 * static_cast<std::uint64_t>(std::ceil(more));
  return ulps;
}

bool is_edge(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) || !formats::is_finite(f, bits);
}

Range unflushed(const Callee& callee, const Operands& operands, const Terms& terms) {
  const Format& f = *terms.format;
  const auto function = [&](const Format& g, const soft::Environment& environment) {
    if (g == f) return callee.evaluate(g, operands, environment);
    const Operands same{soft::convert(f, g, operands.x).bits, soft::convert(f, g, operands.w).bits};
    return callee.evaluate(g, same, environment);
  };
  const bool edge = is_edge(f, operands.x) ||
                    (callee.binary != nullptr && is_edge(f, operands.w)) ||
                    (terms.exact_zeros && formats::is_zero(f, function(f, {}).bits));
  const auto [low, high] = operators::ulp_range(f, function,
                                                {.ulps = ulps_of(operands.x, terms),
                                                 .absolute = absolute_of(operands.x, terms),
                                                 .of_rounded = terms.of_rounded,
                                                 .exact_number = edge && terms.exact_edges,
                                                 .may_saturate = terms.may_saturate});
  return {low, high};
}

Bits without_subnormals(const Format& f, Bits bits) {
  return formats::is_subnormal(f, bits) ? bits & f.sign_mask() : bits;
}

Range flushed(const Callee& callee, Operands operands, const Terms& terms,
              const Flushing& flushing) {
  const Format& f = *terms.format;
  if (flushing.operands) {
    operands = {without_subnormals(f, operands.x), without_subnormals(f, operands.w)};
  }
  Range range = unflushed(callee, operands, terms);
  if (!flushing.results || formats::is_nan(f, range.low)) return range;
  // Any allowed subnormal may become zero; then the end past it may as well.
  const bool positive = formats::ordered(f, range.low) > 0;
  const bool negative = formats::ordered(f, range.high) < 0;
  if (positive && formats::is_subnormal(f, range.low)) range.low = 0;
  if (negative && formats::is_subnormal(f, range.high)) range.high = 0;
  return range;
}

}  // namespace

Range allowed(const Callee& callee, const Operands& operands, const Terms& terms,
              const Flushing& flushing) {
  if (!terms.may_flush) return flushed(callee, operands, terms, flushing);
  const Format& f = *terms.format;
  const Range kept = flushed(callee, operands, terms, {.results = true});
  const Range other = flushed(callee, operands, terms, {.operands = true, .results = true});
  if (formats::is_nan(f, kept.low) || formats::is_nan(f, other.low)) return kept;
  const auto less = [&f](Bits a, Bits b) { return before(f, a, b); };
  return {std::min(kept.low, other.low, less), std::max(kept.high, other.high, less)};
}

namespace {

// Whether the exact value, which rounding may move to the least normal number, is below it.
bool is_below_normal(const Callee& callee, const Operands& operands, const Format& f) {
  const soft::Result cut = callee.evaluate(f, operands, {.rounding = soft::Rounding::kTowardZero});
  const bool is_number = (cut.flags & soft::kInexact) == 0;
  return formats::magnitude(f, cut.bits) < formats::min_normal(f) &&
         !(is_number && formats::is_zero(f, cut.bits));
}

// With the operands as they were read.
bool may_give(const Callee& callee, const Operands& operands, const Terms& terms, Bits y) {
  const Format& f = *terms.format;
  const Range range = unflushed(callee, operands, terms);
  return operators::is_within_or_flushed(f, {range.low, range.high}, y) ||
         (formats::is_zero(f, y) && is_below_normal(callee, operands, f));
}

}  // namespace

bool is_left_open(const Callee& callee, const Operands& operands, const Terms& terms, Bits y) {
  for (const Bits x : readings(*terms.format, operands.x)) {
    for (const Bits w : readings(*terms.format, operands.w))
      if (may_give(callee, {x, w}, terms, y)) return true;
  }
  return false;
}

Enclosure enclosure_of(const Callee& callee, const TensorSet& inputs, const Terms& terms,
                       const Flushing& flushing) {
  const std::size_t count = inputs.at("x").count();
  formats::Tensor low = formats::Tensor::zeros(*terms.format, count);
  formats::Tensor high = low;
  constexpr std::size_t kPart = 512;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        const std::size_t end = std::min(count, (part + 1) * kPart);
        for (std::size_t i = part * kPart; i < end; ++i) {
          const Range range = allowed(callee, operands_at(inputs, i), terms, flushing);
          low.set(i, range.low);
          high.set(i, range.high);
        }
      });
  Enclosure enclosure;
  enclosure.low.emplace("y", std::move(low));
  enclosure.high.emplace("y", std::move(high));
  return enclosure;
}

}  // namespace halfmark::suites::elementary
