// SPDX-License-Identifier: Apache-2.0
//
// What trials of libraries (library_trial.hpp) have shown, kept between processes and between runs:
// a library that worked is not tried again, nor one that its process died of. Decides what a
// trial's result depends on. Not kept: that a library declined or was wrong, which may be the
// moment's fault; that there was none, which is found again at no cost.
//
// Assumptions:
//  1. A trial depends on what trial_key() names, and on the files that were loaded for it.
//  2. Records are advice: one that is lost, cannot be read or was damaged costs a trial.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {

// The files of all libraries in this process.
[[nodiscard]] std::vector<std::string> loaded_files();

// Everything before the loading that decides which library is tried and how it does: the parts
// given, this program, where the library is looked for, and the environment that the loader, the
// vendor's libraries and stand-ins read.
[[nodiscard]] std::string trial_key(std::span<const std::string> parts, const Library& library,
                                    std::span<const char* const> variables);

class TrialRecord {
 public:
  // Nothing is kept where the folder is empty (own_cache_folder).
  TrialRecord(const std::filesystem::path& folder, std::string key);

  // The outcome, when all files that it depends on are what they were.
  [[nodiscard]] std::optional<nlohmann::json> outcome() const;
  // False when it could not be kept; that is no error.
  bool keep(const nlohmann::json& outcome, const std::vector<std::string>& files) const;

 private:
  std::string key_;
  std::filesystem::path file_;  // empty: nothing is kept
};

}  // namespace halfmark::backends::shim
