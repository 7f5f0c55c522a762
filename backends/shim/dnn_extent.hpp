// SPDX-License-Identifier: Apache-2.0
//
// The extent of a normalisation's operand along rows and width. Decides nothing else.
#pragma once

#include <cstdint>

namespace halfmark::backends::shim {

// In order: rows x width, width, rows.
enum class Extent : std::uint8_t { kMatrix, kPerColumn, kPerRow };

}  // namespace halfmark::backends::shim
