// SPDX-License-Identifier: Apache-2.0
// Recipes of layer normalisation, root mean square normalisation and their gradients; every step is
// correctly rounded.
//
// clang-format off
//   statistics  width and order of the sums; a mean is a division, or a product with the rounded
//               1/n or with the device's own; the variance by two passes, squares rounded or
//               fused, as E[x^2] - E[x]^2, with the mean by running updates, by two passes within
//               each wave of threads, whose moments are merged, or by weighted moments, of which
//               each lane may keep its own for the elements that it normalises (welford.hpp); rstd
//               as rsqrt, as 1 over the rounded
//               square root, or as the device's own rsqrt, of the variance plus epsilon or of both
//               fused, as a compiler contracts it
//   y           ((x - mean) rstd) gamma + beta, the last step fused or not, or x times rstd gamma
//               plus (beta - mean rstd gamma); without a mean x rstd gamma or x times rstd
//               gamma, each also plus a beta of zero, which turns -0 into 0
//   dx          sums of g = dy gamma and of g u, u = (x - mean) rstd, products rounded or fused;
//               rstd ((g - mean g) - u mean(g u)), the inner step fused or not,
//               rstd/n ((n g - sum g) - u sum(g u)),
//               rstd (g - (sum g + u rstd sum(g (x - mean)))/n), the inner step fused,
//               rstd (g - (u mean(g u) + mean g)), either product fused (Transformer Engine's), or
//               g rstd - (sum(g rstd) + (x - mean) sum(g (x - mean) rstd^3))/n, by way of the
//               gradient of the variance, whose terms are rounded once, and either outer product
//               fused
//   weights     over the rows: width and order of the sums of dy u and dy, products rounded or
//               fused, or of (dy (x - mean)) rstd, the last product fused
//   exact       y, mean and rstd, each the value of its formula rounded once (exact.hpp)
// clang-format on
#include <algorithm>
#include <bit>
#include <cmath>

#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/layernorm/model.hpp"
#include "suites/layernorm/recipe_forward.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

constexpr std::string_view kProducts[] = {"mul", "fma"};
constexpr std::string_view kWeightProducts[] = {"mul", "fma", "fma-rstd"};
constexpr std::string_view kGradients[] = {
    "plain", "fused", "scaled", "joint", "added", "added-mean", "by-variance", "by-variance-mean"};
enum Gradients : std::size_t {
  kPlain,
  kFused,
  kScaled,
  kJoint,
  kAdded,
  kAddedMean,
  kByVariance,
  kByVarianceMean
};

// Shared by both parts of the gradients.
class Tape : public Evaluation {
 public:
  Tape(const Case& c, const TensorSet& inputs)
      : case_(c),
        b_(bind(case_)),
        dy_(numbers(inputs.at("dy"))),
        deviations_(numbers(inputs.at("x"))),
        units_(deviations_),
        plain_(std::max(b_.rows, b_.width)),
        along_(plain_) {
    const Row rstd = numbers(inputs.at("rstd"));
    const Row mean = b_.centered ? numbers(inputs.at("mean")) : Row(b_.rows, 0.0F);
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const std::size_t r = i / b_.width;
      if (b_.centered) deviations_[i] -= mean[r];
      units_[i] = deviations_[i] * rstd[r];
    }
  }

 protected:
  void choose_sum(std::span<const std::string> answers) {
    if (!along_.follow(answers.first(3))) return;
    plain_.follow(answers.first(2));
    sum_ = {.order = order_of(answers[1]),
            .wide = answers[0] == kWideWord,
            .fused = answers[2] != kProducts[0]};
  }

  Case case_;
  Binding b_;
  Row dy_, deviations_, units_;
  Summation sum_;
  KeptTotals plain_, along_;  // sums of dy or g, and of their products with the units
};

class Gradient final : public Tape {
 public:
  Gradient(const Case& c, const TensorSet& inputs)
      : Tape(c, inputs),
        rstd_(numbers(inputs.at("rstd"))),
        g_(dy_),
        across_(b_.rows),
        scaled_(b_.rows),
        of_variance_(b_.rows) {
    const Row gamma = weights(b_, inputs, "gamma", 1);
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] *= gamma[i % b_.width];
  }
  void choose(std::span<const std::string> answers) override {
    choose_sum(answers);
    across_.follow(answers.first(3));
    scaled_.follow(answers.first(3));
    of_variance_.follow(answers.first(2));
    divides_ = answers[3] == kMeans[0];
    way_ = place_in(kGradients, answers[4]);
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }

  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const auto g = row_of(g_, r);
    const auto unit = row_of(is_by_variance() ? deviations_ : units_, r);
    const float plain = plain_of(r);
    const float along = along_of(r);
    for (std::size_t i = 0; i < g.size(); ++i)
      into.push_back(
          {.index = r * b_.width + i, .value = dx(g[i], unit[i], plain, along, rstd_[r])});
  }
  [[nodiscard]] std::optional<PieceKey> key(std::size_t r) override {
    return PieceKey{std::bit_cast<std::uint32_t>(plain_of(r)),
                    std::bit_cast<std::uint32_t>(along_of(r)),
                    static_cast<std::uint32_t>(2 * way_) + (divides_ ? 1U : 0U)};
  }

 private:
  [[nodiscard]] std::span<const float> row_of(const Row& values, std::size_t r) const {
    return std::span<const float>(values).subspan(r * b_.width, b_.width);
  }
  [[nodiscard]] bool is_by_variance() const { return way_ >= kByVariance; }
  [[nodiscard]] float plain_of(std::size_t r) {
    if (!b_.centered) return 0;
    if (is_by_variance())
      return scaled_.of(r, [&] { return sum_.dot(row_of(g_, r), Row(b_.width, rstd_[r])); });
    return plain_.of(r, [&] { return sum_.total(row_of(g_, r)); });
  }
  // The gradient of the variance, times -2. In fp64 the cube is as good as exact.
  [[nodiscard]] float gradient_of_variance(std::size_t r) const {
    const auto g = row_of(g_, r);
    const auto deviation = row_of(deviations_, r);
    const double rstd = rstd_[r];
    const double cube = rstd * rstd * rstd;
    Row terms(b_.width);
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = static_cast<float>(static_cast<double>(g[i] * deviation[i]) * cube);
    return sum_.total(terms);
  }
  // Of `joint`, the deviations' sum takes part, times rstd.
  [[nodiscard]] float along_of(std::size_t r) {
    if (is_by_variance()) return of_variance_.of(r, [&] { return gradient_of_variance(r); });
    if (way_ == kJoint)
      return rstd_[r] *
             across_.of(r, [&] { return sum_.dot(row_of(g_, r), row_of(deviations_, r)); });
    return along_.of(r, [&] { return sum_.dot(row_of(g_, r), row_of(units_, r)); });
  }
  // `unit` is the deviation if the way is by the variance.
  [[nodiscard]] float dx(float g, float unit, float plain, float along, float rstd) const {
    const auto n = static_cast<float>(b_.width);
    const auto mean = [&](float sum) { return mean_of(sum, b_.width, divides_); };
    switch (way_) {
      case kFused:
        return rstd * std::fma(-unit, mean(along), g - mean(plain));
      case kScaled:
        return mean(rstd) * ((n * g - plain) - unit * along);
      case kJoint:
        return rstd * (g - mean(std::fma(unit, along, plain)));
      case kAdded:
        return rstd * (g - std::fma(unit, mean(along), mean(plain)));
      case kAddedMean:
        return rstd * (g - std::fma(plain, 1 / n, unit * mean(along)));
      case kByVariance:
        return std::fma(g, rstd, -mean(std::fma(unit, along, plain)));
      case kByVarianceMean:
        return std::fma(-std::fma(unit, along, plain), 1 / n, g * rstd);
      default:
        return rstd * ((g - mean(plain)) - unit * mean(along));
    }
  }

  Row rstd_, g_;
  KeptTotals across_;                // sums of the products of g with the deviations
  KeptTotals scaled_, of_variance_;  // sums of g rstd, and the variance's gradients
  bool divides_ = true;
  std::size_t way_ = 0;
};

class Weights final : public Tape {
 public:
  Weights(const Case& c, const TensorSet& inputs)
      : Tape(c, inputs), rstd_(numbers(inputs.at("rstd"))) {}
  void choose(std::span<const std::string> answers) override {
    choose_sum(answers);
    is_rstd_last_ = answers[2] == kWeightProducts[2];
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.width; }

  void evaluate(std::size_t column, std::vector<RecipeElement>& into) override {
    dys_.resize(b_.rows);
    factors_.resize(b_.rows);
    for (std::size_t r = 0; r < b_.rows; ++r) {
      const std::size_t at = r * b_.width + column;
      dys_[r] = dy_[at];
      factors_[r] = is_rstd_last_ ? dy_[at] * deviations_[at] : units_[at];
    }
    into.push_back(
        {.output = 0, .index = column, .value = sum_.dot(factors_, is_rstd_last_ ? rstd_ : dys_)});
    if (!b_.has_beta()) return;
    const float sum = plain_.of(column, [&] { return sum_.total(dys_); });
    into.push_back({.output = 1, .index = column, .value = sum});
  }

 private:
  Row rstd_, dys_, factors_;
  bool is_rstd_last_ = false;
};

std::vector<RecipePart> parts(const Case& c, const OwnFunctions* functions) {
  const Binding b = bind(c);
  if (!b.backward) return {forward_part(b, functions)};
  RecipePart weights{.word = "weights",
                     .outputs = {"dgamma"},
                     .choices = {width_words(), order_words(b.rows), choice_of(kWeightProducts)}};
  if (b.has_beta()) weights.outputs.emplace_back("dbeta");
  std::vector<RecipePart> all{
      {.word = "dx",
       .outputs = {"dx"},
       .choices = {width_words(), order_words(b.width), choice_of(kProducts), choice_of(kMeans),
                   choice_of(kGradients)}}};
  if (b.has_gamma()) all.push_back(std::move(weights));
  return all;
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t part,
                                       OwnFunctions* functions) {
  if (!bind(c).backward) return forward_evaluation(c, inputs, functions);
  if (part == 0) return std::make_unique<Gradient>(c, inputs);
  return std::make_unique<Weights>(c, inputs);
}

// Strides, axes and calls without weights take other code paths.
std::string_view probe_fill(const Case& c) {
  constexpr std::string_view kRoutes[] = {"padded", "axes3", "bare", "unshifted"};
  const std::string_view fill = c.word("fill");
  return std::ranges::count(kRoutes, fill) > 0 ? fill : "normal";
}

std::vector<std::string_view> revealing_fills(const Case& c) {
  if (probe_fill(c) != "normal") return {};
  if (bind(c).backward) return {"small", "special"};
  return {"small", "special", "constant"};
}

const RecipeSpace& space() {
  static const RecipeSpace kSpace{.suite = suite,
                                  .parts = parts,
                                  .evaluation = evaluation,
                                  .function_axes = {"operation", "format"},
                                  .probe_fill = probe_fill,
                                  .revealing_fills = revealing_fills};
  return kSpace;
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling = recipe_modelling<space>(modelled_row());
  return kModelling;
}

}  // namespace halfmark::suites::layernorm
