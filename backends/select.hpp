// SPDX-License-Identifier: Apache-2.0
//
// Maps the words that a user writes to devices: selectors, and the choice when the user gives none.
// Pure functions over DeviceInfo values; opens nothing and knows no vendor.
//
// A selector is one of
//     all              every device except simulators
//     NAME             every device of that backend ("host")
//     NAME:*           the same
//     NAME:3           the backend's device with that number
//     NAME:part        every device of that backend whose platform, name, api version or alias
//                      contains `part` (letter case does not count)
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::backends {

// No device matches a selector. The text lists the selectors that exist.
struct NoSuchDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::vector<DeviceInfo> resolve(std::string_view selector,
                                              std::span<const DeviceInfo> devices);

// Every gpu and accelerator; if there is none, every cpu; if there is none, the software device.
// Never a simulator, which takes hours where the others take seconds: it runs only when named.
[[nodiscard]] std::vector<DeviceInfo> default_devices(std::span<const DeviceInfo> devices);

}  // namespace halfmark::backends
