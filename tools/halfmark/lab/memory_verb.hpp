// SPDX-License-Identifier: Apache-2.0
// `halfmark lab memory`: the memory of a training step by mode, as its tensors ask for it, as
// halfmark lint computes it, and as the device's runtime says. Decides what is measured and how it
// is printed.
#pragma once

#include <optional>
#include <ostream>

#include "tools/halfmark/lab/lab.hpp"

namespace halfmark::tools {

inline constexpr const char* kMemoryExperiment = "memory";
inline constexpr const char* kMemoryTitle =
    "the tensors of a training step, by mode, and matrices, in a device's memory";

/// Without a device, what is asked for and what lint computes. Throws UsageError for an option that
/// has no meaning here. The exit code is 1 if the device was lost or could not hold the tensors.
int run_memory(const LabOptions& options, const std::optional<backends::DeviceInfo>& device,
               std::ostream& out);

namespace lab {
/// halfmark lint's description of a network, cast by its first list.
[[nodiscard]] nlohmann::json description_of(const Design& design, const Size& size);
/// "of 10 MB used, ..."; from the report of run_memory.
void print_memory(const nlohmann::json& report, std::ostream& out);
}  // namespace lab

}  // namespace halfmark::tools
