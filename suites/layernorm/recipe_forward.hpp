// SPDX-License-Identifier: Apache-2.0
// The forward part of the recipes of layer and root mean square normalisation (modelled.cpp lists
// their steps), and what it shares with the gradients.
//
// Assumption: the thread's arithmetic is IEEE 754, rounded to nearest
// even (fast::FloatingPointScope).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/identify/recipe.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {

using Row = std::vector<float>;

inline constexpr std::string_view kMeans[] = {"divide", "reciprocal"};

[[nodiscard]] Row numbers(const formats::Tensor& tensor);
/// The call's weights, or their substitutes if the call has none.
[[nodiscard]] Row weights(const Binding& b, const TensorSet& inputs, const std::string& name,
                          float otherwise);
/// The quotient by `count`, or the product with its rounded reciprocal.
[[nodiscard]] float mean_of(float sum, std::size_t count, bool divides);

/// What a forward recipe may choose from, and the outputs that follow.
[[nodiscard]] RecipePart forward_part(const Binding& b, const OwnFunctions* functions);
[[nodiscard]] std::unique_ptr<Evaluation> forward_evaluation(const Case& c, const TensorSet& inputs,
                                                             OwnFunctions* functions);

}  // namespace halfmark::suites::layernorm
