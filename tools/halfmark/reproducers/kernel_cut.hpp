// SPDX-License-Identifier: Apache-2.0
// A kernel text without what its entry does not use. Decides what is reached, by names; knows the
// layout that kernels/README.md fixes, not the language.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::tools {

/// The definitions and functions of `text` that `root` reaches, in the order of the text, each
/// function on a line, without comments and with definitions of single words put in place; then
/// `root`. `defined` decides the branches of #ifdef.
[[nodiscard]] std::vector<std::string> cut_kernel(std::string_view text, std::string_view root,
                                                  const std::set<std::string>& defined);

/// The whole function of that name, as it stands in `text`; empty: there is none.
[[nodiscard]] std::string function_named(std::string_view text, std::string_view name);

}  // namespace halfmark::tools
