// SPDX-License-Identifier: Apache-2.0
// The elementary operations that are asserted, one row each: what the suite, its contract, its
// fills and the canaries all ask. Decides how an operation is launched and how the reference
// evaluates it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/models/machine.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites::arithmetic {

struct Operands {
  formats::Bits a = 0, b = 0, c = 0;
};

using Evaluate = formats::Bits (*)(const formats::Format& operand, const formats::Format& result,
                                   const Operands&, const models::Machine&);

struct Operation {
  std::string_view format;  // of the operands; the case's format token
  std::string_view name;    // the case's operation token, and the kernel entry after "<format>_"
  int arity = 1;
  const formats::Format* operand = nullptr;
  const formats::Format* result = nullptr;
  std::string_view needs;  // capability without which the device is not asked
  Evaluate evaluate;
};

[[nodiscard]] std::span<const Operation> operations();

/// The name without "_in_fp32": what the operands must be hard for.
[[nodiscard]] std::string_view plain_name(const Operation& operation);

/// The power of `ldexp` is an int32 in the place of an encoding.
[[nodiscard]] std::int32_t exponent_of(formats::Bits bits);

/// Null when the pair does not exist (fp16.ldexp, say).
[[nodiscard]] const Operation* find_operation(std::string_view format, std::string_view name);

/// Tensors a, b, c (as many as the arity) and d of `count` elements, and the one launch.
[[nodiscard]] Plan plan_for(const Operation& operation, std::size_t count);

}  // namespace halfmark::suites::arithmetic
