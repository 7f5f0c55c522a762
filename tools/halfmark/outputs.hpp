// SPDX-License-Identifier: Apache-2.0
// What a run leaves in its folder: the scorecard, the report and a program for each finding.
// Decides what a file costs that cannot be written: itself, and a line that names it, the reason
// and the remedy. What comes after it is written all the same.
#pragma once

#include <filesystem>
#include <ostream>

#include "backends/device_info.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::tools {

/// Whether the scorecard was written; what else is missing is only reported on `err`.
[[nodiscard]] bool write_outputs(const reports::Scorecard& card, const backends::DeviceInfo& device,
                                 const std::filesystem::path& folder, std::ostream& err);

}  // namespace halfmark::tools
