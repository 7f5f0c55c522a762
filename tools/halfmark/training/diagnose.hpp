// SPDX-License-Identifier: Apache-2.0
// `halfmark diagnose CARD|LOG`: reads a scorecard, a training log, or what `halfmark lab --json`
// wrote, applies the rules and prints what they say, for people or as JSON. Decides which of them a
// file is, the JSON, and the exit code: 0, or 1 if a rule of gravity failure applies or a card has
// violations of the training loop; a log or a card that cannot be used throws UsageError.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

namespace halfmark::tools {

struct DiagnoseOptions {
  std::filesystem::path log;
  std::string mode = {};                           // of an experiment: "device, fp16"; empty: all
  std::optional<std::filesystem::path> card = {};  // what the device gets wrong
  std::string profile = "study";
  bool as_json = false;
};

[[nodiscard]] int diagnose_training(const DiagnoseOptions& options, std::ostream& out);

/// Every rule, with its threshold.
void list_training_rules(std::ostream& out);

}  // namespace halfmark::tools
