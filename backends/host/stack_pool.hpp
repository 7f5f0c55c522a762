// SPDX-License-Identifier: Apache-2.0
//
// Stacks for the contexts of one thread. Decides their size and placement; the compiler refuses
// kernels whose frames would not fit (it receives kFrameLimitBytes), so there are no guard pages
// between stacks.
#pragma once

#include <cstddef>
#include <span>

namespace halfmark::backends::host {

inline constexpr std::size_t kStackBytes = 64 * 1024;
inline constexpr std::size_t kFrameLimitBytes =
    16 * 1024;  // per function; kernels neither recurse nor nest deeply

class StackPool {
 public:
  StackPool() = default;
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;
  ~StackPool();

  // Ensures at least `count` stacks. May move them all, so none may be in use. Throws BackendError
  // when there is no room.
  void reserve(std::size_t count);
  [[nodiscard]] std::span<std::byte> stack(std::size_t index) const;

 private:
  void release();

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace halfmark::backends::host
