// SPDX-License-Identifier: Apache-2.0
// A hypothesis about a black box: an arithmetic and its conversions, evaluated on the same
// questions that the box was asked. This file decides which hypotheses are worth trying, in which
// order, and what counts as agreement. It never calls a box.
#pragma once

#include <memory>
#include <string>

#include "reference/inference/subject.hpp"
#include "reference/inference/tree.hpp"

namespace halfmark::inference {

using models::Arithmetic;

struct Hypothesis {
  Arithmetic arithmetic;
  soft::Environment conversions;  // into the sum's format and out of it
  // A unit that is not in the table; `arithmetic` points to it.
  std::shared_ptr<const models::Unit> described = nullptr;
};

// A name that `models::parse_arithmetic` reads back, unless the unit is a described one; followed
// by a description of the conversions if they are not the usual ones.
[[nodiscard]] std::string print(const Hypothesis& hypothesis);

// The D that the hypothesis predicts. Units with block scales get scales of one.
[[nodiscard]] Tensor predict(const Hypothesis& hypothesis, const Question& question);

// How much of an answer a prediction explains. A NaN explains every NaN: which NaN encoding the box
// returns is a finding, not part of an arithmetic.
struct Agreement {
  std::size_t outputs = 0, equal_outputs = 0;
  std::size_t bits = 0, equal_bits = 0;

  [[nodiscard]] bool whole() const { return outputs == equal_outputs; }
  Agreement& operator+=(const Agreement& other);
};
[[nodiscard]] Agreement agreement(const Tensor& observed, const Tensor& predicted);

// Hypotheses in stages; each stage is tried only on boxes that no earlier one explains.
//   0  everything listed by name, every order of the grammar with this tree in every accumulator,
//      and every unit in every order whose partial sums are nodes of the tree
//   1  those orders with every rounding and subnormal policy of their steps
//   2  those orders and names with one more option, or with other conversions
//   3  fused sums of any block, width and rounding, described rather than named
// Within a stage, wider sums come first: of hypotheses that agree, no narrower one is named.
inline constexpr int kStages = 4;
// `tree` is null if it could not be measured; then the usual orders are tried.
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Subject& subject, const SumTree* tree,
                                                 int stage);

}  // namespace halfmark::inference
