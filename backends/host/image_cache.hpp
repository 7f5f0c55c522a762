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
#include <span>
#include <string>
#include <string_view>

namespace halfmark::backends::host {

// 32 hexadecimal digits that stand for the parts, in order.
[[nodiscard]] std::string content_key(std::span<const std::string> parts);

class ImageCache {
 public:
  // HALFMARK_CACHE_DIR, else $XDG_CACHE_HOME/halfmark, else ~/.cache/halfmark; a private temporary
  // directory, removed at the end, where that cannot be written or where others could plant code.
  ImageCache();
  ImageCache(const ImageCache&) = delete;
  ImageCache& operator=(const ImageCache&) = delete;
  ~ImageCache();

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  [[nodiscard]] std::filesystem::path image_of(std::string_view key) const;
  // A name in the same directory that no other process uses: files are made there and then renamed.
  [[nodiscard]] std::filesystem::path scratch(std::string_view key,
                                              std::string_view extension) const;

 private:
  std::filesystem::path directory_;
  bool temporary_ = false;
};

}  // namespace halfmark::backends::host
