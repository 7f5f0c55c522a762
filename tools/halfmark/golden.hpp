// SPDX-License-Identifier: Apache-2.0
// Golden stores as files: makes one by the reference, reads one for a run, and checks one by
// recomputing it. Decides which rules are asked whether a case has a single answer.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "suites/runner/golden_store.hpp"

namespace halfmark::tools {

/// Adds --golden.
void add_golden_option(CLI::App& verb, std::filesystem::path& file);

/// Null without a file. Throws UsageError with one line if the store cannot be used.
[[nodiscard]] std::shared_ptr<const suites::GoldenStore> read_golden(
    const std::filesystem::path& file);

struct GoldenOptions {
  std::filesystem::path file;
  std::string level = "smoke";
  std::uint64_t seed = 1, seeds = 1;
  bool check = false;
  double percent = 100;  // of the cases, to check
};

/// Makes a store, or checks one. Returns the exit code: 1 if the reference contradicts the store.
[[nodiscard]] int fleet_golden(const GoldenOptions& options, std::ostream& out);

}  // namespace halfmark::tools
