// SPDX-License-Identifier: Apache-2.0
//
// The software device: runs Halfmark's kernels on the processor that Halfmark runs on. This header
// is its whole public interface.
#pragma once

#include <memory>

#include "backends/abi.h"
#include "backends/driver.hpp"

namespace halfmark::backends::host {

// A driver that has not examined the machine yet. Options of open(): "threads" (number),
// "shuffle" (seed).
[[nodiscard]] std::unique_ptr<Driver> make_driver();

// This process's only driver, wrapped in the C table.
[[nodiscard]] const HmBackendApi* api();

}  // namespace halfmark::backends::host
