// SPDX-License-Identifier: Apache-2.0
#include "backends/host/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "backends/environment_fault.hpp"

namespace halfmark::backends::host {
namespace {

namespace fs = std::filesystem;

fs::path temporary_place() {
  std::error_code error;
  fs::path place = fs::absolute(fs::temp_directory_path(error), error);
  return error ? "/tmp" : place;
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& place, std::string_view purpose,
                             std::string_view remedy) {
  std::string name = ((place.empty() ? temporary_place() : place) / "halfmark-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw EnvironmentFault(fmt::format("no folder for {} can be made at {}: {}; {}", purpose, name,
                                       std::strerror(errno), remedy));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& file, std::string_view bytes, std::string_view remedy) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream << bytes << std::flush;
  if (stream) return;
  throw EnvironmentFault(
      fmt::format("cannot write {}: {}; {}", file.string(), std::strerror(errno), remedy));
}

}  // namespace halfmark::backends::host
