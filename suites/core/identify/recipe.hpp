// SPDX-License-Identifier: Apache-2.0
// The modelled tier of operators that are more than one sum: softmax, normalisations, losses,
// reductions, activations. A recipe names what a library computes: one answer to each question that
// the operator's formula leaves open (in which order is a sum, does it divide or multiply by a
// reciprocal, is exp taken through exp2, ...). Every step of a recipe is a correctly rounded fp32
// (or fp64) operation or function, so that a recipe determines bits.
//
// Decides the search for a recipe, in the same way for every suite: the device runs private cases
// of the case's own shape; recipes that miss one bit are eliminated; survivors are compared on data
// where they differ, which is found without the device; unusual data may tell them apart further;
// the first one left is confirmed on fresh data. Does not know the meaning of a recipe: a suite's
// Evaluation does.
//
// A name is the answers joined by dots, "fp32.sequential.exp.divide". Outputs that share
// no question form separate parts, each prefixed by its word and a colon and joined by
// "+": "dx:fp32.sequential.mul.factored+weights:fp32.pairwise.mul".
//
// A library may also be better than any recipe: `exact` is the name of a part whose every output is
// the exact value, rounded once. It is tried where the suite's Evaluation knows the exact values.
// Where recipes give the same bits on all data, which happens with narrow outputs, names that
// explain other cases of the library come first; in a library without such names, exactness does.
//
// Limit: a library whose exp, log, tanh, erf or reciprocal is not correctly rounded has no recipe
// here, however accurate it is within its bound, unless polynomial_fp32.hpp has its function or it
// is that of the device's own language (own-exp, own-log, own-rsqrt: own_functions.hpp), whose bits
// the device is asked for. The result says so, and its cases stay bounded.
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

/// A question, as its possible answers.
using Choice = std::vector<std::string>;

/// Outputs that are explained together.
struct RecipePart {
  std::string word;                  // empty if a suite has one part
  std::vector<std::string> outputs;  // tensors
  std::vector<Choice> choices;
};

/// An element of an output before its final rounding to the tensor's format.
struct RecipeElement {
  std::size_t output = 0;  // index into the part's `outputs`
  std::size_t index = 0;   // index in the stored tensor
  float value = 0;
};

/// An element of an output as the exact value, rounded once. Working precision decides the rounding
/// unless the value lies too close to a midpoint: then every encoding from `low` to `high` counts
/// as right, and `nearest`, where double rounds to, is the guess.
struct RoundedElement {
  std::size_t output = 0;  // as in RecipeElement
  std::size_t index = 0;
  formats::Bits nearest = 0, low = 0, high = 0;
};
inline constexpr std::string_view kExact = "exact";

/// The numbers and answers that determine all elements of a piece.
using PieceKey = std::array<std::uint32_t, 3>;

/// One part of a case, evaluated piece by piece (a row, for example), so that a mismatch
/// shows early.
class Evaluation {
 public:
  Evaluation() = default;
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  virtual ~Evaluation() = default;

  virtual void choose(std::span<const std::string> answers) = 0;
  [[nodiscard]] virtual std::size_t pieces() const = 0;
  virtual void evaluate(std::size_t piece, std::vector<RecipeElement>& into) = 0;
  /// Answers that give a piece the same key give it the same elements, and are evaluated once: most
  /// orders round a row's sum alike. Nothing if the key is not known before the evaluation.
  [[nodiscard]] virtual std::optional<PieceKey> key(std::size_t /*piece*/) { return std::nullopt; }

  /// Whether round_once() gives all elements of the part; it needs no answers.
  [[nodiscard]] virtual bool knows_exact() const { return false; }
  virtual void round_once(std::size_t /*piece*/, std::vector<RoundedElement>& /*into*/) {}
};

/// What a suite defines about its recipes.
struct RecipeSpace {
  const Suite& (*suite)();
  /// `functions` are those of the device; null: recipes have none of them.
  std::vector<RecipePart> (*parts)(const Case&, const OwnFunctions* functions);
  /// The inputs and functions must outlive the evaluation.
  std::unique_ptr<Evaluation> (*evaluation)(const Case&, const TensorSet& inputs, std::size_t part,
                                            OwnFunctions* functions);
  /// The axes that, with the provider, identify a library function; the other tokens, except the
  /// fill, are the shape.
  std::vector<std::string_view> function_axes;
  /// The fill of a case's probes: ordinary data, laid out like the case's own.
  std::string_view (*probe_fill)(const Case&) = [](const Case&) -> std::string_view {
    return "normal";
  };
  /// Fills of unusual data (signed zeros, NaN, subnormals) on which recipes differ that agree on
  /// ordinary data. They tell survivors apart, and never eliminate the last one: what a library
  /// does with such data is for its cases to judge.
  std::vector<std::string_view> (*revealing_fills)(const Case&) =
      [](const Case&) -> std::vector<std::string_view> { return {}; };
};

/// The answers to a question, as their suite lists them.
[[nodiscard]] inline Choice choice_of(std::span<const std::string_view> words) {
  return {words.begin(), words.end()};
}
[[nodiscard]] inline std::size_t place_in(std::span<const std::string_view> words,
                                          const std::string& word) {
  return static_cast<std::size_t>(std::ranges::find(words, word) - words.begin());
}

/// The members of Modelling for a space; `key` is empty for cases that are not on a bounded row.
[[nodiscard]] std::string recipe_key(const RecipeSpace& space, const Case& c);
[[nodiscard]] Identified identify_recipe(const RecipeSpace& space, Session& session, const Case& c,
                                         std::span<const Identified> known);
[[nodiscard]] Expectation refer_recipe(const RecipeSpace& space, const Case& c,
                                       const TensorSet& inputs, const Identified& found);

template <const RecipeSpace& (*kSpace)()>
[[nodiscard]] Modelling recipe_modelling(const ContractRow& row) {
  return {
      .row = &row,
      .key = [](const Case& c) { return recipe_key(kSpace(), c); },
      .identify =
          [](Session& session, const Case& c, std::span<const Identified> known) {
            return identify_recipe(kSpace(), session, c, known);
          },
      .refer = [](const Case& c, const TensorSet& inputs,
                  const Identified& found) { return refer_recipe(kSpace(), c, inputs, found); }};
}

/// What a modelled row promises for every operator with recipes.
inline constexpr std::string_view kRecipePromise =
    "every output is the one that the recipe found by probes gives, every step correctly rounded, "
    "bit for bit";
inline constexpr std::string_view kRecipeSource =
    "Halfmark, suites/core/identify/recipe.hpp: nobody specifies the steps; what was found stands "
    "in the "
    "scorecard's list of arithmetics";

}  // namespace halfmark::suites
