// SPDX-License-Identifier: Apache-2.0
//
// An opened device: buffers, programs, launches. Decides how code is compiled for it.
//
// Assumptions:
//  1. The work of each opened device goes through a stream of its own, beside those of others, and
//  each operation waits for its work.
//  2. The current context is a property of the thread, and calls may come from any thread, so each
//  operation makes the context current.
#pragma once

#include <memory>

#include "backends/driver.hpp"
#include "backends/shim/runtime.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] std::unique_ptr<DriverDevice> open_device(Runtime& runtime, int index);

}  // namespace halfmark::backends::shim
