// SPDX-License-Identifier: Apache-2.0
//
// The C++ interface to every backend: find devices, open one, move bytes, build kernels, launch
// them. Every call goes through the C table of abi.h, whether the backend is built in or a plug-in.
// Decides how handles are owned; knows no vendor.
//
// Assumptions:
//  1. Every failure throws BackendError, misuse included, except that Device::open also throws
//  NoSuchDevice. A failure of the machine rather than of the device throws EnvironmentFault.
//  2. Buffers and programs keep their device open, so objects may be destroyed in any order.
//  3. Only one thread at a time uses an object.
//  4. A backend may break its promises: an escaped exception, text that cannot be true and a null
//  handle become a BackendError or the backend's status.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

struct DeviceState;
struct BufferState;
struct ProgramState;

// One backend with its devices, or with the reason why it has none.
struct BackendStatus {
  std::string backend;  // the file name for a plug-in that could not be loaded
  std::string status;   // "ok", or one line that names what is missing and the remedy
  std::vector<DeviceInfo> devices;
  bool broken = false;  // refused, or made an impossible claim; not: "no device here"
};

// The names of this process's backends in a fixed order: built-in ones first, then plug-ins. Calls
// no driver.
[[nodiscard]] std::vector<std::string> backend_names();

// The status of one backend; calls no other driver. For an unknown name the status says so.
[[nodiscard]] BackendStatus status_of(std::string_view backend);

// Every built-in backend and every plug-in, in a fixed order.
[[nodiscard]] std::vector<BackendStatus> enumerate();

// Loads a plug-in into this process. Returns its name and devices, or the file and the reason for
// refusal, as enumerate() will from then on. Loads each file only once. Runs foreign code, so only
// worker processes may call it.
BackendStatus load_plugin(const std::filesystem::path& file);

class Buffer {
 public:
  [[nodiscard]] std::uint64_t size_bytes() const;
  // Both copy the whole span and wait for it; a range outside the buffer throws.
  void write(std::uint64_t offset, std::span<const std::byte> source);
  void read(std::uint64_t offset, std::span<std::byte> target) const;

 private:
  friend class Device;
  friend class Program;
  explicit Buffer(std::shared_ptr<BufferState> state) : state_(std::move(state)) {}
  std::shared_ptr<BufferState> state_;
};

using Argument = std::variant<const Buffer*, std::int32_t, std::uint32_t, float>;

class Program {
 public:
  // Waits for completion; returns the time on the device in nanoseconds. Every buffer must belong
  // to the program's device.
  std::uint64_t launch(const std::string& entry, const Grid& grid,
                       std::span<const Argument> arguments);
  [[nodiscard]] std::string build_log() const;
  [[nodiscard]] std::vector<std::byte> image() const;  // empty when there is none to show

 private:
  friend class Device;
  explicit Program(std::shared_ptr<ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<ProgramState> state_;
};

using TensorView = TensorViewOf<const Buffer*>;
using OperatorCall = OperatorCallOf<const Buffer*>;

class Device {
 public:
  // Throws NoSuchDevice (select.hpp) unless the selector names exactly one device. Each backend
  // defines its own options; an unknown option throws.
  [[nodiscard]] static Device open(std::string_view selector,
                                   const nlohmann::json& options = nlohmann::json::object());
  // Opens the same device again with the same options: separate queue, separate handles.
  [[nodiscard]] Device open_again() const;
  [[nodiscard]] const DeviceInfo& info() const;   // as opened
  [[nodiscard]] DeviceInfo describe_now() const;  // queried again: sensor values may have changed
  // `bytes` must not be 0; the content of the buffer is unspecified.
  [[nodiscard]] Buffer allocate(std::uint64_t bytes);
  // Builds kernel text in the dialect of kernels/README.md; when that fails, the BackendError holds
  // the vendor's log.
  [[nodiscard]] Program build(std::string_view source, std::span<const Define> defines = {});
  // Runs an operator of one of info().libraries and waits for it. Throws on misuse (a view outside
  // its buffer, sizes without strides) and on failure; reports what the library does not offer in
  // the outcome.
  [[nodiscard]] OperatorOutcome run(const OperatorCall& call);
  // What the runtime says of the device's memory at this moment. Numbers that cannot be true, or a
  // query that fails, are not known: the answer says which.
  [[nodiscard]] MemoryAnswer memory() const;

 private:
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeviceState> state_;
};

}  // namespace halfmark::backends
