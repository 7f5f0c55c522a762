// SPDX-License-Identifier: Apache-2.0
//
// Runs work-groups, one after another, on one thread. Decides which work-item runs when, what a
// barrier does, and how to report a kernel whose items disagree about their barriers.
//
// An item starts on the stack of the item before it, unless that one is still waiting at a barrier.
// A kernel without barriers is therefore a plain loop on one stack, and its text need not be
// searched for barriers.
//
// Assumptions:
//  1. One thread uses a WorkGroup during a launch; another may use it for the next.
//  2. The grid has at most kMaxGroupItems items in a group, and the arguments match the
//  kernel's kinds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/host/context.hpp"
#include "backends/host/item_abi.h"
#include "backends/host/stack_pool.hpp"

namespace halfmark::backends::host {

inline constexpr std::uint32_t kMaxGroupItems = 1024;
inline constexpr std::size_t kLocalMemoryBytes = 64 * 1024;

struct Launch {
  const hm_host_kernel* kernel = nullptr;
  Grid grid;
  void* const* arguments = nullptr;  // per argument, one pointer to its value
  std::optional<std::uint64_t> shuffle_seed;
};

class WorkGroup {
 public:
  WorkGroup();
  WorkGroup(const WorkGroup&) = delete;
  WorkGroup& operator=(const WorkGroup&) = delete;

  void prepare(const Launch& launch);
  // Throws BackendError when the items diverge at a barrier or claim too much local memory.
  void run(std::uint64_t group);

 private:
  struct Fiber {
    Context context;
    hm_host_item* item = nullptr;  // set while the fiber waits
  };
  struct Shared : hm_host_group {
    WorkGroup* owner = nullptr;
  };

  static void fiber_main(void* self);
  static void at_barrier(hm_host_group* group, int line);
  static void* at_local_memory(hm_host_group* group, unsigned long bytes);

  void begin_group(std::uint64_t group);
  void wait(int line);
  [[nodiscard]] Context& next_context();
  [[nodiscard]] bool release_barrier();
  [[noreturn]] void give_up();
  [[nodiscard]] std::string place() const;

  const Launch* launch_ = nullptr;
  Shared shared_;
  std::uint64_t group_ = 0;
  std::uint64_t phase_ = 0;  // barriers passed so far
  std::vector<hm_host_item> items_;
  std::vector<unsigned> order_;

  StackPool stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  unsigned fibers_begun_ = 0;
  unsigned running_ = 0;           // index of the running fiber
  std::vector<unsigned> ready_;    // fibers that left the last barrier, in resume order
  std::size_t resumed_ = 0;        // how many of them have been resumed
  std::vector<unsigned> waiting_;  // fibers that reached the next barrier
  int barrier_line_ = 0;           // line of the first waiting fiber
  Context* caller_ = nullptr;

  std::vector<std::byte> local_memory_;
  std::size_t local_bytes_used_ = 0;
  std::string failure_;
};

}  // namespace halfmark::backends::host
