// SPDX-License-Identifier: Apache-2.0
// The functions of elementary_vector.hpp on arrays, in place, so that tests can cover their whole
// domain; the operators use only a part of it.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct ElementaryKernels {
  // `count` is a multiple of padded() chunks (rows_kernels.hpp), and the array starts on a
  // cache line.
  using Map = void (*)(float* values, std::size_t count);
  Map exp, log, gelu, gelu_derivative;
};

// Null for kPortable.
[[nodiscard]] const ElementaryKernels* elementary_kernels(Target target);

}  // namespace halfmark::fast
