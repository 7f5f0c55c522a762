// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/softmax.hpp"

#include <algorithm>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "reference/operators/well_formed.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using Variant = SoftmaxVariant;
using Row = std::vector<Bits>;

// The format to which a variant rounds an intermediate value; fp32 means no rounding.
const Format& shift_format(Variant v) {
  if (v == Variant::kAllInBf16) return kBf16;
  return v == Variant::kShiftInHalf || v == Variant::kAllInHalf ? kFp16 : kFp32;
}
const Format& exp_format(Variant v) {
  if (v == Variant::kAllInBf16) return kBf16;
  return v == Variant::kExpInHalf || v == Variant::kAllInHalf ? kFp16 : kFp32;
}
const Format& sum_format(Variant v) {
  if (v == Variant::kAllInBf16) return kBf16;
  const bool half =
      v == Variant::kSumInHalf || v == Variant::kAllInHalf || v == Variant::kRowSumInHalf;
  return half ? kFp16 : kFp32;
}

// One row, evaluated according to the variant.
class RowEvaluator {
 public:
  RowEvaluator(const Machine& machine, Variant variant)
      : machine_(machine), op_(machine), variant_(variant) {}

  [[nodiscard]] Bits narrowed(const Format& format, Bits value) const {
    return op_.load(format, op_.store(format, value));
  }

  [[nodiscard]] Bits read(const Format& format, Bits stored) const {
    Bits value = op_.load(format, stored);
    if (variant_ == Variant::kInputsInBf16) value = narrowed(kBf16, value);
    if (variant_ == Variant::kNanIsMasked && formats::is_nan(kFp32, value)) {
      value = Fp32::kMinusInfinity;
    }
    return value;
  }

  // The number of elements that enter maximum and sum.
  [[nodiscard]] std::size_t summed(std::size_t width) const {
    return variant_ == Variant::kTailNotSummed ? width / kLanes * kLanes : width;
  }

  [[nodiscard]] Bits maximum(const Row& x) const {
    const auto larger = [](Bits m, Bits v) { return Fp32::greater(v, m) ? v : m; };
    const bool from_zero = variant_ == Variant::kMaxFromZero ||
                           (variant_ == Variant::kPaddingIsZero && x.size() % kLanes != 0);
    return reduce_lanes(
        summed(x.size()), from_zero ? 0 : Fp32::kMinusInfinity,
        [&](Bits m, std::size_t i) { return larger(m, x[i]); }, larger);
  }

  [[nodiscard]] Bits shifted(Bits x, Bits largest) const {
    if (variant_ == Variant::kNoShift) return x;
    return narrowed(shift_format(variant_), op_.sub(x, largest));
  }

  [[nodiscard]] Row powers(const Row& x, Bits largest) const {
    Row result(x.size());
    std::transform(x.begin(), x.end(), result.begin(), [&](Bits value) {
      return narrowed(exp_format(variant_), exp(machine_, shifted(value, largest)));
    });
    return result;
  }

  [[nodiscard]] Bits sum(const Row& powers) const {
    if (variant_ == Variant::kEmptyLaneIsNan && powers.size() < kLanes) return Fp32::kNan;
    const auto plus = [&](Bits a, Bits b) { return narrowed(sum_format(variant_), op_.add(a, b)); };
    return reduce_lanes(
        summed(powers.size()), 0, [&](Bits s, std::size_t i) { return plus(s, powers[i]); }, plus);
  }

  [[nodiscard]] Bits quotient(Bits power, Bits sum) const {
    if (variant_ == Variant::kReciprocal) return op_.mul(power, op_.div(Fp32::kOne, sum));
    if (variant_ == Variant::kReciprocalInHalf) {
      return op_.mul(power, narrowed(kFp16, op_.div(Fp32::kOne, sum)));
    }
    return op_.div(power, sum);
  }

  // Whether the variant treats this row as masked; if so, `value` is its only value.
  [[nodiscard]] bool masked(const Row& x, Bits largest, Bits& value) const {
    if (largest != Fp32::kMinusInfinity) return false;
    if (variant_ == Variant::kMaskedRowIsZero) {
      value = 0;
      return true;
    }
    const bool only_masked =
        std::all_of(x.begin(), x.end(), [](Bits v) { return v == Fp32::kMinusInfinity; });
    if (variant_ != Variant::kMaskedRowUniform || !only_masked) return false;
    const auto width = static_cast<std::int64_t>(x.size());
    value = op_.div(Fp32::kOne, soft::from_int(kFp32, width).bits);
    return true;
  }

  [[nodiscard]] Row forward(const Row& x) const {
    const Bits largest = maximum(x);
    Bits value = 0;
    if (masked(x, largest, value)) return Row(x.size(), value);
    Row y = powers(x, largest);
    const Bits total = sum(y);
    for (Bits& element : y) element = quotient(element, total);
    return y;
  }

  [[nodiscard]] Row log_forward(const Row& x) const {
    Row y(x.size());
    if (variant_ == Variant::kLogOfSoftmax) {
      y = forward(x);
      for (Bits& element : y) element = log(machine_, element);
      return y;
    }
    const Bits largest = maximum(x);
    Bits value = 0;
    if (masked(x, largest, value)) return Row(x.size(), log(machine_, value));
    const Bits log_sum = log(machine_, sum(powers(x, largest)));
    std::transform(x.begin(), x.end(), y.begin(),
                   [&](Bits v) { return op_.sub(shifted(v, largest), log_sum); });
    return y;
  }

  [[nodiscard]] Row backward(const Row& y, const Row& dy) const {
    const auto plus = [&](Bits a, Bits b) { return narrowed(sum_format(variant_), op_.add(a, b)); };
    const auto step = [&](Bits s, std::size_t i) {
      if (variant_ == Variant::kProductInHalf) {
        return op_.add(s, narrowed(kFp16, op_.mul(dy[i], y[i])));
      }
      return narrowed(sum_format(variant_), op_.fma(dy[i], y[i], s));
    };
    const Bits total = variant_ == Variant::kNoRowSum ? 0 : reduce_lanes(y.size(), 0, step, plus);
    Row dx(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) dx[i] = op_.mul(y[i], op_.sub(dy[i], total));
    return dx;
  }

  [[nodiscard]] Row log_backward(const Row& y, const Row& dy) const {
    const auto plus = [&](Bits a, Bits b) { return narrowed(sum_format(variant_), op_.add(a, b)); };
    const auto step = [&](Bits s, std::size_t i) { return plus(s, dy[i]); };
    const Bits total = variant_ == Variant::kNoRowSum ? 0 : reduce_lanes(y.size(), 0, step, plus);
    Row dx(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      dx[i] = op_.fma(Fp32::negated(exp(machine_, y[i])), total, dy[i]);
    }
    return dx;
  }

 private:
  const Machine& machine_;
  Fp32 op_;
  Variant variant_;
};

// Reads the inputs row by row, passes them to `evaluate`, and stores the results.
template <typename Evaluate, typename... Inputs>
Tensor by_rows(const SoftmaxParams& params, const Machine& machine, Evaluate&& evaluate,
               const Inputs&... inputs) {
  const RowEvaluator rows(machine, params.variant);
  const Fp32 op(machine);
  Tensor result = Tensor::zeros(*params.output, params.rows * params.width);
  const auto read = [&](const Tensor& tensor, std::size_t start) {
    Row values(params.width);
    for (std::size_t i = 0; i < params.width; ++i) {
      values[i] = rows.read(*tensor.format, tensor.at(start + i));
    }
    return values;
  };
  for (std::size_t r = 0; r < params.rows; ++r) {
    const std::size_t start = r * params.width;
    const Row values = evaluate(rows, read(inputs, start)...);
    for (std::size_t i = 0; i < params.width; ++i) {
      result.set(start + i, op.store(*params.output, values[i]));
    }
  }
  return result;
}

}  // namespace

void require_well_formed(const SoftmaxParams& params, std::string_view name,
                         const Tensor& operand) {
  require(params.output != nullptr, "softmax needs the format of its result");
  require_count("softmax", name, operand, params.rows * params.width);
}

Tensor softmax_forward(const SoftmaxParams& params, const Tensor& x, const Machine& machine) {
  require_well_formed(params, "x", x);
  return by_rows(
      params, machine, [](const RowEvaluator& rows, const Row& row) { return rows.forward(row); },
      x);
}

Tensor softmax_log_forward(const SoftmaxParams& params, const Tensor& x, const Machine& machine) {
  require_well_formed(params, "x", x);
  return by_rows(
      params, machine,
      [](const RowEvaluator& rows, const Row& row) { return rows.log_forward(row); }, x);
}

Tensor softmax_backward(const SoftmaxParams& params, const Tensor& y, const Tensor& dy,
                        const Machine& machine) {
  require_well_formed(params, "y", y);
  require_well_formed(params, "dy", dy);
  return by_rows(
      params, machine,
      [](const RowEvaluator& rows, const Row& a, const Row& b) { return rows.backward(a, b); }, y,
      dy);
}

Tensor softmax_log_backward(const SoftmaxParams& params, const Tensor& y, const Tensor& dy,
                            const Machine& machine) {
  require_well_formed(params, "y", y);
  require_well_formed(params, "dy", dy);
  return by_rows(
      params, machine,
      [](const RowEvaluator& rows, const Row& a, const Row& b) { return rows.log_backward(a, b); },
      y, dy);
}

}  // namespace halfmark::operators
