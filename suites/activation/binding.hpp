// SPDX-License-Identifier: Apache-2.0
// What the tokens of an activation case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "suites/core/bounds/gelu.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::activation {

enum class Operation : std::uint8_t {
  kGelu,
  kGeluBackward,
  kGeluTanh,
  kGeluTanhBackward,
  kRelu,
  kReluBackward,
  kMax,
};

struct OperationRow {
  std::string_view name;  // the case's token
  Operation operation;
  std::string_view library_name;  // the library's operator
  std::string_view entry;         // the kernel's entry point; empty if there is none
  std::string_view second;        // role of the second operand, if any
  std::string_view result;        // role of the result
};

struct Binding {
  const OperationRow* row = nullptr;
  const formats::Format* format = nullptr;
  bool portable = false;
  std::size_t count = 0;
  std::string_view fill;  // refers into the case

  /// The format of the call that runs first in the fill `second`.
  [[nodiscard]] const formats::Format& format_before() const {
    return *format == formats::kFp16 ? formats::kBf16 : formats::kFp16;
  }
  /// True for functions that no library specifies: they are judged by a bound.
  [[nodiscard]] bool bounded() const {
    return !portable &&
           (row->operation == Operation::kGelu || row->operation == Operation::kGeluBackward ||
            row->operation == Operation::kGeluTanh ||
            row->operation == Operation::kGeluTanhBackward);
  }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);
[[nodiscard]] std::span<const OperationRow> operations();

using Departure = GeluDeparture;

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// Adds the departures of one of GELU's operations: hypotheses_gelu.cpp.
void add_gelu(std::vector<Hypothesis>& list, Operation operation);
/// Those about the constants of GELU: hypotheses_constants.cpp.
[[nodiscard]] std::vector<Hypothesis> constants(const Case& c);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] TensorSet refer(const Case& c, const TensorSet& inputs,
                              const models::Machine& machine);

}  // namespace halfmark::suites::activation
