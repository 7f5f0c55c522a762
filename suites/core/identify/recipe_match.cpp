// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/recipe_match.hpp"

#include <bit>
#include <optional>

#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;

bool same(const Format& f, Bits x, Bits y) {
  return x == y || (formats::is_nan(f, x) && formats::is_nan(f, y));
}

}  // namespace

Bits stored(const Format& f, float value) {
  if (f == formats::kFp32) return std::bit_cast<std::uint32_t>(value);
  return nearest(f, static_cast<double>(value));
}

HeldRecipe::HeldRecipe(Evaluation& evaluation, const RecipePart& part, const TensorSet& outputs)
    : evaluation_(evaluation), known_(evaluation.pieces()) {
  for (const std::string& name : part.outputs) tensors_.push_back(&outputs.at(name));
}

Share HeldRecipe::share_of(std::span<const std::string> answers) {
  evaluation_.choose(answers);
  Share share;
  for (std::size_t i = 0; share.whole && i < known_.size(); ++i) {
    const Share of_piece = shared(i);
    share = {share.elements + of_piece.elements, of_piece.whole};
  }
  return share;
}

Share HeldRecipe::shared(std::size_t piece) {
  const std::optional<PieceKey> key = evaluation_.key(piece);
  if (!key) return evaluated(piece);
  const auto found = known_[piece].find(*key);
  if (found != known_[piece].end()) return found->second;
  return known_[piece].emplace(*key, evaluated(piece)).first->second;
}

Share HeldRecipe::evaluated(std::size_t piece) {
  elements_.clear();
  evaluation_.evaluate(piece, elements_);
  Share share;
  for (const RecipeElement& e : elements_) {
    const formats::Tensor& tensor = *tensors_[e.output];
    if (!same(*tensor.format, stored(*tensor.format, e.value), tensor.at(e.index)))
      return {share.elements, false};
    ++share.elements;
  }
  return share;
}

}  // namespace halfmark::suites
