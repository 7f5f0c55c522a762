// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/recipe_forward.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/layernorm/exact.hpp"
#include "suites/layernorm/model.hpp"
#include "suites/layernorm/welford.hpp"

namespace halfmark::suites::layernorm {
namespace {

constexpr std::string_view kVariances[] = {"two-pass", "two-pass-fma",       "moments",
                                           "welford",  "welford-reciprocal", "welford-fma",
                                           "waves",    "weighted-lanes",     "weighted"};
constexpr std::size_t kFusedSquares = 1, kMoments = 2, kWelford = 3, kWaves = 6, kWeightedLanes = 7,
                      kWeighted = 8;
// Without a mean there are only sums of squares, which are fused or not; of numbers whose squares
// fp32 holds, both are the same.
std::size_t variances_without_mean(const formats::Format& f) {
  const bool holds_squares = 2 * f.precision() <= formats::kFp32.precision() &&
                             2 * f.min_place() >= formats::kFp32.min_place();
  return holds_squares ? 1 : 2;
}
constexpr std::string_view kRoots[] = {"rsqrt", "sqrt-divide", "own-rsqrt", "own-rsqrt-fused"};
constexpr std::size_t kRsqrt = 0, kOwnRsqrt = 2, kOwnRsqrtFused = 3;
constexpr std::string_view kResults[] = {"plain", "fused", "folded"};
constexpr std::string_view kUncenteredResults[] = {"plain", "folded", "plain-shifted",
                                                   "folded-shifted"};

constexpr std::string_view kForwardMeans[] = {"divide", "reciprocal", "own-reciprocal"};
constexpr std::size_t kDivided = 0, kOwnReciprocal = 2;

std::span<const std::string_view> results_of(const Binding& b) {
  if (b.centered) return kResults;
  return kUncenteredResults;
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
        statistics_(b_.rows),
        reciprocals_(b_.width + 1) {}

  void choose(std::span<const std::string> answers) override {
    const auto statistics = answers.first(4);
    if (!std::ranges::equal(statistics, chosen_)) {
      chosen_.assign(statistics.begin(), statistics.end());
      sum_ = {.order = order_of(answers[1]), .wide = answers[0] == kWideWord};
      follow_mean(answers[2]);
      variance_ = place_in(kVariances, answers[3]);
      sum_.fused = variance_ == kFusedSquares || variance_ == kWaves;
      std::ranges::fill(statistics_, std::nullopt);
    }
    const std::size_t root = place_in(kRoots, answers[4]);
    if (root != root_) {
      for (std::optional<Statistics>& s : statistics_)
        if (s) s->own_rstds.clear();
    }
    root_ = root;
    result_ = place_in(results_of(b_), answers[5]);
  }
  // For each row its mean, its rstd, and then y: the mean already reveals most wrong answers.
  [[nodiscard]] std::size_t pieces() const override { return kPieces * b_.rows; }

  void evaluate(std::size_t piece, std::vector<RecipeElement>& into) override {
    const std::size_t r = piece / kPieces;
    if (piece % kPieces == 0) {
      if (b_.centered) into.push_back({.output = 2, .index = r, .value = mean_of(r, 0)});
      return;
    }
    if (piece % kPieces == 1) {
      into.push_back({.output = 1, .index = r, .value = rstd_of(r, 0)});
      return;
    }
    const auto x = row(r);
    const std::size_t lanes = statistics_of(r).lanes.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t lane = lanes == 1 ? 0 : i / std::max(sum_.order.run, 1U) % lanes;
      into.push_back({.output = 0,
                      .index = r * b_.width + i,
                      .value = result(x[i], i, mean_of(r, lane), rstd_of(r, lane))});
    }
  }
  // Caching the statistics saves nothing.
  [[nodiscard]] std::optional<PieceKey> key(std::size_t piece) override {
    if (piece % kPieces != 2) return std::nullopt;
    const std::size_t r = piece / kPieces;
    if (statistics_of(r).lanes.size() > 1) return std::nullopt;
    return PieceKey{std::bit_cast<std::uint32_t>(mean_of(r, 0)),
                    std::bit_cast<std::uint32_t>(rstd_of(r, 0)),
                    static_cast<std::uint32_t>(result_)};
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
  // Of a lane that normalises its elements with a mean of its own; usually there is one.
  struct Lane {
    float mean = 0;
    std::optional<float> squares = {};  // the sum of squared deviations; of moments the variance
  };
  struct Statistics {
    std::vector<Lane> lanes;
    std::vector<float> own_rstds = {};
  };
  static constexpr std::size_t kPieces = 3;

  [[nodiscard]] std::span<const float> row(std::size_t r) const {
    return std::span<const float>(x_).subspan(r * pitch_of(b_), b_.width);
  }
  // Shared by the answers to later questions.
  [[nodiscard]] Statistics& statistics_of(std::size_t r) {
    if (!statistics_[r]) statistics_[r] = Statistics{.lanes = begun(row(r))};
    return *statistics_[r];
  }
  [[nodiscard]] float mean_of(std::size_t r, std::size_t lane) {
    return statistics_of(r).lanes[lane].mean;
  }
  [[nodiscard]] float rstd_of(std::size_t r, std::size_t lane) {
    if (root_ >= kOwnRsqrt) return own_rsqrt_of(r, lane);
    const float raised = raised_of(r, lane);
    return root_ == kRsqrt ? rsqrt_of(raised) : 1.0F / std::sqrt(raised);
  }
  // Variance and epsilon.
  [[nodiscard]] float raised_of(std::size_t r, std::size_t lane) {
    const auto eps = std::bit_cast<float>(b_.eps);
    Lane& s = statistics_of(r).lanes[lane];
    if (!s.squares) s.squares = squares(row(r), s.mean);
    if (variance_ == kMoments && b_.centered) return *s.squares + eps;
    if (root_ == kOwnRsqrtFused) return std::fma(*s.squares, reciprocal_of(b_.width), eps);
    return mean_of(*s.squares) + eps;
  }
  // Each question takes a launch: the longer a recipe holds, the more rows are asked for at once.
  [[nodiscard]] float own_rsqrt_of(std::size_t r, std::size_t lane) {
    if (statistics_of(r).own_rstds.empty()) {
      const std::size_t end = std::min(b_.rows, 2 * r + 8);
      Row raised;
      for (std::size_t i = r; i < end; ++i) {
        for (std::size_t k = 0; k < statistics_of(i).lanes.size(); ++k)
          raised.push_back(raised_of(i, k));
      }
      const Row values = functions_->values("rsqrt", raised);
      std::size_t place = 0;
      for (std::size_t i = r; i < end; ++i) {
        Statistics& s = statistics_of(i);
        s.own_rstds.assign(s.lanes.size(), 0);
        for (float& rstd : s.own_rstds) rstd = values[place++];
      }
    }
    return statistics_of(r).own_rstds[lane];
  }

  void follow_mean(const std::string& answer) {
    if (mean_ == place_in(kForwardMeans, answer)) return;
    mean_ = place_in(kForwardMeans, answer);
    Row counts(b_.width + 1, 1);
    for (std::size_t n = 1; n <= b_.width; ++n) counts[n] = static_cast<float>(n);
    Row rounded = counts;
    for (float& r : rounded) r = 1.0F / r;
    reciprocals_ = mean_ == kOwnReciprocal ? functions_->values("fast-recip", counts) : rounded;
    own_differ_ = {.of_row = reciprocals_.back() != rounded.back(),
                   .of_any = reciprocals_ != rounded};
  }
  // Whether the answers name an arithmetic that has no other name.
  [[nodiscard]] bool is_named_so() const {
    const bool is_weighted = variance_ >= kWeightedLanes;
    if (is_weighted && sum_.wide) return false;
    if (variance_ == kWeightedLanes && !has_lanes(sum_.order)) return false;
    return mean_ != kOwnReciprocal || (is_weighted ? own_differ_.of_any : own_differ_.of_row);
  }
  [[nodiscard]] float reciprocal_of(std::size_t count) const { return reciprocals_[count]; }
  // Of a sum over a row.
  [[nodiscard]] float mean_of(float sum) const {
    if (mean_ == kOwnReciprocal) return sum * reciprocal_of(b_.width);
    return layernorm::mean_of(sum, b_.width, mean_ == kDivided);
  }

  [[nodiscard]] std::vector<Lane> begun(std::span<const float> x) const {
    if (!is_named_so()) return {{.mean = std::numeric_limits<float>::quiet_NaN(), .squares = 0}};
    std::vector<Moments> moments;
    if (variance_ >= kWeightedLanes) {
      const bool divides = mean_ == kDivided;
      moments =
          weighted_moments_of(x, sum_.order, divides ? std::span<const float>() : reciprocals_);
      if (variance_ == kWeighted) moments.resize(1);
    } else if (variance_ == kWaves) {
      moments = {moments_of_waves(x, sum_, mean_ == kDivided)};
    } else if (variance_ >= kWelford) {
      moments = {moments_of(x, sum_.order, sum_.wide, static_cast<Update>(variance_ - kWelford))};
    } else {
      return {{.mean = b_.centered ? mean_of(sum_.total(x)) : 0.0F}};
    }
    std::vector<Lane> lanes;
    for (const Moments& m : moments) lanes.push_back({m.mean, m.squares});
    return lanes;
  }

  [[nodiscard]] float squares(std::span<const float> x, float mean) {
    if (variance_ == kMoments && b_.centered) return mean_of(sum_.dot(x, x)) - mean * mean;
    deviations_.assign(x.begin(), x.end());
    if (b_.centered) {
      for (float& v : deviations_) v -= mean;
    }
    return sum_.dot(deviations_, deviations_);
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
  struct {
    bool of_row = false, of_any = false;
  } own_differ_;  // the device's own reciprocals, from the rounded ones
  std::size_t mean_ = std::size(kForwardMeans), variance_ = 0, root_ = 0, result_ = 0;
  std::vector<std::string> chosen_;                    // answers that determine the statistics
  std::vector<std::optional<Statistics>> statistics_;  // of each row
  Row reciprocals_;                                    // of each count of elements
};

}  // namespace

Row numbers(const formats::Tensor& tensor) {
  Row values(tensor.count());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(value_of(*tensor.format, tensor.at(i)));
  return values;
}

Row weights(const Binding& b, const TensorSet& inputs, const std::string& name, float otherwise) {
  const auto found = inputs.find(name);
  return found == inputs.end() ? Row(b.width, otherwise) : numbers(found->second);
}

float mean_of(float sum, std::size_t count, bool divides) {
  const auto n = static_cast<float>(count);
  return divides ? sum / n : sum * (1.0F / n);
}

RecipePart forward_part(const Binding& b, const OwnFunctions* functions) {
  RecipePart part{.word = {},
                  .outputs = {"y", "rstd"},
                  .choices = {width_words(), order_words(b.width), choice_of(kForwardMeans),
                              choice_of(kVariances), choice_of(kRoots), choice_of(results_of(b))}};
  if (!are_offered(functions, "rsqrt")) part.choices[4].resize(kOwnRsqrt);
  if (!are_offered(functions, "fast-recip")) part.choices[2].resize(kOwnReciprocal);
  if (b.centered) {
    part.outputs.emplace_back("mean");
  } else {
    part.choices[3].resize(variances_without_mean(*b.format));
  }
  return part;
}

std::unique_ptr<Evaluation> forward_evaluation(const Case& c, const TensorSet& inputs,
                                               OwnFunctions* functions) {
  return std::make_unique<Forward>(c, inputs, functions);
}

}  // namespace halfmark::suites::layernorm
