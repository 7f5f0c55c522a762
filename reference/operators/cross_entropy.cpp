// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/cross_entropy.hpp"

#include <algorithm>

#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "reference/operators/well_formed.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using Variant = CrossEntropyVariant;

constexpr std::string_view kName = "cross_entropy";

void require_rows(const CrossEntropyParams& params, std::string_view name, const Tensor& rows) {
  require(params.output != nullptr, "cross_entropy needs the format of its result");
  require(params.labels.size() == params.rows, "cross_entropy: the labels are not one per row");
  require_count(kName, name, rows, params.rows * params.width);
  require(*rows.format == kFp32, "cross_entropy: probabilities are in fp32");
}

bool takes_upstream_by_row(const CrossEntropyParams& params) {
  return params.reduction == LossReduction::kNone || params.variant == Variant::kUpstreamByRow;
}

void require_upstream(const CrossEntropyParams& params, const Tensor& dy) {
  const bool one = dy.count() == 1 && !takes_upstream_by_row(params);
  if (!one) require_count(kName, "dy", dy, params.rows);
  require(*dy.format == kFp32, "cross_entropy: dy is in fp32");
}

class Evaluator {
 public:
  Evaluator(const CrossEntropyParams& params, const Machine& machine)
      : params_(params), op_(machine) {
    for (std::size_t r = 0; r < params.rows; ++r) {
      counted_ += counts(r) || is(Variant::kCountsIgnored) ? 1 : 0;
    }
  }

  [[nodiscard]] const Fp32& op() const { return op_; }
  [[nodiscard]] bool is(Variant variant) const { return params_.variant == variant; }
  [[nodiscard]] Bits narrowed_if(Variant variant, Bits value) const {
    return is(variant) ? op_.load(kFp16, op_.store(kFp16, value)) : value;
  }

  [[nodiscard]] bool counts(std::size_t row) const {
    return params_.labels[row] != (is(Variant::kFixedSentinel) ? -100 : params_.ignored);
  }
  // The row's class, or the width if the label is not a class.
  [[nodiscard]] std::size_t label(std::size_t row) const {
    const auto width = static_cast<std::int64_t>(params_.width);
    std::int64_t label = params_.labels[row];
    if (is(Variant::kClampedLabels)) label = std::clamp<std::int64_t>(label, 0, width - 1);
    return static_cast<std::size_t>(label >= 0 && label < width ? label : width);
  }
  [[nodiscard]] Bits count() const { return soft::from_int(kFp32, counted_).bits; }

  [[nodiscard]] Bits loss(const Tensor& q, std::size_t row) const {
    if (!counts(row)) return 0;
    const std::size_t at = label(row);
    return at == params_.width ? Fp32::kNan : Fp32::negated(q.at(row * params_.width + at));
  }

  [[nodiscard]] Bits total(const Tensor& q) const {
    const auto plus = [&](Bits a, Bits b) {
      return narrowed_if(Variant::kLossesInHalf, op_.add(a, b));
    };
    const auto step = [&](Bits sum, std::size_t r) {
      return counts(r) ? plus(sum, loss(q, r)) : sum;
    };
    const Bits sum = reduce_lanes(params_.rows, 0, step, plus);
    return params_.reduction == LossReduction::kMean ? op_.div(sum, count()) : sum;
  }

  [[nodiscard]] Bits factor(const Tensor& dy, std::size_t row) const {
    const Bits upstream = dy.at(takes_upstream_by_row(params_) ? row : 0);
    const bool divides = params_.reduction == LossReduction::kMean && !is(Variant::kNoFactor);
    return narrowed_if(Variant::kFactorInHalf, divides ? op_.div(upstream, count()) : upstream);
  }

  [[nodiscard]] Bits gradient(Bits p, bool at_label, Bits f) const {
    if (!at_label || is(Variant::kNoLabelTerm)) return op_.mul(p, f);
    if (is(Variant::kUnfusedScaling)) return op_.sub(op_.mul(p, f), f);
    return op_.mul(op_.sub(p, Fp32::kOne), f);
  }

 private:
  const CrossEntropyParams& params_;
  Fp32 op_;
  std::int64_t counted_ = 0;
};

}  // namespace

Tensor cross_entropy_forward(const CrossEntropyParams& params, const Tensor& log_probabilities,
                             const Machine& machine) {
  require_rows(params, "log_probabilities", log_probabilities);
  const Evaluator e(params, machine);
  const bool none = params.reduction == LossReduction::kNone;
  Tensor y = Tensor::zeros(*params.output, none ? params.rows : 1);
  for (std::size_t r = 0; r < y.count(); ++r) {
    const Bits value = none ? e.loss(log_probabilities, r) : e.total(log_probabilities);
    y.set(r, e.op().store(*params.output, value));
  }
  return y;
}

Tensor cross_entropy_backward(const CrossEntropyParams& params, const Tensor& probabilities,
                              const Tensor& dy, const Machine& machine) {
  require_rows(params, "probabilities", probabilities);
  require_upstream(params, dy);
  const Evaluator e(params, machine);
  Tensor dx = Tensor::zeros(*params.output, params.rows * params.width);
  for (std::size_t r = 0; r < params.rows; ++r) {
    if (!e.counts(r)) continue;
    const std::size_t label = e.label(r);
    const Bits f = e.factor(dy, r);
    for (std::size_t i = 0; i < params.width; ++i) {
      const std::size_t at = r * params.width + i;
      const Bits value =
          label == params.width ? Fp32::kNan : e.gradient(probabilities.at(at), i == label, f);
      dx.set(at, e.op().store(*params.output, value));
    }
  }
  return dx;
}

}  // namespace halfmark::operators
