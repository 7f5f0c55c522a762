// SPDX-License-Identifier: Apache-2.0
#include "backends/host/image_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>

#include "backends/cache_folder.hpp"
#include "backends/host/scratch_folder.hpp"

namespace halfmark::backends::host {
namespace fs = std::filesystem;

std::string content_key(std::span<const std::string> parts) {
  // FNV-1a of 128 bits: the cache guards against accidents, its directory against everything else.
  using Wide = unsigned __int128;
  constexpr Wide kPrime = (Wide{1} << 88) + 0x13b;
  Wide hash = (Wide{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * kPrime; };
  for (const std::string& part : parts) {
    for (const char byte : part) add(static_cast<unsigned char>(byte));
    for (std::size_t size = part.size(), i = 0; i < sizeof(size); ++i)
      add(static_cast<unsigned char>(size >> (8 * i)));
  }
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash >> 64),
                     static_cast<std::uint64_t>(hash));
}

ImageCache::ImageCache() : directory_(own_cache_folder("host")) {
  if (!directory_.empty()) return;
  directory_ =
      make_scratch_folder("compiled kernels", "set HALFMARK_CACHE_DIR to one that you own");
  temporary_ = true;
}

ImageCache::~ImageCache() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(directory_, ignored);
}

fs::path ImageCache::image_of(std::string_view key) const {
  return directory_ / fmt::format("{}.so", key);
}

fs::path ImageCache::scratch(std::string_view key, std::string_view extension) const {
  static std::atomic<unsigned> count = 0;
  return directory_ / fmt::format("{}.{}-{}.{}", key, getpid(), count++, extension);
}

}  // namespace halfmark::backends::host
