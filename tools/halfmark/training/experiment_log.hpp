// SPDX-License-Identifier: Apache-2.0
// What `halfmark lab --json` wrote, as logs of trainings, so that the rules of a training apply to
// what the device and the reference recorded of every step. Decides which of its tensors are
// gradients of a layer, and what was lost of them. Judges nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tools/halfmark/training/log.hpp"

namespace halfmark::tools {

struct ModeLog {
  std::string name = {};   // "device, fp16-scaled"
  std::string title = {};  // "fp16, dynamic scale from 2^16"
  TrainingLog log = {};
};

/// One log for each mode that the report has of the device and of the reference. Norms are
/// unscaled. A layer's share of lost gradients is a difference of counts: how many more elements
/// are zero than in the same step of the report's first fp32 training without a scale; without such
/// a training it is unknown. Zones are those of its numbers as they were stored, with the step's
/// scale. The report must fit its schema.
[[nodiscard]] std::vector<ModeLog> logs_of_experiment(const nlohmann::json& report);

}  // namespace halfmark::tools
