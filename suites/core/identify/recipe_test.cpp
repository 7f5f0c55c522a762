// SPDX-License-Identifier: Apache-2.0
// What is said of a part that no recipe gives: which one came nearest, and where it missed.
#include "suites/core/identify/recipe.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <utility>

#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kElements = 64;

// d = a + b of the device. Both recipes give it on the first probe; on every other, "early" misses
// the element after 3 and "late" the one after 9.
class Sums final : public Evaluation {
 public:
  Sums(const Case& c, const TensorSet& inputs) : inputs_(inputs), is_first_(c.seed % 256 == 0) {}
  void choose(std::span<const std::string> answers) override {
    wrong_ = answers[0] == "early" ? 3 : 9;
  }
  [[nodiscard]] std::size_t pieces() const override { return 1; }
  void evaluate(std::size_t /*piece*/, std::vector<RecipeElement>& into) override {
    for (std::size_t i = 0; i < kElements; ++i) {
      const bool is_wrong = !is_first_ && i == wrong_;
      into.push_back({.index = i, .value = is_wrong ? -1.0F : at("a", i) + at("b", i)});
    }
  }

 private:
  [[nodiscard]] float at(const char* name, std::size_t i) const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(inputs_.at(name).at(i)));
  }

  const TensorSet& inputs_;
  bool is_first_;
  std::size_t wrong_ = 0;
};

class Probed final : public AdditionProblem {
 public:
  using AdditionProblem::AdditionProblem;
  [[nodiscard]] std::size_t count() const override { return kElements; }
  const ContractRow& row(const backends::DeviceInfo&) const override {
    static constexpr ContractRow kRow{
        .id = "demo.bounded", .tier = Tier::kBounded, .promise = "a bound", .source = "test"};
    return kRow;
  }
};

const Suite& suite() {
  static const Suite kSuite = demo_suite<Probed>({});
  return kSuite;
}

RecipeSpace space_of(Choice recipes) {
  static Choice listed;
  listed = std::move(recipes);
  return {.suite = suite,
          .parts =
              [](const Case&, const OwnFunctions*) {
                return std::vector<RecipePart>{{.word = {}, .outputs = {"d"}, .choices = {listed}}};
              },
          .evaluation = [](const Case& c, const TensorSet& inputs, std::size_t, OwnFunctions*)
              -> std::unique_ptr<Evaluation> { return std::make_unique<Sums>(c, inputs); },
          .function_axes = {}};
}

std::string evidence_of(Choice recipes) {
  Session session(backends::Device::open("host"));
  const Case c{.suite = "demo", .tokens = {{"provider", "library"}}, .seed = 7};
  const Identified found = identify_recipe(space_of(std::move(recipes)), session, c, {});
  EXPECT_EQ(Identity::kUnexplained, found.identity);
  return found.evidence;
}

TEST(Recipes, ThatFallTogetherAreNamedByTheNearest) {
  EXPECT_EQ("no recipe gives d: the nearest, late, misses the element after 9",
            evidence_of({"early", "late"}));
}

TEST(Recipes, TheLastOneToFallIsTheNearest) {
  EXPECT_EQ("no recipe gives d: the nearest, early, misses the element after 3",
            evidence_of({"early"}));
}

}  // namespace
}  // namespace halfmark::suites
