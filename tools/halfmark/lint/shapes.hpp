// SPDX-License-Identifier: Apache-2.0
// How the shape of a layer's result, its number of weights and the length of its sums follow from
// its operands and its fields. Decides which shapes fit; knows no format.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tools/halfmark/lint/model.hpp"

namespace halfmark::tools::lint {

struct Sized {
  Shape shape = {};
  std::uint64_t weights = 0, terms = 0;
};

/// Throws ModelError if a tensor has too many elements to be counted.
void require_possible(const Shape& shape);

/// `fields` is the layer's object, which fits the schema. Throws ModelError with the field first.
[[nodiscard]] Sized sized(ShapeRule rule, const nlohmann::json& fields,
                          std::span<const Shape* const> operands);

}  // namespace halfmark::tools::lint
