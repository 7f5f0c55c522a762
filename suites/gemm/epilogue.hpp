// SPDX-License-Identifier: Apache-2.0
// Activations behind a product: their words in a call, their values, and what fp32 evaluations of
// them may give. Decides nothing of the sum before.
#pragma once

#include <cstdint>
#include <string_view>

#include "suites/core/bounds/real.hpp"

namespace halfmark::suites::gemm {

/// The last is no variant's: x / (1 + exp(-1.702 x)), which is taken for GELU.
enum class Activation : std::uint8_t { kNone, kRelu, kGelu, kGeluTanh, kSilu, kGeluSigmoid };

/// The word of the option `activation`; empty: none.
[[nodiscard]] std::string_view word_of(Activation activation);

/// Whether the result is no selection: it is rounded, and bounded.
[[nodiscard]] constexpr bool is_smooth(Activation activation) {
  return activation != Activation::kNone && activation != Activation::kRelu;
}

/// Of an fp32 number in fp32: the smooth ones correctly rounded.
[[nodiscard]] formats::Bits activated(Activation activation, formats::Bits x);

/// Of a smooth one: what fp32 evaluations may give of any number from low to high.
[[nodiscard]] RealInterval activated(Activation activation, const RealInterval& x);

}  // namespace halfmark::suites::gemm
