// SPDX-License-Identifier: Apache-2.0
// Recipes of softmax, log-softmax and their gradients. The formulas are those of model.hpp; a
// recipe states how a library evaluates them, with every step correctly rounded:
//
// clang-format off
//   forward       a sum of exponentials (width and order); exp of x - max, or 2 to the product of
//                 the difference and log2 e, or that of x log2 e - max log2 e in one fused step, or
//                 a known polynomial (polynomial_fp32.hpp), or the device's own exp; a quotient, or
//                 a product with the rounded reciprocal, of exp or (`of-stored`) of exp as the
//                 result's format holds it
//   log-forward   the same sum; (x - max) - log(sum), or x - (max + log(sum)); log,
//                 log_of_degree5(), or the device's own log; x - max as it is, or as the result's
//                 format holds it
//   backward      the sum of y dy, products rounded or fused; y (dy - sum), or y dy - y sum, the
//                 last step fused or not
//   log-backward  the sum of dy; dy - exp(y) sum, fused or not; exp, exp_of_degree5(), or the
//                 device's own exp
//   exact         the value of the forward formulas, rounded once
// clang-format on
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>

#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/softmax/recipe_forward.hpp"
#include "suites/softmax/recipe_rows.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

constexpr std::string_view kProducts[] = {"mul", "fma"};
// Of log-backward: the last step, and exp if it is not correctly rounded.
constexpr std::string_view kLastSteps[] = {
    "mul", "fma", "mul-exp-degree5", "fma-exp-degree5", "mul-own-exp", "fma-own-exp"};
constexpr Exponential kPowers[] = {Exponential::kExp, Exponential::kDegree5, Exponential::kOwn};
constexpr std::size_t kWithoutOwn = 4;  // of the last steps
constexpr std::string_view kGradients[] = {"factored", "expanded", "expanded-fused"};

class Backward final : public RecipeRows {
 public:
  Backward(const Case& c, const TensorSet& inputs, OwnFunctions* functions)
      : RecipeRows(c, functions) {
    const RowSource y(b_, inputs.at("y"), layout_);
    const RowSource dy(b_, inputs.at("dy"), layout_);
    for (std::size_t r = 0; r < b_.rows; ++r) {
      values_.push_back(y.row(r));
      gradients_.push_back(dy.row(r));
    }
    if (!is_logarithm()) return;
    for (const Row& row : values_) {
      for (std::size_t way = 0; kPowers[way] != Exponential::kOwn; ++way) {
        powers_[way].emplace_back();
        for (const float v : row) powers_[way].back().push_back(power_of(kPowers[way], v, 0));
      }
    }
    if (are_offered(functions, "exp")) powers_.back() = own_exp_of(values_);
  }

  void choose(std::span<const std::string> answers) override {
    const std::size_t step = place_in(kLastSteps, answers[2]);
    const bool fused = step % 2 == 1;
    if (totals_.follow(answers.first(is_logarithm() ? 2 : 3))) {
      sum_ = {.order = order_of(answers[1]),
              .wide = answers[0] == kWideWord,
              .fused = !is_logarithm() && fused};
    }
    if (is_logarithm()) {
      fused_ = fused;
      power_ = step / 2;
    } else {
      gradient_ = place_in(kGradients, answers[3]);
    }
  }

  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const Row& y = values_[r];
    const Row& dy = gradients_[r];
    const float sum = sum_of(r);
    for (std::size_t i = 0; i < y.size(); ++i) {
      give(r, i,
           is_logarithm() ? of_logarithm(dy[i], powers_[power_][r][i], sum) : of(y[i], dy[i], sum),
           into);
    }
  }

  [[nodiscard]] std::optional<PieceKey> key(std::size_t r) override {
    return PieceKey{std::bit_cast<std::uint32_t>(sum_of(r)), static_cast<std::uint32_t>(gradient_),
                    static_cast<std::uint32_t>(2 * power_) + (fused_ ? 1U : 0U)};
  }

 private:
  [[nodiscard]] bool is_logarithm() const { return b_.operation == Operation::kLogBackward; }
  [[nodiscard]] float sum_of(std::size_t r) {
    return totals_.of(r, [&] {
      return is_logarithm() ? sum_.total(gradients_[r]) : sum_.dot(gradients_[r], values_[r]);
    });
  }

  [[nodiscard]] float of_logarithm(float dy, float power, float sum) const {
    return fused_ ? std::fma(-power, sum, dy) : dy - power * sum;
  }
  [[nodiscard]] float of(float y, float dy, float sum) const {
    if (gradient_ == 0) return y * (dy - sum);
    return gradient_ == 1 ? y * dy - y * sum : std::fma(-y, sum, y * dy);
  }

  std::vector<Row> values_, gradients_;
  std::array<std::vector<Row>, std::size(kPowers)> powers_;
  bool fused_ = false;
  std::size_t gradient_ = 0, power_ = 0;
};

std::vector<RecipePart> parts(const Case& c, const OwnFunctions* functions) {
  const Binding b = bind(c);
  RecipePart part{.word = {},
                  .outputs = {is_backward(b.operation) ? "dx" : "y"},
                  .choices = {width_words(), order_words(b.width)}};
  const auto add = [&](const std::vector<Choice>& choices) {
    part.choices.insert(part.choices.end(), choices.begin(), choices.end());
  };
  switch (b.operation) {
    case Operation::kForward:
    case Operation::kLogForward:
      add(forward_choices(b, functions));
      break;
    case Operation::kBackward:
      add({choice_of(kProducts), choice_of(kGradients)});
      break;
    case Operation::kLogBackward:
      add({choice_of(kLastSteps)});
      if (!are_offered(functions, "exp")) part.choices.back().resize(kWithoutOwn);
      break;
  }
  return {part};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions* functions) {
  if (is_backward(bind(c).operation)) return std::make_unique<Backward>(c, inputs, functions);
  return forward_evaluation(c, inputs, functions);
}

// Strides take another code path.
std::string_view probe_fill(const Case& c) {
  const std::string_view fill = c.word("fill");
  return fill == "padded" || fill == "columns" || fill == "uneven" ? fill : "normal";
}

const RecipeSpace& space() {
  static const RecipeSpace kSpace{.suite = suite,
                                  .parts = parts,
                                  .evaluation = evaluation,
                                  .function_axes = {"operation", "format", "output"},
                                  .probe_fill = probe_fill};
  return kSpace;
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling = recipe_modelling<space>(modelled_row());
  return kModelling;
}

}  // namespace halfmark::suites::softmax
