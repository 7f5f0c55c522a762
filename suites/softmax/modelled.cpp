// SPDX-License-Identifier: Apache-2.0
// Recipes of softmax, log-softmax and their gradients. The formulas are those of model.hpp; a
// recipe states how a library evaluates them, with every step correctly rounded:
//
// clang-format off
//   forward       a sum of exponentials (width and order); exp of x - max, or 2 to the product of
//                 the difference and log2 e, or that of x log2 e - max log2 e in one fused step, or
//                 a known polynomial (polynomial_fp32.hpp), or the device's own exp; a quotient, or a product with the rounded
//                 reciprocal, of exp or (`of-stored`) of exp as the result's format holds it
//   log-forward   the same sum; (x - max) - log(sum), or x - (max + log(sum)); log,
//                 log_of_degree5(), or the device's own log; x - max as it is, or as the result's format holds it
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
#include <limits>
#include <span>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/core/identify/recipe_match.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/core/identify/summation_orders.hpp"
#include "suites/softmax/layout.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

using Row = std::vector<float>;

// The step that gives the result. `second_way`: by the reciprocal; less the sum of maximum and
// logarithm. `of_stored`: exp or x - max was kept in the result's format, but not for the sum.
struct LastStep {
  std::string_view word;
  bool second_way = false;
  bool log_of_degree5 = false;
  bool of_stored = false;
  bool own_log = false;
};
constexpr LastStep kQuotients[] = {
    {.word = "divide"},
    {.word = "reciprocal", .second_way = true},
    {.word = "divide-of-stored", .of_stored = true},
    {.word = "reciprocal-of-stored", .second_way = true, .of_stored = true},
};
constexpr LastStep kLogarithms[] = {
    {.word = "difference"},
    {.word = "sum", .second_way = true},
    {.word = "difference-log-degree5", .log_of_degree5 = true},
    {.word = "sum-log-degree5", .second_way = true, .log_of_degree5 = true},
    {.word = "difference-of-stored", .of_stored = true},
    {.word = "difference-of-stored-log-degree5", .log_of_degree5 = true, .of_stored = true},
    {.word = "difference-own-log", .own_log = true},
    {.word = "sum-own-log", .second_way = true, .own_log = true},
    {.word = "difference-of-stored-own-log", .of_stored = true, .own_log = true},
};
constexpr std::string_view kProducts[] = {"mul", "fma"};
// Of log-backward: the last step, and exp if it is not correctly rounded.
constexpr std::string_view kLastSteps[] = {
    "mul", "fma", "mul-exp-degree5", "fma-exp-degree5", "mul-own-exp", "fma-own-exp"};
constexpr Exponential kPowers[] = {Exponential::kExp, Exponential::kDegree5, Exponential::kOwn};
constexpr std::size_t kWithoutOwn = 4;  // of the last steps
constexpr std::string_view kGradients[] = {"factored", "expanded", "expanded-fused"};

// Rows of a tensor of the case.
class Source {
 public:
  Source(const Binding& b, const formats::Tensor& tensor, const Layout& layout)
      : width_(b.width), tensor_(tensor), layout_(layout) {}
  [[nodiscard]] Row row(std::size_t r) const {
    Row values(width_);
    for (std::size_t i = 0; i < width_; ++i) {
      values[i] = static_cast<float>(value_of(*tensor_.format, tensor_.at(layout_.at(r, i))));
    }
    return values;
  }

 private:
  std::size_t width_;
  const formats::Tensor& tensor_;
  Layout layout_;
};

class Rows : public Evaluation {
 public:
  Rows(const Case& c, OwnFunctions* functions)
      : case_(c),
        functions_(functions),
        b_(bind(case_)),
        layout_(layout_of(b_)),
        results_(result_layout_of(b_)),
        totals_(b_.rows) {}
  [[nodiscard]] std::size_t pieces() const override { return b_.rows; }

 protected:
  void give(std::size_t row, std::size_t column, float value,
            std::vector<RecipeElement>& into) const {
    into.push_back({.output = 0, .index = results_.at(row, column), .value = value});
  }

  // All rows at once: each question takes a launch.
  [[nodiscard]] std::vector<Row> own_exp_of(std::vector<Row> rows) const {
    Row all;
    for (const Row& row : rows) all.insert(all.end(), row.begin(), row.end());
    const Row values = functions_->values("exp", all);
    auto next = values.begin();
    for (Row& row : rows) {
      for (float& v : row) v = *next++;
    }
    return rows;
  }

  Case case_;
  OwnFunctions* functions_;
  Binding b_;
  Layout layout_, results_;
  Summation sum_;
  KeptTotals totals_;
};

class Forward final : public Rows {
 public:
  Forward(const Case& c, const TensorSet& inputs, OwnFunctions* functions)
      : Rows(c, functions), kept_(1 + std::size(kExponentials)) {
    const Source x(b_, inputs.at("x"), layout_);
    for (std::size_t r = 0; r < b_.rows; ++r) rows_.push_back(x.row(r));
    if (has_mask(b_)) add_mask(inputs.at("mask"));
    for (auto& rows : kept_) rows.resize(b_.rows);
    constexpr float kLeast = -std::numeric_limits<float>::infinity();
    for (const Row& row : rows_) {
      float most = kLeast;
      for (const float v : row) most = v > most ? v : most;
      largest_.push_back(most);
      masked_.push_back(std::ranges::all_of(row, [](float v) { return v == kLeast; }));
    }
  }

  void choose(std::span<const std::string> answers) override {
    if (totals_.follow(answers.first(3))) {
      sum_ = {.order = order_of(answers[1]), .wide = answers[0] == kWideWord};
      exponential_ = answers[2] == kOwnExponential
                         ? Exponential::kOwn
                         : static_cast<Exponential>(place_in(kExponentials, answers[2]));
    }
    last_step_ = std::ranges::find(last_steps(), answers[3], &LastStep::word);
  }

  void evaluate(std::size_t r, std::vector<RecipeElement>& into) override {
    const Row& x = rows_[r];
    if (masked_[r] && b_.fill == "zeroed") {
      constexpr float kLeast = -std::numeric_limits<float>::infinity();
      for (std::size_t i = 0; i < x.size(); ++i) give(r, i, is_logarithm() ? kLeast : 0.0F, into);
      return;
    }
    const Row& powers = powers_of(r);
    const float largest = largest_[r];
    const float sum = sum_of(r);
    const float log_sum = is_logarithm() ? logarithm_of(sum) : 0.0F;
    const float reciprocal = 1.0F / sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float value = is_logarithm() ? of_logarithm(x[i], largest, log_sum)
                                         : of_power(powers[i], sum, reciprocal);
      give(r, i, value, into);
    }
  }

  [[nodiscard]] std::optional<PieceKey> key(std::size_t r) override {
    return PieceKey{std::bit_cast<std::uint32_t>(sum_of(r)),
                    static_cast<std::uint32_t>(exponential_),
                    static_cast<std::uint32_t>(last_step_ - last_steps().begin())};
  }

  [[nodiscard]] bool knows_exact() const override { return true; }
  void round_once(std::size_t r, std::vector<RoundedElement>& into) override {
    const Row& x = rows_[r];
    const bool zeroed = masked_[r] && b_.fill == "zeroed";
    const double sum = zeroed ? 1 : wide_sum_of(r);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double distance = static_cast<double>(x[i]) - static_cast<double>(largest_[r]);
      const double zero = is_logarithm() ? -std::numeric_limits<double>::infinity() : 0.0;
      into.push_back(rounded_once(*b_.output, {.index = results_.at(r, i)},
                                  zeroed ? Approximation{zero, 0} : exact(distance, sum)));
    }
  }

 private:
  [[nodiscard]] double wide_sum_of(std::size_t r) const {
    TwofoldSum sum;
    for (const float x : rows_[r])
      sum.add(std::exp(static_cast<double>(x) - static_cast<double>(largest_[r])));
    return sum.value();
  }
  // The logarithm of a sum next to 1 is uncertain: double loses the terms besides the maximum.
  [[nodiscard]] Approximation exact(double distance, double sum) const {
    if (!is_logarithm()) {
      const double value = std::exp(distance) / sum;
      return {value, value == 0 ? 0 : kWorkingError * value * (1 + std::abs(distance))};
    }
    const double value = distance - std::log(sum);
    return {value, b_.width == 1 ? 0 : kWorkingError * std::abs(value) + 0x1p-50};
  }
  [[nodiscard]] bool is_logarithm() const { return b_.operation == Operation::kLogForward; }
  [[nodiscard]] std::span<const LastStep> last_steps() const {
    return is_logarithm() ? std::span<const LastStep>(kLogarithms) : kQuotients;
  }
  [[nodiscard]] float logarithm_of(float sum) const {
    if (last_step_->own_log) return functions_->values("log", {&sum, 1})[0];
    return last_step_->log_of_degree5 ? log_of_degree5(sum) : log_of(sum);
  }
  // As the result's memory holds it.
  [[nodiscard]] float kept(float value) const {
    if (!last_step_->of_stored) return value;
    return static_cast<float>(value_of(*b_.output, stored(*b_.output, value)));
  }
  [[nodiscard]] float of_logarithm(float x, float largest, float log_sum) const {
    return last_step_->second_way ? x - (largest + log_sum) : kept(x - largest) - log_sum;
  }
  [[nodiscard]] float of_power(float power, float sum, float reciprocal) const {
    return last_step_->second_way ? kept(power) * reciprocal : kept(power) / sum;
  }
  [[nodiscard]] float sum_of(std::size_t r) {
    return totals_.of(r, [&] { return sum_.total(powers_of(r)); });
  }

  // Masks are dense.
  void add_mask(const formats::Tensor& mask) {
    const Source source(b_, mask, {.row_step = b_.width, .element_step = 1, .count = b_.count()});
    for (std::size_t r = 0; r < b_.rows; ++r) {
      const Row added = source.row(one_mask_row(b_) ? 0 : r);
      for (std::size_t i = 0; i < b_.width; ++i) rows_[r][i] += added[i];
    }
  }

  // Most of the time is spent here, so each is computed once.
  const Row& powers_of(std::size_t r) {
    std::vector<Row>& rows = kept_[static_cast<std::size_t>(exponential_)];
    if (rows[r].empty() && exponential_ == Exponential::kOwn) rows = own_exp_of(differences());
    Row& powers = rows[r];
    if (powers.empty()) {
      for (const float x : rows_[r]) powers.push_back(power_of(exponential_, x, largest_[r]));
    }
    return powers;
  }
  [[nodiscard]] std::vector<Row> differences() const {
    std::vector<Row> list = rows_;
    for (std::size_t r = 0; r < list.size(); ++r) {
      for (float& v : list[r]) v -= largest_[r];
    }
    return list;
  }

  std::vector<Row> rows_;
  Row largest_;  // of each row
  std::vector<bool> masked_;
  std::vector<std::vector<Row>> kept_;
  Exponential exponential_ = Exponential::kExp;
  std::span<const LastStep>::iterator last_step_;
};

class Backward final : public Rows {
 public:
  Backward(const Case& c, const TensorSet& inputs, OwnFunctions* functions) : Rows(c, functions) {
    const Source y(b_, inputs.at("y"), layout_);
    const Source dy(b_, inputs.at("dy"), layout_);
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

// What is kept in fp32 is not rounded.
Choice words_of(const Binding& b, std::span<const LastStep> steps, const OwnFunctions* functions) {
  Choice words;
  for (const LastStep& step : steps) {
    if (step.own_log && !are_offered(functions, "log")) continue;
    if (!step.of_stored || *b.output != formats::kFp32) words.emplace_back(step.word);
  }
  return words;
}

std::vector<RecipePart> parts(const Case& c, const OwnFunctions* functions) {
  const Binding b = bind(c);
  Choice exponentials = choice_of(kExponentials);
  if (are_offered(functions, "exp")) exponentials.emplace_back(kOwnExponential);
  RecipePart part{.word = {},
                  .outputs = {is_backward(b.operation) ? "dx" : "y"},
                  .choices = {width_words(), order_words(b.width)}};
  switch (b.operation) {
    case Operation::kForward:
      part.choices.insert(part.choices.end(), {exponentials, words_of(b, kQuotients, functions)});
      break;
    case Operation::kLogForward:
      part.choices.insert(part.choices.end(), {exponentials, words_of(b, kLogarithms, functions)});
      break;
    case Operation::kBackward:
      part.choices.insert(part.choices.end(), {choice_of(kProducts), choice_of(kGradients)});
      break;
    case Operation::kLogBackward:
      part.choices.push_back(choice_of(kLastSteps));
      if (!are_offered(functions, "exp")) part.choices.back().resize(kWithoutOwn);
      break;
  }
  return {part};
}

std::unique_ptr<Evaluation> evaluation(const Case& c, const TensorSet& inputs, std::size_t,
                                       OwnFunctions* functions) {
  if (is_backward(bind(c).operation)) return std::make_unique<Backward>(c, inputs, functions);
  return std::make_unique<Forward>(c, inputs, functions);
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
