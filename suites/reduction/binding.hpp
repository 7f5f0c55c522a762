// SPDX-License-Identifier: Apache-2.0
// What the tokens of a reduction mean. The one place that reads tokens; the files of this folder
// share it.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "suites/core/bounds/real.hpp"
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
  // Where rows begin and how far their elements are apart; told by the fill, and only libraries
  // take other strides than dense ones.
  std::size_t row_step = 0, element_step = 1;

  /// Elements of the tensor, those between rows included.
  [[nodiscard]] std::size_t count() const { return rows * (element_step == 1 ? row_step : width); }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

/// Whether rows are not dense in this fill.
[[nodiscard]] bool is_strided(std::string_view fill);

[[nodiscard]] std::span<const std::string_view> fill_names();
[[nodiscard]] TensorSet make_inputs(const Case& c);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// What a case on a bounded row stands on instead when its recipe was found; see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// Of the fill `related`.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// Of them: those of maxima.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_maxima(const Binding& b);
/// Right sums that are stored otherwise.
[[nodiscard]] std::vector<Hypothesis> hypotheses_of_stores(const Binding& b);
[[nodiscard]] std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs);
[[nodiscard]] TensorSet refer(const Case& c, const TensorSet& inputs,
                              const models::Machine& machine);

}  // namespace halfmark::suites::reduction
