// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves in its folder: the scorecard, the report and a program for each
// finding. Decides what happens when a file cannot be written: one line names the file, the reason
// and the remedy, and the remaining files are still written.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "backends/device_info.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::tools {

/// Of a device's folder. A ':' as in "opencl:0" is awkward in folder names on some systems.
[[nodiscard]] std::string folder_name(std::string selector);

/// Returns whether the scorecard was written; other missing files are only reported on `err`.
[[nodiscard]] bool write_outputs(const reports::Scorecard& card, const backends::DeviceInfo& device,
                                 const std::filesystem::path& folder, std::ostream& err);

}  // namespace halfmark::tools
