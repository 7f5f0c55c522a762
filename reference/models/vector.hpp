// SPDX-License-Identifier: Apache-2.0
// Non-owning views of the operands of sums of products: an encoding with its format, and a sequence
// of encodings of one format.
#pragma once

#include <cstddef>

#include "reference/formats/format.hpp"

namespace halfmark::models {

using formats::Bits;
using formats::Format;

struct Encoded {
  const Format* format;
  Bits bits;

  [[nodiscard]] constexpr bool operator==(const Encoded&) const = default;
};

// `count` elements of one format, `stride` elements apart: a row or a column of a matrix.
struct Vector {
  const Format* format;
  const Bits* first;
  std::ptrdiff_t stride = 1;

  [[nodiscard]] constexpr Bits at(std::size_t k) const {
    return first[static_cast<std::ptrdiff_t>(k) * stride];
  }
};

}  // namespace halfmark::models
