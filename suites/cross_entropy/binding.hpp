// SPDX-License-Identifier: Apache-2.0
// What the tokens of a cross-entropy case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/operators/cross_entropy.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::cross_entropy {

using Reduction = operators::LossReduction;

/// Where the losses are reduced to one number, the gradient's upstream tensor holds its single
/// value followed by as many decoys as there are rows: an implementation that indexes it per row
/// reads those.
struct Binding {
  bool backward = false;
  bool portable = true;                     // false: the provider chooses the order of operations
  const formats::Format* format = nullptr;  // of the logits
  const formats::Format* output = nullptr;
  bool wide_labels = false;  // 64-bit labels; otherwise 32-bit
  Reduction reduction = Reduction::kMean;
  std::size_t rows = 0, width = 0;
  std::string_view fill;  // refers into the case

  [[nodiscard]] std::size_t count() const { return rows * width; }
  /// The number of loss values, and of upstream gradients.
  [[nodiscard]] std::size_t losses() const { return reduction == Reduction::kNone ? rows : 1; }
  /// The label of ignored rows: a common sentinel, or a class.
  [[nodiscard]] std::int64_t ignored() const { return fill == "padding" ? 0 : -100; }
  /// Whether every order of operations gives the same bits: differences and sums of integers in a
  /// format that holds them exactly. A library may multiply by a reciprocal where the reference
  /// divides, so its means and gradients are judged only by the bound.
  [[nodiscard]] bool unique() const {
    if (fill != "dominant") return false;
    const bool held = reduction == Reduction::kNone || *output == formats::kFp32;
    return portable || (!backward && reduction != Reduction::kMean && held);
  }
  /// Labels are stored as words of a format of their width.
  [[nodiscard]] const formats::Format& label_words() const {
    return wide_labels ? formats::kFp64 : formats::kFp32;
  }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] std::span<const std::string_view> fill_names();
/// "x" and "target"; for the gradient also "dy".
[[nodiscard]] TensorSet make_inputs(const Case& c);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// The case as launches of the specified kernel.
[[nodiscard]] Plan specified_plan(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] TensorSet specified(const Case& c, const TensorSet& inputs,
                                  const models::Machine& machine);

[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] std::span<const Axis> axes();

}  // namespace halfmark::suites::cross_entropy
