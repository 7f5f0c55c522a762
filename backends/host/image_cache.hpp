// SPDX-License-Identifier: Apache-2.0
//
// Where compiled kernels live on disk. Decides the directory and the names in it; files are never
// changed once they have their name, so processes may share the directory without locks.
//
// Assumptions:
//  1. A key covers everything that the image depends on, so an image with the right key is the
//  right image.
//  2. Deleting the directory is always allowed, also while Halfmark runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "backends/host/scratch_folder.hpp"

namespace halfmark::backends::host {

// What to do about a folder that holds no kernels.
inline constexpr std::string_view kFolderRemedy =
    "set HALFMARK_CACHE_DIR to a folder that you own, that has room and that allows execution";

class ImageCache {
 public:
  // HALFMARK_CACHE_DIR, else $XDG_CACHE_HOME/halfmark, else ~/.cache/halfmark; a private temporary
  // directory, removed at the end, where that cannot be written or where others could plant code.
  // Throws EnvironmentFault when there is neither.
  ImageCache();

  // Made again where it was deleted.
  [[nodiscard]] const std::filesystem::path& directory() const;
  // The image that was kept under the key, when it is still what it was.
  [[nodiscard]] std::optional<std::string> image_of(const std::string& key) const;
  void keep(const std::string& key, const std::string& image) const;
  // A new folder in the same directory that no other process uses.
  [[nodiscard]] ScratchFolder scratch() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::optional<ScratchFolder> temporary_;
  std::filesystem::path directory_;
};

}  // namespace halfmark::backends::host
