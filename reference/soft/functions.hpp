// SPDX-License-Identifier: Apache-2.0
// Correctly rounded elementary functions: the exact value of the function at the operand, rounded
// once, in every direction. Flags follow IEEE 754-2019, clause 9.2, for the functions it covers.
//
// Where the standard leaves a choice or is silent, this file decides: log(1), log2(1), log10(1) and
// acos(1) are +0 in every direction; gelu(-infinity) is exactly its limit -0; sigmoid(0) is exactly
// 1/2; underflow and overflow depend on the result only, as everywhere in reference/soft; every NaN
// result is the default quiet NaN. functions.inc is the only list of these functions.
//
// Assumptions (checked by has_functions): the format has a sign and a zero, at most 24 bits of
// precision, and all of its numbers lie between 2^-149 and 2^128 in magnitude.
#pragma once

#include "reference/soft/environment.hpp"

namespace halfmark::soft {

[[nodiscard]] constexpr bool has_functions(const Format& f) {
  return f.has_sign && f.has_zero && formats::kFp32.contains(f);
}

#define HM_FUNCTION(name, meaning, ...) \
  [[nodiscard]] Result name(const Format& f, Bits a, const Environment& env = {});
#include "reference/soft/functions.inc"

struct Function {
  std::string_view name;
  std::string_view meaning;
  Result (*evaluate)(const Format&, Bits, const Environment&);
};

inline constexpr auto kFunctions = std::to_array<Function>({
#define HM_FUNCTION(name, meaning, ...) {#name, meaning, name},
#include "reference/soft/functions.inc"
});

}  // namespace halfmark::soft
