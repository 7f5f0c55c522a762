// SPDX-License-Identifier: Apache-2.0
//
// What a device says about itself, and what can go wrong with one: plain values that a backend
// fills, the C table carries as JSON, and the rest of Halfmark reads. Does not talk to any driver.
//
// Assumptions:
//  1. A capability is told with evidence: what the driver answered, and the clause that gives the
//  answer its meaning.
//  2. Everything that only one vendor says goes into `extra`, untouched.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends {

// One capability, offered or not. Names in use:
//   fp16.storage fp16.subnormals            conversions between fp16 in memory and fp32
//   fp16.arithmetic fp16.arithmetic.subnormals
//   fp32.subnormals fp32.divide_sqrt_correctly_rounded fp32.fma fp32.signed_zero
//   fp64
struct Promise {
  std::string capability;
  bool offered = false;
  std::string evidence;  // the driver's own answer
  std::string clause;    // who says what that answer means

  bool operator==(const Promise&) const = default;
};

struct DeviceInfo {
  std::string selector;  // unique: "opencl:0"; a backend of one device may use its bare name
  std::string alias;     // a readable selector of the same device, "opencl:pocl"; may be empty
  std::string backend;
  std::string name;
  std::string platform;
  std::string vendor;
  std::string driver_version;
  std::string api_version;
  std::string plugin = {};  // the file of the plug-in that offers it; empty for a built-in backend
  std::uint32_t index = 0;  // the number of the device in its backend; set by the face
  std::string kind;  // gpu, accelerator, cpu, software (the built-in device), simulator (only when
                     // asked for), stand-in (the software device behind a vendor's interface)
  std::uint64_t memory_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint32_t max_group_items = 0;
  std::uint32_t compute_units = 0;
  std::vector<Promise> promises;
  nlohmann::json extra = nlohmann::json::object();

  [[nodiscard]] const Promise* promise(
      std::string_view capability) const;  // null: the backend is silent about it
  [[nodiscard]] bool offers(std::string_view capability) const;
};

[[nodiscard]] nlohmann::json to_json_object(const DeviceInfo& info);
[[nodiscard]] DeviceInfo device_info_from_json(
    const nlohmann::json& object);  // throws on a wrong type

struct Define {
  std::string name;
  std::string value;
};

// The number of work-groups, and of work-items in each group.
struct Grid {
  std::array<std::uint32_t, 3> groups{1, 1, 1};
  std::array<std::uint32_t, 3> items{1, 1, 1};
};

// The one exception of this room.
struct BackendError : std::runtime_error {
  BackendError(std::string call_, int code_, std::string vendor_text_, bool device_lost_ = false);

  std::string call;         // the vendor's function, or our step, that failed
  int code;                 // the vendor's own number; 0 when the refusal is ours
  std::string vendor_text;  // the name of the code, a build log
  bool device_lost;
};

}  // namespace halfmark::backends
