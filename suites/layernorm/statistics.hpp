// SPDX-License-Identifier: Apache-2.0
// Mean and reciprocal standard deviation of a row as intervals, under a correct or faulty model.
// The bounds are those of model.hpp.
#pragma once

#include <vector>

#include "suites/layernorm/model.hpp"

namespace halfmark::suites::layernorm {

using Values = std::vector<double>;

struct Statistics {
  Interval mean, variance, rstd;
};

[[nodiscard]] Statistics statistics_of(const Binding& b, const Model& model, const Values& x);

/// Sums sequentially, in fp32 or in the format that the running sum is kept in.
[[nodiscard]] double running_sum(const Values& terms, const formats::Format* kept_in);

}  // namespace halfmark::suites::layernorm
