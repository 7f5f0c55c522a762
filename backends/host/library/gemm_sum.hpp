// SPDX-License-Identifier: Apache-2.0
//
// One output of a matrix product before its scaling: the sum of products, as a policy says.
#pragma once

#include <span>

#include "backends/host/library/gemm_policy.hpp"

namespace halfmark::backends::host::library {

// The operands of one output, and the format that they were stored in.
struct GemmTerms {
  std::span<const double> a, b;
  const Format* format = nullptr;
};

// `call` draws the order of partial sums where the policy has one drawn.
[[nodiscard]] double sum_of_products(const GemmSum& policy, const GemmTerms& terms,
                                     std::uint64_t call);

}  // namespace halfmark::backends::host::library
