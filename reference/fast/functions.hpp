// SPDX-License-Identifier: Apache-2.0
// The correctly rounded functions of reference/soft/functions.hpp and binary_functions.hpp on whole
// tensors: element i is the function of element i, or of both elements i, to the bit. Threads, and
// for formats of up to 16 bits a table of every encoding as soon as it pays; no vector code.
//
// Does not give flags.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/soft/binary_functions.hpp"

namespace halfmark::fast {

// Throws std::invalid_argument unless soft::has_functions holds for the format.
[[nodiscard]] formats::Tensor evaluate(const soft::Function& function, const formats::Tensor& x,
                                       const soft::Environment& environment = {},
                                       const Options& options = {});

// Throws std::invalid_argument, also unless both are of one format and size.
[[nodiscard]] formats::Tensor evaluate(const soft::BinaryFunction& function,
                                       const formats::Tensor& a, const formats::Tensor& b,
                                       const soft::Environment& environment = {},
                                       const Options& options = {});

// Encoding i at element i: what an exhaustive sweep of a function evaluates. At most 16 bits.
[[nodiscard]] formats::Tensor every_encoding(const formats::Format& format);

}  // namespace halfmark::fast
