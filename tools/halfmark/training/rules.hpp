// SPDX-License-Identifier: Apache-2.0
// What a training log says about its training: a table of rules, each with its threshold, the rows
// of suites/LEDGER.md that require it, what it says and what it advises; and the way of dying.
// Decides when a rule applies; reads no file and prints nothing.
//
// Stages are in the order in which people should look: the model, its data, the first steps, the
// course of the scale, the gradients of each layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/training/device_notes.hpp"
#include "tools/halfmark/training/log.hpp"
#include "tools/halfmark/training/policy.hpp"

namespace halfmark::tools {

enum class Gravity : std::uint8_t { kNote, kWarning, kFailure };
enum class Stage : std::uint8_t { kModel, kData, kSteps, kScale, kGradients };
inline constexpr Stage kAllStages[] = {Stage::kModel, Stage::kData, Stage::kSteps, Stage::kScale,
                                       Stage::kGradients};

/// What rules see: the log, what a scorecard says of operators, and the lists that decide which
/// formats operators get.
struct Observed {
  const TrainingLog& log;
  std::vector<DeviceNote> notes = {};
  bool has_card = false;  // what the notes are from
  const CastProfile* casts = &cast_profiles().front();
};

/// That a rule applies: where first, how often, and to what.
struct Hit {
  std::optional<std::uint64_t> step;  // empty: of the setup, or of the whole training
  std::uint64_t times = 1;
  std::string what = {};  // "norm 250", "softmax in fp16"
};

struct Rule {
  std::string_view id;
  Stage stage;
  Gravity gravity;
  double threshold;       // 0 where the rule has none
  std::string_view rows;  // of suites/LEDGER.md
  std::string_view says, advice;
  std::optional<Hit> (*applies)(const Observed&, double threshold);
  /// Which set of limits of norms it belongs to; empty: all. Published limits contradict each
  /// other, so only one set is used at a time.
  std::string_view profile = {};
  bool of_device = false;  // about what a scorecard says of the device, whatever the model
};

[[nodiscard]] std::span<const Rule> training_rules();

/// The sets of limits of norms; the first is the default.
[[nodiscard]] std::span<const std::string_view> norm_profiles();

struct Applied {
  const Rule* rule;
  Hit hit;
};

/// Every rule of the profile that applies, in the order of the table.
[[nodiscard]] std::vector<Applied> apply_rules(const Observed& observed, std::string_view profile);

/// How a training died. A death lasts: where a later step, or the last one itself, has finite
/// numbers or, after an underflow, a gradient, the training went on. A skipped step with a scale
/// that can still fall is no death, and an overflow with a scale that has fallen to 1 is blamed on
/// an operator.
struct Death {
  std::string_view of;  // "overflow", "underflow", "operator"; empty: it lives
  std::uint64_t step = 0;
  std::string layer = {};  // the first in the order of the network, where the log has layers
};
[[nodiscard]] Death death_of(const TrainingLog& log);

struct Figures {
  std::uint64_t steps = 0, skipped = 0;
  std::optional<double> first_loss = {}, last_loss = {}, least_scale = {}, largest_scale = {},
                        last_scale = {};
  /// Of steps that were made, without NaN.
  std::optional<double> least_norm = {}, largest_norm = {};

  [[nodiscard]] double success_rate() const {
    return steps == 0 ? 0 : static_cast<double>(steps - skipped) / static_cast<double>(steps);
  }
};
[[nodiscard]] Figures figures_of(std::span<const StepRecord> steps);

/// Those of row R042: steps with a number below 100, so that a log that begins later has none.
inline constexpr std::uint64_t kEarlySteps = 100;
[[nodiscard]] std::span<const StepRecord> early_steps(const TrainingLog& log);
/// Null if no step has layers.
[[nodiscard]] const StepRecord* last_with_layers(const TrainingLog& log);

[[nodiscard]] std::string_view word_of(Gravity gravity);
[[nodiscard]] std::string_view word_of(Stage stage);

}  // namespace halfmark::tools
