// SPDX-License-Identifier: Apache-2.0
//
// A new private folder that is removed at the end of the scope, and files in it. Decides that its
// path is absolute, so that no program mistakes it for an option.
#pragma once

#include <filesystem>
#include <string_view>

namespace halfmark::backends::host {

class ScratchFolder {
 public:
  // Created in `place`, or in the folder of temporary files if that is empty. Throws
  // EnvironmentFault with the purpose, the reason and the remedy.
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
