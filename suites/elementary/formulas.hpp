// SPDX-License-Identifier: Apache-2.0
// Functions by formulas that are right on paper and lose bits or range in floating point: log1p as
// log(1 + x), powers as exp(w log x), arguments reduced with too few bits of a constant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suites/core/suite/problem.hpp"
#include "suites/elementary/ranges.hpp"

namespace halfmark::suites::elementary {

/// What a formula may give.
using Formula = std::function<Range(const Ranges&, const Operands&)>;

struct NamedFormula {
  std::string name;
  FindingClassName finding_class;
  std::string sentence;
  Formula evaluate;
};

/// The argument of an exponential or circular function reduced by a constant of some number of
/// bits, or in two parts: see reductions.cpp.
[[nodiscard]] std::vector<NamedFormula> reductions(const Bound& bound);

/// All formulas of a function, each first with callees that are nearly correctly rounded, and then,
/// one tier higher, with callees anywhere within their bounds.
[[nodiscard]] std::vector<Hypothesis> formulas(const Bound& bound);

}  // namespace halfmark::suites::elementary
