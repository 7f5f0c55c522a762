// SPDX-License-Identifier: Apache-2.0
//
// The C++ face of every backend: find devices, open one, move bytes, build kernels, launch them.
// Everything goes through the C table of abi.h, whether the backend is built in or a plug-in.
// Decides how handles are owned; knows no vendor.
//
// Assumptions:
//  1. Every failure is a BackendError, misuse (a range outside a buffer) too; what the machine
//  prevents, and not the device, is an EnvironmentFault.
//  2. Buffers and programs keep their device open, so destruction may come in any order.
//  3. An object belongs to one thread at a time.
//  4. A backend may break its promises: exceptions that it lets escape, texts that cannot be true
//  and null handles become BackendError, or the status of the backend.
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

namespace halfmark::backends {

struct DeviceState;
struct BufferState;
struct ProgramState;

// One backend, with its devices or with the reason why it has none.
struct BackendStatus {
  std::string backend;  // a plug-in that could not be loaded is named by its file
  std::string status;   // "ok", or one line that names what is missing and the remedy
  std::vector<DeviceInfo> devices;
  bool broken = false;  // refused, or it said what cannot be true; not: "no device here"
};

// The names of the backends of this process, in a fixed order: the built-in ones, then plug-ins.
// Calls no driver.
[[nodiscard]] std::vector<std::string> backend_names();

// One backend; no other driver is called. An unknown name gives a status that says so.
[[nodiscard]] BackendStatus status_of(std::string_view backend);

// Every built-in backend and every plug-in, in a fixed order.
[[nodiscard]] std::vector<BackendStatus> enumerate();

// Adds a plug-in to this process, and says what became of it: its name and devices, or the file and
// the refusal, as enumerate() will. A file is taken once. Runs foreign code: for workers only.
BackendStatus load_plugin(const std::filesystem::path& file);

class Buffer {
 public:
  [[nodiscard]] std::uint64_t size_bytes() const;
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
  // Waits for completion; returns the time on the device in nanoseconds.
  std::uint64_t launch(const std::string& entry, const Grid& grid,
                       std::span<const Argument> arguments);
  [[nodiscard]] std::string build_log() const;
  [[nodiscard]] std::vector<std::byte> image() const;  // empty where the backend has none to show

 private:
  friend class Device;
  explicit Program(std::shared_ptr<ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<ProgramState> state_;
};

using TensorView = TensorViewOf<const Buffer*>;
using OperatorCall = OperatorCallOf<const Buffer*>;

class Device {
 public:
  // The selector must name exactly one device. Which options exist is the backend's business; an
  // unknown one throws.
  [[nodiscard]] static Device open(std::string_view selector,
                                   const nlohmann::json& options = nlohmann::json::object());
  // The same device with the same options once more: a queue and handles of its own.
  [[nodiscard]] Device open_again() const;
  [[nodiscard]] const DeviceInfo& info() const;  // as opened
  [[nodiscard]] DeviceInfo describe_now()
      const;  // asked again: clocks, temperature and the like may have moved
  [[nodiscard]] Buffer allocate(std::uint64_t bytes);
  [[nodiscard]] Program build(std::string_view source, std::span<const Define> defines = {});
  // Runs an operator of one of info().libraries and waits for it. Misuse (a view outside its
  // buffer, sizes without strides) and failures throw; what the library does not offer is an
  // outcome.
  [[nodiscard]] OperatorOutcome run(const OperatorCall& call);

 private:
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeviceState> state_;
};

}  // namespace halfmark::backends
