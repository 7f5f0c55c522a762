// SPDX-License-Identifier: Apache-2.0
// Memory that vectors may be loaded from: aligned to a cache line, not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace halfmark::fast {

inline constexpr std::align_val_t kCacheLine{64};

struct FreeBuffer {
  void operator()(void* memory) const { ::operator delete(memory, kCacheLine); }
};

template <typename T>
using Buffer = std::unique_ptr<T[], FreeBuffer>;  // NOLINT(modernize-avoid-c-arrays)

template <typename T>
[[nodiscard]] Buffer<T> make_buffer(std::size_t count) {
  static_assert(std::is_trivial_v<T>);
  return Buffer<T>(static_cast<T*>(::operator new(count * sizeof(T), kCacheLine)));
}

}  // namespace halfmark::fast
