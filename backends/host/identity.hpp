// SPDX-License-Identifier: Apache-2.0
//
// What the software device says about itself. Decides its names and promises; every promise is one
// that host_test.cpp checks.
#pragma once

#include "backends/device_info.hpp"
#include "backends/host/compiler.hpp"

namespace halfmark::backends::host {

[[nodiscard]] DeviceInfo identify(const Compiler& compiler, unsigned threads);

}  // namespace halfmark::backends::host
