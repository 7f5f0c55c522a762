// SPDX-License-Identifier: Apache-2.0
// The elementary functions of a device's own language, as its compiler and its units give them. A
// library for the device is made of the same functions, so a recipe may name them although no
// standard says their bits. An interface alone: identify/device_functions.hpp asks a device.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace halfmark::suites {

class OwnFunctions {
 public:
  OwnFunctions() = default;
  OwnFunctions(const OwnFunctions&) = delete;
  OwnFunctions& operator=(const OwnFunctions&) = delete;
  virtual ~OwnFunctions() = default;

  /// Names are those of the suite elementary, "exp", "log" and "rsqrt", and "fast-recip", the
  /// reciprocal that gives accuracy away for speed.
  [[nodiscard]] virtual bool offers(std::string_view function) const = 0;
  /// In the order of the arguments. Of a function that is not offered: throws std::logic_error.
  [[nodiscard]] virtual std::vector<float> values(std::string_view function,
                                                  std::span<const float> arguments) = 0;
};

[[nodiscard]] inline bool are_offered(const OwnFunctions* functions, std::string_view function) {
  return functions != nullptr && functions->offers(function);
}

}  // namespace halfmark::suites
