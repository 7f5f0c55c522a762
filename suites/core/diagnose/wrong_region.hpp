// SPDX-License-Identifier: Apache-2.0
// The part of the outputs in which a device went wrong, as regular as routes are: rows from one to
// another in equal steps, and columns likewise. A route that is taken for a part of the work makes
// a known mistake there and none elsewhere; the diagnosis uses the part to say so. Decides no class
// and no cause. Assumes: outputs are dense rows, as in geometry.hpp.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// first, first + step, ..., last.
struct Steps {
  std::size_t first = 0, last = 0, step = 1;
  [[nodiscard]] bool holds(std::size_t place) const {
    return place >= first && place <= last && (place - first) % step == 0;
  }
};

struct PartOfOutput {
  Extent extent;
  Steps rows, columns;
  [[nodiscard]] bool holds(std::size_t index) const {
    return rows.holds(index / extent.columns) && columns.holds(index % extent.columns);
  }
};

struct Part {
  std::map<std::string, PartOfOutput> outputs;  // those with wrong elements
  std::string words;                            // "rows 96 to 112 of d"

  [[nodiscard]] bool holds(const std::string& output, std::size_t index) const {
    const auto found = outputs.find(output);
    return found != outputs.end() && found->second.holds(index);
  }
};

/// The smallest part that holds all wrong elements, of outputs with these numbers of elements.
/// Nothing where it is the whole, or where the wrong elements are so few that a coincidence would
/// do.
[[nodiscard]] std::optional<Part> part_of(const Problem& problem, const Places& wrong,
                                          const std::map<std::string, std::size_t>& counts);

}  // namespace halfmark::suites
