// SPDX-License-Identifier: Apache-2.0
// The marks. Decides what each asks, and says why it is withheld or what a held one covers. A mark
// needs positive evidence: no passing case, no mark. Assumes: no clock enters H1 to H3, so that
// they are the same from run to run. TF16 rests on times, and its words carry them: the digest
// leaves it out.
#pragma once

#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

inline constexpr std::string_view kMarkIds[] = {"H1", "H2", "H3", "TF16"};

/// Of the card: whether it is complete, what arithmetic was found, and true fp16.
[[nodiscard]] std::vector<Mark> judge_marks(const RunRecord& record,
                                            const std::vector<suites::CaseResult>& results,
                                            const Scorecard& card);

}  // namespace halfmark::reports
