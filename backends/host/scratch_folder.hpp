// SPDX-License-Identifier: Apache-2.0
//
// A new private folder among the temporary files. Whoever asks for it removes it.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "backends/device_info.hpp"

namespace halfmark::backends::host {

// Throws BackendError: what it is for, why it cannot be made, and the remedy.
[[nodiscard]] inline std::filesystem::path make_scratch_folder(std::string_view purpose,
                                                               std::string_view remedy) {
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  if (error) base = "/tmp";
  std::string name = (base / "halfmark-XXXXXX").string();
  if (::mkdtemp(name.data()) != nullptr) return name;
  throw BackendError(
      "mkdtemp", errno,
      fmt::format("no directory for {}: {}: {}; {}", purpose, name, std::strerror(errno), remedy));
}

}  // namespace halfmark::backends::host
