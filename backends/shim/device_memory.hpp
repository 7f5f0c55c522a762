// SPDX-License-Identifier: Apache-2.0
//
// Device memory that an operator library needs besides the tensors of its calls. Decides how long
// it lives: until its last user lets go of it.
//
// Assumption: a user lets go of a block only after the work with it has ended on the device.
#pragma once

#include <fmt/format.h>

#include <memory>

#include "backends/device_info.hpp"
#include "backends/shim/operator_library.hpp"

namespace halfmark::backends::shim {

class DeviceBlock {
 public:
  DeviceBlock(const DriverCalls& calls, std::size_t bytes) : calls_(calls), bytes_(bytes) {
    check("allocate", calls.allocate(&address_, bytes));
  }
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;
  ~DeviceBlock() { calls_.release(address_); }

  [[nodiscard]] void* pointer() const { return pointer_at(address_, 0); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void write(const void* source, std::size_t bytes) {
    check("copy in", calls_.copy_in(address_, source, bytes));
    // The work runs in a stream that does not wait for the default one.
    check("synchronise", calls_.stream_synchronise(nullptr));
  }

 private:
  void check(const char* call, Status status) const {
    if (status != 0)
      throw BackendError(call, status, fmt::format("{} of {} bytes: {}", call, bytes_, status));
  }

  const DriverCalls& calls_;
  std::size_t bytes_;
  Address address_{};
};

// Memory that grows to the largest request so far. Calls of one queue are all prepared before the
// first of them runs, so a request must not free what an earlier one was given.
class GrowingMemory {
 public:
  explicit GrowingMemory(const DriverCalls& calls) : calls_(calls) {}

  [[nodiscard]] std::shared_ptr<const DeviceBlock> of(std::size_t bytes) {
    if (block_ == nullptr || block_->bytes() < bytes) {
      block_.reset();
      block_ = std::make_shared<const DeviceBlock>(calls_, bytes);
    }
    return block_;
  }

 private:
  const DriverCalls& calls_;
  std::shared_ptr<const DeviceBlock> block_;
};

}  // namespace halfmark::backends::shim
