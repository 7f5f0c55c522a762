// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/promisor.hpp"

#include <algorithm>

namespace halfmark::suites {

Promisor promisor_of(const Problem& problem, const backends::DeviceInfo& device) {
  const Plan plan = problem.plan(device);
  if (plan.operators.empty()) return {device};
  const auto called =
      std::ranges::find(device.libraries, plan.operators.back().library, &backends::Library::name);
  return {device, called == device.libraries.end() ? nullptr : &*called};
}

}  // namespace halfmark::suites
