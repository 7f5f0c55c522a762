// SPDX-License-Identifier: Apache-2.0
// A scorecard as the log of a training: the one step whose tensors its run counted, and the
// operators that its findings are about. Decides which tensors of the step are gradients of a layer
// and which operators a card speaks of; judges nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"
#include "tools/halfmark/training/device_notes.hpp"

namespace halfmark::tools {

struct CardLog {
  std::vector<std::string> head;  // what the card is about, a line each
  TrainingLog log;  // without a step if the card has none; its setup has operators alone
  std::vector<DeviceNote> notes;
  bool loop_is_wrong = false;  // violations of the scaler, the optimizer or a whole step
};

/// Whether a text declares itself a scorecard, of any version, whole or not.
[[nodiscard]] bool is_scorecard(std::string_view content);
[[nodiscard]] CardLog log_of(const reports::Scorecard& card);

}  // namespace halfmark::tools
