// SPDX-License-Identifier: Apache-2.0
// Determines which way to scale (scaling.hpp) a library uses once the arithmetic of its sums is
// known: it runs products of the case's own shape with alpha, beta and C, and discards each way
// that misses a bit.
//
// Assumption: the data are generated here, as for the sums. Every second C nearly cancels alpha *
// sum, so that D consists of what each step rounds away, whatever its format.
#pragma once

#include "reference/inference/hypothesis.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/places.hpp"

namespace halfmark::suites::gemm {

/// How the sums are scaled; with `early`, they are first rounded to D's format.
struct WayToScale {
  bool early = false;
  Scaling scaling = Scaling::kSpecified;
};

struct ScalingFound {
  std::vector<WayToScale>
      explaining;  // those with late rounding first; empty if none explains the data
  std::size_t outputs = 0;
};

/// `rows` of sums for each of the variants that scale by numbers other than powers of two. Throws
/// NotOffered (probe.hpp) when the library declines.
[[nodiscard]] ScalingFound find_scaling(Session& session, const Case& c, const Places& sums,
                                        const soft::Environment& conversions, std::size_t rows,
                                        std::uint64_t seed);

/// The combined name of the sums and of their scaling.
[[nodiscard]] std::string name_of(const Case& c, Places sums, const WayToScale& way);

}  // namespace halfmark::suites::gemm
