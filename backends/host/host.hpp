// SPDX-License-Identifier: Apache-2.0
//
// The software device: Halfmark's kernels on the processor that Halfmark runs on. This header is
// all that others may know of it.
#pragma once

#include <memory>

#include "backends/abi.h"
#include "backends/driver.hpp"

namespace halfmark::backends::host {

// A driver that has looked at nothing yet. Options of open(): "threads" (number), "shuffle" (seed).
[[nodiscard]] std::unique_ptr<Driver> make_driver();

// The one of this process, behind the C table.
[[nodiscard]] const HmBackendApi* api();

}  // namespace halfmark::backends::host
