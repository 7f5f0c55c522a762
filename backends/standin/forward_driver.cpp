// SPDX-License-Identifier: Apache-2.0
//
// A vendor's driver library, forwarded (forward.hpp): each role is one call of the target's driver.
// Decides how numbers of attributes and errors, names and contexts are translated.
//
// Assumptions:
//  1. Errors that no table names become the vendor's "invalid value", or "launch failed" when no
//  later call of the target can succeed; the error's name reports the target's status.
//  2. In an interface without contexts a thread uses the device that it has selected, by default
//  the first.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include "backends/shim/search.hpp"
#include "backends/standin/export.hpp"
#include "backends/standin/forward.hpp"

namespace halfmark::backends::shim::standin {
namespace {

// The target's last status in this thread, the status that the caller received, and the reason why
// there is no target.
struct LastStatus {
  Status own = 0;
  Status theirs = 0;
  std::string reason;
};
thread_local LastStatus last_status;

#define HM_FORWARD_CODE(role, enumerator, value) &Codes::role,
constexpr Status Codes::* kCodes[] = {HM_NAMES_CODES(HM_FORWARD_CODE)};
#define HM_FORWARD_ATTRIBUTE(role, enumerator, value) &Attributes::role,
constexpr int Attributes::* kAttributes[] = {HM_NAMES_ATTRIBUTES(HM_FORWARD_ATTRIBUTE)};

struct CodeName {
  Status code;
  const char* name;
};
#define HM_FORWARD_CODE_NAME(role, enumerator, value) {value, #enumerator},
constexpr CodeName kCodeNames[] = {HM_NAMES_CODES(HM_FORWARD_CODE_NAME)
                                       HM_NAMES_LOST(HM_FORWARD_CODE_NAME)};

bool holds(std::span<const Status> codes, Status status) {
  return std::find(codes.begin(), codes.end(), status) != codes.end();
}

Status own_code(Status theirs) {
  for (const auto code : kCodes) {
    if (target().codes.*code == theirs) return vendor().codes.*code;
  }
  if (!holds(target().lost_codes, theirs)) return vendor().codes.invalid_value;
  return holds(vendor().lost_codes, theirs) ? theirs : vendor().codes.launch_failed;
}

// Runs one call of the target; turns every exception into a number of the vendor.
template <typename Call>
Status translated(Call&& call) noexcept {
  try {
    const Status status = call(target_driver());
    if (status == 0) return 0;
    last_status = {.own = own_code(status), .theirs = status, .reason = {}};
  } catch (const BackendError& error) {
    last_status = {.own = vendor().codes.no_device, .theirs = 0, .reason = error.vendor_text};
  } catch (const std::exception& error) {
    last_status = {.own = vendor().codes.no_device, .theirs = 0, .reason = error.what()};
  }
  return last_status.own;
}

// Stored per thread, so that the text stays valid while the caller reads it.
const char* words_of(Status own) {
  thread_local std::string words;
  const auto row = std::find_if(std::begin(kCodeNames), std::end(kCodeNames),
                                [&](const CodeName& name) { return name.code == own; });
  words = row == std::end(kCodeNames) ? "a code without a name" : row->name;
  if (last_status.own == own && !last_status.reason.empty())
    words += ", forwarded: " + last_status.reason;
  if (last_status.own == own && last_status.theirs != 0) {
    words += ", forwarded: " + std::to_string(last_status.theirs) + " " +
             name_of(target_driver(), last_status.theirs);
  }
  return words.c_str();
}

int capability(const DriverCalls& calls, Ordinal device) {
  int major = 0;
  int minor = 0;
  calls.device_attribute(&major, target().attributes.capability_major, device);
  calls.device_attribute(&minor, target().attributes.capability_minor, device);
  return 10 * major + minor;
}

thread_local Ordinal selected = 0;

Status make_selected_current(const DriverCalls& calls) {
  static std::mutex one_at_a_time;
  static std::map<Ordinal, void*> contexts;  // kept until the process ends
  const std::scoped_lock lock(one_at_a_time);
  const auto known = contexts.find(selected);
  if (known != contexts.end()) return calls.context_current(known->second);
  void* context = nullptr;
  const Status status = calls.context_retain(&context, selected);
  if (status != 0) return status;
  contexts.emplace(selected, context);
  return calls.context_current(context);
}

constexpr bool has_contexts() {
#define HM_FORWARD_IS_CONTEXT(role, symbol) \
  || offsetof(DriverCalls, role) == offsetof(DriverCalls, context_current)
  return false HM_NAMES_DRIVER(HM_FORWARD_IS_CONTEXT);
}

// The roles from `synchronise` on need a context.
constexpr bool works(std::size_t slot) {
  return slot >= offsetof(DriverCalls, synchronise) && slot < offsetof(DriverCalls, error_name);
}

// The function behind a symbol. Most pass their arguments to the target's call unchanged.
template <typename Call, Call DriverCalls::* role, std::size_t slot>
struct Forwarding;
template <typename... P, Status (*DriverCalls::*role)(P...), std::size_t slot>
struct Forwarding<Status (*)(P...), role, slot> {
  static Status call(P... arguments) {
    return translated([&](const DriverCalls& calls) {
      if constexpr (works(slot) && !has_contexts()) {
        const Status status = make_selected_current(calls);
        if (status != 0) return status;
      }
      if (calls.*role == nullptr) return target().codes.invalid_value;  // its driver lacks it
      return (calls.*role)(arguments...);
    });
  }
};

// The exceptions: roles that the target's interface lacks or expresses differently.
#define HM_FORWARD_OTHERWISE(role) \
  template <>                      \
  struct Forwarding<decltype(DriverCalls::role), &DriverCalls::role, offsetof(DriverCalls, role)>

HM_FORWARD_OTHERWISE(runtime_version){static Status call(int* version){
    return translated([&](const DriverCalls& calls) { return calls.driver_version(version); });
}  // namespace
};  // namespace halfmark::backends::shim::standin
HM_FORWARD_OTHERWISE(device_name){static Status call(char* name, int bytes, Ordinal device){
    return translated([&](const DriverCalls& calls) {
      std::array<char, 256> theirs{};
      const Status status =
          calls.device_name(theirs.data(), static_cast<int>(theirs.size()) - 1, device);
      if (status != 0) return status;
      const std::string text = std::string("stand-in, " HM_FORWARDS ": ") + theirs.data();
      if (bytes <= 0) return target().codes.invalid_value;
      name[text.copy(name, static_cast<std::size_t>(bytes) - 1)] = '\0';
      return 0;
    });
}
}
;
HM_FORWARD_OTHERWISE(device_attribute){
    static Status call(int* value, int attribute,
                       Ordinal device){return translated([&](const DriverCalls& calls) {
      for (const auto number : kAttributes) {
        if (vendor().attributes.*number == attribute)
          return calls.device_attribute(value, target().attributes.*number, device);
      }
      return target().codes.invalid_value;
    });
}
}
;
// A structure of unspecified layout with the architecture's name somewhere in it.
HM_FORWARD_OTHERWISE(device_properties){
    static Status call(void* structure, Ordinal device){constexpr std::size_t kSomewhere = 396;
return translated([&](const DriverCalls& calls) {
  std::strcpy(
      static_cast<char*>(structure) + kSomewhere,
      forwarded_architecture(vendor().architectures.prefix, capability(calls, device)).c_str());
  return 0;
});
}
}
;
HM_FORWARD_OTHERWISE(select_device){
    static Status call(Ordinal device){return translated([&](const DriverCalls& calls) {
      const Ordinal before = std::exchange(selected, device);
      const Status status = make_selected_current(calls);
      if (status != 0) selected = before;
      return status;
    });
}
}
;
HM_FORWARD_OTHERWISE(error_name){
    static Status call(Status status, const char** name){* name = words_of(status);
return 0;
}
}
;
HM_FORWARD_OTHERWISE(error_name_of){static const char * call(Status status){return words_of(status);
}
}
;

}  // namespace
}  // namespace halfmark::backends::shim::standin

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): symbols that others look for, and the vendor's names
__attribute__((visibility("default"))) extern const char halfmark_stand_in_v1[];
const char halfmark_stand_in_v1[] = HM_FORWARDS;

// The loader calls a resolver for the function's address, so a template instance can be exported.
#define HM_FORWARD_CALL(role, symbol)                                                        \
  decltype(halfmark::backends::shim::DriverCalls::role) resolve_##symbol() {                 \
    using halfmark::backends::shim::DriverCalls;                                             \
    return halfmark::backends::shim::standin::Forwarding<                                    \
        decltype(DriverCalls::role), &DriverCalls::role, offsetof(DriverCalls, role)>::call; \
  }                                                                                          \
  __attribute__((visibility("default"), ifunc("resolve_" #symbol)))                          \
  std::remove_pointer_t<decltype(halfmark::backends::shim::DriverCalls::role)>               \
      symbol;
HM_NAMES_DRIVER(HM_FORWARD_CALL)
HM_NAMES_DRIVER_OPTIONAL(HM_FORWARD_CALL)
// NOLINTEND(readability-identifier-naming)

}  // extern "C"
