// SPDX-License-Identifier: Apache-2.0
// Tensors in 8 bits with one scale each, for matrix products whose operands and results are wider:
//
//   amax    the largest magnitude in the tensor; NaNs do not count, infinities do
//   scale   the largest number of the format / amax, rounded to fp32; the largest number of fp32
//           where the quotient is infinite; 1 where amax is zero or infinite
//   inverse 1 / scale, rounded to fp32
//   eight   the tensor times its scale, one fp32 multiplication, rounded to the format to nearest
//           even, saturating: what is beyond its largest number, infinities too, becomes that
//           number; NaNs stay
//
// A product's sums in fp32 times the product of both inverses, two fp32 multiplications, are the
// result. This is the recipe Float8CurrentScaling of Transformer Engine,
// transformer_engine/common/recipe/recipe_common.cuh (compute_scale_from_amax); the formats and
// saturation are those of OFP8, revision 1.0, section 5.2.
#pragma once

#include <optional>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

/// A tensor in a format of 8 bits, and the numbers, all fp32, that belong to it.
struct ScaledTensor {
  formats::Tensor numbers;  // amax, scale, inverse
  formats::Tensor eight;

  [[nodiscard]] bool has_infinity() const;
  [[nodiscard]] formats::Bits inverse() const { return numbers.at(2); }
};

/// Departures from the specification, each a mistake or a shortcut of implementations. The default
/// is the specification.
struct ScaledTensorVariant {
  bool unscaled = false;              // every scale is 1
  bool powers_of_two = false;         // scales are rounded down to powers of two
  bool truncated = false;             // conversions to 8 bits round toward zero
  bool flushed = false;               // subnormal numbers of 8 bits become zero
  bool unsaturated = false;           // infinities stay, as a NaN in e4m3fn
  bool gradients_in_e4m3fn = false;   // instead of e5m2
  bool multiplied_unrounded = false;  // products multiply the operands before they were rounded
  bool divided_by_scales = false;     // sums / (scale * scale)
  bool not_scaled_back = false;       // sums are the result
  bool infinities_unnoticed = false;  // an infinite amax is not found, and saturation hides it

  [[nodiscard]] bool operator==(const ScaledTensorVariant&) const = default;
};

/// The scale for an amax, both fp32; nothing where amax is zero or not finite.
[[nodiscard]] std::optional<formats::Bits> scale_to_largest(const formats::Format& format,
                                                            formats::Bits amax,
                                                            const models::Machine& machine = {});

/// `x` in a format of 8 bits.
[[nodiscard]] ScaledTensor scaled_tensor(const formats::Tensor& x, const formats::Format& format,
                                         const models::Machine& machine,
                                         const ScaledTensorVariant& variant = {});

/// What a product's sums in fp32 become, in fp32.
[[nodiscard]] formats::Tensor scaled_back(const formats::Tensor& sums, const ScaledTensor& a,
                                          const ScaledTensor& b, const models::Machine& machine,
                                          const ScaledTensorVariant& variant = {});

}  // namespace halfmark::operators
