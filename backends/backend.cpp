// SPDX-License-Identifier: Apache-2.0
#include "backends/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backends/abi.h"
#include "backends/described.hpp"
#include "backends/float_environment.hpp"
#include "backends/foreign_text.hpp"
#include "backends/memory_of.hpp"
#include "backends/select.hpp"
#include "backends/tables.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::backends {
namespace {

DeviceInfo describe_opened(const HmBackendApi& api, HmDevice* handle, std::uint32_t index) {
  const char* json = nullptr;
  checked(api, "device_describe", [&] { return api.device_describe(handle, &json); });
  if (json == nullptr) throw BackendError("device_describe", 0, "gives no text");
  return described_device(api.name, index, json);
}

// The handle that a successful call must have set.
template <typename Handle>
Handle* given(const char* step, Handle* handle) {
  if (handle == nullptr)
    throw BackendError(step, 0, "the backend reports success but returns nothing");
  return handle;
}

// One day: the time limit of every call is shorter, and sums of such times fit in 64 bits.
constexpr std::uint64_t kMostNanoseconds = 86'400'000'000'000;
constexpr std::uint64_t kMostImageBytes = std::uint64_t{1} << 30;

std::uint64_t believable(const char* step, std::uint64_t elapsed_ns) {
  if (elapsed_ns <= kMostNanoseconds) return elapsed_ns;
  throw BackendError(step, 0, fmt::format("claims that it took {} ns, over a day", elapsed_ns));
}

HmGrid grid_row(const Grid& grid) {
  HmGrid row{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid.groups[axis] == 0 || grid.items[axis] == 0)
      throw BackendError("launch", 0, "a grid contains a zero");
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

HmTensor tensor_row(const TensorView& view, HmBuffer* buffer) {
  HmTensor row{};
  row.role = view.role.c_str();
  row.buffer = buffer;
  row.offset_bytes = view.offset_bytes;
  row.format = view.format.c_str();
  row.rank = static_cast<std::uint32_t>(view.sizes.size());
  std::copy(view.sizes.begin(), view.sizes.end(), row.sizes);
  std::copy(view.strides.begin(), view.strides.end(), row.strides);
  return row;
}

// Elements from the view's offset to its last element, inclusive; 0 for an empty view.
std::uint64_t reach(const TensorView& view) {
  if (view.sizes.size() != view.strides.size() || view.sizes.size() > std::size(HmTensor{}.sizes)) {
    throw BackendError("operator", 0, fmt::format("'{}': sizes and strides do not fit", view.role));
  }
  std::uint64_t last = 0;
  for (std::size_t axis = 0; axis < view.sizes.size(); ++axis) {
    if (view.sizes[axis] < 0 || view.strides[axis] < 0) {
      throw BackendError("operator", 0, fmt::format("'{}': a negative size or stride", view.role));
    }
    if (view.sizes[axis] == 0) return 0;
    last += static_cast<std::uint64_t>(view.sizes[axis] - 1) *
            static_cast<std::uint64_t>(view.strides[axis]);
  }
  return last + 1;
}

std::uint64_t element_bytes(const TensorView& view) {
  if (view.format == "int32") return 4;
  if (view.format == "int64") return 8;
  const formats::Format* format = formats::find_format(view.format);
  if (format == nullptr) {
    throw BackendError("operator", 0,
                       fmt::format("'{}': no format is named '{}'", view.role, view.format));
  }
  return static_cast<std::uint64_t>(format->storage_bytes());
}

std::uint64_t reach_bytes(const TensorView& view) { return reach(view) * element_bytes(view); }

bool has_operator_run(const HmBackendApi& api) {
  constexpr std::size_t kNeeded =
      offsetof(HmBackendApi, operator_run) + sizeof(HmBackendApi::operator_run);
  return api.struct_bytes >= kNeeded && api.operator_run != nullptr;
}

// The call in one line, for a refusal without words: every string that a library may not know.
std::string named(const OperatorCall& call) {
  std::string line = fmt::format("'{}' with compute '{}'", call.name, call.compute);
  for (const Define& row : call.options) line += fmt::format(", {}={}", row.name, row.value);
  for (const TensorView& view : call.tensors)
    line += fmt::format(", {} of {}", view.role, view.format);
  return line;
}

// The library's own answer. A refusal without one would leave the reader with nothing to look for.
std::string refusal(const HmBackendApi& api, const OperatorCall& call) {
  HmErrorInfo error{};
  called("last_error", [&] { api.last_error(api.context, &error); });
  const std::string words = kept_words(error.text);
  return words.empty() ? "the library declines " + named(call) + ", and gives no reason" : words;
}

}  // namespace

struct DeviceState {
  const HmBackendApi* api;
  HmDevice* handle;
  std::uint32_t index;
  std::string options;  // the options that it was opened with
  DeviceInfo info;

  DeviceState(const HmBackendApi* api_, HmDevice* handle_, std::uint32_t index_,
              std::string options_)
      : api(api_), handle(handle_), index(index_), options(std::move(options_)) {}
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;
  ~DeviceState() {
    const DriverEnvironmentScope environment;
    api->device_close(handle);
  }
};

struct BufferState {
  std::shared_ptr<DeviceState> device;
  HmBuffer* handle;
  std::uint64_t bytes;

  BufferState(std::shared_ptr<DeviceState> device_, HmBuffer* handle_, std::uint64_t bytes_)
      : device(std::move(device_)), handle(handle_), bytes(bytes_) {}
  BufferState(const BufferState&) = delete;
  BufferState& operator=(const BufferState&) = delete;
  ~BufferState() {
    const DriverEnvironmentScope environment;
    device->api->buffer_destroy(handle);
  }

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
  ~ProgramState() {
    const DriverEnvironmentScope environment;
    device->api->program_destroy(handle);
  }
};

std::uint64_t Buffer::size_bytes() const { return state_->bytes; }

void Buffer::write(std::uint64_t offset, std::span<const std::byte> source) {
  state_->check_range(offset, source.size());
  if (source.empty()) return;
  const HmBackendApi& api = *state_->device->api;
  checked(api, "buffer_write",
          [&] { return api.buffer_write(state_->handle, offset, source.data(), source.size()); });
}

void Buffer::read(std::uint64_t offset, std::span<std::byte> target) const {
  state_->check_range(offset, target.size());
  if (target.empty()) return;
  const HmBackendApi& api = *state_->device->api;
  checked(api, "buffer_read",
          [&] { return api.buffer_read(state_->handle, offset, target.data(), target.size()); });
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
  checked(api, "program_launch", [&] {
    return api.program_launch(state_->handle, entry.c_str(), &shape, rows.data(),
                              static_cast<std::uint32_t>(rows.size()), &elapsed_ns);
  });
  return believable("program_launch", elapsed_ns);
}

std::string Program::build_log() const {
  const HmBackendApi& api = *state_->device->api;
  return kept_words(called("program_log", [&] { return api.program_log(state_->handle); }));
}

std::vector<std::byte> Program::image() const {
  const HmBackendApi& api = *state_->device->api;
  const void* data = nullptr;
  std::uint64_t bytes = 0;
  checked(api, "program_image", [&] { return api.program_image(state_->handle, &data, &bytes); });
  if (data != nullptr && bytes > kMostImageBytes) {
    throw BackendError("program_image", 0, fmt::format("claims an image of {} bytes", bytes));
  }
  const auto* begin = static_cast<const std::byte*>(data);
  return data == nullptr ? std::vector<std::byte>() : std::vector<std::byte>(begin, begin + bytes);
}

namespace {

// The devices of the backend that the selector names before its colon, or of all backends when it
// names none. A process that works on one device therefore loads no other vendor's driver.
std::vector<DeviceInfo> candidates(std::string_view selector) {
  const std::string_view name = selector.substr(0, selector.find(':'));
  if (find_table(name) != nullptr) return status_of(name).devices;
  std::vector<DeviceInfo> devices;
  for (const BackendStatus& status : enumerate()) {
    devices.insert(devices.end(), status.devices.begin(), status.devices.end());
  }
  return devices;
}

}  // namespace

namespace {

std::shared_ptr<DeviceState> opened(const HmBackendApi& api, std::uint32_t index,
                                    const std::string& options) {
  HmDevice* handle = nullptr;
  checked(api, "device_open",
          [&] { return api.device_open(api.context, index, options.c_str(), &handle); });
  auto state = std::make_shared<DeviceState>(&api, given("device_open", handle), index, options);
  state->info = describe_opened(api, state->handle, index);
  return state;
}

}  // namespace

Device Device::open(std::string_view selector, const nlohmann::json& options) {
  const std::vector<DeviceInfo> chosen = resolve(selector, candidates(selector));
  if (chosen.size() != 1) {
    throw NoSuchDevice(
        fmt::format("'{}' names {} devices where one is wanted", selector, chosen.size()));
  }
  return Device(opened(*find_table(chosen[0].backend), chosen[0].index, options.dump()));
}

Device Device::open_again() const {
  return Device(opened(*state_->api, state_->index, state_->options));
}

const DeviceInfo& Device::info() const { return state_->info; }

DeviceInfo Device::describe_now() const {
  return describe_opened(*state_->api, state_->handle, state_->index);
}

Buffer Device::allocate(std::uint64_t bytes) {
  if (bytes == 0) throw BackendError("allocate", 0, "a buffer of no bytes");
  const HmBackendApi& api = *state_->api;
  HmBuffer* handle = nullptr;
  checked(api, "buffer_create", [&] { return api.buffer_create(state_->handle, bytes, &handle); });
  return Buffer(std::make_shared<BufferState>(state_, given("buffer_create", handle), bytes));
}

Program Device::build(std::string_view source, std::span<const Define> defines) {
  std::vector<HmDefine> rows;
  for (const Define& define : defines) rows.push_back({define.name.c_str(), define.value.c_str()});
  const HmBackendApi& api = *state_->api;
  const std::string text(source);
  HmProgram* handle = nullptr;
  checked(api, "program_build", [&] {
    return api.program_build(state_->handle, text.c_str(), rows.data(),
                             static_cast<std::uint32_t>(rows.size()), &handle);
  });
  return Program(std::make_shared<ProgramState>(state_, given("program_build", handle)));
}

OperatorOutcome Device::run(const OperatorCall& call) {
  const HmBackendApi& api = *state_->api;
  if (!has_operator_run(api)) {
    return {false, "the backend's table has no 'operator_run', which calls " + named(call), 0};
  }
  std::vector<HmTensor> tensors;
  for (const TensorView& view : call.tensors) {
    const BufferState& buffer = *view.buffer->state_;
    if (buffer.device != state_) {
      throw BackendError("operator", 0, fmt::format("'{}' lies on another device", view.role));
    }
    buffer.check_range(view.offset_bytes, reach_bytes(view));
    tensors.push_back(tensor_row(view, buffer.handle));
  }
  std::vector<HmScalar> scalars;
  for (const Scalar& row : call.scalars) scalars.push_back({row.name.c_str(), row.value});
  std::vector<HmDefine> options;
  for (const Define& row : call.options) options.push_back({row.name.c_str(), row.value.c_str()});
  const HmOperator row{.library = call.library.c_str(),
                       .name = call.name.c_str(),
                       .compute = call.compute.c_str(),
                       .tensors = tensors.data(),
                       .scalars = scalars.data(),
                       .options = options.data(),
                       .tensor_count = static_cast<std::uint32_t>(tensors.size()),
                       .scalar_count = static_cast<std::uint32_t>(scalars.size()),
                       .option_count = static_cast<std::uint32_t>(options.size()),
                       .reserved = 0};
  OperatorOutcome outcome;
  const std::int32_t status = called(
      "operator_run", [&] { return api.operator_run(state_->handle, &row, &outcome.elapsed_ns); });
  if (status == HM_NOT_SUPPORTED) return {false, refusal(api, call), 0};
  check_status(api, "operator_run", status);
  outcome.elapsed_ns = believable("operator_run", outcome.elapsed_ns);
  return outcome;
}

MemoryAnswer Device::memory() const { return memory_of(*state_->api, state_->handle); }

}  // namespace halfmark::backends
