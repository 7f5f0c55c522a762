// SPDX-License-Identifier: Apache-2.0
// Recipes of softmax and log-softmax; modelled.cpp lists their steps.
#pragma once

#include <memory>
#include <vector>

#include "suites/core/identify/recipe.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {

/// What a forward recipe may choose from, after the width and the order of its sum.
[[nodiscard]] std::vector<Choice> forward_choices(const Binding& b, const OwnFunctions* functions);
[[nodiscard]] std::unique_ptr<Evaluation> forward_evaluation(const Case& c, const TensorSet& inputs,
                                                             OwnFunctions* functions);

}  // namespace halfmark::suites::softmax
