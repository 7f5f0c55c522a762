// SPDX-License-Identifier: Apache-2.0
// What the tokens of a softmax case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/operators/softmax.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::softmax {

enum class Operation : std::uint8_t { kForward, kLogForward, kBackward, kLogBackward };

[[nodiscard]] constexpr bool is_backward(Operation operation) {
  return operation == Operation::kBackward || operation == Operation::kLogBackward;
}

struct Binding {
  Operation operation = Operation::kForward;
  const formats::Format* input = nullptr;
  const formats::Format* output = nullptr;
  std::size_t rows = 0, width = 0;
  std::string_view fill;  // refers into the case
  bool portable = true;   // false: the provider chooses the order of operations

  [[nodiscard]] std::size_t count() const { return rows * width; }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
[[nodiscard]] std::span<const std::string_view> fill_names();
/// Whether the fill is meaningful for the operation: gradients have fills of their own.
[[nodiscard]] bool applies(std::string_view fill, Operation operation);
/// Fills that need strides, masks or a preceding call, which only libraries accept.
[[nodiscard]] bool only_for_libraries(std::string_view fill);
/// "x" for the forward operations, "y" and "dy" for the gradient.
[[nodiscard]] TensorSet make_inputs(const Case& c);

/// The case as a call of a device's library.
[[nodiscard]] Plan library_plan(const Case& c, const backends::DeviceInfo& device);

}  // namespace halfmark::suites::softmax
