// SPDX-License-Identifier: Apache-2.0
// The modelled tier of operators that are more than one sum: softmax, normalisations, losses,
// reductions, activations. What a library computes is named by a recipe: one answer to each
// question that the operator's formula leaves open (in which order is a sum, does it divide or
// multiply by a reciprocal, is exp taken through exp2, ...). Every step of a recipe is an fp32 (or
// fp64) operation or a function, rounded correctly, so that a recipe gives bits.
//
// Decides how a recipe is looked for, for every suite alike: the device is asked private cases of
// the case's own shape; recipes that miss one bit are gone; survivors are set against each other on
// data where they differ, found without asking; the first left is confirmed on fresh data. Does not
// know what a recipe means: a suite's Evaluation does.
//
// A name is the answers joined by dots, "fp32.sequential.exp.divide"; outputs that share no
// question are parts, each with its word and a colon before it, joined by "+":
// "dx:fp32.sequential.mul.factored+weights:fp32.pairwise.mul".
//
// What this cannot see: a library whose exp, log or reciprocal is not correctly rounded has no
// recipe here, however right it is within its bound. That is told, and its cases stay bounded.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// A question, by its possible answers.
using Choice = std::vector<std::string>;

/// Outputs that are explained together.
struct RecipePart {
  std::string word;                  // empty where a suite has one part
  std::vector<std::string> outputs;  // tensors
  std::vector<Choice> choices;
};

/// An element of an output before its one rounding to the tensor's format.
struct RecipeElement {
  std::size_t output = 0;  // of the part's list
  std::size_t index = 0;   // in the stored tensor
  float value = 0;
};

/// Numbers, and answers, that all elements of a piece follow from.
using PieceKey = std::array<std::uint32_t, 3>;

/// One part of a case, evaluated piece by piece (a row, say), so that what is wrong is seen early.
class Evaluation {
 public:
  Evaluation() = default;
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  virtual ~Evaluation() = default;

  virtual void choose(std::span<const std::string> answers) = 0;
  [[nodiscard]] virtual std::size_t pieces() const = 0;
  virtual void evaluate(std::size_t piece, std::vector<RecipeElement>& into) = 0;
  /// Answers under which a piece has one key give it the same elements: most orders round a row's
  /// sum alike, and are evaluated together. None where nothing is known before all is.
  [[nodiscard]] virtual std::optional<PieceKey> key(std::size_t /*piece*/) { return std::nullopt; }
};

/// What a suite says of its recipes.
struct RecipeBook {
  const Suite& (*suite)();
  std::vector<RecipePart> (*parts)(const Case&);
  /// The inputs outlive it.
  std::unique_ptr<Evaluation> (*evaluation)(const Case&, const TensorSet& inputs, std::size_t part);
  /// The axes that, with the provider's, tell one library function from another; the rest of the
  /// tokens but the fill is the shape.
  std::vector<std::string_view> function_axes;
  /// The fill of the probes of a case: ordinary data, laid out as the case's own.
  std::string_view (*probe_fill)(const Case&) = [](const Case&) -> std::string_view {
    return "normal";
  };
};

/// Words of a question, as their suite lists them.
[[nodiscard]] inline Choice choice_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}
[[nodiscard]] inline std::size_t place_in(std::span<const std::string_view> words,
                                          const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

/// The members of Modelling for a book; `key` is empty for cases that are not on a bounded row.
[[nodiscard]] std::string recipe_key(const RecipeBook& book, const Case& c);
[[nodiscard]] Identified identify_recipe(const RecipeBook& book, Session& session, const Case& c,
                                         std::span<const Identified> known);
[[nodiscard]] TensorSet refer_recipe(const RecipeBook& book, const Case& c, const TensorSet& inputs,
                                     const Identified& found);

template <const RecipeBook& (*kBook)()>
[[nodiscard]] Modelling recipe_modelling(const ContractRow& row) {
  return {.row = &row,
          .key = [](const Case& c) { return recipe_key(kBook(), c); },
          .identify =
              [](Session& session, const Case& c, std::span<const Identified> known) {
                return identify_recipe(kBook(), session, c, known);
              },
          .refer = [](const Case& c, const TensorSet& inputs,
                      const Identified& found) { return refer_recipe(kBook(), c, inputs, found); }};
}

/// What such a row promises, whatever the operator.
inline constexpr std::string_view kRecipePromise =
    "every output is the one that the recipe found by probes gives, every step correctly rounded, "
    "bit for bit";
inline constexpr std::string_view kRecipeSource =
    "Halfmark, suites/core/identify/recipe.hpp: nobody specifies the steps; what was found stands "
    "in the "
    "scorecard's list of arithmetics";

}  // namespace halfmark::suites
