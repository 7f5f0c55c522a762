// SPDX-License-Identifier: Apache-2.0
// Hypotheses of suites that enclose what an implementation with an order of its own may give: each
// is the right model with one thing changed, and has intervals of its own. Decides nothing of a
// model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// What a model allows, and what stands in the middle of it.
struct Outcome {
  Enclosure enclosure;
  TensorSet middle;
};

/// `evaluate` gives an Outcome of (case, inputs); it is called once for both of the hypothesis's
/// functions.
template <typename Evaluate>
[[nodiscard]] Hypothesis enclosing(std::string name, std::string_view finding_class,
                                   std::string sentence, Evaluate evaluate) {
  const auto kept = std::make_shared<Enclosure>();  // enclose() follows evaluate()
  return {.name = std::move(name),
          .finding_class = std::string(finding_class),
          .sentence = std::move(sentence),
          .evaluate =
              [evaluate = std::move(evaluate), kept](const Case& c, const TensorSet& inputs) {
                Outcome outcome = evaluate(c, inputs);
                *kept = std::move(outcome.enclosure);
                return std::move(outcome.middle);
              },
          .freedoms = {},
          .enclose = [kept](const Case&, const TensorSet&) { return std::move(*kept); }};
}

/// Model: a value that Outcome evaluate_model(case, inputs, model) takes.
template <typename Model>
class Departures {
 public:
  explicit Departures(Model right = {}) : right_(std::move(right)) {}

  template <typename Change>
  void add(std::string name, std::string_view finding_class, std::string sentence, Change&& change,
           bool sporadic = false) {
    Model model = right_;
    change(model);
    list_.push_back(enclosing(std::move(name), finding_class, std::move(sentence),
                              [model](const Case& c, const TensorSet& inputs) {
                                return evaluate_model(c, inputs, model);
                              }));
    list_.back().sporadic = sporadic;
  }
  [[nodiscard]] std::vector<Hypothesis> take() && { return std::move(list_); }

 private:
  Model right_;
  std::vector<Hypothesis> list_;
};

}  // namespace halfmark::suites
