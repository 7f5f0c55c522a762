// SPDX-License-Identifier: Apache-2.0
// Which of the ways to scale (scaling.hpp) a library has, once the arithmetic of its sums is known:
// products of the case's own shape are asked with alpha, beta and C, and a way that misses one bit
// is gone.
//
// Assumption: data are made here, as for the sums. Every second C nearly takes alpha * sum back, so
// that what each step rounds away is what is left of D, whatever its format.
#pragma once

#include "reference/inference/hypothesis.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {

/// The sums, rounded to D's format first where `early` says so, and how they are scaled.
struct WayToScale {
  bool early = false;
  Scaling scaling = Scaling::kSpecified;
};

struct ScalingFound {
  std::vector<WayToScale> explaining;  // late ones first; empty: none does
  std::size_t outputs = 0;
};

/// `rows` of sums for each of the variants that scale by numbers that are no powers of two. Throws
/// NotOffered (probe.hpp) when the library declines.
[[nodiscard]] ScalingFound find_scaling(Session& session, const Case& c,
                                        const inference::Hypothesis& sums, std::size_t rows,
                                        std::uint64_t seed);

/// The name of sums and of what is done to them.
[[nodiscard]] std::string name_of(const Case& c, models::Arithmetic sums, const WayToScale& way);

}  // namespace halfmark::suites::gemm
