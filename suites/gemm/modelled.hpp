// SPDX-License-Identifier: Apache-2.0
// The modelled tier of gemm: identifies the arithmetic of a library's sums, and computes D
// under it.
//
// Identified once per provider, formats, layout and shape:
// clang-format off
//   1. Arithmetics already found for the provider at other shapes are checked against data of this
//      shape: most libraries have only one.
//   2. Otherwise inference::infer examines sums of at most kProbedTerms products, all rows of a
//      question in one call. Its answer, and each name that explains the same bits, is checked
//      against data of the case's shape, because block sizes, parts and routes depend on the length
//      of the sum and the size of D.
//   3. If none matches, each place of D is asked for: what explains most of them may be right with
//      other orders at the edges (places.hpp).
//   4. If that fails and the sum is longer, orders with blocks and parts of common sizes
//      are built from what was found and checked against data of the case's shape (long_sums.hpp).
//   5. If that fails and the sum has up to 96 terms, the inference repeats with all of them, still
//      with all rows of a question in one call: tails that only sums of this length have.
//   6. Otherwise it repeats with products of the case's own shape.
// clang-format on
// Alpha, beta, C and the bias are not part of these sums, except for the C of a matrix unit. How
// a library scales the sums is determined next, and its name is appended to that of the sums
// (scaling.hpp). If no named way reproduces every bit, or the library declines, the name covers
// only the sums, and the case is compared with those sums scaled as specified; `observed`
// reports it.
//
// Assumption: the deciding data are generated here (reference/inference/data.hpp) from a fixed seed
// and are never those of a case.
#pragma once

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

inline constexpr std::size_t kProbedTerms = 36;  // two blocks of most units, and a few terms more

[[nodiscard]] const Modelling& modelling();

}  // namespace halfmark::suites::gemm
