// SPDX-License-Identifier: Apache-2.0
// What is told of a fault of memory handling. Decides the words; whether there is one, and of which
// class, memory_fault() says (execute.hpp).
#pragma once

#include <string>
#include <string_view>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites {

/// Empty where memory_fault() is.
[[nodiscard]] std::string memory_fault_reason(const DeviceResult& got);

/// What a library may take for itself where results differ so; empty: nothing.
[[nodiscard]] std::string_view freedom_of(Apart apart);

}  // namespace halfmark::suites
