// SPDX-License-Identifier: Apache-2.0
// GELU by erf in double, for the operator and for the epilogue of a product. Decides its limits at
// the infinities; rounding to the result's format is the caller's.
#pragma once

#include <algorithm>
#include <cmath>

namespace halfmark::backends::host::library {

[[nodiscard]] inline double exact_gelu(double x) {
  return std::isinf(x) ? std::max(x, 0.0) : 0.5 * x * std::erfc(-x * M_SQRT1_2);
}

}  // namespace halfmark::backends::host::library
