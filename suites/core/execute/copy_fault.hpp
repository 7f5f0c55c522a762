// SPDX-License-Identifier: Apache-2.0
// Whether a failure is one of copies between host and device, and not of what ran between them.
// Decides which signs convict a copy: memory that does not hold what was just written to it, and
// read-backs of the same memory that are not alike. Runs for failures only. A copy that goes wrong
// now and then may escape.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites {

struct CopyFault {
  std::string_view finding_class;  // classes.hpp
  std::string sentence;
};

/// Uploads what the plan takes, looks at it, runs the plan, and looks at the outputs, each several
/// times. Nothing: the copies are right, or the device does not get so far.
[[nodiscard]] std::optional<CopyFault> find_copy_fault(Session& session, const Plan& plan,
                                                       const TensorSet& operands);

}  // namespace halfmark::suites
