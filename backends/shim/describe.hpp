// SPDX-License-Identifier: Apache-2.0
//
// The description of a device of this interface family, and the architecture that its code is
// compiled for.
#pragma once

#include <string>
#include <vector>

#include "backends/shim/runtime.hpp"

namespace halfmark::backends::shim {

// The vendor's name for the device's architecture; "" when the driver does not report it.
[[nodiscard]] std::string architecture_of(const Runtime& runtime, Ordinal device);

// The best architecture that the compiler offers for the device. Throws BackendError that lists the
// compiler's architectures when none of their code would run there.
[[nodiscard]] std::string compilable(const Runtime& runtime, const Compiler& compiler,
                                     Ordinal device);

[[nodiscard]] DeviceFacts facts_of(const Runtime& runtime, Ordinal device);

[[nodiscard]] DeviceInfo describe(Runtime& runtime, int index);

}  // namespace halfmark::backends::shim
