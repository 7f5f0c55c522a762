// SPDX-License-Identifier: Apache-2.0
// The elementary operations under test, one row each; the suite, its contract, its fills and the
// canaries all use this table. Decides how an operation is launched and how the reference
// evaluates it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "backends/device_info.hpp"
#include "reference/models/machine.hpp"
#include "reference/operators/ulp_range.hpp"
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
  std::string_view name;    // the case's operation token
  int arity = 1;
  const formats::Format* operand = nullptr;
  const formats::Format* result = nullptr;
  // The operation is skipped on devices without this capability.
  std::string_view needs;
  Evaluate evaluate;
  // Promises that quotients and roots are correctly rounded, which an interface may leave open;
  // empty: no interface does. `..._ulp` is the same operation where it is not promised.
  std::string_view rounded_by = {};
  operators::Ulps ulps = {};  // none: correctly rounded
};

[[nodiscard]] std::span<const Operation> operations();

/// The capability that the operation needs and the device lacks (the full profile among them);
/// empty: none.
[[nodiscard]] std::string_view lacked(const Operation& operation,
                                      const backends::DeviceInfo& device);

/// Whether it computes in fp16 itself, not by way of fp32.
[[nodiscard]] bool is_half_arithmetic(const Operation& operation);

/// Whether it has a bound instead of one right result.
[[nodiscard]] bool is_bounded(const Operation& operation);
/// Whether its operands and its result are fp16, and it computes in fp32.
[[nodiscard]] bool is_in_fp32(const Operation& operation);

/// The name without "_ulp": the kernel entry after "<format>_".
[[nodiscard]] std::string_view entry_name(const Operation& operation);
/// The name without "_in_fp32" and "_ulp": the operation that the operands must be hard for.
[[nodiscard]] std::string_view plain_name(const Operation& operation);

/// The exponent operand of `ldexp`: an int32 stored in place of an encoding.
[[nodiscard]] std::int32_t exponent_of(formats::Bits bits);

/// Null when the combination does not exist (fp16.ldexp, for example).
[[nodiscard]] const Operation* find_operation(std::string_view format, std::string_view name);

/// a * b + c, rounded once; or twice, as the operation "muladd" is.
[[nodiscard]] formats::Bits fma(const formats::Format& operand, const formats::Format& result,
                                const Operands& x, const models::Machine& machine);
[[nodiscard]] formats::Bits muladd(const formats::Format& operand, const formats::Format& result,
                                   const Operands& x, const models::Machine& machine);

/// Tensors a, b, c (as many as the arity) and d of `count` elements, and the single launch.
[[nodiscard]] Plan plan_for(const Operation& operation, std::size_t count);

}  // namespace halfmark::suites::arithmetic
