// SPDX-License-Identifier: Apache-2.0
// A kernel text without what its entries do not use, and without Halfmark's own words. Decides what
// is reached, by names, and how it is laid out; knows the layout that kernels/README.md fixes, not
// the language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/reproducers/preprocess.hpp"

namespace halfmark::tools {

/// What opens a function that is no kernel.
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

/// The functions and declarations that `entry` reaches, `entry` last; those of one expression are
/// put in place. Empty where the text has no such kernel.
[[nodiscard]] KernelText cut_kernel(std::string_view text, std::string_view entry,
                                    const std::map<std::string, std::string>& definitions);

/// How the functions that a kernel calls stand in the text, when lines are filled.
enum class Helpers : std::uint8_t {
  kFilled,  // as the kernel does
  kLines,   // each on one line
  kBlock,   // one after the other, in lines as long as need be
};

/// A statement on each line; or lines filled up to a width.
[[nodiscard]] std::vector<std::string> statement_lines(const KernelText& kernel);
[[nodiscard]] std::vector<std::string> filled_lines(const KernelText& kernel, std::size_t columns,
                                                    Helpers helpers);

}  // namespace halfmark::tools
