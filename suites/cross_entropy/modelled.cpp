// SPDX-License-Identifier: Apache-2.0
// Recipes of cross-entropy and its gradient; every step is correctly rounded.
//
// clang-format off
//   both      width and order of the sum of exponentials; how an exponential is computed
//   forward   log(sum) - (x - max), or (max + log(sum)) - x, at the label; reduced losses are added
//             in an order, a mean divided by the rows that count, or multiplied by the reciprocal
//   backward  p as a quotient, a product with the rounded reciprocal, or exp((x - max) - log(sum));
//             (p - [label]) dy, or p dy - [label] dy; a mean's dy / N, or its product with 1/N
//   exact     the losses, or their sum or mean, rounded once (forward only)
// clang-format on
#include <bit>
#include <cmath>
#include <limits>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/cross_entropy/binding.hpp"
#include "suites/cross_entropy/suite.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

using Row = std::vector<float>;

constexpr std::string_view kLossForms[] = {"difference", "sum"};
constexpr std::string_view kMeans[] = {"divide", "reciprocal"};
constexpr std::string_view kProbabilities[] = {"quotient", "product", "exp-of-log"};
constexpr std::string_view kGradients[] = {"factored", "expanded"};

// Shared by both directions.
class Rows : public Evaluation {
 public:
  Rows(const Case& c, const TensorSet& inputs)
      : case_(c),
        b_(bind(case_)),
        target_(inputs.at("target")),
        kept_(kExponentials.size()),
        totals_(b_.rows) {
    const formats::Tensor& x = inputs.at("x");
    rows_.resize(b_.rows);
    for (std::size_t i = 0; i < b_.count(); ++i)
      rows_[i / b_.width].push_back(static_cast<float>(value_of(*x.format, x.at(i))));
    for (auto& rows : kept_) rows.resize(b_.rows);
    for (const Row& row : rows_) {
      float most = -std::numeric_limits<float>::infinity();
      for (const float v : row) most = v > most ? v : most;
      largest_.push_back(most);
    }
    for (std::size_t r = 0; r < b_.rows; ++r) counted_ += label(r) == b_.ignored() ? 0U : 1U;
  }

 protected:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

  void choose_sum(std::span<const std::string> answers) {
    if (!totals_.follow(answers.first(3))) return;
    sum_ = {.order = order_of(answers[1]), .wide = answers[0] == kWideWord};
    exponential_ = static_cast<Exponential>(place_in(kExponentials, answers[2]));
  }
  // The sum of the exponentials.
  [[nodiscard]] float sum_of(std::size_t r) {
    return totals_.of(r, [&] { return sum_.total(powers_of(r)); });
  }
  [[nodiscard]] std::int64_t label(std::size_t r) const {
    const formats::Bits word = target_.at(r);
    return b_.wide_labels ? static_cast<std::int64_t>(word)
                          : static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
  }
  [[nodiscard]] bool is_class(std::int64_t label) const {
    return label >= 0 && label < static_cast<std::int64_t>(b_.width);
  }
  // Most of the time is spent here, so each is computed once.
  const Row& powers_of(std::size_t r) {
    Row& powers = kept_[static_cast<std::size_t>(exponential_)][r];
    if (powers.empty()) {
      for (const float x : rows_[r]) powers.push_back(power_of(exponential_, x, largest_[r]));
    }
    return powers;
  }
  [[nodiscard]] float per_counted(float x, bool divides) const {
    const auto n = static_cast<float>(counted_);
    return divides ? x / n : x * (1.0F / n);
  }

  Case case_;
  Binding b_;
  const formats::Tensor& target_;
  std::vector<Row> rows_;
  Row largest_;  // of each row
  std::vector<std::vector<Row>> kept_;
  std::size_t counted_ = 0;
  Summation sum_;
  KeptTotals totals_;
  Exponential exponential_ = Exponential::kExp;
};

class Forward final : public Rows {
 public:
  Forward(const Case& c, const TensorSet& inputs) : Rows(c, inputs), logarithms_(b_.rows) {}

  void choose(std::span<const std::string> answers) override {
    const std::vector<std::string> of_rows(answers.begin(), answers.begin() + 4);
    if (of_rows != chosen_) losses_.clear();
    chosen_ = of_rows;
    choose_sum(answers);
    logarithms_.follow(answers.first(3));
    from_difference_ = answers[3] == kLossForms[0];
    if (b_.reduction == Reduction::kNone) return;
    total_ = {.order = order_of(answers[4])};
    divides_ = answers.back() == kMeans[0];
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.losses(); }

  void evaluate(std::size_t piece, std::vector<RecipeElement>& into) override {
    if (b_.reduction == Reduction::kNone) {
      into.push_back({.index = piece, .value = loss(piece)});
      return;
    }
    for (std::size_t r = losses_.size(); r < b_.rows; ++r) losses_.push_back(loss(r));
    const float sum = total_.total(losses_);
    into.push_back({.value = b_.reduction == Reduction::kMean ? per_counted(sum, divides_) : sum});
  }

  [[nodiscard]] std::optional<PieceKey> key(std::size_t piece) override {
    if (b_.reduction != Reduction::kNone) return std::nullopt;
    return PieceKey{std::bit_cast<std::uint32_t>(sum_of(piece)), from_difference_ ? 1U : 0U};
  }

  [[nodiscard]] bool knows_exact() const override { return true; }
  void round_once(std::size_t piece, std::vector<RoundedElement>& into) override {
    const bool is_single = b_.reduction == Reduction::kNone;
    TwofoldSum sum;
    double radius = 0;
    for (std::size_t r = is_single ? piece : 0; r < (is_single ? piece + 1 : b_.rows); ++r) {
      const double loss = exact_loss(r);
      sum.add(loss);
      // The logarithm of a sum next to 1 is uncertain: double loses the small terms.
      radius += label(r) == b_.ignored() ? 0 : kWorkingError * std::abs(loss) + 0x1p-50;
    }
    const double count = b_.reduction == Reduction::kMean ? static_cast<double>(counted_) : 1;
    into.push_back(
        rounded_once(*b_.output, {.index = piece}, {sum.value() / count, radius / count}));
  }

 private:
  [[nodiscard]] double exact_loss(std::size_t r) const {
    const std::int64_t at = label(r);
    if (at == b_.ignored()) return 0;
    if (!is_class(at)) return static_cast<double>(kNan);
    const auto largest = static_cast<double>(largest_[r]);
    TwofoldSum sum;
    for (const float x : rows_[r]) sum.add(std::exp(static_cast<double>(x) - largest));
    const auto x = static_cast<double>(rows_[r][static_cast<std::size_t>(at)]);
    return std::log(sum.value()) - (x - largest);
  }

  [[nodiscard]] float loss(std::size_t r) {
    const std::int64_t at = label(r);
    if (at == b_.ignored()) return 0;
    if (!is_class(at)) return kNan;
    const float log_sum = logarithms_.of(r, [&] { return log_of(sum_of(r)); });
    const float x = rows_[r][static_cast<std::size_t>(at)];
    return from_difference_ ? log_sum - (x - largest_[r]) : (largest_[r] + log_sum) - x;
  }

  KeptTotals logarithms_;
  Row losses_;  // under the answers `chosen_`
  std::vector<std::string> chosen_;
  Summation total_;
  bool from_difference_ = true, divides_ = true;
};

class Backward final : public Rows {
 public:
  Backward(const Case& c, const TensorSet& inputs) : Rows(c, inputs), dy_(inputs.at("dy")) {}

  void choose(std::span<const std::string> answers) override {
    choose_sum(answers);
    probability_ = place_in(kProbabilities, answers[3]);
    factored_ = answers[4] == kGradients[0];
    divides_ = answers.back() == kMeans[0];
  }
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }
  [[nodiscard]] std::optional<PieceKey> key(std::size_t r) override {
    return PieceKey{std::bit_cast<std::uint32_t>(sum_of(r)),
                    static_cast<std::uint32_t>(exponential_),
                    static_cast<std::uint32_t>(probability_ * 4) + (factored_ ? 2U : 0U) +
                        (divides_ ? 1U : 0U)};
  }

  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const std::int64_t at = label(r);
    const bool counts = at != b_.ignored();
    const bool known = is_class(at);
    const Row p = counts && known ? probabilities(r) : Row(b_.width, known ? 0.0F : kNan);
    const float dy = upstream(r);
    for (std::size_t i = 0; i < b_.width; ++i) {
      const bool labelled = static_cast<std::int64_t>(i) == at;
      into.push_back({.index = r * b_.width + i, .value = counts ? dx(p[i], labelled, dy) : 0.0F});
    }
  }

 private:
  [[nodiscard]] float upstream(std::size_t r) const {
    const std::size_t place = b_.reduction == Reduction::kNone ? r : 0;
    const auto dy = static_cast<float>(value_of(*dy_.format, dy_.at(place)));
    return b_.reduction == Reduction::kMean ? per_counted(dy, divides_) : dy;
  }
  [[nodiscard]] float dx(float p, bool labelled, float dy) const {
    if (!labelled) return p * dy;
    return factored_ ? (p - 1.0F) * dy : p * dy - dy;
  }
  [[nodiscard]] Row probabilities(std::size_t r) {
    Row p = powers_of(r);
    const float sum = sum_of(r);
    const float reciprocal = 1.0F / sum;
    const float log_sum = probability_ == 2 ? log_of(sum) : 0.0F;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (probability_ == 0) p[i] /= sum;
      if (probability_ == 1) p[i] *= reciprocal;
      if (probability_ == 2) p[i] = exp_of((rows_[r][i] - largest_[r]) - log_sum);
    }
    return p;
  }

  const formats::Tensor& dy_;
  std::size_t probability_ = 0;
  bool factored_ = true, divides_ = true;
};

// The orders in which thread blocks add losses.
Choice loss_orders() {
  return {"sequential",          "reversed",           "pairwise",
          "strided-32-halves",   "strided-64-halves",  "strided-128-halves",
          "strided-256-halves",  "strided-512-halves", "strided-1024-halves",
          "strided-8-sequential"};
}

std::vector<RecipePart> parts(const Case& c, const OwnFunctions*) {
  const Binding b = bind(c);
  RecipePart part{.word = {},
                  .outputs = {b.backward ? "dx" : "y"},
                  .choices = {width_words(), order_words(b.width), choice_of(kExponentials)}};
  if (b.backward) {
    part.choices.insert(part.choices.end(), {choice_of(kProbabilities), choice_of(kGradients)});
  } else {
    part.choices.push_back(choice_of(kLossForms));
    if (b.reduction != Reduction::kNone) part.choices.push_back(loss_orders());
  }
  if (b.reduction == Reduction::kMean) part.choices.push_back(choice_of(kMeans));
  return {part};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions*) {
  if (bind(c).backward) return std::make_unique<Backward>(c, inputs);
  return std::make_unique<Forward>(c, inputs);
}

const RecipeSpace& space() {
  static const RecipeSpace kSpace{
      .suite = suite,
      .parts = parts,
      .evaluation = evaluation,
      .function_axes = {"operation", "format", "output", "labels", "reduction"}};
  return kSpace;
}

}  // namespace

const Modelling& modelling() {
  static const Modelling kModelling = recipe_modelling<space>(modelled_row());
  return kModelling;
}

}  // namespace halfmark::suites::cross_entropy
