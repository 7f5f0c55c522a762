// SPDX-License-Identifier: Apache-2.0
// The marks. Decides what each mark requires, and states why it is withheld or what a held one
// covers. A mark needs positive evidence: without a passing case there is no mark. Assumes that H1
// to H3 do not depend on times, so that they are the same in every run. TF16 does, and its texts
// contain times, so the digest leaves them out.
#pragma once

#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

inline constexpr std::string_view kMarkIds[] = {"H1", "H2", "H3", "TF16"};

/// Why a run is partial that has the results of all its cases.
inline constexpr std::string_view kEndedMeasuring =
    "the run was ended while it measured speed, after its last case";

/// Whether the card has all that the mark depends on. A partial card may hold H1 to H3 if at most
/// times are missing.
[[nodiscard]] bool may_hold(const Scorecard& card, std::string_view mark);

/// Reads from `card` what may_hold() needs, which arithmetic was found, and the verdict on fp16.
[[nodiscard]] std::vector<Mark> judge_marks(const RunRecord& record,
                                            const std::vector<suites::CaseResult>& results,
                                            const Scorecard& card);

}  // namespace halfmark::reports
