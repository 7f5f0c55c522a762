// SPDX-License-Identifier: Apache-2.0
//
// Memory of the software device, and the copies between it and the host. Decides how a planted copy
// fault affects these copies; kernels and operators access the memory directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

#include "backends/driver.hpp"
#include "backends/host/faults.hpp"
#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host {

class HostBuffer : public DriverBuffer {
 public:
  explicit HostBuffer(std::uint64_t bytes);
  void write(std::uint64_t offset, std::span<const std::byte> source) override;
  void read(std::uint64_t offset, std::span<std::byte> target) override;

  [[nodiscard]] std::byte* address() const { return memory_.get(); }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes_; }
  [[nodiscard]] library::Memory memory() const {
    return {.address = memory_.get(), .bytes = bytes_};
  }

 private:
  static constexpr std::align_val_t kAlignment{256};
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::uint64_t bytes_;
};

// The copies of the buffer show the fault if it is one of copies.
[[nodiscard]] std::unique_ptr<HostBuffer> make_buffer(std::uint64_t bytes, const Fault& fault);

}  // namespace halfmark::backends::host
