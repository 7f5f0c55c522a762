// SPDX-License-Identifier: Apache-2.0
// The marks, and the finding on true fp16. Decides what each mark asks, and says why it is withheld
// or what a held one covers. A mark needs positive evidence: no passing case, no mark. Assumes: no
// clock enters H1 to H3, so that they are the same from run to run. TF16 rests on times, through
// verdicts whose bands are wide (true_fp16.hpp), and tells none.
#pragma once

#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

inline constexpr std::string_view kMarkIds[] = {"H1", "H2", "H3", "TF16"};

/// What the promises, the probes and the bits say on fp16: never more than they allow.
[[nodiscard]] TrueFp16 judge_true_fp16(const RunRecord& record,
                                       const std::vector<suites::CaseResult>& results);

[[nodiscard]] std::vector<Mark> judge_marks(const RunRecord& record,
                                            const std::vector<suites::CaseResult>& results,
                                            bool complete, const TrueFp16& true_fp16,
                                            const std::vector<Fp16Operator>& fp16_operators);

}  // namespace halfmark::reports
