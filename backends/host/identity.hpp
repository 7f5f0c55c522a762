// SPDX-License-Identifier: Apache-2.0
//
// The software device's description of itself. Decides its names and promises; host_test.cpp checks
// every promise.
#pragma once

#include "backends/device_info.hpp"
#include "backends/host/compiler.hpp"

namespace halfmark::backends::host {

[[nodiscard]] DeviceInfo identify(const Compiler& compiler, unsigned threads);

}  // namespace halfmark::backends::host
