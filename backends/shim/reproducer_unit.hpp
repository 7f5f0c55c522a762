// SPDX-License-Identifier: Apache-2.0
//
// The kernel and launch that implement a call of the matrix unit, as unit.hpp makes them; builds
// and runs nothing.
#pragma once

#include <optional>

#include "backends/reproducers.hpp"
#include "backends/shim/unit.hpp"

namespace halfmark::backends::shim {

/// Returns nothing when the described device lacks such an instruction.
[[nodiscard]] std::optional<OperatorKernel> unit_kernel(const UnitForm& form,
                                                        const DriverOperatorCall& call,
                                                        const DeviceInfo& device);

}  // namespace halfmark::backends::shim
