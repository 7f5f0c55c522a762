// SPDX-License-Identifier: Apache-2.0
// What the tokens of a loss case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::loss {

enum class Operation : std::uint8_t { kMse, kMseBackward, kScale };

/// The gradient's upstream tensor holds its single value followed by as many decoys as there are
/// elements: an implementation that indexes it per element reads those.
struct Binding {
  Operation operation = Operation::kMse;
  const formats::Format* format = nullptr;
  const formats::Format* output = nullptr;
  bool portable = false;
  std::size_t rows = 1, width = 0;
  int exponent = 0;       // 2^exponent: the number of elements a mean covers, or the scale
  std::string_view fill;  // refers into the case

  [[nodiscard]] std::size_t count() const { return rows * width; }
  [[nodiscard]] double power() const { return std::ldexp(1, exponent); }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] TensorSet refer(const Case& c, const TensorSet& inputs,
                              const models::Machine& machine);

}  // namespace halfmark::suites::loss
