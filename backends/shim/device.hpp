// SPDX-License-Identifier: Apache-2.0
//
// An opened device: buffers, programs, launches. Decides how code is made for it.
//
// Assumptions:
//  1. Everything goes through the default stream, and each operation waits for its work.
//  2. A context belongs to a thread, and calls may come from any; so each operation makes it
//  current.
#pragma once

#include <memory>

#include "backends/driver.hpp"
#include "backends/shim/runtime.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] std::unique_ptr<DriverDevice> open_device(Runtime& runtime, int index);

}  // namespace halfmark::backends::shim
