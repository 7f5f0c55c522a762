// SPDX-License-Identifier: Apache-2.0
//
// The drivers that this machine tells its OpenCL loader of, and why they cannot be opened: a loader
// leaves those out without a word. Decides nothing about devices.
//
// Assumption: drivers are named by files with the suffix icd, which hold a library's name, in the
// folder (or the file) that OCL_ICD_VENDORS or OPENCL_VENDOR_PATH names, else in
// /etc/OpenCL/vendors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace halfmark::backends::opencl {

[[nodiscard]] std::filesystem::path vendors_folder();

// A line for each driver that cannot be opened, with the linker's own words; sorted by file.
[[nodiscard]] std::vector<std::string> drivers_that_do_not_open();

}  // namespace halfmark::backends::opencl
