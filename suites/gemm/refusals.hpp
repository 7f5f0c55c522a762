// SPDX-License-Identifier: Apache-2.0
// Which names that the grammar lets through are no cases: products that nobody can compute, or of
// which nobody can say what is right. Decides that, and in which words; lays nothing out.
#pragma once

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// Throws UsageError, with what to ask instead where there is such a thing.
void refuse_impossible(const Binding& bound, const Case& c);

}  // namespace halfmark::suites::gemm
