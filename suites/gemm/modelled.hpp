// SPDX-License-Identifier: Apache-2.0
// The modelled tier of gemm: which arithmetic a library's sums have, and D under it.
//
// Found once for a provider, formats, layout and shape:
//   1. The arithmetics found before at other shapes of the provider are held against data of this
//      shape: most libraries have one.
//   2. Else inference::infer looks at sums of at most kProbedTerms products, all rows of a question
//      in one call, and its answer (and each name that explains the same bits) is held against data
//      of the case's shape: block sizes, parts and routes follow the length of the sum and the size
//      of D.
//   3. Where none holds and the sum is longer than that, orders with blocks and parts of usual
//   sizes
//      are made of what was found, and held against data of the case's shape (long_sums.hpp).
//   4. Else the inference looks again by products of the case's own shape.
// Alpha, beta, C and the bias are no part of these sums, except for the C of a matrix unit. How a
// library scales them is asked next, and named behind the sums' name (scaling.hpp). Where no named
// way has every bit, or the library declines, the name is that of the sums alone and the case is
// held against them scaled as specified; `observed` says so.
//
// Assumption: data that decide are made here (reference/inference/data.hpp), from a fixed seed, and
// never those of a case.
#pragma once

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

inline constexpr std::size_t kProbedTerms = 36;  // two blocks of most units, and some more

[[nodiscard]] const Modelling& modelling();

}  // namespace halfmark::suites::gemm
