// SPDX-License-Identifier: Apache-2.0
// Recipes of sums and means: the width and the order of the sum; a mean is divided by the number of
// elements or multiplied by its rounded reciprocal. `exact` is the exact sum, divided by the number
// of elements, rounded once.
#include <bit>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/reduction/binding.hpp"
#include "suites/reduction/suite.hpp"

namespace halfmark::suites::reduction {
namespace {

constexpr std::string_view kMeans[] = {"divide", "reciprocal"};

class Sums final : public Evaluation {
 public:
  Sums(const Case& c, const TensorSet& inputs) : case_(c), b_(bind(case_)) {
    const formats::Tensor& x = inputs.at("x");
    for (std::size_t row = 0; row < b_.rows; ++row) {
      for (std::size_t i = 0; i < b_.width; ++i) {
        const std::size_t at = row * b_.row_step + i * b_.element_step;
        x_.push_back(static_cast<float>(value_of(*x.format, x.at(at))));
      }
    }
  }

  void choose(std::span<const std::string> answers) override {
    sum_ = {.order = order_of(answers[1]), .wide = answers[0] == kWideWord};
    divides_ = answers.back() == kMeans[0];
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }
  void evaluate(std::size_t row, std::vector<RecipeElement>& into) override {
    const float sum = sum_.total(std::span(x_).subspan(row * b_.width, b_.width));
    const auto count = static_cast<float>(b_.width);
    const float mean = divides_ ? sum / count : sum * (1.0F / count);
    into.push_back({.index = row, .value = b_.operation == Operation::kMean ? mean : sum});
  }

  [[nodiscard]] bool knows_exact() const override { return b_.operation != Operation::kMax; }
  void round_once(std::size_t row, std::vector<RoundedElement>& into) override {
    models::ExactSum sum;
    for (const float x : std::span(x_).subspan(row * b_.width, b_.width))
      sum.add(formats::kFp32, std::bit_cast<std::uint32_t>(x));
    const RoundedElement place{.index = row};
    into.push_back(b_.operation == Operation::kMean ? rounded_once(*b_.output, place, sum, b_.width)
                                                    : rounded_once(*b_.output, place, sum));
  }

 private:
  Case case_;
  Binding b_;
  std::vector<float> x_;
  Summation sum_;
  bool divides_ = true;
};

std::vector<RecipePart> parts(const Case& c, const OwnFunctions*) {
  const Binding b = bind(c);
  RecipePart part{.word = {}, .outputs = {"y"}, .choices = {width_words(), order_words(b.width)}};
  if (b.operation == Operation::kMean) part.choices.push_back(choice_of(kMeans));
  return {part};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions*) {
  return std::make_unique<Sums>(c, inputs);
}

const RecipeSpace& space() {
  static const RecipeSpace kSpace{.suite = suite,
                                  .parts = parts,
                                  .evaluation = evaluation,
                                  .function_axes = {"operation", "format", "output"}};
  return kSpace;
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling = recipe_modelling<space>(modelled_row());
  return kModelling;
}

}  // namespace halfmark::suites::reduction
