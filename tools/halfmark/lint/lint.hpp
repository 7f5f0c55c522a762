// SPDX-License-Identifier: Apache-2.0
// `halfmark lint MODEL.json`: what a description of a model shows before it is trained. Applies the
// rules of training (training/rules.hpp) to each layer, in the formats that it gets, and to the
// whole; with a scorecard also what the device gets wrong. Decides the layout and the exit code: 0,
// or 1 if a rule of gravity warning or failure applies. Notes alone leave it 0.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "tools/halfmark/lint/model.hpp"
#include "tools/halfmark/training/rules.hpp"

namespace halfmark::tools {

struct LintOptions {
  std::filesystem::path model;
  std::optional<std::filesystem::path> card = {};
  std::string profile = {};              // replaces that of the description
  std::optional<double> memory_gb = {};  // says the largest batch that fits, by mode
  bool as_json = false;
};

/// Throws UsageError for a description or a card that cannot be used; then nothing is printed.
[[nodiscard]] int lint_model(const LintOptions& options, std::ostream& out);

namespace lint {

struct Found {
  const Rule* rule;
  std::string layer;  // empty: the model as a whole
  std::string what;
};

/// In the order of the rules' table, and of the layers.
[[nodiscard]] std::vector<Found> findings_of(const Model& model,
                                             const std::vector<DeviceNote>& notes, bool has_card);

}  // namespace lint
}  // namespace halfmark::tools
