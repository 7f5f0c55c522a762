// SPDX-License-Identifier: Apache-2.0
// The "report":true of `halfmark ref gemm` says, in addition to D, how wrong each output is:
// clang-format off
//   exact          the tensor of correctly rounded results
//   ulp_error      per output, in ulps of the exact result, as exact decimal (models/error.hpp);
//                  null where the exact result or D is not finite
//   bound          the a-priori bound of the arithmetic, in the same form; null where there is none
//   max_ulp_error  the largest error; null when no output has one
// clang-format on
// Only for problems without alpha, beta and block scales, whose sums depend only on the arithmetic.
#pragma once

#include <nlohmann/json.hpp>

#include "reference/operators/gemm.hpp"

namespace halfmark::tools {

[[nodiscard]] nlohmann::json gemm_report(const operators::GemmProblem& problem,
                                         const formats::Tensor& a, const formats::Tensor& b,
                                         const formats::Tensor* c,
                                         const models::Arithmetic& arithmetic,
                                         const formats::Tensor& d);

}  // namespace halfmark::tools
