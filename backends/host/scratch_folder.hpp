// SPDX-License-Identifier: Apache-2.0
//
// A new private folder that is gone with the scope, and files in it. Decides that its path is
// absolute, so that no program takes it for an option.
#pragma once

#include <filesystem>
#include <string_view>

namespace halfmark::backends::host {

class ScratchFolder {
 public:
  // In `place`, or among the temporary files where that is empty. Throws EnvironmentFault: what it
  // is for, why it cannot be made, and the remedy.
  ScratchFolder(const std::filesystem::path& place, std::string_view purpose,
                std::string_view remedy);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Throws EnvironmentFault with that remedy.
void write_file(const std::filesystem::path& file, std::string_view bytes, std::string_view remedy);

}  // namespace halfmark::backends::host
