// SPDX-License-Identifier: Apache-2.0
// Uninitialised memory for vector loads, aligned to a cache line. Large buffers request large
// pages, because otherwise the first pass over a panel of B would take a page fault every 4 KiB.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace halfmark::fast {

inline constexpr std::align_val_t kCacheLine{64};
inline constexpr std::align_val_t kLargePage{std::size_t{1} << 21};

struct FreeBuffer {
  std::align_val_t alignment = kCacheLine;
  void operator()(void* memory) const { ::operator delete(memory, alignment); }
};

template <typename T>
using Buffer = std::unique_ptr<T[], FreeBuffer>;  // NOLINT(modernize-avoid-c-arrays)

template <typename T>
[[nodiscard]] Buffer<T> make_buffer(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  const std::size_t bytes = count * sizeof(T);
  const bool large = bytes >= 2 * static_cast<std::size_t>(kLargePage);
  const std::align_val_t alignment = large ? kLargePage : kCacheLine;
  void* memory = ::operator new(bytes, alignment);
#ifdef MADV_HUGEPAGE
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; the result does not matter
#endif
  return Buffer<T>(static_cast<T*>(memory), FreeBuffer{alignment});
}

}  // namespace halfmark::fast
