// SPDX-License-Identifier: Apache-2.0
// The parts of a scorecard that hold times, to JSON and back: rows, roofs and the verdicts on fp16
// that rest on them. Decides names and order in the file; the schema says which values are lawful.
#pragma once

#include <nlohmann/json.hpp>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] nlohmann::json json_of(const ThroughputRow& row);
[[nodiscard]] ThroughputRow throughput_from(const nlohmann::json& j);

[[nodiscard]] nlohmann::json json_of(const Roofs& roofs);
[[nodiscard]] Roofs roofs_from(const nlohmann::json& j);

[[nodiscard]] nlohmann::json json_of(const TrueFp16& told);
[[nodiscard]] TrueFp16 true_fp16_from(const nlohmann::json& j);

[[nodiscard]] nlohmann::json json_of(const Fp16Operator& o);
[[nodiscard]] Fp16Operator fp16_operator_from(const nlohmann::json& j);

/// The fields that a row of a run has where it was verified, fought a duel or was timed with half
/// the steps; a row without them, as older journals hold, is as if nobody had tried.
void read_verification(const nlohmann::json& j, ThroughputRun& run);

}  // namespace halfmark::reports
