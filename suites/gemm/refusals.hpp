// SPDX-License-Identifier: Apache-2.0
// Which names that the grammar accepts are not cases: products that cannot be computed, or whose
// correct result is undefined. Decides that and the wording of the message; lays out nothing.
#pragma once

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// Throws UsageError, with a suggestion of what to request instead where there is one.
void refuse_impossible(const Binding& bound, const Case& c);

}  // namespace halfmark::suites::gemm
