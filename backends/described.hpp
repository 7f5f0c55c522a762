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

// The text as one line for a terminal: line ends become "; ", invalid UTF-8 and the
// characters that could control the screen (text::steers) become '?', and excess length is cut.
[[nodiscard]] std::string one_line(std::string_view text);

// A backend's own text, which may have several lines, sanitised in the same way. Null gives an
// empty text.
[[nodiscard]] std::string kept_words(const char* text);

// Parses `text`, the description of device number `index` of `backend`. Throws BackendError that
// names the offending key and its fault.
[[nodiscard]] DeviceInfo described_device(const std::string& backend, std::uint32_t index,
                                          std::string_view text);

}  // namespace halfmark::backends
