// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/registered.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace halfmark::backends::opencl {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> registrations() {
  std::error_code ignored;
  const fs::path place = vendors_folder();
  if (fs::is_regular_file(place, ignored)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place, ignored)) {
    if (entry.path().extension() == ".icd") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

fs::path vendors_folder() {
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const char* chosen = std::getenv(name);
    if (chosen != nullptr && *chosen != '\0') return chosen;
  }
  return "/etc/OpenCL/vendors";
}

std::vector<std::string> drivers_that_do_not_open() {
  std::vector<std::string> lines;
  for (const fs::path& file : registrations()) {
    std::ifstream stream(file);
    std::string library;
    if (!std::getline(stream, library) || library.empty()) continue;
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) continue;
    const char* words = dlerror();
    lines.push_back(fmt::format("{} names a driver that cannot be opened: {}", file.string(),
                                words == nullptr ? library.c_str() : words));
  }
  return lines;
}

}  // namespace halfmark::backends::opencl
