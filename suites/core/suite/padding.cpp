// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/padding.hpp"

#include <fmt/format.h>

namespace halfmark::suites {

std::optional<Padded> only_padding(const Problem& problem, const Places& wrong) {
  std::optional<Padded> found;
  for (const auto& [tensor, elements] : wrong) {
    for (const std::size_t index : elements) {
      const std::optional<std::size_t> row = problem.padded_row(tensor, index);
      if (!row) return std::nullopt;
      if (!found) found = Padded{.tensor = tensor, .row = *row};
      ++found->elements;
    }
  }
  return found;
}

std::string words_of(const Padded& padded) {
  const std::string more = padded.elements == 1
                               ? ""
                               : fmt::format(": {} elements between rows changed", padded.elements);
  return fmt::format("the call wrote into the padding of row {} of '{}'{}", padded.row,
                     padded.tensor, more);
}

}  // namespace halfmark::suites
