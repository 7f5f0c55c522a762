// SPDX-License-Identifier: Apache-2.0
// Recipes of layer normalisation, root mean square normalisation and their gradients; every step is
// correctly rounded.
//
// clang-format off
//   statistics  width and order of the sums; a mean is a division, or a product with the rounded
//               1/n; the variance by two passes, squares rounded or fused, as E[x^2] - E[x]^2, or
//               with the mean by running updates (welford.hpp); rstd as rsqrt, as 1 over the
//               rounded square root, or as the device's own rsqrt
//   y           ((x - mean) rstd) gamma + beta, the last step fused or not, or x times rstd gamma
//               plus (beta - mean rstd gamma); without a mean x rstd gamma or x times rstd
//               gamma, each also plus a beta of zero, which turns -0 into 0
//   dx          sums of g = dy gamma and of g u, u = (x - mean) rstd, products rounded or fused;
//               rstd ((g - mean g) - u mean(g u)), the inner step fused or not,
//               rstd/n ((n g - sum g) - u sum(g u)), or
//               rstd (g - (sum g + u rstd sum(g (x - mean)))/n), the inner step fused
//   weights     over the rows: width and order of the sums of dy u and dy, products rounded or
//               fused
//   exact       y, mean and rstd, each the value of its formula rounded once (exact.hpp)
// clang-format on
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/layernorm/exact.hpp"
#include "suites/layernorm/model.hpp"
#include "suites/layernorm/suite.hpp"
#include "suites/layernorm/welford.hpp"

namespace halfmark::suites::layernorm {
namespace {

using Row = std::vector<float>;

constexpr std::string_view kMeans[] = {"divide", "reciprocal"};
constexpr std::string_view kVariances[] = {"two-pass", "two-pass-fma",       "moments",
                                           "welford",  "welford-reciprocal", "welford-fma"};
constexpr std::size_t kMoments = 2, kWelford = 3;
// Without a mean there are only sums of squares, which are fused or not; of numbers whose squares
// fp32 holds, both are the same.
std::size_t variances_without_mean(const formats::Format& f) {
  const bool holds_squares = 2 * f.precision() <= formats::kFp32.precision() &&
                             2 * f.min_place() >= formats::kFp32.min_place();
  return holds_squares ? 1 : 2;
}
constexpr std::string_view kRoots[] = {"rsqrt", "sqrt-divide", "own-rsqrt"};
constexpr std::size_t kRsqrt = 0, kOwnRsqrt = 2;
constexpr std::string_view kResults[] = {"plain", "fused", "folded"};
constexpr std::string_view kUncenteredResults[] = {"plain", "folded", "plain-shifted",
                                                   "folded-shifted"};
constexpr std::string_view kProducts[] = {"mul", "fma"};
constexpr std::string_view kGradients[] = {"plain", "fused", "scaled", "joint"};
constexpr std::size_t kScaled = 2, kJoint = 3;

std::span<const std::string_view> results_of(const Binding& b) {
  if (b.centered) return kResults;
  return kUncenteredResults;
}

Row numbers(const formats::Tensor& tensor) {
  Row values(tensor.count());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(value_of(*tensor.format, tensor.at(i)));
  return values;
}

// The call's weights, or their substitutes if the call has none.
Row weights(const Binding& b, const TensorSet& inputs, const std::string& name, float otherwise) {
  const auto found = inputs.find(name);
  return found == inputs.end() ? Row(b.width, otherwise) : numbers(found->second);
}

float mean_of(float sum, std::size_t count, bool divides) {
  const auto n = static_cast<float>(count);
  return divides ? sum / n : sum * (1.0F / n);
}

class Forward final : public Evaluation {
 public:
  Forward(const Case& c, const TensorSet& inputs, OwnFunctions* functions)
      : case_(c),
        functions_(functions),
        b_(bind(case_)),
        x_(numbers(inputs.at("x"))),
        gamma_(weights(b_, inputs, "gamma", 1)),
        beta_(weights(b_, inputs, "beta", 0)),
        statistics_(b_.rows) {}

  void choose(std::span<const std::string> answers) override {
    const auto statistics = answers.first(4);
    if (!std::ranges::equal(statistics, chosen_)) {
      chosen_.assign(statistics.begin(), statistics.end());
      sum_ = {.order = order_of(answers[1]), .wide = answers[0] == kWideWord};
      divides_ = answers[2] == kMeans[0];
      variance_ = place_in(kVariances, answers[3]);
      sum_.fused = variance_ == 1;
      std::ranges::fill(statistics_, std::nullopt);
    }
    root_ = place_in(kRoots, answers[4]);
    result_ = place_in(results_of(b_), answers[5]);
  }
  // For each row its mean, its rstd, and then y: the mean already reveals most wrong answers.
  [[nodiscard]] std::size_t pieces() const override { return kPieces * b_.rows; }

  void evaluate(std::size_t piece, std::vector<RecipeElement>& into) override {
    const std::size_t r = piece / kPieces;
    const auto x = row(r);
    const float mean = statistics_of(r).mean;
    if (piece % kPieces == 0) {
      if (b_.centered) into.push_back({.output = 2, .index = r, .value = mean});
      return;
    }
    const float rstd = rstd_of(r);
    if (piece % kPieces == 1) {
      into.push_back({.output = 1, .index = r, .value = rstd});
      return;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
      into.push_back(
          {.output = 0, .index = r * b_.width + i, .value = result(x[i], i, mean, rstd)});
  }
  // Caching the statistics saves nothing.
  [[nodiscard]] std::optional<PieceKey> key(std::size_t piece) override {
    if (piece % kPieces != 2) return std::nullopt;
    const std::size_t r = piece / kPieces;
    return PieceKey{std::bit_cast<std::uint32_t>(statistics_of(r).mean),
                    std::bit_cast<std::uint32_t>(rstd_of(r)), static_cast<std::uint32_t>(result_)};
  }

  [[nodiscard]] bool knows_exact() const override { return true; }
  void round_once(std::size_t piece, std::vector<RoundedElement>& into) override {
    const std::size_t r = piece / kPieces;
    const auto x = row(r);
    const ExactStatistics s(x, b_.centered, std::bit_cast<float>(b_.eps));
    if (piece % kPieces == 0) {
      if (b_.centered) into.push_back(rounded_once(formats::kFp32, {2, r}, {s.mean(), 0}));
    } else if (piece % kPieces == 1) {
      into.push_back(rounded_once(formats::kFp32, {1, r}, s.rstd()));
    } else {
      for (std::size_t i = 0; i < x.size(); ++i)
        into.push_back(rounded_once(*b_.format, {0, r * b_.width + i},
                                    s.result(x[i], gamma_[i], b_.centered ? beta_[i] : 0.0F)));
    }
  }

 private:
  struct Statistics {
    float mean = 0;
    std::optional<float> variance, own_rstd = {};
  };
  static constexpr std::size_t kPieces = 3;

  [[nodiscard]] std::span<const float> row(std::size_t r) const {
    return std::span<const float>(x_).subspan(r * pitch_of(b_), b_.width);
  }
  // Shared by the answers to later questions.
  [[nodiscard]] Statistics& statistics_of(std::size_t r) {
    if (!statistics_[r]) statistics_[r] = begun(row(r));
    return *statistics_[r];
  }
  [[nodiscard]] float rstd_of(std::size_t r) {
    const float raised = raised_of(r);
    if (root_ == kOwnRsqrt) return own_rsqrt_of(r);
    return root_ == kRsqrt ? rsqrt_of(raised) : 1.0F / std::sqrt(raised);
  }
  // Variance and epsilon.
  [[nodiscard]] float raised_of(std::size_t r) {
    Statistics& s = statistics_of(r);
    if (!s.variance) s.variance = variance(row(r), s.mean);
    return *s.variance + std::bit_cast<float>(b_.eps);
  }
  // Each question takes a launch: the longer a recipe holds, the more rows are asked for at once.
  [[nodiscard]] float own_rsqrt_of(std::size_t r) {
    std::optional<float>& rstd = statistics_of(r).own_rstd;
    if (!rstd) {
      const std::size_t end = std::min(b_.rows, 2 * r + 8);
      Row raised;
      for (std::size_t i = r; i < end; ++i) raised.push_back(raised_of(i));
      const Row values = functions_->values("rsqrt", raised);
      for (std::size_t i = r; i < end; ++i) statistics_of(i).own_rstd = values[i - r];
    }
    return *rstd;
  }

  [[nodiscard]] Statistics begun(std::span<const float> x) const {
    if (variance_ >= kWelford) {
      const Moments moments =
          moments_of(x, sum_.order, sum_.wide, static_cast<Update>(variance_ - kWelford));
      return {moments.mean, mean_of(moments.squares, b_.width, divides_)};
    }
    return {b_.centered ? mean_of(sum_.total(x), b_.width, divides_) : 0.0F, std::nullopt};
  }

  [[nodiscard]] float variance(std::span<const float> x, float mean) {
    if (variance_ == kMoments && b_.centered)
      return mean_of(sum_.dot(x, x), b_.width, divides_) - mean * mean;
    deviations_.assign(x.begin(), x.end());
    if (b_.centered) {
      for (float& v : deviations_) v -= mean;
    }
    return mean_of(sum_.dot(deviations_, deviations_), b_.width, divides_);
  }

  [[nodiscard]] float result(float x, std::size_t i, float mean, float rstd) const {
    const float gamma = gamma_[i];
    const float beta = beta_[i];
    if (!b_.centered) {
      const float product = result_ % 2 == 1 ? x * (rstd * gamma) : x * rstd * gamma;
      return result_ >= 2 ? product + 0.0F : product;
    }
    if (result_ == 0) return (x - mean) * rstd * gamma + beta;
    if (result_ == 1) return std::fma((x - mean) * rstd, gamma, beta);
    const float scale = rstd * gamma;
    return std::fma(x, scale, std::fma(-mean, scale, beta));
  }

  Case case_;
  OwnFunctions* functions_;
  Binding b_;
  Row x_, gamma_, beta_, deviations_;
  Summation sum_;
  bool divides_ = true;
  std::size_t variance_ = 0, root_ = 0, result_ = 0;
  std::vector<std::string> chosen_;                    // answers that determine the statistics
  std::vector<std::optional<Statistics>> statistics_;  // of each row
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
            .fused = answers[2] == kProducts[1]};
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
      : Tape(c, inputs), rstd_(numbers(inputs.at("rstd"))), g_(dy_), across_(b_.rows) {
    const Row gamma = weights(b_, inputs, "gamma", 1);
    for (std::size_t i = 0; i < g_.size(); ++i) g_[i] *= gamma[i % b_.width];
  }
  void choose(std::span<const std::string> answers) override {
    choose_sum(answers);
    across_.follow(answers.first(3));
    divides_ = answers[3] == kMeans[0];
    way_ = place_in(kGradients, answers[4]);
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }

  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const auto g = row_of(g_, r);
    const auto unit = row_of(units_, r);
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
  [[nodiscard]] float plain_of(std::size_t r) {
    return b_.centered ? plain_.of(r, [&] { return sum_.total(row_of(g_, r)); }) : 0.0F;
  }
  // Of `joint`, the deviations' sum takes part, times rstd.
  [[nodiscard]] float along_of(std::size_t r) {
    if (way_ == kJoint)
      return rstd_[r] *
             across_.of(r, [&] { return sum_.dot(row_of(g_, r), row_of(deviations_, r)); });
    return along_.of(r, [&] { return sum_.dot(row_of(g_, r), row_of(units_, r)); });
  }
  [[nodiscard]] float dx(float g, float unit, float plain, float along, float rstd) const {
    if (way_ == kJoint)
      return rstd * (g - mean_of(std::fma(unit, along, plain), b_.width, divides_));
    if (way_ == kScaled) {
      const auto n = static_cast<float>(b_.width);
      return mean_of(rstd, b_.width, divides_) * ((n * g - plain) - unit * along);
    }
    const float centered = g - mean_of(plain, b_.width, divides_);
    const float projected = mean_of(along, b_.width, divides_);
    return rstd * (way_ == 1 ? std::fma(-unit, projected, centered) : centered - unit * projected);
  }

  Row rstd_, g_;
  KeptTotals across_;  // sums of the products of g with the deviations
  bool divides_ = true;
  std::size_t way_ = 0;
};

class Weights final : public Tape {
 public:
  using Tape::Tape;
  void choose(std::span<const std::string> answers) override { choose_sum(answers); }
  [[nodiscard]] std::size_t pieces() const override { return b_.width; }

  void evaluate(std::size_t column, std::vector<RecipeElement>& into) override {
    dys_.resize(b_.rows);
    units_of_column_.resize(b_.rows);
    for (std::size_t r = 0; r < b_.rows; ++r) {
      dys_[r] = dy_[r * b_.width + column];
      units_of_column_[r] = units_[r * b_.width + column];
    }
    into.push_back({.output = 0, .index = column, .value = sum_.dot(dys_, units_of_column_)});
    if (!b_.has_beta()) return;
    const float sum = plain_.of(column, [&] { return sum_.total(dys_); });
    into.push_back({.output = 1, .index = column, .value = sum});
  }

 private:
  Row dys_, units_of_column_;
};

std::vector<RecipePart> parts(const Case& c, const OwnFunctions* functions) {
  const Binding b = bind(c);
  if (!b.backward) {
    RecipePart part{
        .word = {},
        .outputs = {"y", "rstd"},
        .choices = {width_words(), order_words(b.width), choice_of(kMeans), choice_of(kVariances),
                    choice_of(kRoots), choice_of(results_of(b))}};
    if (!are_offered(functions, "rsqrt")) part.choices[4].resize(kOwnRsqrt);
    if (b.centered) {
      part.outputs.emplace_back("mean");
    } else {
      part.choices[3].resize(variances_without_mean(*b.format));
    }
    return {part};
  }
  RecipePart weights{.word = "weights",
                     .outputs = {"dgamma"},
                     .choices = {width_words(), order_words(b.rows), choice_of(kProducts)}};
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
  if (!bind(c).backward) return std::make_unique<Forward>(c, inputs, functions);
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
  return {"small", "special"};
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
