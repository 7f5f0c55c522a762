// SPDX-License-Identifier: Apache-2.0
// The text of a memory fault. Decides only the words; memory_fault() in device_result.hpp decides
// whether there is a fault, and its class.
#pragma once

#include <string>
#include <string_view>

#include "suites/core/execute/device_result.hpp"

namespace halfmark::suites {

/// Empty if memory_fault() is empty.
[[nodiscard]] std::string memory_fault_reason(const DeviceResult& got);

/// The freedom that permits a library such a difference between results; empty: none.
[[nodiscard]] std::string_view freedom_of(ComparedRuns apart);

}  // namespace halfmark::suites
