// SPDX-License-Identifier: Apache-2.0
// Who supplies an operator's code: the words of the axis `provider`, and which library of a device
// a word means. Case names never name a vendor: `library` is the first usable library that offers
// the operator, `library2` the second; `unit` means the matrix unit's own instructions, `unit2`
// those of its second form, whose operands lie elsewhere.
#pragma once

#include <string>
#include <string_view>

#include "backends/device_info.hpp"

namespace halfmark::suites {

/// The capability of a device whose interface is held to all of its clauses. Who says nothing of
/// profiles has it; an interface for embedded devices may permit more than the suites' rules do.
inline constexpr std::string_view kFullProfile = "full_profile";
[[nodiscard]] bool lacks_full_profile(const backends::DeviceInfo& device);

/// Halfmark's kernels, built by the vendor's run-time compiler.
inline constexpr std::string_view kPortable = "portable";

/// Single instructions of the matrix unit, in either form.
[[nodiscard]] constexpr bool is_unit(std::string_view provider) {
  return provider == "unit" || provider == "unit2";
}

/// The library that `provider` means for this operator; null when the device has none.
[[nodiscard]] const backends::Library* provider_library(const backends::DeviceInfo& device,
                                                        std::string_view provider,
                                                        std::string_view operator_name);

/// Why there is none: the device's account of the libraries that it searched for, and the
/// operator's name if there are libraries, none of which has it. One line; otherwise it is the same
/// for every operator, so that a report prints it once.
[[nodiscard]] std::string no_provider(const backends::DeviceInfo& device, std::string_view provider,
                                      std::string_view operator_name);

}  // namespace halfmark::suites
