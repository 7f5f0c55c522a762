// SPDX-License-Identifier: Apache-2.0
//
// The drivers that are registered with this machine's OpenCL loader but cannot be opened, and why:
// a loader skips those silently. Decides nothing about devices.
//
// Assumption: files with the suffix icd contain the name of a driver's library; they are
// in the folder (or are the file) that OCL_ICD_VENDORS or OPENCL_VENDOR_PATH names, else
// in /etc/OpenCL/vendors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halfmark::backends::opencl {

[[nodiscard]] std::filesystem::path vendors_folder();

// One line for each driver that cannot be opened, with the linker's message; sorted by file.
[[nodiscard]] std::vector<std::string> drivers_that_do_not_open();

}  // namespace halfmark::backends::opencl
