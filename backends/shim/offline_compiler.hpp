// SPDX-License-Identifier: Apache-2.0
//
// A vendor's compiler as a command, for releases without a compiler library.
#pragma once

#include <span>
#include <string>

#include "backends/shim/runtime.hpp"

namespace halfmark::backends::shim {

// The command's path; empty when the vendor has none or it is not installed.
[[nodiscard]] std::string find_offline_compiler(const Vendor& vendor);

[[nodiscard]] Image compile_offline(const Vendor& vendor, const std::string& command,
                                    const std::string& source,
                                    std::span<const std::string> options);

}  // namespace halfmark::backends::shim
