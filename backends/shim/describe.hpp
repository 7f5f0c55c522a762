// SPDX-License-Identifier: Apache-2.0
//
// What a device of this interface family says about itself, and which architecture its code is
// made for.
#pragma once

#include <string>
#include <vector>

#include "backends/shim/runtime.hpp"

namespace halfmark::backends::shim {

// The vendor's name of the device's architecture, "" when the driver does not say.
[[nodiscard]] std::string architecture_of(const Runtime& runtime, Ordinal device);

// The best architecture that the compiler offers for the device. Throws BackendError, with what it
// does offer, when its code would not run there.
[[nodiscard]] std::string compilable(const Runtime& runtime, const Compiler& compiler,
                                     Ordinal device);

[[nodiscard]] DeviceFacts facts_of(const Runtime& runtime, Ordinal device);

[[nodiscard]] DeviceInfo describe(Runtime& runtime, int index);

}  // namespace halfmark::backends::shim
