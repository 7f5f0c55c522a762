// SPDX-License-Identifier: Apache-2.0
// The correctly rounded functions of reference/soft/functions.hpp and binary_functions.hpp on whole
// tensors: element i is the function of element i, or of both elements i, bit for bit. Uses
// threads, and for formats of up to 16 bits a table of every encoding as soon as it pays off; no
// vector code.
//
// Returns no flags.
#pragma once

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"
#include "reference/soft/binary_functions.hpp"

namespace halfmark::fast {

// Throws std::invalid_argument unless soft::has_functions holds for the format.
[[nodiscard]] formats::Tensor evaluate(const soft::Function& function, const formats::Tensor& x,
                                       const soft::Environment& environment = {},
                                       const Options& options = {});

// Throws std::invalid_argument under the same condition, and also if the two differ in format
// or size.
[[nodiscard]] formats::Tensor evaluate(const soft::BinaryFunction& function,
                                       const formats::Tensor& a, const formats::Tensor& b,
                                       const soft::Environment& environment = {},
                                       const Options& options = {});

// Element i is encoding i, for exhaustive sweeps of a function. The format has at most 16 bits.
[[nodiscard]] formats::Tensor every_encoding(const formats::Format& format);

}  // namespace halfmark::fast
