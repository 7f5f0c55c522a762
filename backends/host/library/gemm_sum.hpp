// SPDX-License-Identifier: Apache-2.0
//
// One output of a matrix product before scaling: the sum of products, as a policy defines it.
#pragma once

#include <span>

#include "backends/host/library/gemm_policy.hpp"

namespace halfmark::backends::host::library {

// The operands of one output, and the format in which they were stored.
struct GemmTerms {
  std::span<const double> a, b;
  const Format* format = nullptr;
};

// `call` seeds the order of partial sums if the policy draws one.
[[nodiscard]] double sum_of_products(const GemmSum& policy, const GemmTerms& terms,
                                     std::uint64_t call);

}  // namespace halfmark::backends::host::library
