// SPDX-License-Identifier: Apache-2.0
// The functions of elementary_vector.hpp on arrays, in place: how they are tested on their whole
// domain, of which the operators see a part.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct ElementaryKernels {
  // `count` is a whole number of padded() chunks (rows_kernels.hpp), on a cache line.
  using Map = void (*)(float* values, std::size_t count);
  Map exp, log, gelu, gelu_derivative;
};

// Null for kPortable.
[[nodiscard]] const ElementaryKernels* elementary_kernels(Target target);

}  // namespace halfmark::fast
