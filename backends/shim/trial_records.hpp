// SPDX-License-Identifier: Apache-2.0
//
// The outcomes of library trials (library_trial.hpp), kept between processes and between runs: a
// library that worked is not tried again, nor one whose trial killed its process. Decides what a
// trial's result depends on. Not recorded: a library that declined or gave a wrong result, which
// may be temporary, and a missing library, which is found again at no cost.
//
// Assumptions:
//  1. A trial depends on what trial_key() covers, and on the files that were loaded for it.
//  2. Records are advice: a lost, unreadable or damaged one only costs a trial.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backends/shim/library.hpp"

namespace halfmark::backends::shim {

// The files of all libraries loaded in this process.
[[nodiscard]] std::vector<std::string> loaded_files();

// Covers everything before the loading that determines which library is tried and how it fares: the
// given parts, this program, the places where the library is searched for, and the environment
// variables that the loader, the vendor's libraries and stand-ins read.
[[nodiscard]] std::string trial_key(std::span<const std::string> parts, const Library& library,
                                    std::span<const char* const> variables);

class TrialRecord {
 public:
  // Keeps nothing when the folder is empty (own_cache_folder).
  TrialRecord(const std::filesystem::path& folder, std::string key);

  // The outcome, if all files that it depends on are unchanged.
  [[nodiscard]] std::optional<nlohmann::json> outcome() const;
  // Returns false when the record could not be stored, which is not an error.
  bool keep(const nlohmann::json& outcome, const std::vector<std::string>& files) const;

 private:
  std::string key_;
  std::filesystem::path file_;  // empty: nothing is kept
};

}  // namespace halfmark::backends::shim
