// SPDX-License-Identifier: Apache-2.0
//
// The stand-in of a vendor's driver library: each role once, with the vendor's symbols. Decides how
// a refusal becomes the vendor's number; device.cpp decides what to refuse.
#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "backends/standin/device.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/telemetry.hpp"

namespace halfmark::backends::shim::standin {
namespace {

constexpr int kDriverVersion = 99000;  // not a vendor's version

SoftDevice& device() {
  static SoftDevice the_device(vendor());
  return the_device;
}

// Why there is no device, for callers that query the code's meaning; empty unless something
// is wrong.
std::string& complaint() {
  static std::string text;
  return text;
}

// The lock of all calls. A static variable inside of guarded would be another one for each call.
std::mutex one_at_a_time;

// Runs one call, which may release the lock while it works; turns every exception into a number of
// the vendor.
template <typename Call>
Status guarded(Call&& call) noexcept {
  std::unique_lock lock(one_at_a_time);
  try {
    if constexpr (std::is_invocable_v<Call, std::unique_lock<std::mutex>&>) {
      call(lock);
    } else {
      call();
    }
    return 0;
  } catch (const Refusal& refusal) {
    return vendor().codes.*refusal.code;
  } catch (const std::exception& error) {
    complaint() = error.what();
    return vendor().codes.no_device;
  }
}

Status text_into(char* target, int bytes, const std::string& text) {
  if (bytes <= 0) return vendor().codes.invalid_value;
  const std::size_t kept = std::min(text.size(), static_cast<std::size_t>(bytes) - 1);
  std::memcpy(target, text.data(), kept);
  target[kept] = '\0';
  return 0;
}

void* pointer(Address address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

struct CodeName {
  Status code;
  const char* name;
};
#define HM_STAND_IN_CODE_NAME(role, enumerator, value) {value, #enumerator},
constexpr CodeName kCodeNames[] = {HM_NAMES_CODES(HM_STAND_IN_CODE_NAME)
                                       HM_NAMES_LOST(HM_STAND_IN_CODE_NAME)};

const char* name_of(Status status) {
  if (status == vendor().codes.no_device && !complaint().empty()) return complaint().c_str();
  for (const CodeName& row : kCodeNames) {
    if (row.code == status) return row.name;
  }
  return "a code that the stand-in never gives";
}

}  // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): a symbol that others look for
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = "Halfmark software device";
// NOLINTEND(readability-identifier-naming)

Status standin_initialise(unsigned) {
  return guarded([] { device().initialise(); });
}
Status standin_driver_version(int* version) {
  *version = kDriverVersion;
  return 0;
}
[[maybe_unused]] Status standin_runtime_version(int* version) {
  return standin_driver_version(version);
}
Status standin_device_count(int* count) {
  return guarded([&] {
    device().require_initialised();
    *count = 1;
  });
}
[[maybe_unused]] Status standin_device_of(Ordinal* ordinal, int index) {
  return guarded([&] {
    device().require_device(index);
    *ordinal = index;
  });
}
Status standin_device_name(char* name, int bytes, Ordinal ordinal) {
  return guarded([&] {
    device().require_device(ordinal);
    if (text_into(name, bytes, device().name()) != 0) throw Refusal{&Codes::invalid_value};
  });
}
Status standin_device_memory(std::size_t* bytes, Ordinal ordinal) {
  return guarded([&] {
    device().require_device(ordinal);
    *bytes = device().memory_bytes();
  });
}
Status standin_device_attribute(int* value, int attribute, Ordinal ordinal) {
  return guarded([&] {
    device().require_device(ordinal);
    *value = device().attribute(attribute);
  });
}
[[maybe_unused]] Status standin_device_bus_id(char* text, int bytes, Ordinal ordinal) {
  return guarded([&] {
    device().require_device(ordinal);
    if (text_into(text, bytes, kPlace) != 0) throw Refusal{&Codes::invalid_value};
  });
}
// A structure of unspecified layout with the architecture's name somewhere in it.
[[maybe_unused]] Status standin_device_properties(void* structure, Ordinal ordinal) {
  constexpr std::size_t kSomewhere = 396;
  return guarded([&] {
    device().require_device(ordinal);
    std::strcpy(static_cast<char*>(structure) + kSomewhere, vendor().stand_in.architecture);
  });
}

[[maybe_unused]] Status standin_context_retain(void** context, Ordinal ordinal) {
  return guarded([&] {
    device().require_device(ordinal);
    *context = device().context();
  });
}
[[maybe_unused]] Status standin_context_release(Ordinal ordinal) {
  return guarded([&] { device().require_device(ordinal); });
}
[[maybe_unused]] Status standin_context_current(void* context) {
  return guarded([&] {
    device().require_initialised();
    device().make_current(context);
  });
}
[[maybe_unused]] Status standin_select_device(Ordinal ordinal) {
  return guarded([&] { device().require_device(ordinal); });
}
Status standin_synchronise() {
  return guarded([] { device().require_ready(); });
}

Status standin_stream_create(void** stream, unsigned flags) {
  return guarded([&] { *stream = device().create_stream(flags); });
}
Status standin_stream_destroy(void* stream) {
  return guarded([&] { device().destroy_stream(stream); });
}
Status standin_stream_synchronise(void* stream) {
  return guarded([&] {
    device().require_stream(stream);
    device().require_ready();
  });
}

Status standin_allocate(Address* address, std::size_t bytes) {
  return guarded(
      [&] { *address = Address{reinterpret_cast<std::uintptr_t>(device().allocate(bytes))}; });
}
Status standin_release(Address address) {
  return guarded([&] { device().release(pointer(address)); });
}
Status standin_copy_in(Address target, const void* source, std::size_t bytes) {
  return guarded([&] { device().copy_in(pointer(target), source, bytes); });
}
Status standin_copy_out(void* target, Address source, std::size_t bytes) {
  return guarded([&] { device().copy_out(target, pointer(source), bytes); });
}

Status standin_memory_info(std::size_t* free_bytes, std::size_t* total_bytes) {
  return guarded([&] {
    *free_bytes = device().free_bytes();
    *total_bytes = device().memory_bytes();
  });
}

Status standin_module_load(void** module, const void* image) {
  return guarded([&] { *module = device().load(image); });
}
Status standin_module_unload(void* module) {
  return guarded([&] { device().unload(module); });
}
Status standin_module_function(void** function, void* module, const char* name) {
  return guarded([&] { *function = device().function(module, name); });
}
Status standin_launch(void* function, unsigned groups_x, unsigned groups_y, unsigned groups_z,
                      unsigned items_x, unsigned items_y, unsigned items_z, unsigned, void* stream,
                      void** arguments, void** extra) {
  return guarded([&](std::unique_lock<std::mutex>& lock) {
    if (extra != nullptr) throw Refusal{&Codes::invalid_value};
    device().launch(
        function, {.groups = {groups_x, groups_y, groups_z}, .items = {items_x, items_y, items_z}},
        arguments, stream, lock);
  });
}

Status standin_event_create(void** event, unsigned) {
  return guarded([&] { *event = device().create_event(); });
}
Status standin_event_destroy(void* event) {
  return guarded([&] { device().destroy_event(event); });
}
Status standin_event_record(void* event, void* stream) {
  return guarded([&] { device().record(event, stream); });
}
Status standin_event_wait(void*) {
  return guarded([] { device().require_ready(); });
}
Status standin_event_elapsed(float* milliseconds, void* begin, void* end) {
  return guarded([&] { *milliseconds = device().milliseconds_between(begin, end); });
}

[[maybe_unused]] Status standin_error_name(Status status, const char** name) {
  *name = name_of(status);
  return 0;
}
[[maybe_unused]] const char* standin_error_name_of(Status status) { return name_of(status); }

// The vendor's symbols.
// NOLINTBEGIN(readability-identifier-naming)
HM_NAMES_DRIVER(HM_STAND_IN_DRIVER)
HM_NAMES_DRIVER_OPTIONAL(HM_STAND_IN_DRIVER)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
}  // namespace halfmark::backends::shim::standin
