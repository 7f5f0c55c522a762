// SPDX-License-Identifier: Apache-2.0
#include "backends/host/image_cache.hpp"

#include <system_error>

#include "backends/cache_entry.hpp"
#include "backends/cache_folder.hpp"

namespace halfmark::backends::host {
namespace fs = std::filesystem;

ImageCache::ImageCache() : directory_(own_cache_folder("host")) {
  if (!directory_.empty()) return;
  directory_ = temporary_.emplace(fs::path(), "compiled kernels", kFolderRemedy).path();
}

std::optional<std::string> ImageCache::image_of(const std::string& key) const {
  return read_entry(file_of(key), key);
}

void ImageCache::keep(const std::string& key, const std::string& image) const {
  keep_entry(file_of(key), key, image);
}

const fs::path& ImageCache::directory() const {
  std::error_code ignored;
  fs::create_directories(directory_, ignored);
  return directory_;
}

ScratchFolder ImageCache::scratch() const { return {directory(), "kernels", kFolderRemedy}; }

fs::path ImageCache::file_of(const std::string& key) const { return directory_ / (key + ".so"); }

}  // namespace halfmark::backends::host
