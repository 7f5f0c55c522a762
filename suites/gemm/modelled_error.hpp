// SPDX-License-Identifier: Apache-2.0
// One sentence on how far a library's sums are from the exact ones, for sums that no named
// arithmetic explains.
#pragma once

#include <string>
#include <vector>

#include "reference/inference/subject.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// Also states what any order of plain sums in the case's accumulator would allow.
[[nodiscard]] std::string error_text(const std::vector<inference::Observation>& seen,
                                     const Binding& bound);

}  // namespace halfmark::suites::gemm
