// SPDX-License-Identifier: Apache-2.0
// Converts whole tensors between formats: element i is soft::convert of element i, bit for bit.
// Vector code converts to nearest even with subnormals kept, from every format whose numbers fp32
// can represent to every format that has a sign, a zero and at most 32 bits. The soft-float, on the
// same number of threads, converts everything else (fp64, scale formats, other environments).
//
// Returns no flags.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::fast {

[[nodiscard]] formats::Tensor convert(const formats::Tensor& from, const formats::Format& to,
                                      const soft::Environment& environment = {},
                                      const Options& options = {});

}  // namespace halfmark::fast
