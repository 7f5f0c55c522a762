// SPDX-License-Identifier: Apache-2.0
// The number of bits that a tensor's numbers need as integers. Paths must know this before they can
// guarantee that a product or a sum is exact.
#pragma once

#include "reference/fast/target.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::fast {

// All finite numbers of a tensor are integers below 2^width in magnitude, times 2^place.
struct Span {
  int place = 0;
  int width = 0;  // 0: all are zero
};

[[nodiscard]] Span span_of(const formats::Tensor& tensor, Target target, unsigned threads);

}  // namespace halfmark::fast
