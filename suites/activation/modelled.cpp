// SPDX-License-Identifier: Apache-2.0
// Recipes of GELU and its gradient: which fp32 steps evaluate the formula of Hendrycks and Gimpel,
// erf, tanh and exp correctly rounded or those of vector code (polynomial_fp32.hpp).
//
//   argument   of erf: x times the rounded sqrt(1/2), or x over the rounded sqrt(2); of tanh:
//              s (x + k x^3), with the sum rounded or fused, or s x (1 + k x^2), also either, s the
//              first or (`late`) the last factor
//   function   a suffix of the argument: `short-erf` with exp rounded or `exp-degree5`, which the
//              density shares; `tanh-degree6`
//   tail       x/2 (1 + f), or x/2 f + x/2 in one fused step
//   density    (the gradient, erf) x (p c), (x c) p or (x p) c, p = exp(-x^2/2); or (z c') p, z the
//              argument of erf and p = exp(-z^2)
//   sum        the gradient's last sum, rounded or fused; of erf also f/2 + (density + 1/2), fused;
//              of tanh also 1/2 (1 + f) (1 + (1 - f) g), every sum fused but the first
//
// `exact` is the value of the formula, rounded once (exact.hpp).
#include <algorithm>
#include <cmath>

#include "suites/activation/binding.hpp"
#include "suites/activation/exact.hpp"
#include "suites/activation/suite.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/polynomial_fp32.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_fp32.hpp"

namespace halfmark::suites::activation {
namespace {

constexpr std::string_view kErfArguments[] = {"product", "quotient", "product-short-erf",
                                              "product-short-erf-exp-degree5"};
constexpr std::string_view kTanhArguments[] = {"cube",
                                               "cube-fused",
                                               "square",
                                               "square-fused",
                                               "square-fused-late",
                                               "cube-tanh-degree6",
                                               "cube-fused-tanh-degree6",
                                               "square-tanh-degree6",
                                               "square-fused-tanh-degree6",
                                               "square-fused-late-tanh-degree6"};
constexpr std::size_t kFormsOfTanh = std::size(kTanhArguments) / 2;
constexpr std::string_view kTails[] = {"plain", "fused"};
constexpr std::string_view kDensities[] = {"density-first", "density-last", "power-first",
                                           "argument-first"};
constexpr std::string_view kErfSums[] = {"sum", "sum-fused", "halves-fused"};
constexpr std::string_view kTanhSums[] = {"sum", "sum-fused", "factors-fused"};

constexpr float kSlope = 0.79788456F;  // sqrt(2 / pi)
constexpr float kCubic = 0.044715F;
constexpr float kSqrtHalf = 0.70710678F;
constexpr float kSqrtTwo = 1.41421356F;
constexpr float kInverseSqrtTwoPi = 0.39894228F;
constexpr float kInverseSqrtPi = 0.56418958F;
constexpr float kThreeCubic = 0.134145F;  // not 3 kCubic, which is the number below

class Gelu final : public Evaluation {
 public:
  Gelu(const Case& c, const TensorSet& inputs) : case_(c), b_(bind(case_)) {
    x_ = numbers(inputs.at("x"));
    if (is_gradient()) dy_ = numbers(inputs.at("dy"));
  }

  void choose(std::span<const std::string> answers) override {
    argument_ =
        is_tanh() ? place_in(kTanhArguments, answers[0]) : place_in(kErfArguments, answers[0]);
    sum_ = !is_gradient() ? place_in(kTails, answers[1])
           : is_tanh()    ? place_in(kTanhSums, answers.back())
                          : place_in(kErfSums, answers.back());
    density_ = place_in(kDensities, answers[1]);
  }
  [[nodiscard]] std::size_t pieces() const override {
    return (x_.size() + kElements - 1) / kElements;
  }
  void evaluate(std::size_t piece, std::vector<RecipeElement>& into) override {
    const std::size_t end = std::min(x_.size(), (piece + 1) * kElements);
    for (std::size_t i = piece * kElements; i < end; ++i)
      into.push_back({.index = i, .value = value_at(i)});
  }
  [[nodiscard]] bool knows_exact() const override { return true; }
  void round_once(std::size_t piece, std::vector<RoundedElement>& into) override {
    const std::size_t end = std::min(x_.size(), (piece + 1) * kElements);
    for (std::size_t i = piece * kElements; i < end; ++i) into.push_back(rounded_once_at(i));
  }

 private:
  static constexpr std::size_t kElements = 64;

  static std::vector<float> numbers(const formats::Tensor& tensor) {
    std::vector<float> values(tensor.count());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(value_of(*tensor.format, tensor.at(i)));
    return values;
  }
  [[nodiscard]] bool is_tanh() const {
    return b_.row->operation == Operation::kGeluTanh ||
           b_.row->operation == Operation::kGeluTanhBackward;
  }
  [[nodiscard]] bool is_gradient() const { return !b_.row->second.empty(); }

  [[nodiscard]] float power(float x) const {
    return argument_ == 3 ? exp_of_degree5(x) : exp_of(x);
  }
  [[nodiscard]] float argument_of_erf(float x) const {
    return argument_ == 1 ? x / kSqrtTwo : x * kSqrtHalf;
  }
  [[nodiscard]] float argument_of_tanh(float x) const {
    switch (argument_ % kFormsOfTanh) {
      case 0:
        return kSlope * (x + kCubic * (x * x * x));
      case 1:
        return kSlope * std::fma(kCubic, x * x * x, x);
      case 2:
        return kSlope * x * (1 + kCubic * (x * x));
      case 3:
        return kSlope * x * std::fma(kCubic, x * x, 1.0F);
      default:
        return std::fma(kCubic, x * x, 1.0F) * x * kSlope;
    }
  }
  [[nodiscard]] float function(float x) const {
    if (is_tanh()) {
      const float z = argument_of_tanh(x);
      return argument_ < kFormsOfTanh ? tanh_of(z) : tanh_of_degree6(z);
    }
    const float z = argument_of_erf(x);
    return argument_ < 2 ? erf_of(z) : short_erf_of(z, power(-(z * z)));
  }

  [[nodiscard]] float value_at(std::size_t i) const {
    const float x = x_[i];
    const float f = function(x);
    if (is_gradient()) return dy_[i] * (is_tanh() ? of_tanh(x, f) : of_erf(x, f));
    const float half = 0.5F * x;
    return sum_ == 1 ? std::fma(half, f, half) : half * (1 + f);
  }

  [[nodiscard]] RoundedElement rounded_once_at(std::size_t i) const {
    const double dy = is_gradient() ? static_cast<double>(dy_[i]) : 1.0;
    const Approximation value = exact_activation(b_.row->operation, static_cast<double>(x_[i]), dy);
    return rounded_once(*b_.format, {.index = i}, value);
  }

  [[nodiscard]] float of_erf(float x, float f) const {
    const float z = argument_of_erf(x);
    const float p = density_ == 3 ? power(-(z * z)) : power(-0.5F * (x * x));
    switch (density_) {
      case 0:
        return sum_of_erf(x, p * kInverseSqrtTwoPi, f);
      case 1:
        return sum_of_erf(x * kInverseSqrtTwoPi, p, f);
      case 2:
        return sum_of_erf(x * p, kInverseSqrtTwoPi, f);
      default:
        return sum_of_erf(z * kInverseSqrtPi, p, f);
    }
  }
  [[nodiscard]] float sum_of_erf(float a, float b, float f) const {
    if (sum_ == 2) return std::fma(f, 0.5F, a * b + 0.5F);
    return sum(a, b, 0.5F * (1 + f));
  }
  [[nodiscard]] float of_tanh(float x, float t) const {
    if (sum_ == 2) {
      const float growth = std::fma(kThreeCubic, x * x, 1.0F) * (x * kSlope);
      return std::fma(1 + t, std::fma(-growth, t, growth), 1 + t) * 0.5F;
    }
    const float growth = x * (1 + 3 * kCubic * (x * x));
    return sum(0.5F * (1 - t * t), kSlope * growth, 0.5F * (1 + t));
  }
  [[nodiscard]] float sum(float a, float b, float c) const {
    return sum_ == 1 ? std::fma(a, b, c) : c + a * b;
  }

  Case case_;
  Binding b_;
  std::vector<float> x_, dy_;
  std::size_t argument_ = 0, density_ = 0;
  std::size_t sum_ = 0;  // or, of GELU itself, the tail
};

std::vector<RecipePart> parts(const Case& c, const OwnFunctions*) {
  const Operation operation = bind(c).row->operation;
  const bool tanh = operation == Operation::kGeluTanh || operation == Operation::kGeluTanhBackward;
  const bool gradient = !bind(c).row->second.empty();
  RecipePart part{.word = {}, .outputs = {std::string(bind(c).row->result)}, .choices = {}};
  part.choices.push_back(tanh ? choice_of(kTanhArguments) : choice_of(kErfArguments));
  if (gradient && !tanh) part.choices.push_back(choice_of(kDensities));
  part.choices.push_back(!gradient ? choice_of(kTails)
                         : tanh    ? choice_of(kTanhSums)
                                   : choice_of(kErfSums));
  return {part};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions*) {
  return std::make_unique<Gelu>(c, inputs);
}

const RecipeSpace& space() {
  static const RecipeSpace kSpace{
      .suite = suite,
      .parts = parts,
      .evaluation = evaluation,
      .function_axes = {"operation", "format"},
      .probe_fill = [](const Case&) -> std::string_view { return "routes"; }};
  return kSpace;
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling = recipe_modelling<space>(modelled_row());
  return kModelling;
}

}  // namespace halfmark::suites::activation
