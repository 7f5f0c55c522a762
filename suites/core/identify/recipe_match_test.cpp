// SPDX-License-Identifier: Apache-2.0
// Shares count elements up to the first wrong one; pieces with the same key are evaluated once,
// whatever the answers, and pieces without a key each time.
#include "suites/core/identify/recipe_match.hpp"

#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

// Two pieces of two elements: 1 and 2, then 3 and 4. The answer "wrong" makes the last one wrong;
// the other question changes nothing.
class Counted final : public Evaluation {
 public:
  explicit Counted(bool has_keys) : has_keys_(has_keys) {}
  void choose(std::span<const std::string> answers) override { errs_ = answers[0] == "wrong"; }
  [[nodiscard]] std::size_t pieces() const override { return 2; }
  void evaluate(std::size_t piece, std::vector<RecipeElement>& into) override {
    ++evaluated;
    for (const std::size_t i : {2 * piece, 2 * piece + 1})
      into.push_back({.index = i, .value = static_cast<float>(errs_ && i == 3 ? 9 : i + 1)});
  }
  [[nodiscard]] std::optional<PieceKey> key(std::size_t /*piece*/) override {
    if (!has_keys_) return std::nullopt;
    return PieceKey{errs_ ? 1U : 0U};
  }

  int evaluated = 0;

 private:
  bool has_keys_, errs_ = false;
};

TEST(HeldRecipe, EvaluatesEachKeyOnce) {
  const RecipePart part{.word = {}, .outputs = {"y"}, .choices = {}};
  formats::Tensor y = formats::Tensor::zeros(formats::kFp16, 4);
  for (std::size_t i = 0; i < 4; ++i) y.set(i, stored(formats::kFp16, static_cast<float>(i + 1)));
  const TensorSet outputs{{"y", y}};
  for (const bool has_keys : {false, true}) {
    Counted evaluation(has_keys);
    HeldRecipe held(evaluation, part, outputs);
    using Answers = std::vector<std::string>;
    EXPECT_EQ((Share{4, true}), held.share_of(Answers{"right", "a"}));
    EXPECT_EQ((Share{3, false}), held.share_of(Answers{"wrong", "a"}));
    EXPECT_EQ((Share{4, true}), held.share_of(Answers{"right", "b"}));
    EXPECT_EQ((Share{3, false}), held.share_of(Answers{"wrong", "b"}));
    EXPECT_EQ(has_keys ? 4 : 8, evaluation.evaluated);
  }
}

}  // namespace
}  // namespace halfmark::suites
