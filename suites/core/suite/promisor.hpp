// SPDX-License-Identifier: Apache-2.0
// Who is bound by what a case asserts.
#pragma once

#include "backends/device_info.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The device, and the library that the problem's plan calls on it, if it calls one. A view
/// of the device.
[[nodiscard]] Promisor promisor_of(const Problem& problem, const backends::DeviceInfo& device);

}  // namespace halfmark::suites
