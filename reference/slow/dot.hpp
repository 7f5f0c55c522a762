// SPDX-License-Identifier: Apache-2.0
// The naive twin of models::dot: parses the arithmetic's name independently and evaluates it
// recursively over lists of values, with the operations of slow.hpp. It shares nothing with the
// order programs of models/order.hpp.
//
// Assumption: the name is valid.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "reference/slow/slow.hpp"

namespace halfmark::slow {

// A number in a format.
struct Number {
  const Format* format;
  Bits bits;
};

struct Products {
  const Format* format;
  std::vector<Bits> a, b;
};

// All operations, including conversions, in one environment, unless the name prescribes another.
[[nodiscard]] Number dot(std::string_view name, const Products& products,
                         const std::optional<Number>& c, const Environment& env);

}  // namespace halfmark::slow
