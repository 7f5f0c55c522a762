// SPDX-License-Identifier: Apache-2.0
// Whole tensors from one format to another: element i is soft::convert of element i, to the bit.
// Vector code, to nearest even and with subnormals kept, from every format that fp32 holds to every
// format that has a sign, a zero and at most 32 bits; everything else (fp64, scale formats, other
// environments) is the soft-float, on as many threads.
//
// Does not give flags.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::fast {

[[nodiscard]] formats::Tensor convert(const formats::Tensor& from, const formats::Format& to,
                                      const soft::Environment& environment = {},
                                      const Options& options = {});

}  // namespace halfmark::fast
