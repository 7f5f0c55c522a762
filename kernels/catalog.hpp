// SPDX-License-Identifier: Apache-2.0
//
// The kernel texts in this binary. This file decides how a program's text is composed; it compiles
// nothing and knows no device.
//
// Assumptions:
//  1. A family is one file NAME.hk; the list is generated from the files present.
//  2. A program is a backend's definition of the dialect (README.md), then prelude.hk, then one
//     family, preceded by those that it names in lines `//! requires: NAME`. No requirements form
//     a cycle.
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

// The kernels that a text defines, in order. Builds need this because some compilers must know
// which functions are kernels.
[[nodiscard]] std::vector<std::string> entries(std::string_view text);

// prelude.hk, the families that the family requires, and the family itself, with line directives
// so that compiler messages name the right file. An unknown family is a bug in Halfmark and
// throws std::out_of_range.
[[nodiscard]] std::string program_text(std::string_view family);

}  // namespace halfmark::kernels
