// SPDX-License-Identifier: Apache-2.0
// Two cards side by side, as text. Decides the order of the sections and how many rows they show.
#pragma once

#include <ostream>

#include "reports/compare.hpp"

namespace halfmark::reports {

void write_comparison(const Scorecard& a, const Scorecard& b, const Comparison& comparison,
                      std::ostream& out);

}  // namespace halfmark::reports
