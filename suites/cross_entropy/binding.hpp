// SPDX-License-Identifier: Apache-2.0
// What the tokens of a cross-entropy mean. The one place that reads tokens; the files of this
// folder share it.
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

/// Where labels are reduced to one number, the gradient's upstream tensor holds its one value in
/// front of as many decoys as there are rows: who indexes it per row takes those.
struct Binding {
  bool backward = false;
  bool portable = true;                     // else the order of operations is the provider's own
  const formats::Format* format = nullptr;  // of the logits
  const formats::Format* output = nullptr;
  bool wide_labels = false;  // of 64 bits, else of 32
  Reduction reduction = Reduction::kMean;
  std::size_t rows = 0, width = 0;
  std::string_view fill;  // refers into the case

  [[nodiscard]] std::size_t count() const { return rows * width; }
  /// How many numbers the loss is, and its upstream gradient.
  [[nodiscard]] std::size_t losses() const { return reduction == Reduction::kNone ? rows : 1; }
  /// The label of rows that do not count: a usual sentinel, or a class.
  [[nodiscard]] std::int64_t ignored() const { return fill == "padding" ? 0 : -100; }
  /// Whether every order of the operations gives the same bits: differences and sums of integers in
  /// a format that holds them. A library may multiply by a reciprocal where we divide: of its means
  /// and gradients only the bound is left.
  [[nodiscard]] bool unique() const {
    if (fill != "dominant") return false;
    const bool held = reduction == Reduction::kNone || *output == formats::kFp32;
    return portable || (!backward && reduction != Reduction::kMean && held);
  }
  /// Labels travel as words of a format of their width.
  [[nodiscard]] const formats::Format& label_words() const {
    return wide_labels ? formats::kFp64 : formats::kFp32;
  }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] std::span<const std::string_view> fill_names();
/// "x", "target"; for the gradient "dy", too.
[[nodiscard]] TensorSet make_inputs(const Case& c);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// What a case on a bounded row stands on instead when its recipe was found; see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();
/// Of the fill `related`.
[[nodiscard]] std::optional<Relation> relation(const Case& c);
/// For providers whose order is their own, and for the specified kernel.
[[nodiscard]] std::vector<Hypothesis> library_hypotheses(const Case& c);
[[nodiscard]] std::vector<Hypothesis> specified_hypotheses(const Case& c);
/// The case as launches of the specified kernel.
[[nodiscard]] Plan specified_plan(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] TensorSet specified(const Case& c, const TensorSet& inputs,
                                  const models::Machine& machine);

[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
[[nodiscard]] std::span<const Axis> axes();

}  // namespace halfmark::suites::cross_entropy
