// SPDX-License-Identifier: Apache-2.0
// Decides whether a device's run had a fault of memory, its class, and the words for it.
#pragma once

#include <string>
#include <string_view>

#include "suites/core/execute/device_result.hpp"

namespace halfmark::suites {

/// The class (finding_classes.hpp) of the most severe memory fault; empty: there is none.
[[nodiscard]] std::string_view memory_fault(const DeviceResult& got);

/// Empty if memory_fault() is empty.
[[nodiscard]] std::string memory_fault_reason(const DeviceResult& got);

/// The freedom that permits a library such a difference between results; empty: none.
[[nodiscard]] std::string_view freedom_of(ComparedRuns apart);

}  // namespace halfmark::suites
