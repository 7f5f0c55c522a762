// SPDX-License-Identifier: Apache-2.0
// "report":true of `halfmark ref gemm`: beside D, how wrong each output is.
//   exact          the tensor of correctly rounded results
//   ulp_error      per output, in ulps of the exact result, as exact decimal text
//   (models/error.hpp);
//                  null where it or D is not finite
//   bound          the a-priori bound of the arithmetic, likewise; null where there is none
//   max_ulp_error  the largest error; null when no output has one
// For problems without alpha, beta and block scales, whose sums are those of the arithmetic alone.
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
