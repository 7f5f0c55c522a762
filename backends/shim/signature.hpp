// SPDX-License-Identifier: Apache-2.0
//
// What a kernel of a text takes. A launch of this interface family passes untyped pointers, and a
// missing one is read from wherever it points; so the list is taken from the text and compared.
//
// Assumption: the text is in the dialect of kernels/README.md, before its macros are expanded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace halfmark::backends::shim {

// One letter per parameter: p buffer, f float, u unsigned, i int. Empty optional: no such kernel.
[[nodiscard]] std::optional<std::string> signature_of(std::string_view text,
                                                      std::string_view entry);

}  // namespace halfmark::backends::shim
