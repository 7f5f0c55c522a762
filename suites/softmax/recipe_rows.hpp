// SPDX-License-Identifier: Apache-2.0
// What the recipes of both directions share (modelled.cpp lists their steps): the rows of a tensor
// as floats, the place of each result, the kept sums, exponentials by the device.
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest even
// (fast::FloatingPointScope).
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/softmax/layout.hpp"

namespace halfmark::suites::softmax {

using Row = std::vector<float>;

/// Rows of a tensor of the case.
class RowSource {
 public:
  RowSource(const Binding& b, const formats::Tensor& tensor, const Layout& layout)
      : width_(b.width), tensor_(tensor), layout_(layout) {}
  [[nodiscard]] Row row(std::size_t r) const {
    Row values(width_);
    for (std::size_t i = 0; i < width_; ++i) {
      values[i] = static_cast<float>(value_of(*tensor_.format, tensor_.at(layout_.at(r, i))));
    }
    return values;
  }

 private:
  std::size_t width_;
  const formats::Tensor& tensor_;
  Layout layout_;
};

class RecipeRows : public Evaluation {
 public:
  RecipeRows(const Case& c, OwnFunctions* functions)
      : case_(c),
        functions_(functions),
        b_(bind(case_)),
        layout_(layout_of(b_)),
        results_(result_layout_of(b_)),
        totals_(b_.rows) {}
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }

 protected:
  void give(std::size_t row, std::size_t column, float value,
            std::vector<RecipeElement>& into) const {
    into.push_back({.output = 0, .index = results_.at(row, column), .value = value});
  }

  // All rows at once: each question takes a launch.
  [[nodiscard]] std::vector<Row> own_exp_of(std::vector<Row> rows) const {
    Row all;
    for (const Row& row : rows) all.insert(all.end(), row.begin(), row.end());
    const Row values = functions_->values("exp", all);
    auto next = values.begin();
    for (Row& row : rows) {
      for (float& v : row) v = *next++;
    }
    return rows;
  }

  Case case_;
  OwnFunctions* functions_;
  Binding b_;
  Layout layout_, results_;
  Summation sum_;
  KeptTotals totals_;
};

}  // namespace halfmark::suites::softmax
