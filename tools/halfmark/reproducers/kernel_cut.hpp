// SPDX-License-Identifier: Apache-2.0
// Reduces a kernel text to what its entries use, without Halfmark's own words. Decides by names
// what is used, and how the result is laid out. Relies on the layout that kernels/README.md
// prescribes; does not know the language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/reproducers/preprocess.hpp"

namespace halfmark::tools {

/// The word that starts a function that is not a kernel.
inline constexpr std::string_view kFunctionWord = "HM_FN";

struct Function {
  std::string name;
  Tokens tokens;
  bool operator==(const Function&) const = default;
};

struct KernelText {
  std::vector<std::string> directives;  // lines that begin with #
  std::vector<Function> functions;      // and declarations; each before its first use
};

/// The functions and declarations that `entry` uses, `entry` last; functions of a single expression
/// are inlined. Empty if the text has no such kernel.
[[nodiscard]] KernelText cut_kernel(std::string_view text, std::string_view entry,
                                    const std::map<std::string, std::string>& definitions);

/// The layout of the functions that a kernel calls, when lines are filled.
enum class Helpers : std::uint8_t {
  kFilled,  // like the kernel
  kLines,   // each on one line
  kBlock,   // consecutively, in lines as long as necessary
};

/// Lays out one statement per line, or fills lines up to a width.
[[nodiscard]] std::vector<std::string> statement_lines(const KernelText& kernel);
[[nodiscard]] std::vector<std::string> filled_lines(const KernelText& kernel, std::size_t columns,
                                                    Helpers helpers);

}  // namespace halfmark::tools
