// SPDX-License-Identifier: Apache-2.0
// What the tokens of a reduction case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::reduction {

enum class Operation : std::uint8_t { kSum, kMean, kMax };

struct Binding {
  Operation operation = Operation::kSum;
  const formats::Format* format = nullptr;
  const formats::Format* output = nullptr;
  bool portable = false;
  std::size_t rows = 0, width = 0;
  std::string_view fill;  // refers into the case
  // Row stride and element stride. The fill decides them; only libraries accept strides other than
  // dense ones.
  std::size_t row_step = 0, element_step = 1;

  /// The elements of the tensor, including those between rows.
  [[nodiscard]] std::size_t count() const { return rows * (element_step == 1 ? row_step : width); }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

/// Whether the rows of this fill are not dense.
[[nodiscard]] bool is_strided(std::string_view fill);

[[nodiscard]] std::span<const std::string_view> fill_names();
[[nodiscard]] TensorSet make_inputs(const Case& c);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// The subset of hypotheses about maxima.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_maxima(const Binding& b);
/// Means over a number of elements that is rounded to a narrow format.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_counts(const Binding& b);
/// Sums of other elements than the row's, and means over another number of elements.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_slips(const Binding& b);
/// Correct sums that are stored wrongly.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_stores(const Binding& b);
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] TensorSet refer(const Case& c, const TensorSet& inputs,
                              const models::Machine& machine);

}  // namespace halfmark::suites::reduction
