// SPDX-License-Identifier: Apache-2.0
//
// The opaque handles of the table are the driver's own objects. Texts that the table returns live
// in thread-local strings, one per function, as assumption 2 of abi.h allows.
#include "backends/adapter.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "backends/device_info.hpp"
#include "backends/environment_fault.hpp"

namespace halfmark::backends {
namespace {

struct LastError {
  std::string call, text;
  std::int32_t code = 0;
  bool device_lost = false;
};
thread_local LastError last_error;

constexpr std::int32_t kFailed = 1;

// Runs one call of the table; exceptions are caught only here.
template <typename Call>
std::int32_t guarded(const char* step, Call&& call) noexcept {
  try {
    std::forward<Call>(call)();
    return 0;
  } catch (const EnvironmentFault& fault) {
    last_error = {step, fault.what(), 0, false};
    return HM_ENVIRONMENT;
  } catch (const BackendError& error) {
    last_error = {error.call, error.vendor_text, error.code, error.device_lost};
  } catch (const std::exception& error) {
    last_error = {step, error.what(), 0, false};
  } catch (...) {
    last_error = {step, "unknown exception", 0, false};
  }
  return kFailed;
}

Driver& driver_of(void* context) { return *static_cast<Driver*>(context); }
DriverDevice& device_of(HmDevice* handle) { return *reinterpret_cast<DriverDevice*>(handle); }
DriverBuffer& buffer_of(HmBuffer* handle) { return *reinterpret_cast<DriverBuffer*>(handle); }
DriverProgram& program_of(HmProgram* handle) { return *reinterpret_cast<DriverProgram*>(handle); }

const char* status(void* context) {
  thread_local std::string text;
  if (guarded("status", [&] { text = driver_of(context).status(); }) != 0) text = last_error.text;
  return text.c_str();
}

std::uint32_t device_count(void* context) {
  std::uint32_t count = 0;
  guarded("device_count",
          [&] { count = static_cast<std::uint32_t>(driver_of(context).devices().size()); });
  return count;
}

// A driver's texts need not be valid UTF-8, but JSON must be.
std::string text_of(const DeviceInfo& info) {
  return to_json_object(info).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::int32_t describe(void* context, std::uint32_t index, const char** json) {
  thread_local std::string text;
  return guarded("describe", [&] {
    text = text_of(driver_of(context).devices().at(index));
    *json = text.c_str();
  });
}

std::int32_t device_open(void* context, std::uint32_t index, const char* options,
                         HmDevice** device) {
  return guarded("device_open", [&] {
    const nlohmann::json parsed = nlohmann::json::parse(options);
    *device = reinterpret_cast<HmDevice*>(driver_of(context).open(index, parsed).release());
  });
}

void read_last_error(void*, HmErrorInfo* error) {
  *error = {last_error.call.c_str(), last_error.code, last_error.device_lost ? 1 : 0,
            last_error.text.c_str()};
}

std::int32_t device_describe(HmDevice* device, const char** json) {
  thread_local std::string text;
  return guarded("device_describe", [&] {
    text = text_of(device_of(device).describe());
    *json = text.c_str();
  });
}

void device_close(HmDevice* device) {
  guarded("device_close", [&] { delete &device_of(device); });
}

std::int32_t buffer_create(HmDevice* device, std::uint64_t bytes, HmBuffer** buffer) {
  return guarded("buffer_create", [&] {
    *buffer = reinterpret_cast<HmBuffer*>(device_of(device).allocate(bytes).release());
  });
}

void buffer_destroy(HmBuffer* buffer) {
  guarded("buffer_destroy", [&] { delete &buffer_of(buffer); });
}

std::int32_t buffer_write(HmBuffer* buffer, std::uint64_t offset, const void* source,
                          std::uint64_t bytes) {
  return guarded("buffer_write", [&] {
    buffer_of(buffer).write(offset, {static_cast<const std::byte*>(source), bytes});
  });
}

std::int32_t buffer_read(HmBuffer* buffer, std::uint64_t offset, void* target,
                         std::uint64_t bytes) {
  return guarded("buffer_read",
                 [&] { buffer_of(buffer).read(offset, {static_cast<std::byte*>(target), bytes}); });
}

std::int32_t program_build(HmDevice* device, const char* source, const HmDefine* defines,
                           std::uint32_t count, HmProgram** program) {
  return guarded("program_build", [&] {
    std::vector<Define> copies;
    for (const HmDefine& define : std::span(defines, count))
      copies.push_back({define.name, define.value});
    *program = reinterpret_cast<HmProgram*>(device_of(device).build(source, copies).release());
  });
}

void program_destroy(HmProgram* program) {
  guarded("program_destroy", [&] { delete &program_of(program); });
}

const char* program_log(HmProgram* program) {
  thread_local std::string text;
  if (guarded("program_log", [&] { text = program_of(program).build_log(); }) != 0) text.clear();
  return text.c_str();
}

std::int32_t program_image(HmProgram* program, const void** data, std::uint64_t* bytes) {
  return guarded("program_image", [&] {
    const std::span<const std::byte> image = program_of(program).image();
    *data = image.data();
    *bytes = image.size();
  });
}

DriverArgument argument_of(const HmArgument& argument) {
  switch (argument.kind) {
    case HM_ARGUMENT_BUFFER:
      return &buffer_of(argument.value.buffer);
    case HM_ARGUMENT_INT32:
      return argument.value.int32;
    case HM_ARGUMENT_UINT32:
      return argument.value.uint32;
    case HM_ARGUMENT_FLOAT:
      return argument.value.float32;
    default:
      throw BackendError("program_launch", argument.kind, "unknown kind of argument");
  }
}

std::int32_t program_launch(HmProgram* program, const char* entry, const HmGrid* grid,
                            const HmArgument* arguments, std::uint32_t count,
                            std::uint64_t* elapsed_ns) {
  return guarded("program_launch", [&] {
    Grid copy;
    std::copy_n(grid->groups, 3, copy.groups.begin());
    std::copy_n(grid->items, 3, copy.items.begin());
    std::vector<DriverArgument> converted;
    for (const HmArgument& argument : std::span(arguments, count))
      converted.push_back(argument_of(argument));
    *elapsed_ns = program_of(program).launch(entry, copy, converted);
  });
}

DriverTensorView view_of(const HmTensor& tensor) {
  if (tensor.rank > std::size(tensor.sizes)) {
    throw BackendError("operator_run", static_cast<int>(tensor.rank), "rank above 4");
  }
  return {.role = tensor.role,
          .buffer = &buffer_of(tensor.buffer),
          .offset_bytes = tensor.offset_bytes,
          .format = tensor.format,
          .sizes = {tensor.sizes, tensor.sizes + tensor.rank},
          .strides = {tensor.strides, tensor.strides + tensor.rank}};
}

DriverOperatorCall call_of(const HmOperator& row) {
  DriverOperatorCall call{row.library, row.name, row.compute, {}, {}, {}};
  for (const HmTensor& tensor : std::span(row.tensors, row.tensor_count))
    call.tensors.push_back(view_of(tensor));
  for (const HmScalar& scalar : std::span(row.scalars, row.scalar_count))
    call.scalars.push_back({scalar.name, scalar.value});
  for (const HmDefine& option : std::span(row.options, row.option_count))
    call.options.push_back({option.name, option.value});
  return call;
}

std::int32_t operator_run(HmDevice* device, const HmOperator* call, std::uint64_t* elapsed_ns) {
  OperatorOutcome outcome;
  const std::int32_t status =
      guarded("operator_run", [&] { outcome = device_of(device).run(call_of(*call)); });
  if (status != 0) return status;
  if (!outcome.supported) {
    last_error = {call->name, outcome.answer, 0, false};
    return HM_NOT_SUPPORTED;
  }
  *elapsed_ns = outcome.elapsed_ns;
  return 0;
}

std::int32_t device_memory(HmDevice* device, HmMemory* memory) {
  thread_local std::string source;
  MemoryAnswer answer;
  const std::int32_t status =
      guarded("device_memory", [&] { answer = device_of(device).memory(); });
  if (status != 0) return status;
  if (!answer.known) {
    last_error = {"device_memory", answer.answer, 0, false};
    return HM_NOT_SUPPORTED;
  }
  source = answer.source;
  *memory = {.source = source.c_str(),
             .free_bytes = answer.free_bytes,
             .total_bytes = answer.total_bytes,
             .used_bytes = answer.used_bytes,
             .of_process = answer.of_process ? 1U : 0U,
             .reserved = 0};
  return 0;
}

}  // namespace

MemoryAnswer DriverDevice::memory() {
  return {.known = false, .answer = "its interface has no call that says"};
}

OperatorOutcome DriverDevice::run(const DriverOperatorCall& call) {
  return {.supported = false,
          .answer = "the backend knows no library '" + call.library + "'",
          .elapsed_ns = 0};
}

ExportedDriver::ExportedDriver(Driver& driver)
    : name_(driver.name()),
      api_{.abi_version = HM_BACKEND_ABI_VERSION,
           .struct_bytes = sizeof(HmBackendApi),
           .name = name_.c_str(),
           .context = &driver,
           .status = status,
           .device_count = device_count,
           .describe = describe,
           .device_open = device_open,
           .last_error = read_last_error,
           .device_describe = device_describe,
           .device_close = device_close,
           .buffer_create = buffer_create,
           .buffer_destroy = buffer_destroy,
           .buffer_write = buffer_write,
           .buffer_read = buffer_read,
           .program_build = program_build,
           .program_destroy = program_destroy,
           .program_log = program_log,
           .program_image = program_image,
           .program_launch = program_launch,
           .operator_run = operator_run,
           .device_memory = device_memory} {}

void refuse_unknown_options(const nlohmann::json& options,
                            std::span<const std::string_view> known) {
  if (!options.is_object()) throw BackendError("device_open", 0, "options must be a JSON object");
  for (const auto& item : options.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      throw BackendError("device_open", 0, "unknown option '" + item.key() + "'");
    }
  }
}

}  // namespace halfmark::backends
