// SPDX-License-Identifier: Apache-2.0
// Recipes of the mean squared error and its gradient. The error: the width and the order of the sum
// of squares, squares rounded or fused, a division or a product with the rounded reciprocal. The
// `exact` error is the exact sum of squares, divided, rounded once. The
// gradient 2/N (x - x2) dy: in which order the factors are multiplied.
#include <bit>
#include <cmath>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/loss/binding.hpp"
#include "suites/loss/suite.hpp"

namespace halfmark::suites::loss {
namespace {

constexpr std::string_view kSquares[] = {"mul", "fma"};
constexpr std::string_view kMeans[] = {"divide", "reciprocal"};
constexpr std::string_view kFactors[] = {"factor-first", "factor-last", "upstream-first"};

float number(const formats::Tensor& tensor, std::size_t i) {
  return static_cast<float>(value_of(*tensor.format, tensor.at(i)));
}

class Losses : public Evaluation {
 public:
  Losses(const Case& c, const TensorSet& inputs) : case_(c), b_(bind(case_)) {
    for (std::size_t i = 0; i < b_.count(); ++i)
      differences_.push_back(number(inputs.at("x"), i) - number(inputs.at("x2"), i));
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }

 protected:
  [[nodiscard]] std::span<const float> row(std::size_t r) const {
    return std::span(differences_).subspan(r * b_.width, b_.width);
  }

  Case case_;
  Binding b_;

 private:
  std::vector<float> differences_;
};

class Error final : public Losses {
 public:
  Error(const Case& c, const TensorSet& inputs)
      : Losses(c, inputs), x_(inputs.at("x")), x2_(inputs.at("x2")) {}
  void choose(std::span<const std::string> answers) override {
    sum_ = {.order = order_of(answers[1]),
            .wide = answers[0] == kWideWord,
            .fused = answers[2] == kSquares[1]};
    divides_ = answers[3] == kMeans[0];
  }
  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const float sum = sum_.dot(row(r), row(r));
    const auto count = static_cast<float>(b_.width);
    into.push_back({.index = r, .value = divides_ ? sum / count : sum * (1.0F / count)});
  }
  [[nodiscard]] bool knows_exact() const override { return true; }
  void round_once(std::size_t r, std::vector<RoundedElement>& into) override {
    models::ExactSum sum;
    for (std::size_t i = r * b_.width; i < (r + 1) * b_.width; ++i) add_square(sum, i);
    into.push_back(rounded_once(*b_.output, {.index = r}, sum, b_.width));
  }

 private:
  // (a - b)^2 = a^2 - 2ab + b^2
  void add_square(models::ExactSum& sum, std::size_t i) const {
    const formats::Format& f = *x_.format;
    const formats::Bits a = x_.at(i);
    const formats::Bits b = x2_.at(i);
    sum.add_product(f, a, f, a);
    sum.add_product(f, b, f, b);
    for (int twice = 0; twice < 2; ++twice) sum.add_product(f, a, f, b ^ f.sign_mask());
  }

  const formats::Tensor& x_;
  const formats::Tensor& x2_;
  Summation sum_;
  bool divides_ = true;
};

class Gradient final : public Losses {
 public:
  Gradient(const Case& c, const TensorSet& inputs)
      : Losses(c, inputs),
        upstream_(number(inputs.at("dy"), 0)),
        factor_(std::ldexp(1.0F, 1 - b_.exponent)) {}
  void choose(std::span<const std::string> answers) override {
    way_ = place_in(kFactors, answers[0]);
  }
  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    std::size_t index = r * b_.width;
    for (const float d : row(r)) {
      const float value = way_ == 0   ? factor_ * d * upstream_
                          : way_ == 1 ? d * upstream_ * factor_
                                      : factor_ * upstream_ * d;
      into.push_back({.index = index++, .value = value});
    }
  }

 private:
  float upstream_, factor_;
  std::size_t way_ = 0;
};

bool is_gradient(const Case& c) { return bind(c).operation == Operation::kMseBackward; }

std::vector<RecipePart> parts(const Case& c, const OwnFunctions*) {
  if (is_gradient(c)) return {{.word = {}, .outputs = {"dx"}, .choices = {choice_of(kFactors)}}};
  return {{.word = {},
           .outputs = {"y"},
           .choices = {width_words(), order_words(bind(c).width), choice_of(kSquares),
                       choice_of(kMeans)}}};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions*) {
  if (is_gradient(c)) return std::make_unique<Gradient>(c, inputs);
  return std::make_unique<Error>(c, inputs);
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

}  // namespace halfmark::suites::loss
