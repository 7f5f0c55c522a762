// SPDX-License-Identifier: Apache-2.0
//
// The arguments of a launch in the form that drivers with untyped launches take: an array of
// pointers to the values. Decides nothing: driver.hpp defines which arguments exist.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "backends/driver.hpp"

namespace halfmark::backends {

class ArgumentValues {
 public:
  // `address_of` returns a buffer's address on the device as a void*.
  template <typename AddressOf>
  ArgumentValues(std::span<const DriverArgument> arguments, AddressOf&& address_of) {
    for (const DriverArgument& argument : arguments)
      values_.push_back(value_of(argument, address_of));
    for (Value& value : values_) pointers_.push_back(&value);
  }
  ArgumentValues(const ArgumentValues&) = delete;
  ArgumentValues& operator=(const ArgumentValues&) = delete;
  [[nodiscard]] void** pointers() { return pointers_.data(); }

 private:
  union Value {
    void* address;
    std::int32_t int32;
    std::uint32_t uint32;
    float float32;
  };

  template <typename AddressOf>
  static Value value_of(const DriverArgument& argument, AddressOf& address_of) {
    Value value{};
    if (const auto* buffer = std::get_if<DriverBuffer*>(&argument)) {
      value.address = address_of(*buffer);
    } else if (const auto* number = std::get_if<std::int32_t>(&argument)) {
      value.int32 = *number;
    } else if (const auto* natural = std::get_if<std::uint32_t>(&argument)) {
      value.uint32 = *natural;
    } else {
      value.float32 = std::get<float>(argument);
    }
    return value;
  }

  std::vector<Value> values_;
  std::vector<void*> pointers_;
};

// One letter per argument: "p" for a buffer, "i" for int, "u" for unsigned, "f" for float.
[[nodiscard]] inline std::string kinds_of(std::span<const DriverArgument> arguments) {
  std::string kinds;
  for (const DriverArgument& argument : arguments) kinds += "piuf"[argument.index()];
  return kinds;
}

}  // namespace halfmark::backends
