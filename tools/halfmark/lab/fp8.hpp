// SPDX-License-Identifier: Apache-2.0
// Scales of tensors in 8 bits: what a product's operands are multiplied by before they are rounded
// to e4m3 (forward) or e5m2 (gradients). Decides scales and their history; step.hpp multiplies.
//
//   current   scale = largest / amax of the tensor itself; 1 if amax is zero or not finite
//   delayed   scale = largest / amax of the history: its greatest entry, or its most recent one.
//             It begins as 1 and stays what it is while that amax is zero or not finite. The amax
//             of a tensor is entered after the tensor was rounded, the oldest entry leaves.
//   both      the largest number of fp32 instead of an infinite quotient
//
// These are the recipes Float8CurrentScaling and DelayedScaling (margin 0) of Transformer Engine,
// transformer_engine/common/recipe/{recipe_common.cuh,delayed_scaling.cu}. Every number is fp32;
// the quotient and the inverse 1 / scale are rounded once. Conversions saturate, as there: what is
// beyond the largest number becomes the largest.
#pragma once

#include <deque>
#include <map>
#include <string>

#include "reference/formats/tensor.hpp"
#include "tools/halfmark/lab/modes.hpp"

namespace halfmark::tools::lab {

/// The scale for an amax, fp32 both. `before` is what stays where the recipe gives none.
[[nodiscard]] formats::Bits scale_of(const Fp8Recipe& recipe, const formats::Format& format,
                                     formats::Bits amax, formats::Bits before);

class Scales {
 public:
  explicit Scales(const Fp8Recipe& recipe) : recipe_(recipe) {}

  /// What the tensor with this key, whose amax it is now, is multiplied by.
  [[nodiscard]] formats::Bits next(const std::string& key, const formats::Format& format,
                                   formats::Bits amax);
  /// The amax that the scale was made for; 0 if there is none.
  [[nodiscard]] formats::Bits expected(const std::string& key) const;

 private:
  struct State {
    formats::Bits scale;
    std::deque<formats::Bits> history;  // magnitudes, the most recent first
  };
  [[nodiscard]] formats::Bits amax_of(const State& state) const;

  Fp8Recipe recipe_;
  std::map<std::string, State> states_;
};

/// The elements of scaled numbers in fp32 that are beyond the largest of the format, that is, which
/// its rounding without saturation makes infinite or a NaN. NaNs and infinities do not count.
[[nodiscard]] std::uint64_t beyond(const formats::Tensor& scaled, const formats::Format& format);

}  // namespace halfmark::tools::lab
