// SPDX-License-Identifier: Apache-2.0
// A recipe's part, held against outputs: how far answers explain them. Decides only what is
// evaluated again: nothing that has a key (recipe.hpp) which was seen before.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "suites/core/identify/recipe.hpp"

namespace halfmark::suites {

/// An element as its tensor keeps it.
[[nodiscard]] formats::Bits stored(const formats::Format& f, float value);

/// Elements that answers explain, up to the first that they do not.
struct Share {
  std::size_t elements = 0;
  bool whole = true;

  [[nodiscard]] bool operator==(const Share&) const = default;
};

/// The evaluation and the outputs outlive it.
class HeldRecipe {
 public:
  HeldRecipe(Evaluation& evaluation, const RecipePart& part, const TensorSet& outputs);

  [[nodiscard]] Share share_of(std::span<const std::string> answers);

 private:
  [[nodiscard]] Share shared(std::size_t piece);
  [[nodiscard]] Share evaluated(std::size_t piece);

  Evaluation& evaluation_;
  std::vector<std::map<PieceKey, Share>> known_;  // of each piece
  std::vector<const formats::Tensor*> tensors_;
  std::vector<RecipeElement> elements_;
};

}  // namespace halfmark::suites
