// SPDX-License-Identifier: Apache-2.0
// What every operator demands of a problem before it reads an element: std::invalid_argument, with
// the operator's name first, instead of reading past a tensor. Decides the wording only.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "reference/formats/tensor.hpp"

namespace halfmark::operators {

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

inline void require_count(std::string_view operation, std::string_view name,
                          const formats::Tensor& operand, std::size_t count) {
  if (operand.count() == count) return;
  throw std::invalid_argument(fmt::format(
      "{}: {} does not have the elements that its dimensions ask for", operation, name));
}

}  // namespace halfmark::operators
