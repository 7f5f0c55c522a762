// SPDX-License-Identifier: Apache-2.0
// Explains one finding in full to a reader who did not see the run. Decides only the order of
// the sections.
#pragma once

#include <ostream>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

void explain(const Scorecard& card, const Finding& finding, std::ostream& out);

/// Prints one line per finding, so that a reader can choose one.
void list_findings(const Scorecard& card, std::ostream& out);

}  // namespace halfmark::reports
