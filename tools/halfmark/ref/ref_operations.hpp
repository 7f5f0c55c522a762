// SPDX-License-Identifier: Apache-2.0
// The elementary operations that `halfmark ref op FORMAT.OPERATION` offers, as a table per format:
// name, operands, meaning, and the function of the reference that computes it.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "reference/soft/environment.hpp"

namespace halfmark::tools {

struct RefOperands {
  std::array<formats::Bits, 3> bits{};
  std::int32_t integer = 0;  // the second operand of ldexp
};

struct RefOperation {
  std::string_view name;
  int operands;               // number of words in a line
  bool integer_last;          // the last of them is an integer, not an encoding
  const formats::Format* to;  // null: the result is that of a comparison, 0 or 1
  std::string_view meaning;
  // Called with the format of the operands and *to (or the same format if `to` is null).
  soft::Result (*evaluate)(const formats::Format&, const formats::Format&, const RefOperands&,
                           const soft::Environment&);
};

// The operations of a format in the table: all of them, or only conversions for a storage format.
[[nodiscard]] std::span<const RefOperation> ref_operations(const formats::Format& format);

// Null when the format has no such operation.
[[nodiscard]] const RefOperation* find_ref_operation(const formats::Format& format,
                                                     std::string_view name);

}  // namespace halfmark::tools
