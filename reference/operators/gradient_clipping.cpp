// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/gradient_clipping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/operators/lanes.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;

constexpr Bits kMillionth = 0x358637bd;  // 1e-6

// In lanes; `in_half`: squares, their sum and the root are rounded to fp16.
Bits root_of_squares(const Tensor& x, const Fp32& op, bool in_half) {
  const auto narrowed = [&](Bits value) {
    return in_half ? op.load(kFp16, op.store(kFp16, value)) : value;
  };
  const auto add_square = [&](Bits sum, std::size_t i) {
    const Bits value = op.load(*x.format, x.at(i));
    if (!in_half) return op.fma(value, value, sum);
    return narrowed(op.add(sum, narrowed(op.mul(value, value))));
  };
  const auto add = [&](Bits a, Bits b) { return narrowed(op.add(a, b)); };
  return narrowed(op.sqrt(reduce_lanes(x.count(), 0, add_square, add)));
}

class Clipping {
 public:
  Clipping(const LossScaler& scaler, Bits scale, Bits limit, const Machine& machine,
           const ClippingVariant& variant)
      : scaler_(scaler),
        scale_(scale),
        limit_(limit),
        machine_(machine),
        variant_(variant),
        op_(machine) {}

  [[nodiscard]] ClippedGradients run(std::span<const Tensor> gradients) const {
    if (scaler_.profile->order == GradientOrder::kCheckClipWithUnscale &&
        !variant_.before_unscaling) {
      return at_once(gradients);
    }
    ClippedGradients result;
    std::vector<Tensor> scaled(gradients.begin(), gradients.end());
    if (variant_.before_unscaling) result.norm = clip(scaled);
    for (const Tensor& each : scaled) {
      UnscaledGradients one = unscaled(scaler_, scale_, each, machine_, variant_.scaler);
      result.gradients.push_back(std::move(one.gradients));
      result.found.push_back(one.found);
    }
    if (variant_.norm_of_scaled) result.norm = clip_to(result.gradients, total_norm(gradients));
    if (!variant_.before_unscaling && !variant_.norm_of_scaled)
      result.norm = clip(result.gradients);
    if (scaler_.profile->order == GradientOrder::kUnscaleClipCheck) check(result);
    return result;
  }

 private:
  [[nodiscard]] Bits norm_of(const Tensor& tensor) const {
    return root_of_squares(tensor, op_, variant_.norm_in_half);
  }

  [[nodiscard]] Bits total_norm(std::span<const Tensor> tensors) const {
    Tensor norms = Tensor::zeros(kFp32, tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) norms.set(i, norm_of(tensors[i]));
    return tensors.size() == 1 ? norms.at(0) : norm_of(norms);
  }

  static void multiply(Tensor& tensor, const Fp32& op, Bits factor) {
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const Bits value = op.mul(op.load(*tensor.format, tensor.at(i)), factor);
      tensor.set(i, op.store(*tensor.format, value));
    }
  }

  // Multiplies every gradient by the factor, and returns the norm.
  [[nodiscard]] Bits clip(std::vector<Tensor>& tensors) const {
    return clip_to(tensors, total_norm(tensors));
  }

  [[nodiscard]] Bits clip_to(std::vector<Tensor>& tensors, Bits total) const {
    const Bits factor = clip_factor(total, limit_, machine_);
    for (Tensor& tensor : tensors) multiply(tensor, op_, factor);
    return total;
  }

  // Once more, on what clipping left.
  void check(ClippedGradients& result) const {
    for (std::size_t i = 0; i < result.gradients.size(); ++i) {
      const Tensor& tensor = result.gradients[i];
      bool found = false;
      for (std::size_t at = 0; at < tensor.count() && !found; ++at)
        found = !formats::is_finite(*tensor.format, tensor.at(at));
      result.found[i] = found && variant_.scaler.check != LossScalerVariant::Check::kNever;
    }
  }

  [[nodiscard]] ClippedGradients at_once(std::span<const Tensor> gradients) const {
    const Bits scale =
        soft::convert(*scaler_.profile->scale_format, kFp32, scale_, machine_.convert).bits;
    ClippedGradients result;
    result.norm = total_norm(gradients);
    const Bits excess = op_.div(op_.add(op_.div(result.norm, scale), kMillionth), limit_);
    const bool clips = Fp32::greater(excess, Fp32::kOne);
    const Bits combined = clips ? op_.mul(scale, excess) : scale;
    const Bits factor = op_.div(Fp32::kOne, combined);
    const formats::Format& to = *scaler_.profile->unscaled_format;
    for (const Tensor& each : gradients) {
      result.found.push_back(unscaled(scaler_, scale_, each, machine_, variant_.scaler).found);
      Tensor wide = Tensor::zeros(to, each.count());
      for (std::size_t i = 0; i < each.count(); ++i)
        wide.set(i, op_.store(to, op_.mul(op_.load(*each.format, each.at(i)), factor)));
      result.gradients.push_back(std::move(wide));
    }
    return result;
  }

  const LossScaler& scaler_;
  Bits scale_, limit_;
  const Machine& machine_;
  const ClippingVariant& variant_;
  Fp32 op_;
};

}  // namespace

Bits gradient_norm(const Tensor& gradients, const Machine& machine) {
  return root_of_squares(gradients, Fp32(machine), false);
}

Bits clip_factor(Bits total, Bits limit, const Machine& machine) {
  const Fp32 op(machine);
  const Bits factor = op.mul(op.div(Fp32::kOne, op.add(total, kMillionth)), limit);
  return Fp32::greater(factor, Fp32::kOne) ? Fp32::kOne : factor;
}

void require_clip_limit(Bits limit) {
  const bool is_positive = formats::is_finite(kFp32, limit) && !formats::sign(kFp32, limit) &&
                           !formats::is_zero(kFp32, limit);
  if (is_positive) return;
  throw std::invalid_argument(
      fmt::format("'clip' is {}; it must be positive and finite", formats::decimal(kFp32, limit)));
}

ClippedGradients clipped(const LossScaler& scaler, Bits scale, std::span<const Tensor> gradients,
                         Bits limit, const Machine& machine, const ClippingVariant& variant) {
  return Clipping(scaler, scale, limit, machine, variant).run(gradients);
}

}  // namespace halfmark::operators
