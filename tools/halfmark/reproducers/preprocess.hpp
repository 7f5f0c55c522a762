// SPDX-License-Identifier: Apache-2.0
// C's preprocessor for kernel texts: resolves conditions and expands macros, so that a reader sees
// what the vendor's compiler sees. Two words stay readable: HM_FN, which starts every function, is
// kept, and HM_U2F of a constant becomes the number. Decides tokens only.
//
// Assumes what kernels/README.md requires: no # operator, no variadic macros, and conditions of
// only defined, &&, ||, !, ==, >, >=, *, / and numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/reproducers/tokens.hpp"

namespace halfmark::tools {

struct Preprocessed {
  std::vector<std::string> directives;  // directives that are passed on: #pragma, #include
  Tokens function_words;                // the expansion of HM_FN; empty: the language has it
  Tokens tokens;
};

/// `definitions` precede the text: name and value, as with -D. Throws NoProgram for a directive
/// that is not known.
[[nodiscard]] Preprocessed preprocess(std::string_view text,
                                      const std::map<std::string, std::string>& definitions);

}  // namespace halfmark::tools
