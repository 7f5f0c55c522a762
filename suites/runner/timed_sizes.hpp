// SPDX-License-Identifier: Apache-2.0
// The sizes at which the rows of a run are timed, once it is known to which size each case grows:
// rows that are compared with each other share the largest, and no name is timed twice. Does not
// decide how far a case grows (throughput/sizes.hpp).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "suites/core/case/case.hpp"

namespace halfmark::suites {

/// The timed name, and the case of the same kernel that passed.
struct Timed {
  std::string name, passed;
  bool operator==(const Timed&) const = default;
};

/// `names` as from throughput::choose(); `grown`, by the name of the passed case, those that may
/// grow, at the size to which they do. A case that would be timed under the name of another row is
/// left out.
[[nodiscard]] std::vector<Timed> timed_sizes(const std::vector<std::string>& names,
                                             const std::map<std::string, Case>& grown);

}  // namespace halfmark::suites
