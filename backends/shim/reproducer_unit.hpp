// SPDX-License-Identifier: Apache-2.0
//
// The kernel and the launch that a call of the matrix unit is, as unit.hpp makes them; nothing is
// built or run.
#pragma once

#include <optional>

#include "backends/reproducers.hpp"
#include "backends/shim/unit.hpp"

namespace halfmark::backends::shim {

/// Empty: the device, as it is described, has no such instruction.
[[nodiscard]] std::optional<OperatorKernel> unit_kernel(const UnitForm& form,
                                                        const DriverOperatorCall& call,
                                                        const DeviceInfo& device);

}  // namespace halfmark::backends::shim
