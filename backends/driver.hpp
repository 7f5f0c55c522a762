// SPDX-License-Identifier: Apache-2.0
//
// The interface that a built-in backend implements. The adapter turns a Driver into the C table of
// abi.h, so that callers reach built-in backends and plug-ins in the same way. Only backends
// include this header; all other code uses backend.hpp.
//
// Assumptions:
//  1. A driver reports failure by throwing BackendError, or EnvironmentFault when the machine
//  rather than the device is at fault. Callers distinguish no other exception.
//  2. Objects are destroyed before the device that made them, and a device before its driver (which
//  is a static).
//  3. The caller has checked that reads and writes stay in range, that no grid size is zero, and
//  that all buffers belong to the same device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/memory_answer.hpp"

namespace halfmark::backends {

class DriverBuffer {
 public:
  virtual ~DriverBuffer() = default;
  virtual void write(std::uint64_t offset, std::span<const std::byte> source) = 0;
  virtual void read(std::uint64_t offset, std::span<std::byte> target) = 0;
};

using DriverArgument = std::variant<DriverBuffer*, std::int32_t, std::uint32_t, float>;

class DriverProgram {
 public:
  virtual ~DriverProgram() = default;
  [[nodiscard]] virtual std::string build_log() const { return {}; }
  [[nodiscard]] virtual std::span<const std::byte> image() const { return {}; }
  // Waits for completion; returns the time on the device in nanoseconds.
  virtual std::uint64_t launch(const std::string& entry, const Grid& grid,
                               std::span<const DriverArgument> arguments) = 0;
};

using DriverTensorView = TensorViewOf<DriverBuffer*>;
using DriverOperatorCall = OperatorCallOf<DriverBuffer*>;

class DriverDevice {
 public:
  virtual ~DriverDevice() = default;
  [[nodiscard]] virtual DeviceInfo describe() = 0;
  [[nodiscard]] virtual std::unique_ptr<DriverBuffer> allocate(std::uint64_t bytes) = 0;
  // `source` lacks the definitions of the dialect; the driver prepends its dialect.h.
  [[nodiscard]] virtual std::unique_ptr<DriverProgram> build(const std::string& source,
                                                             std::span<const Define> defines) = 0;
  // Waits for completion. Serves the libraries that describe() lists as usable; the caller has
  // checked that views lie inside their buffers.
  [[nodiscard]] virtual OperatorOutcome run(const DriverOperatorCall& call);
  // At this moment. What is free and what there is are the runtime's own numbers, unchecked. Where
  // they are everybody's on the device, what is used stays 0.
  [[nodiscard]] virtual MemoryAnswer memory();
};

// status() and devices() are called often, so a driver enumerates its devices only once.
class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string
  status() = 0;  // "ok", or one line: what is missing, and the remedy
  [[nodiscard]] virtual std::vector<DeviceInfo>
  devices() = 0;  // selector may stay empty: backend.cpp then numbers the devices
  [[nodiscard]] virtual std::unique_ptr<DriverDevice> open(std::uint32_t index,
                                                           const nlohmann::json& options) = 0;
};

// Throws for the first option that is not in `known`: an ignored option would mislead its user.
void refuse_unknown_options(const nlohmann::json& options, std::span<const std::string_view> known);

}  // namespace halfmark::backends
