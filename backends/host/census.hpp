// SPDX-License-Identifier: Apache-2.0
//
// Finds a kernel's code in a library that the software device has compiled, by its name in the
// exported table (item_abi.h). Counts on x86-64 only.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::host {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::host
