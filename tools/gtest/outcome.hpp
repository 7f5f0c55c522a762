// SPDX-License-Identifier: Apache-2.0
// Decides which verdicts fail a GoogleTest test, and the text that goes with each verdict.
#pragma once

#include <string>

#include "suites/core/judge/result.hpp"

namespace halfmark::tools {

enum class OutcomeKind { kSuccess, kNote, kSkip, kFailure };

struct Outcome {
  OutcomeKind kind = OutcomeKind::kFailure;
  std::string text;  // empty for a success
};

/// A deviation, which the device's own specification permits, is a note unless `forbid_deviations`.
[[nodiscard]] Outcome outcome_of(const suites::CaseResult& result, const std::string& replay,
                                 bool forbid_deviations);

}  // namespace halfmark::tools
