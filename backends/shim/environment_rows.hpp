// SPDX-License-Identifier: Apache-2.0
//
// The environment as part of a key, or of a device's description: what a vendor's library reads
// there changes what it does.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace halfmark::backends::shim {

// Every "NAME=VALUE" that begins with one of the texts, sorted.
[[nodiscard]] std::vector<std::string> environment_rows(std::span<const char* const> beginnings);
// The same as an object of values by name.
[[nodiscard]] nlohmann::json environment_object(std::span<const char* const> beginnings);

}  // namespace halfmark::backends::shim
