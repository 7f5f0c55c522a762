// SPDX-License-Identifier: Apache-2.0
//
// What an operand of a normalisation is along rows and width. Decides nothing else.
#pragma once

#include <cstdint>

namespace halfmark::backends::shim {

// rows x width, width, rows.
enum class Extent : std::uint8_t { kMatrix, kPerColumn, kPerRow };

}  // namespace halfmark::backends::shim
