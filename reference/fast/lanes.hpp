// SPDX-License-Identifier: Apache-2.0
// Converts tensors to fp32 lanes, which is exact, and back, rounding once to nearest even. Formats
// without hardware conversion use tables or the soft-float, with the same bits.
//
// Assumption: callers are in a FloatingPointScope that rounds to nearest even.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::fast {

// Elements first .. first + count of a tensor as fp32, which contains its format. NaNs stay NaNs.
void widen(Target target, const formats::Tensor& from, std::size_t first, std::size_t count,
           float* to);

// Rounds `count` numbers to the tensor's format, from element `first` on. Every NaN becomes the
// format's default quiet NaN.
void narrow(Target target, const float* from, std::size_t count, formats::Tensor& to,
            std::size_t first);

}  // namespace halfmark::fast
