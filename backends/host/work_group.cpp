// SPDX-License-Identifier: Apache-2.0
//
// The scheduler of one group. Contexts switch to each other directly: one switch per item
// and barrier.
#include "backends/host/work_group.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "backends/host/shuffle.hpp"

namespace halfmark::backends::host {
namespace {

constexpr std::size_t kLocalAlignment = 64;
// A poison pattern: all ones is a NaN in every floating-point format, so local memory that was
// never written cannot pass for a zero.
constexpr int kLocalPoison = 0xff;

}  // namespace

WorkGroup::WorkGroup() : local_memory_(kLocalMemoryBytes + kLocalAlignment) {
  shared_.owner = this;
  shared_.barrier = &WorkGroup::at_barrier;
  shared_.local_memory = &WorkGroup::at_local_memory;
  std::memset(local_memory_.data(), kLocalPoison, local_memory_.size());
}

void WorkGroup::prepare(const Launch& launch) {
  launch_ = &launch;
  const auto& [groups, items] = launch.grid;
  const unsigned count = items[0] * items[1] * items[2];
  for (std::size_t d = 0; d < 3; ++d) {
    shared_.lsize[d] = static_cast<int>(items[d]);
    shared_.ngroups[d] = static_cast<int>(groups[d]);
  }
  items_.resize(count);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  for (unsigned i = 0; i < count; ++i) {
    items_[i] = {.lid = {static_cast<int>(i % items[0]), static_cast<int>(i / items[0] % items[1]),
                         static_cast<int>(i / items[0] / items[1])},
                 .local_bytes = 0};
  }
  shared_.items = items_.data();
  shared_.order = order_.data();
  shared_.item_count = count;
  stacks_.reserve(count);
  while (fibers_.size() < count) fibers_.push_back(std::make_unique<Fiber>());
}

void WorkGroup::begin_group(std::uint64_t group) {
  const auto& groups = launch_->grid.groups;
  group_ = group;
  shared_.gid[0] = static_cast<int>(group % groups[0]);
  shared_.gid[1] = static_cast<int>(group / groups[0] % groups[1]);
  shared_.gid[2] = static_cast<int>(group / groups[0] / groups[1]);
  shared_.started = 0;
  shared_.finished = 0;
  for (hm_host_item& item : items_) item.local_bytes = 0;
  if (launch_->shuffle_seed) {
    std::iota(order_.begin(), order_.end(), 0u);  // independent of the order of earlier groups
    shuffle_items(order_, *launch_->shuffle_seed, group, 0);
  }
  phase_ = 0;
  fibers_begun_ = 0;
  ready_.clear();
  resumed_ = 0;
  waiting_.clear();
  failure_.clear();
  std::memset(local_memory_.data(), kLocalPoison, local_bytes_used_);
  local_bytes_used_ = 0;
}

void WorkGroup::run(std::uint64_t group) {
  begin_group(group);
  Context caller;
  caller_ = &caller;
  Context::switch_to(caller, next_context());
  if (!failure_.empty()) throw BackendError("launch", 0, failure_);
}

// The context to continue when the running one cannot: an item that has not started, else one
// released from the last barrier, else the caller.
Context& WorkGroup::next_context() {
  if (shared_.started < shared_.item_count) {
    running_ = fibers_begun_++;
    Fiber& fiber = *fibers_[running_];
    fiber.context.begin(stacks_.stack(running_), &WorkGroup::fiber_main, this);
    return fiber.context;
  }
  if (resumed_ == ready_.size() && !release_barrier()) return *caller_;
  running_ = ready_[resumed_++];
  Fiber& fiber = *fibers_[running_];
  shared_.item = fiber.item;
  return fiber.context;
}

bool WorkGroup::release_barrier() {
  if (waiting_.empty()) return false;
  if (shared_.finished != 0) {
    failure_ = fmt::format(
        "barrier divergence in {}: {} of {} work-items wait at the barrier of line {}, the others "
        "have returned",
        place(), waiting_.size(), shared_.item_count, barrier_line_);
    return false;
  }
  ready_.swap(waiting_);
  waiting_.clear();
  resumed_ = 0;
  ++phase_;
  if (launch_->shuffle_seed) shuffle_items(ready_, *launch_->shuffle_seed, group_, phase_);
  return true;
}

void WorkGroup::fiber_main(void* self) {
  auto& group = *static_cast<WorkGroup*>(self);
  group.launch_->kernel->drain(&group.shared_, group.launch_->arguments);
  Context& done = group.fibers_[group.running_]->context;
  Context::exit_to(done, group.next_context());
}

void WorkGroup::at_barrier(hm_host_group* group, int line) {
  static_cast<Shared*>(group)->owner->wait(line);
}

void WorkGroup::wait(int line) {
  if (waiting_.empty()) barrier_line_ = line;
  if (line != barrier_line_) {
    failure_ =
        fmt::format("barrier divergence in {}: work-items wait at the barriers of lines {} and {}",
                    place(), barrier_line_, line);
    give_up();
  }
  const unsigned self = running_;
  fibers_[self]->item = shared_.item;
  waiting_.push_back(self);
  Context& next = next_context();
  Context& own = fibers_[self]->context;
  if (&next != &own) Context::switch_to(own, next);
}

void* WorkGroup::at_local_memory(hm_host_group* group, unsigned long bytes) {
  WorkGroup& self = *static_cast<Shared*>(group)->owner;
  hm_host_item& item = *group->item;
  const std::size_t offset = item.local_bytes;
  const std::size_t end =
      offset + (bytes + kLocalAlignment - 1) / kLocalAlignment * kLocalAlignment;
  if (end > kLocalMemoryBytes) {
    self.failure_ = fmt::format("{} needs {} bytes of local memory; the device has {}",
                                self.place(), end, kLocalMemoryBytes);
    self.give_up();
  }
  item.local_bytes = static_cast<unsigned>(end);
  self.local_bytes_used_ = std::max(self.local_bytes_used_, end);
  return self.local_memory_.data() + offset;
}

// Abandons the current stack: callers own nothing on it that needs a destructor.
void WorkGroup::give_up() { Context::exit_to(fibers_[running_]->context, *caller_); }

std::string WorkGroup::place() const {
  return fmt::format("kernel '{}', group ({}, {}, {})", launch_->kernel->name, shared_.gid[0],
                     shared_.gid[1], shared_.gid[2]);
}

}  // namespace halfmark::backends::host
