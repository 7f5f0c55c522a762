// SPDX-License-Identifier: Apache-2.0
// Answers to a part's questions, and their place in a recipe's name (recipe.hpp): both directions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/identify/recipe.hpp"

namespace halfmark::suites {

using Answers = std::vector<std::string>;

/// "dx:fp32.sequential.mul.divide.plain"; without a word only what follows the colon.
[[nodiscard]] std::string name_of(const RecipePart& part, const Answers& answers);

/// The answers that a recipe's name gives for a part; none if it is not a name of one.
[[nodiscard]] std::optional<Answers> answers_in(std::string_view name, const RecipePart& part);

/// All combinations of answers; the last question's answer changes fastest.
[[nodiscard]] std::vector<Answers> all_answers(const RecipePart& part);

}  // namespace halfmark::suites
