// SPDX-License-Identifier: Apache-2.0
//
// Whether a device's description can be true as it stands: the JSON object that `describe` returns,
// key by key. Decides types, ranges, sizes and which keys must be there. Does not decide whether a
// promise is kept; the suites find that out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "backends/device_info.hpp"

namespace halfmark::backends {

// Where the text stops being UTF-8 ("byte 17 is 0xff"); empty when it is UTF-8 throughout.
[[nodiscard]] std::string utf8_fault(std::string_view text);

// One line for a terminal: line ends become "; ", what is not UTF-8 or not printable becomes '?',
// and what is longer than any line is cut.
[[nodiscard]] std::string one_line(std::string_view text);

// A backend's own words, several lines of them, made safe in the same way. Null: none.
[[nodiscard]] std::string kept_words(const char* text);

// The device that `text` describes as number `index` of `backend`. Throws BackendError that names
// the key and what is wrong with it.
[[nodiscard]] DeviceInfo described_device(const std::string& backend, std::uint32_t index,
                                          std::string_view text);

}  // namespace halfmark::backends
