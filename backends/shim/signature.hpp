// SPDX-License-Identifier: Apache-2.0
//
// The parameter list of a kernel, read from its text. A launch of this interface family passes
// untyped pointers, and a missing one would be read from an arbitrary address; so arguments are
// checked against this list.
//
// Assumption: the text is in the dialect of kernels/README.md, before its macros are expanded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halfmark::backends::shim {

// One letter per parameter: p buffer, f float, u unsigned, i int. Returns nothing when there is no
// such kernel.
[[nodiscard]] std::optional<std::string> signature_of(std::string_view text,
                                                      std::string_view entry);

}  // namespace halfmark::backends::shim
