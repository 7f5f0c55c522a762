// SPDX-License-Identifier: Apache-2.0
// Asks a device for its own elementary functions (kernels/functions.hk), and remembers the answers:
// a search evaluates thousands of recipes at the same arguments. The suite elementary holds the
// functions to the bounds of their language; here they are whatever they are.
//
// Assumption: a function's result depends on its argument alone.
#pragma once

#include <memory>

#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/own_functions.hpp"

namespace halfmark::suites {

/// Whether the device's language has functions, and groups are as large as they are launched in.
[[nodiscard]] bool has_own_functions(const backends::DeviceInfo& device);

/// Null if the device has none. Must not outlive the session. Its values() throw
/// backends::BackendError if the device fails.
[[nodiscard]] std::shared_ptr<OwnFunctions> own_functions(Session& session);

}  // namespace halfmark::suites
