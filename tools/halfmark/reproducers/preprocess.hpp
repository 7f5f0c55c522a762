// SPDX-License-Identifier: Apache-2.0
// C's preprocessor, for kernel texts: branches decided, definitions put in place, so that a reader
// sees what the vendor's compiler sees. Two words stay readable: HM_FN, which opens every function,
// is kept, and HM_U2F of a constant becomes the number. Decides tokens only.
//
// Assumptions, which kernels/README.md makes true: no # operator, no definition with "...", and a
// condition is made of defined, &&, ||, !, ==, *, / and numbers.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/reproducers/tokens.hpp"

namespace halfmark::tools {

struct Preprocessed {
  std::vector<std::string> directives;  // what is not the preprocessor's: #pragma, #include
  Tokens function_words;                // what HM_FN stands for; empty: the language has it
  Tokens tokens;
};

/// `definitions` stand before the text: name and value, as -D gives them.
[[nodiscard]] Preprocessed preprocess(std::string_view text,
                                      const std::map<std::string, std::string>& definitions);

}  // namespace halfmark::tools
