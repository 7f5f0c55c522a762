// SPDX-License-Identifier: Apache-2.0
// The files that a run leaves in its folder: the scorecard, the report and a program for each
// finding. Decides what happens when a file cannot be written: one line names the file, the reason
// and the remedy, and the remaining files are still written. Decides which files of an earlier run
// go: none but those that this program names itself, and neither links nor folders.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>

#include "backends/device_info.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::tools {

inline constexpr const char* kCardName = "scorecard.json";
inline constexpr const char* kReportName = "report.html";

/// Of a device's folder. A ':' as in "opencl:0" is awkward in folder names on some systems.
[[nodiscard]] std::string folder_name(std::string selector);

/// Removes what an earlier run left, so that it does not pass for the answer of a run that dies.
/// The journal stays: it is history. Throws EnvironmentError if a file cannot be removed.
void remove_outputs(const std::filesystem::path& folder);

struct Written {
  bool card = false, report = false;
};

/// Writes all of them; those that are missing are reported on `err`. Programs of an earlier run go.
[[nodiscard]] Written write_outputs(const reports::Scorecard& card,
                                    const backends::DeviceInfo& device,
                                    const std::filesystem::path& folder, std::ostream& err);

}  // namespace halfmark::tools
