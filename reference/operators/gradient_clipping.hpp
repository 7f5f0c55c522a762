// SPDX-License-Identifier: Apache-2.0
// Clipping of gradients by their norm, in the order of a loss scaler's profile: whether it comes
// before or after the check and the unscaling decides what it clips and what the check sees. Norm
// and factor are in fp32. For fp32 gradients they are those of PyTorch's clip_grad_norm_
// (torch/nn/utils/clip_grad.py), which computes those of narrower gradients in their format:
//
//   norm of a device   sqrt of the sum of squares, each step one fma, in the order of lanes.hpp
//   total norm         the same of the devices' norms, if there are several
//   factor             the lesser of 1 and limit * (1 / (total + 1e-6)); a NaN if the norm is one
//
// and every gradient is multiplied by the factor, rounded to its format. An infinite norm gives a
// factor of 0: infinite gradients become NaN, finite ones zero, so that a check that comes last
// still sees them. kCheckClipWithUnscale is DeepSpeed's: with c = (total / scale + 1e-6) / limit,
// gradients are multiplied once by 1 / (scale * c) if c exceeds 1, else by 1 / scale.
#pragma once

#include <span>
#include <vector>

#include "reference/operators/loss_scaler.hpp"

namespace halfmark::operators {

/// Departures, each seen in frameworks. The default is the profile.
struct ClippingVariant {
  bool before_unscaling = false;  // the limit applies to the scaled gradients
  bool norm_of_scaled = false;    // it applies to their norm alone
  bool norm_in_half = false;      // squares, their sum and the norm are rounded to fp16
  LossScalerVariant scaler = {};

  [[nodiscard]] bool operator==(const ClippingVariant&) const = default;
};

struct ClippedGradients {
  std::vector<formats::Tensor> gradients;  // of each device, unscaled and clipped
  std::vector<bool> found;                 // of each device, at the point where the profile checks
  formats::Bits norm = 0;                  // fp32: the total that was compared with the limit
};

/// The steps of clipping one by one, for whoever replays them: the norm of a tensor in fp32, and
/// the factor for a total norm. The total of several norms is the norm of the tensor of norms.
[[nodiscard]] formats::Bits gradient_norm(const formats::Tensor& gradients,
                                          const models::Machine& machine = {});
[[nodiscard]] formats::Bits clip_factor(formats::Bits total, formats::Bits limit,
                                        const models::Machine& machine = {});

/// Throws std::invalid_argument unless the limit, an fp32 number, is positive and finite.
void require_clip_limit(formats::Bits limit);

[[nodiscard]] ClippedGradients clipped(const LossScaler& scaler, formats::Bits scale,
                                       std::span<const formats::Tensor> gradients,
                                       formats::Bits limit, const models::Machine& machine = {},
                                       const ClippingVariant& variant = {});

}  // namespace halfmark::operators
