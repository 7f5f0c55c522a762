// SPDX-License-Identifier: Apache-2.0
// What a card says of a training step's tensors, as rows of text for every form of report. Prints
// nothing itself.
#pragma once

#include <string>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

struct TrainingStepText {
  std::string title;  // empty: the card has none
  std::string cost;   // of the counting, and whether the counts are the host's
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] TrainingStepText training_step_text(const Scorecard& card);

}  // namespace halfmark::reports
