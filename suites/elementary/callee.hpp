// SPDX-License-Identifier: Apache-2.0
// The functions that the contract covers, of one or two operands, each with its reference:
// the functions of reference/soft, its square root and division, and the variants that
// languages define.
#pragma once

#include <span>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "reference/soft/binary_functions.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites::elementary {

struct Operands {
  formats::Bits x = 0;
  formats::Bits w = 0;  // second operand of binary functions
};

struct Callee {
  std::string_view name;
  soft::Result (*unary)(const formats::Format&, formats::Bits, const soft::Environment&) = nullptr;
  soft::Result (*binary)(const formats::Format&, formats::Bits, formats::Bits,
                         const soft::Environment&) = nullptr;

  [[nodiscard]] soft::Result evaluate(const formats::Format& format, const Operands& operands,
                                      const soft::Environment& environment = {}) const {
    return unary != nullptr ? unary(format, operands.x, environment)
                            : binary(format, operands.x, operands.w, environment);
  }
};

[[nodiscard]] std::span<const Callee> callees();
/// Throws std::logic_error for an unknown name.
[[nodiscard]] const Callee& callee_of(std::string_view name);

/// Read from tensor "x" and, for functions of two operands, "w".
[[nodiscard]] Operands operands_at(const TensorSet& inputs, std::size_t index);
[[nodiscard]] formats::Tensor evaluate(const Callee& callee, const TensorSet& inputs,
                                       const soft::Environment& environment = {});

}  // namespace halfmark::suites::elementary
