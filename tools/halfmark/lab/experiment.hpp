// SPDX-License-Identifier: Apache-2.0
// Trains a network in one mode, in the reference or on a device, and gives the results as JSON,
// from which reports are printed (report.hpp). Decides what a result holds.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/halfmark/lab/cause.hpp"
#include "tools/halfmark/lab/replay.hpp"
#include "tools/halfmark/lab/training.hpp"

namespace halfmark::tools::lab {

struct Request {
  const Experiment* experiment = nullptr;
  const Size* size = nullptr;
  std::vector<const Mode*> modes = {};
  std::uint64_t seed = 1;
  std::size_t steps = kSteps;
};

struct ModeResult {
  const Mode* mode = nullptr;
  std::vector<StepTrace> steps = {};
  std::vector<Deviation> deviations = {};        // on a device
  std::uint64_t operators = 0, portable = 0;     // on a device
  ReplaySeconds seconds = {};                    // likewise
  Observation whole_step = {};                   // of the second step, on a device
  Observation observation = {};                  // of the other steps
  std::optional<std::uint64_t> step_bytes = {};  // the most that its tensors take at a time
  Cause cause = {};
  std::vector<std::uint64_t> digests = {};  // of the weights of each layer at the end
};

/// With which every mode begins: the initial one, or one that the reference has trained in fp32.
[[nodiscard]] Network first_network(const Request& request);

[[nodiscard]] ModeResult in_reference(const Request& request, const Mode& mode,
                                      const Network& network);
[[nodiscard]] ModeResult on_device(const Request& request, const Mode& mode, const Network& network,
                                   suites::Session& session, const ReplayOptions& options);

[[nodiscard]] nlohmann::json to_json(const ModeResult& result);

}  // namespace halfmark::tools::lab
