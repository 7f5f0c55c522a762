// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "backends/abi.h"
#include "backends/plugin.hpp"
#include "backends/registry.hpp"
#include "backends/select.hpp"

namespace halfmark::backends {
namespace {

// The tables of this process. Only grows; guarded because workers may enumerate from several
// threads.
struct Tables {
  std::mutex mutex;
  std::vector<const HmBackendApi*> apis;
  std::vector<LoadedPlugin> plugins;
};

void add_plugin(Tables& tables, const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, ignored);
  const std::string name = (canonical.empty() ? file : canonical).string();
  for (const LoadedPlugin& known : tables.plugins) {
    if (known.file == name) return;
  }
  LoadedPlugin plugin = open_plugin(name);
  if (plugin.api != nullptr) {
    for (const HmBackendApi* api : tables.apis) {
      if (std::string_view(api->name) != plugin.api->name) continue;
      plugin.refusal =
          fmt::format("plug-in {} refused: there is a backend named '{}' already", name, api->name);
      plugin.api = nullptr;
      break;
    }
  }
  if (plugin.api != nullptr) tables.apis.push_back(plugin.api);
  tables.plugins.push_back(std::move(plugin));
}

Tables& tables() {
  static Tables all;
  static std::once_flag filled;
  std::call_once(filled, [] {
    for (const ApiFunction function : built_in_backends()) all.apis.push_back(function());
    for (const auto& file : plugins_on_path(std::getenv("HALFMARK_PLUGIN_PATH")))
      add_plugin(all, file);
  });
  return all;
}

BackendError error_of(const HmBackendApi& api) {
  HmErrorInfo error{};
  api.last_error(api.context, &error);
  return BackendError(error.call == nullptr ? api.name : error.call, error.code,
                      error.text == nullptr ? "no text" : error.text, error.device_lost != 0);
}

void check(const HmBackendApi& api, std::int32_t status) {
  if (status != 0) throw error_of(api);
}

// A plug-in's text may be no JSON; that is the plug-in's failure, not a crash.
DeviceInfo parse_description(const HmBackendApi& api, const char* json, std::uint32_t index) {
  try {
    DeviceInfo info = device_info_from_json(nlohmann::json::parse(json));
    info.backend = api.name;
    if (info.selector.empty()) info.selector = fmt::format("{}:{}", api.name, index);
    info.index = index;
    return info;
  } catch (const nlohmann::json::exception& error) {
    throw BackendError("describe", 0, error.what());
  }
}

BackendStatus status_of(const HmBackendApi& api) {
  const char* text = api.status(api.context);
  BackendStatus result{api.name, text == nullptr ? "gives no status" : text, {}};
  if (result.status != "ok") return result;
  try {
    const std::uint32_t count = api.device_count(api.context);
    for (std::uint32_t index = 0; index < count; ++index) {
      const char* json = nullptr;
      check(api, api.describe(api.context, index, &json));
      result.devices.push_back(parse_description(api, json, index));
    }
  } catch (const BackendError& error) {
    result.status = error.what();
  }
  return result;
}

HmGrid grid_row(const Grid& grid) {
  HmGrid row{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.groups[axis] == 0 || grid.items[axis] == 0)
      throw BackendError("launch", 0, "a grid holds a zero");
    row.groups[axis] = grid.groups[axis];
    row.items[axis] = grid.items[axis];
  }
  return row;
}

HmArgument buffer_row(HmBuffer* buffer) {
  HmArgument row{};
  row.kind = HM_ARGUMENT_BUFFER;
  row.value.buffer = buffer;
  return row;
}

HmArgument scalar_row(const Argument& argument) {
  HmArgument row{};
  if (const auto* number = std::get_if<std::int32_t>(&argument)) {
    row.kind = HM_ARGUMENT_INT32;
    row.value.int32 = *number;
  } else if (const auto* unsigned_number = std::get_if<std::uint32_t>(&argument)) {
    row.kind = HM_ARGUMENT_UINT32;
    row.value.uint32 = *unsigned_number;
  } else {
    row.kind = HM_ARGUMENT_FLOAT;
    row.value.float32 = std::get<float>(argument);
  }
  return row;
}

}  // namespace

struct DeviceState {
  const HmBackendApi* api;
  HmDevice* handle;
  std::uint32_t index;
  DeviceInfo info;

  DeviceState(const HmBackendApi* api_, HmDevice* handle_, std::uint32_t index_)
      : api(api_), handle(handle_), index(index_) {}
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState() { api->device_close(handle); }
};

struct BufferState {
  std::shared_ptr<DeviceState> device;
  HmBuffer* handle;
  std::uint64_t bytes;

  BufferState(std::shared_ptr<DeviceState> device_, HmBuffer* handle_, std::uint64_t bytes_)
      : device(std::move(device_)), handle(handle_), bytes(bytes_) {}
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
  ~BufferState() { device->api->buffer_destroy(handle); }

  void check_range(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes || count > bytes - offset) {
      throw BackendError(
          "range check", 0,
          fmt::format("{} bytes at {} do not fit a buffer of {}", count, offset, bytes));
    }
  }
};

struct ProgramState {
  std::shared_ptr<DeviceState> device;
  HmProgram* handle;

  ProgramState(std::shared_ptr<DeviceState> device_, HmProgram* handle_)
      : device(std::move(device_)), handle(handle_) {}
  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;
  ~ProgramState() { device->api->program_destroy(handle); }
};

std::vector<BackendStatus> enumerate() {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  std::vector<BackendStatus> result;
  for (const HmBackendApi* api : all.apis) result.push_back(status_of(*api));
  for (const LoadedPlugin& plugin : all.plugins) {
    if (plugin.api == nullptr) result.push_back({plugin.file, plugin.refusal, {}});
  }
  return result;
}

void load_plugin(const std::filesystem::path& file) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  add_plugin(all, file);
}

std::uint64_t Buffer::size_bytes() const { return state_->bytes; }

void Buffer::write(std::uint64_t offset, std::span<const std::byte> source) {
  state_->check_range(offset, source.size());
  if (source.empty()) return;
  const HmBackendApi& api = *state_->device->api;
  check(api, api.buffer_write(state_->handle, offset, source.data(), source.size()));
}

void Buffer::read(std::uint64_t offset, std::span<std::byte> target) const {
  state_->check_range(offset, target.size());
  if (target.empty()) return;
  const HmBackendApi& api = *state_->device->api;
  check(api, api.buffer_read(state_->handle, offset, target.data(), target.size()));
}

std::uint64_t Program::launch(const std::string& entry, const Grid& grid,
                              std::span<const Argument> arguments) {
  const HmBackendApi& api = *state_->device->api;
  const HmGrid shape = grid_row(grid);
  std::vector<HmArgument> rows;
  for (const Argument& argument : arguments) {
    const auto* buffer = std::get_if<const Buffer*>(&argument);
    if (buffer != nullptr && (*buffer)->state_->device != state_->device) {
      throw BackendError("launch", 0, "an argument is a buffer of another device");
    }
    rows.push_back(buffer != nullptr ? buffer_row((*buffer)->state_->handle)
                                     : scalar_row(argument));
  }
  std::uint64_t elapsed_ns = 0;
  check(api, api.program_launch(state_->handle, entry.c_str(), &shape, rows.data(),
                                static_cast<std::uint32_t>(rows.size()), &elapsed_ns));
  return elapsed_ns;
}

std::string Program::build_log() const {
  const char* text = state_->device->api->program_log(state_->handle);
  return text == nullptr ? "" : text;
}

std::vector<std::byte> Program::image() const {
  const HmBackendApi& api = *state_->device->api;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  check(api, api.program_image(state_->handle, &data, &bytes));
  const auto* begin = static_cast<const std::byte*>(data);
  return data == nullptr ? std::vector<std::byte>() : std::vector<std::byte>(begin, begin + bytes);
}

namespace {

// The devices of the backend that the selector names before its colon; of all backends when it
// names none. So a process that works on one device loads no other vendor's driver.
std::vector<DeviceInfo> candidates(std::string_view selector) {
  const std::string_view name = selector.substr(0, selector.find(':'));
  {
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    for (const HmBackendApi* api : all.apis) {
      if (api->name == name) return status_of(*api).devices;
    }
  }
  std::vector<DeviceInfo> devices;
  for (const BackendStatus& status : enumerate()) {
    devices.insert(devices.end(), status.devices.begin(), status.devices.end());
  }
  return devices;
}

}  // namespace

Device Device::open(std::string_view selector, const nlohmann::json& options) {
  const std::vector<DeviceInfo> chosen = resolve(selector, candidates(selector));
  if (chosen.size() != 1) {
    throw NoSuchDevice(
        fmt::format("'{}' names {} devices where one is wanted", selector, chosen.size()));
  }
  for (const HmBackendApi* api : tables().apis) {
    if (api->name != chosen[0].backend) continue;
    HmDevice* handle = nullptr;
    check(*api, api->device_open(api->context, chosen[0].index, options.dump().c_str(), &handle));
    Device device(std::make_shared<DeviceState>(api, handle, chosen[0].index));
    device.state_->info = device.describe_now();
    return device;
  }
  throw NoSuchDevice(fmt::format("the backend of '{}' is gone", selector));
}

const DeviceInfo& Device::info() const { return state_->info; }

DeviceInfo Device::describe_now() const {
  const HmBackendApi& api = *state_->api;
  const char* json = nullptr;
  check(api, api.device_describe(state_->handle, &json));
  return parse_description(api, json, state_->index);
}

Buffer Device::allocate(std::uint64_t bytes) {
  if (bytes == 0) throw BackendError("allocate", 0, "a buffer of no bytes");
  HmBuffer* handle = nullptr;
  check(*state_->api, state_->api->buffer_create(state_->handle, bytes, &handle));
  return Buffer(std::make_shared<BufferState>(state_, handle, bytes));
}

Program Device::build(std::string_view source, std::span<const Define> defines) {
  std::vector<HmDefine> rows;
  for (const Define& define : defines) rows.push_back({define.name.c_str(), define.value.c_str()});
  HmProgram* handle = nullptr;
  check(*state_->api,
        state_->api->program_build(state_->handle, std::string(source).c_str(), rows.data(),
                                   static_cast<std::uint32_t>(rows.size()), &handle));
  return Program(std::make_shared<ProgramState>(state_, handle));
}

}  // namespace halfmark::backends
