// SPDX-License-Identifier: Apache-2.0
// Activations after a product: their words in a call, their values, and the results that fp32
// evaluations may return. Does not cover the preceding sum. Intervals are computed in the caller's
// fast::FloatingPointScope.
#pragma once

#include <cstdint>
#include <string_view>

#include "suites/core/bounds/gelu.hpp"

namespace halfmark::suites::gemm {

/// No variant uses the last one: x / (1 + exp(-1.702 x)), which is sometimes used in place of GELU.
enum class Activation : std::uint8_t { kNone, kRelu, kGelu, kGeluTanh, kSilu, kGeluSigmoid };

/// The word of the option `activation`; empty for none.
[[nodiscard]] std::string_view word_of(Activation activation);

/// Whether the activation rounds its result, which is then bounded; the others only select.
[[nodiscard]] constexpr bool is_smooth(Activation activation) {
  return activation != Activation::kNone && activation != Activation::kRelu;
}

/// The activation of an fp32 number, in fp32; the smooth ones are correctly rounded.
[[nodiscard]] formats::Bits activated(Activation activation, formats::Bits x);

/// For a smooth activation: the results that fp32 evaluations may return for any x in the interval.
[[nodiscard]] Interval activated(Activation activation, const Interval& x);

/// GELU by tanh with a departure from its formula: a result, and all that may be returned.
[[nodiscard]] formats::Bits gelu_tanh_with(const GeluDeparture& departure, formats::Bits x);
[[nodiscard]] Interval gelu_tanh_with(const GeluDeparture& departure, const Interval& x);

}  // namespace halfmark::suites::gemm
