// SPDX-License-Identifier: Apache-2.0
// The bits that the numbers of a tensor need as integers: what paths must know of their operands
// before they may promise that a product or a sum is exact.
#pragma once

#include "reference/fast/target.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::fast {

// All finite numbers of a tensor are integers times 2^place, of less than 2^width.
struct Span {
  int place = 0;
  int width = 0;  // 0: all are zero
};

[[nodiscard]] Span span_of(const formats::Tensor& tensor, Target target, unsigned threads);

}  // namespace halfmark::fast
