// SPDX-License-Identifier: Apache-2.0
// `halfmark lab EXPERIMENT`, apart from its options: runs the reference and the device, prints the
// report, gives the exit code. Decides which modes and size run by default.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tools/halfmark/lab/serve.hpp"

namespace halfmark::tools {

struct LabOptions {
  std::string experiment, size, provider;  // "": chosen by the device
  std::vector<std::string> modes;          // empty: all
  std::uint64_t seed = 1;
  std::size_t steps = 0;  // 0: those of the experiment
  std::string json_file;  // "": none
  std::string fault;      // that is planted in the device; "": none
  bool no_diagnosis = false;
  double timeout_seconds = 600;
};

/// Throws UsageError for an unknown experiment, mode, size or provider. Without a device only the
/// reference runs. The exit code is 1 if an operator of the device deviates or the device was lost.
int run_lab(const LabOptions& options, const std::optional<backends::DeviceInfo>& device,
            std::ostream& out);

void list_experiments(std::ostream& out);
/// "fragile, mlp or ..."
[[nodiscard]] std::string names_of_experiments();

}  // namespace halfmark::tools
