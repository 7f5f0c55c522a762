// SPDX-License-Identifier: Apache-2.0
// The words of `halfmark ref op`: which operation a name means, and the error for an unknown name.
#pragma once

#include <string>
#include <string_view>

#include "tools/halfmark/ref/ref_operations.hpp"

namespace halfmark::tools {

// Either an operation of a format, or the one-line problem with the name.
struct ResolvedOperation {
  const formats::Format* format = nullptr;
  const RefOperation* operation = nullptr;
  std::string problem;
};
[[nodiscard]] ResolvedOperation resolve_ref_operation(std::string_view name);

// How many random bits stochastic rounding takes: those requested, or, for 0, as many as the
// result's format can use; or the one-line problem with the request.
struct RandomBits {
  int bits = 0;
  std::string problem;
};
[[nodiscard]] RandomBits resolve_random_bits(const ResolvedOperation& resolved, int wanted);

// Either a format, or the one-line problem with the name.
struct ResolvedFormat {
  const formats::Format* format = nullptr;
  std::string problem;
};
[[nodiscard]] ResolvedFormat resolve_ref_format(std::string_view name);

// The names of all formats, for help and errors: "fp16 bf16 tf32 ...".
[[nodiscard]] std::string ref_format_names();

// The names of the flags that are set: "inexact underflow", or "none".
[[nodiscard]] std::string ref_flag_names(unsigned flags);

}  // namespace halfmark::tools
