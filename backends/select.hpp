// SPDX-License-Identifier: Apache-2.0
//
// From the words a user writes to devices: selectors, and the choice made when none is written.
// Pure functions over DeviceInfo values; opens nothing and knows no vendor.
//
// A selector is one of
//     all              every device but simulators
//     NAME             every device of that backend ("host")
//     NAME:*           the same
//     NAME:3           the backend's device of that number
//     NAME:part        every device of that backend whose platform, name, api version or alias
//     holds `part`
//                      (letter case does not count)
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::backends {

// No device answers to a selector. The text lists the selectors that exist.
struct NoSuchDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::vector<DeviceInfo> resolve(std::string_view selector,
                                              std::span<const DeviceInfo> devices);

// Every gpu and accelerator; with none, every cpu; with none, the software device. Never a
// simulator: it would take hours where the others take seconds, so it runs only when it is named.
[[nodiscard]] std::vector<DeviceInfo> default_devices(std::span<const DeviceInfo> devices);

}  // namespace halfmark::backends
