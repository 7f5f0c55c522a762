// SPDX-License-Identifier: Apache-2.0
#include "backends/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace halfmark::backends {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] fs::path wanted_folder(std::string_view name) {
  const auto from = [&](const char* variable, const char* below) {
    const char* value = std::getenv(variable);
    return value == nullptr || *value == '\0' ? fs::path() : fs::path(value) / below / name;
  };
  std::error_code error;
  const fs::path chosen = from("HALFMARK_CACHE_DIR", "");
  if (!chosen.empty()) return fs::absolute(chosen, error);
  for (const fs::path& path :
       {from("XDG_CACHE_HOME", "halfmark"), from("HOME", ".cache/halfmark")}) {
    if (path.is_absolute()) return path;
  }
  return {};
}

}  // namespace

fs::path own_cache_folder(std::string_view name) {
  fs::path folder = wanted_folder(name);
  if (folder.empty()) return {};
  std::error_code error;
  fs::create_directories(folder, error);
  struct stat status{};
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return {};
  const bool is_own = status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
                      access(folder.c_str(), W_OK | X_OK) == 0;
  return is_own ? folder : fs::path();
}

}  // namespace halfmark::backends
