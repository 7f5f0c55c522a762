// SPDX-License-Identifier: Apache-2.0
// One finding, told in full to somebody who was not there. Decides the order of the story, nothing
// else.
#pragma once

#include <ostream>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

void explain(const Scorecard& card, const Finding& finding, std::ostream& out);

/// A line per finding, for choosing one.
void list_findings(const Scorecard& card, std::ostream& out);

}  // namespace halfmark::reports
