// SPDX-License-Identifier: Apache-2.0
#include "backends/host/image_cache.hpp"

#include <system_error>

#include "backends/cache_entry.hpp"
#include "backends/cache_folder.hpp"

namespace halfmark::backends::host {
namespace fs = std::filesystem;

ImageCache::ImageCache() : folder_(own_cache_folder("host")) {
  if (!folder_.empty()) return;
  folder_ = temporary_.emplace(fs::path(), "compiled kernels", kFolderRemedy).path();
}

std::optional<std::string> ImageCache::image_of(const std::string& key) const {
  return read_entry(file_of(key), key);
}

void ImageCache::keep(const std::string& key, const std::string& image) const {
  keep_entry(file_of(key), key, image);
}

const fs::path& ImageCache::folder() const {
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  return folder_;
}

ScratchFolder ImageCache::scratch() const { return {folder(), "kernels", kFolderRemedy}; }

fs::path ImageCache::file_of(const std::string& key) const { return folder_ / (key + ".so"); }

}  // namespace halfmark::backends::host
