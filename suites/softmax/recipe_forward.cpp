// SPDX-License-Identifier: Apache-2.0
#include "suites/softmax/recipe_forward.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <span>

#include "suites/core/identify/recipe_match.hpp"
#include "suites/core/identify/rounded_fp32.hpp"
#include "suites/core/identify/rounded_once.hpp"
#include "suites/softmax/recipe_rows.hpp"

namespace halfmark::suites::softmax {
namespace {

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

class Forward final : public RecipeRows {
 public:
  Forward(const Case& c, const TensorSet& inputs, OwnFunctions* functions)
      : RecipeRows(c, functions), kept_(1 + std::size(kExponentials)) {
    const RowSource x(b_, inputs.at("x"), layout_);
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
    const RowSource source(b_, mask,
                           {.row_step = b_.width, .element_step = 1, .count = b_.count()});
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

// What is kept in fp32 is not rounded.
Choice words_of(const Binding& b, std::span<const LastStep> steps, const OwnFunctions* functions) {
  Choice words;
  for (const LastStep& step : steps) {
    if (step.own_log && !are_offered(functions, "log")) continue;
    if (!step.of_stored || *b.output != formats::kFp32) words.emplace_back(step.word);
  }
  return words;
}

}  // namespace

std::vector<Choice> forward_choices(const Binding& b, const OwnFunctions* functions) {
  Choice exponentials = choice_of(kExponentials);
  if (are_offered(functions, "exp")) exponentials.emplace_back(kOwnExponential);
  const bool is_logarithm = b.operation == Operation::kLogForward;
  return {exponentials,
          is_logarithm ? words_of(b, kLogarithms, functions) : words_of(b, kQuotients, functions)};
}

std::unique_ptr<Evaluation> forward_evaluation(const Case& c, const TensorSet& inputs,
                                               OwnFunctions* functions) {
  return std::make_unique<Forward>(c, inputs, functions);
}

}  // namespace halfmark::suites::softmax
