// SPDX-License-Identifier: Apache-2.0
//
// Checks whether a device's description is plausible: the JSON object that `describe` returns, key
// by key. Decides types, ranges, sizes and required keys. Does not decide whether the device keeps
// its promises; the suites test that.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "backends/device_info.hpp"

namespace halfmark::backends {

// Parses `text`, the description of device number `index` of `backend`. Throws BackendError that
// names the offending key and its fault.
[[nodiscard]] DeviceInfo described_device(const std::string& backend, std::uint32_t index,
                                          std::string_view text);

}  // namespace halfmark::backends
