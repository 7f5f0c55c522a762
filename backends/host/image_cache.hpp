// SPDX-License-Identifier: Apache-2.0
//
// Stores compiled kernels on disk. Decides the folder and the names in it; a file never changes
// once it has its name, so processes may share the folder without locks.
//
// Assumptions:
//  1. A key covers everything that the image depends on, so an image with the right key is the
//  right image.
//  2. The folder may be deleted at any time, even while Halfmark runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "backends/host/scratch_folder.hpp"

namespace halfmark::backends::host {

// The remedy for a folder that cannot hold kernels.
inline constexpr std::string_view kFolderRemedy =
    "set HALFMARK_CACHE_DIR to a folder that you own, that has room and that allows execution";

class ImageCache {
 public:
  // Uses HALFMARK_CACHE_DIR, else $XDG_CACHE_HOME/halfmark, else ~/.cache/halfmark; if that is not
  // writable or others could plant code there, a private temporary folder that is removed at the
  // end. Throws EnvironmentFault when neither works.
  ImageCache();

  // Recreates the folder if it was deleted.
  [[nodiscard]] const std::filesystem::path& folder() const;
  // The image stored under the key, if it is unchanged.
  [[nodiscard]] std::optional<std::string> image_of(const std::string& key) const;
  void keep(const std::string& key, const std::string& image) const;
  // A new folder in it that no other process uses.
  [[nodiscard]] ScratchFolder scratch() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::optional<ScratchFolder> temporary_;
  std::filesystem::path folder_;
};

}  // namespace halfmark::backends::host
