// SPDX-License-Identifier: Apache-2.0
//
// The kernel texts in this binary. Decides how a program's text is put together; compiles nothing
// and knows no device.
//
// Assumptions:
//  1. A family is one file NAME.hk; the list is generated from the files present.
//  2. A program is a backend's definition of the dialect (README.md), then prelude.hk, then one
//  family, preceded by
//     those that it names in lines `//! requires: NAME`. Requirements form no cycle.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::kernels {

struct Family {
  std::string_view name;
  std::string_view text;
};

[[nodiscard]] std::span<const Family> families();  // sorted by name
[[nodiscard]] const Family* find_family(std::string_view name);

// The kernels that a text defines, in the order of the text. Builds need it, too: some compilers
// must be told which functions are kernels.
[[nodiscard]] std::vector<std::string> entries(std::string_view text);

// prelude.hk, what the family requires, and the family, with line marks that make a compiler's
// messages name the right file. An unknown family is a mistake in Halfmark and throws
// std::out_of_range.
[[nodiscard]] std::string program_text(std::string_view family);

}  // namespace halfmark::kernels
