// SPDX-License-Identifier: Apache-2.0
//
// One mapping holds all stacks of a thread; the kernel allocates pages on first access.
#include "backends/host/stack_pool.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "backends/device_info.hpp"

namespace halfmark::backends::host {
namespace {

// An odd number of cache lines above a power of two: otherwise the tops of the stacks, which every
// switch uses, would compete for the same few sets of each cache.
constexpr std::size_t kStrideBytes = kStackBytes + 5 * 64;

}  // namespace

StackPool::~StackPool() { release(); }

void StackPool::release() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  memory_ = nullptr;
  bytes_ = 0;
}

void StackPool::reserve(std::size_t count) {
  const std::size_t bytes = count * kStrideBytes;
  if (bytes <= bytes_) return;
  release();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    throw BackendError("mmap of work-item stacks", errno, std::strerror(errno));
  memory_ = static_cast<std::byte*>(memory);
  bytes_ = bytes;
}

std::span<std::byte> StackPool::stack(std::size_t index) const {
  return {memory_ + index * kStrideBytes, kStackBytes};
}

}  // namespace halfmark::backends::host
