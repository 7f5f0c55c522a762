// SPDX-License-Identifier: Apache-2.0
//
// Finds a kernel's code in a library that the software device has compiled: in the table that it
// exports (item_abi.h), by the kernel's name. Counts on x86-64 alone.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::host {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::host
