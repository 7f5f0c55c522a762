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
  [[nodiscard]] Bits narrowed(Bits value) const {
    return variant_.norm_in_half ? op_.load(kFp16, op_.store(kFp16, value)) : value;
  }

  template <typename Load>
  [[nodiscard]] Bits norm_of(std::size_t count, const Load& load) const {
    const auto add_square = [&](Bits sum, std::size_t i) {
      const Bits x = load(i);
      if (!variant_.norm_in_half) return op_.fma(x, x, sum);
      return narrowed(op_.add(sum, narrowed(op_.mul(x, x))));
    };
    const Bits sum =
        reduce_lanes(count, 0, add_square, [&](Bits a, Bits b) { return narrowed(op_.add(a, b)); });
    return narrowed(op_.sqrt(sum));
  }

  [[nodiscard]] Bits norm_of(const Tensor& tensor) const {
    return norm_of(tensor.count(),
                   [&](std::size_t i) { return op_.load(*tensor.format, tensor.at(i)); });
  }

  [[nodiscard]] Bits total_norm(std::span<const Tensor> tensors) const {
    std::vector<Bits> norms;
    for (const Tensor& tensor : tensors) norms.push_back(norm_of(tensor));
    if (norms.size() == 1) return norms.front();
    return norm_of(norms.size(), [&](std::size_t i) { return norms[i]; });
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
    const Bits inverse = op_.div(Fp32::kOne, op_.add(total, kMillionth));
    const Bits factor = op_.mul(inverse, limit_);
    const Bits least = Fp32::greater(factor, Fp32::kOne) ? Fp32::kOne : factor;
    for (Tensor& tensor : tensors) multiply(tensor, op_, least);
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
