// SPDX-License-Identifier: Apache-2.0
// A table of mistakes as changes to the correct model of an operator: each row has a name, a
// finding class, a sentence and the change. Decides how such rows become hypotheses; knows
// no model.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The formats that values are rounded to by mistake; kernels are tried with the first alone.
[[nodiscard]] inline std::vector<const formats::Format*> narrow_formats(bool portable) {
  if (portable) return {&formats::kFp16};
  return {&formats::kFp16, &formats::kBf16};
}

/// The members of a `Model` say how the operator is computed. Argument-dependent lookup must
/// find `evaluate_model(const Case&, const TensorSet& inputs, const Model&)`, which returns
/// an Expectation.
template <typename Model>
class Mistakes {
 public:
  explicit Mistakes(Model right = {}) : right_(std::move(right)) {}

  /// `change` takes a Model& and turns the correct model into the mistaken one.
  template <typename Change>
  void add(std::string name, FindingClassName finding_class, std::string sentence, Change&& change,
           bool sporadic = false) {
    auto model = std::make_shared<Model>(right_);
    change(*model);
    list_.push_back({.name = std::move(name),
                     .finding_class = finding_class,
                     .sentence = std::move(sentence),
                     .evaluate =
                         [model = std::move(model)](const Case& c, const TensorSet& inputs) {
                           return evaluate_model(c, inputs, *model);
                         },
                     .sporadic = sporadic});
  }
  /// The freedoms that the row takes which was added last.
  void takes(std::vector<std::string> freedoms) { list_.back().freedoms = std::move(freedoms); }
  /// It is tried only if no other row is exact: it explains what plainer ones do, and more.
  void yields() { list_.back().tier = 1; }
  /// Weaker rows that it includes.
  void implies(std::vector<std::string> names) { list_.back().implies = std::move(names); }
  /// A value that is rounded to each of some formats, whose names end those of the mistakes and
  /// their sentences.
  template <typename Holder>
  void add_in(const std::vector<const formats::Format*>& formats, std::string_view name,
              FindingClassName finding_class, std::string_view sentence,
              const formats::Format* Holder::* member) {
    for (const formats::Format* format : formats) {
      add(fmt::format("{}-in-{}", name, format->name), finding_class,
          fmt::format("{} {}", sentence, format->name), [=](Model& m) { m.*member = format; });
    }
  }
  [[nodiscard]] std::vector<Hypothesis> take() && { return std::move(list_); }

 private:
  Model right_;
  std::vector<Hypothesis> list_;
};

/// A row of a table of mistakes: `change` turns the correct model into the mistaken one.
template <typename Model>
struct MistakeRow {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  void (*change)(Model&);
};

/// The mistakes of a table. `evaluate(const Case&, const TensorSet& inputs, const Model&)` returns
/// an Expectation.
template <typename Model, std::size_t rows, typename Evaluate>
[[nodiscard]] std::vector<Hypothesis> mistakes_of(const MistakeRow<Model> (&table)[rows],
                                                  Evaluate evaluate) {
  std::vector<Hypothesis> list;
  for (const MistakeRow<Model>& row : table) {
    Model model;
    row.change(model);
    list.push_back({.name = std::string(row.name),
                    .finding_class = row.finding_class,
                    .sentence = std::string(row.sentence),
                    .evaluate = [evaluate, model](const Case& c, const TensorSet& inputs) {
                      return evaluate(c, inputs, model);
                    }});
  }
  return list;
}

}  // namespace halfmark::suites
