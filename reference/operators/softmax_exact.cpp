// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/softmax_exact.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/operators/fixed_point.hpp"
#include "reference/operators/well_formed.hpp"
#include "reference/soft/codec.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::size_t kFirstLimbs = 4;
// Only values that agree with a midpoint to a thousand bits reach this limit; they take the
// lower end.
constexpr std::size_t kMostLimbs = 16;

struct Interval {
  FixedPoint low, high;
};

FixedPoint magnitude_of(std::size_t limbs, const Format& f, Bits bits) {
  const int field = formats::exponent_field(f, bits);
  const Bits fraction = formats::fraction_field(f, bits);
  const bool subnormal = f.has_zero && field == 0;
  const std::uint64_t integer = subnormal ? fraction : fraction | Bits{1} << f.fraction_bits;
  return {limbs, integer, std::max(field - f.bias, f.min_exponent()) - f.fraction_bits};
}

// a - b for a >= b, exactly.
FixedPoint difference(std::size_t limbs, const Format& f, Bits a, Bits b) {
  FixedPoint upper = magnitude_of(limbs, f, a);
  FixedPoint lower = magnitude_of(limbs, f, b);
  const bool a_negative = formats::sign(f, a);
  if (a_negative != formats::sign(f, b)) return upper += lower;
  return a_negative ? lower -= upper : upper -= lower;
}

Interval around(FixedPoint value, int error_bits) {
  const std::size_t limbs = value.fraction_limbs();
  const FixedPoint error(limbs, 1, error_bits - value.fraction_bits());
  FixedPoint high = value;
  high += error;
  FixedPoint low = value > error ? value -= error : FixedPoint(limbs);
  return {.low = std::move(low), .high = std::move(high)};
}

Interval exactly(const FixedPoint& value) { return {.low = value, .high = value}; }

// exp(-distance). Beyond 2^13 it is less than one last place at every precision used here.
Interval falling(const FixedPoint& distance) {
  const std::size_t limbs = distance.fraction_limbs();
  if (distance.is_zero()) return exactly(FixedPoint(limbs, 1, 0));
  if (distance.exponent() >= 13) {
    return {.low = FixedPoint(limbs), .high = FixedPoint(limbs, 1, -64 * static_cast<int>(limbs))};
  }
  return around(exp(distance, true), kExpErrorBits);
}

// numerator / denominator as the nearest encoding; the quotient has 62 bits and a sticky bit.
Bits rounded_quotient(const Format& f, FixedPoint numerator, FixedPoint denominator) {
  if (numerator.is_zero()) return formats::zero(f);
  int exponent = numerator.exponent() - denominator.exponent();
  // Aligned at 2^100, where neither loses significant bits nor overflows the integer part.
  numerator.shift(100 - numerator.exponent());
  denominator.shift(100 - denominator.exponent());
  if (numerator < denominator) {
    numerator.shift(1);
    --exponent;
  }
  std::uint64_t significand = 0;
  for (int bit = 0; bit <= soft::kLead; ++bit) {
    significand <<= 1;
    if (numerator >= denominator) {
      numerator -= denominator;
      significand |= 1;
    }
    numerator.shift(1);
  }
  if (!numerator.is_zero()) significand |= 1;
  return soft::round(f, false, exponent, significand, soft::Environment{}).bits;
}

// The logits of a row relative to their maximum, at one precision.
class RowInterval {
 public:
  RowInterval(std::size_t limbs, const Format& f, const std::vector<Bits>& x, Bits largest)
      : sum_{exactly(FixedPoint(limbs))} {
    for (const Bits bits : x) {
      const bool masked = formats::is_infinity(f, bits);
      distances_.push_back(masked ? FixedPoint(limbs) : difference(limbs, f, largest, bits));
      powers_.push_back(masked ? exactly(FixedPoint(limbs)) : falling(distances_.back()));
      sum_.low += powers_.back().low;
      sum_.high += powers_.back().high;
    }
  }

  [[nodiscard]] std::optional<Bits> quotient(const Format& f, std::size_t i, bool last) const {
    const Bits low = rounded_quotient(f, powers_[i].low, sum_.high);
    const Bits high = rounded_quotient(f, powers_[i].high, sum_.low);
    if (low == high || last) return low;
    return std::nullopt;
  }

  // Whether distance_i + ln(sum) is less than `bound`; no such value equals it.
  [[nodiscard]] std::optional<bool> depth_below(std::size_t i, FixedPoint bound) const {
    if (bound <= distances_[i]) return false;  // the sum is greater than one
    bound -= distances_[i];
    constexpr std::uint64_t kBeyondAnySum = 64;
    if (bound.exponent() >= 8 || bound.whole() >= kBeyondAnySum) return true;
    // exp(bound) may be as large as 2^93, and the error may grow as much.
    const Interval power = around(exp(bound, false), kExpErrorBits + 94);
    if (sum_.high < power.low) return true;
    if (sum_.low > power.high) return false;
    return std::nullopt;
  }

 private:
  std::vector<FixedPoint> distances_;
  std::vector<Interval> powers_;
  Interval sum_;
};

// The midpoint between the magnitudes `bits` and bits + 1.
FixedPoint midpoint(std::size_t limbs, const Format& f, Bits bits) {
  const int field = formats::exponent_field(f, bits);
  const int place = std::max(field - f.bias, f.min_exponent()) - f.fraction_bits;
  FixedPoint value = magnitude_of(limbs, f, bits);
  return value += FixedPoint(limbs, 1, place - 1);
}

// -(distance_i + ln(sum)) as the nearest encoding: the least magnitude whose upper midpoint lies
// beyond it. The magnitude after the largest finite one stands for infinity.
std::optional<Bits> rounded_depth(const RowInterval& row, std::size_t limbs, const Format& f,
                                  std::size_t i, bool last) {
  if (!f.has_sign) return formats::quiet_nan(f);
  Bits low = 0;
  Bits high = formats::max_finite(f) + 1;
  while (low < high) {
    const Bits middle = low + (high - low) / 2;
    const std::optional<bool> below = row.depth_below(i, midpoint(limbs, f, middle));
    if (!below && !last) return std::nullopt;
    if (below.value_or(false)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low > formats::max_finite(f)) return formats::infinity(f, true);
  return formats::encode(f, true, low);
}

// The row's maximum; nothing if the row's result is NaN.
std::optional<Bits> largest_of(const Format& f, const std::vector<Bits>& x) {
  if (x.empty()) return std::nullopt;
  Bits largest = x.front();
  for (const Bits bits : x) {
    const bool plus_infinity = formats::is_infinity(f, bits) && !formats::sign(f, bits);
    if (formats::is_nan(f, bits) || plus_infinity) return std::nullopt;
    if (formats::ordered(f, bits) > formats::ordered(f, largest)) largest = bits;
  }
  return formats::is_infinity(f, largest) ? std::nullopt : std::optional(largest);
}

using RowResult = std::vector<Bits>;

RowResult divided_row(const Format& in, const Format& out, const std::vector<Bits>& x,
                      Bits largest) {
  for (std::size_t limbs = kFirstLimbs;; limbs *= 2) {
    const bool last = limbs >= kMostLimbs;
    const RowInterval row(limbs, in, x, largest);
    RowResult y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::optional<Bits> bits = row.quotient(out, i, last);
      if (!bits) break;
      y.push_back(*bits);
    }
    if (y.size() == x.size()) return y;
  }
}

RowResult logarithmic_row(const Format& in, const Format& out, const std::vector<Bits>& x,
                          Bits largest) {
  const auto live =
      std::count_if(x.begin(), x.end(), [&](Bits bits) { return !formats::is_infinity(in, bits); });
  for (std::size_t limbs = kFirstLimbs;; limbs *= 2) {
    const bool last = limbs >= kMostLimbs;
    const RowInterval row(limbs, in, x, largest);
    RowResult y;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (formats::is_infinity(in, x[i])) {
        y.push_back(formats::infinity(out, true));
        continue;
      }
      // The logarithm of 1 is the only one that is rational.
      const std::optional<Bits> bits =
          live == 1 ? std::optional(formats::zero(out)) : rounded_depth(row, limbs, out, i, last);
      if (!bits) break;
      y.push_back(*bits);
    }
    if (y.size() == x.size()) return y;
  }
}

using RowFunction = RowResult (*)(const Format&, const Format&, const std::vector<Bits>&, Bits);

Tensor by_rows(const SoftmaxParams& params, const Tensor& x, RowFunction evaluate) {
  require_well_formed(params, "x", x);
  require(has_exact_softmax(*x.format), "softmax_exact: x is in a format beyond fp32");
  require(has_exact_softmax(*params.output), "softmax_exact: the result's format is beyond fp32");
  Tensor result = Tensor::zeros(*params.output, params.rows * params.width);
  for (std::size_t r = 0; r < params.rows; ++r) {
    std::vector<Bits> row(params.width);
    for (std::size_t i = 0; i < params.width; ++i) row[i] = x.at(r * params.width + i);
    const std::optional<Bits> largest = largest_of(*x.format, row);
    const RowResult y = largest ? evaluate(*x.format, *params.output, row, *largest)
                                : RowResult(params.width, formats::quiet_nan(*params.output));
    for (std::size_t i = 0; i < params.width; ++i) result.set(r * params.width + i, y[i]);
  }
  return result;
}

}  // namespace

Tensor softmax_exact(const SoftmaxParams& params, const Tensor& x) {
  return by_rows(params, x, divided_row);
}

Tensor softmax_log_exact(const SoftmaxParams& params, const Tensor& x) {
  return by_rows(params, x, logarithmic_row);
}

}  // namespace halfmark::operators
