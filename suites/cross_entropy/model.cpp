// SPDX-License-Identifier: Apache-2.0
#include "suites/cross_entropy/model.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "reference/fast/floating_point.hpp"
#include "suites/core/bounds/exponentials.hpp"
#include "suites/cross_entropy/targets.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

using formats::Tensor;
using Values = std::vector<double>;

constexpr double kU = kRoundoff;
constexpr double kMasked = -std::numeric_limits<double>::infinity();
constexpr Interval kNan{std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::quiet_NaN()};

// The exponentials of one row, and their sum.
class Row {
 public:
  Row(const Model& model, Values x) : model_(model), x_(std::move(x)) {
    double largest = kMasked;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      double& v = x_[i];
      if (model_.nan_is_masked && std::isnan(v)) v = kMasked;
      if (i == model_.online_block) first_ = largest;
      const bool seen = model_.max_limit == 0 || i < model_.max_limit;
      largest = seen && v > largest ? v : largest;
    }
    all_masked_ = std::all_of(x_.begin(), x_.end(), [](double v) { return v == kMasked; });
    if (all_masked_ && model_.masked_row_is_uniform) {
      std::fill(x_.begin(), x_.end(), 0.0);
      largest = 0;
    }
    shift_ = model_.shifts ? largest : 0;
    add_up();
  }

  [[nodiscard]] Interval loss(std::size_t label) const {
    if (all_masked_ && model_.masked_row_is_zero) return {0, 0};
    if (model_.log_of_quotient) {
      const Interval p = probability(label);
      const auto negative_log = [](double q) { return -std::log(single(std::max(q, 0.0))); };
      const double high = negative_log(p.low);
      const double off = std::isfinite(high) ? 4 * kU * high : 0;
      return std::isnan(p.low) ? kNan : Interval{negative_log(p.high) - off, high + off};
    }
    const Interval y = log_softmax(x_[label], shift_, sum_);
    return {-y.high, -y.low};
  }

  [[nodiscard]] Interval probability(std::size_t i) const {
    if (all_masked_ && model_.masked_row_is_zero) return {0, 0};
    const double power = power_of(i);
    const bool broken = !std::isfinite(power) || !std::isfinite(sum_.low) || sum_.low <= 0;
    if (broken || power == 0) {
      const double value = power / sum_.low;
      return {value, value};
    }
    const double p = power / sum_.middle();
    const double of_sum = (sum_.high - sum_.low) / sum_.low;
    const double as_exp = log_softmax_error(x_[i], shift_, sum_) + exp_error(std::log(p));
    return around(p, widened(p * (exp_error(x_[i] - shift_) + of_sum + 4 * kU + as_exp)));
  }

 private:
  [[nodiscard]] double power_of(std::size_t i) const {
    return through(model_.exp_in, single(std::exp(x_[i] - shift_)));
  }
  void add_up() {
    double sum = 0;
    double error = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const bool stale = i < model_.online_block && first_ > kMasked;
      const double power = stale ? single(std::exp(x_[i] - first_)) : power_of(i);
      sum = model_.sum_in == nullptr ? sum + power : through(model_.sum_in, single(sum + power));
      error += power == 0 ? 0 : power * exp_error(x_[i] - shift_);
    }
    const auto terms = static_cast<double>(x_.size());
    sum_ = around(sum, widened(error + terms * (kU * sum + kLeastNormal)));
    if (model_.log_in == nullptr) return;
    const auto rounded = [this](double s) { return std::exp(through(model_.log_in, std::log(s))); };
    sum_ = {rounded(sum_.low), rounded(sum_.high)};
  }

  const Model& model_;
  Values x_;
  bool all_masked_ = false;
  double shift_ = 0;
  double first_ = kMasked;  // the maximum of the first block
  Interval sum_;
};

class Evaluation {
 public:
  Evaluation(const Binding& b, const TensorSet& inputs, const Model& model)
      : b_(b), inputs_(inputs), model_(model), targets_(b, inputs.at("target"), model) {
    for (std::size_t r = 0; r < b.rows; ++r) {
      counted_ += model.counts_ignored || !targets_.ignored(r) ? 1U : 0U;
    }
  }

  [[nodiscard]] std::vector<Interval> losses() const {
    std::vector<Interval> all;
    for (std::size_t r = 0; r < b_.rows; ++r) {
      if (targets_.ignored(r)) {
        all.push_back({0, 0});
      } else if (const auto label = targets_.label(r)) {
        all.push_back(row(r).loss(*label));
      } else {
        all.push_back(kNan);
      }
    }
    if (b_.reduction == Reduction::kNone) return all;
    return {total(all)};
  }

  [[nodiscard]] std::vector<Interval> gradients() const {
    std::vector<Interval> all;
    all.reserve(b_.count());
    for (std::size_t r = 0; r < b_.rows; ++r) add_gradients(r, all);
    return all;
  }

 private:
  [[nodiscard]] Row row(std::size_t r) const {
    Values x(b_.width);
    const Tensor& tensor = inputs_.at("x");
    for (std::size_t i = 0; i < b_.width; ++i) {
      x[i] = value_of(*b_.format, tensor.at(r * b_.width + i));
    }
    return {model_, std::move(x)};
  }

  [[nodiscard]] Interval total(const std::vector<Interval>& losses) const {
    Interval sum;
    double size = 0;
    double kept = 0;
    const std::size_t summed = losses.size() / model_.rows_multiple * model_.rows_multiple;
    for (const Interval& loss : std::span(losses).first(summed)) {
      sum = {sum.low + loss.low, sum.high + loss.high};
      size += std::abs(loss.middle());
      if (model_.losses_in != nullptr) {
        kept = through(model_.losses_in, single(kept + single(loss.middle())));
      }
    }
    if (model_.losses_in != nullptr) sum = {kept, kept};
    if (model_.empty_mean_is_zero && counted_ == 0) return {0, 0};
    const double count = b_.reduction == Reduction::kMean ? static_cast<double>(counted_) : 1;
    if (!std::isfinite(sum.low) || !std::isfinite(sum.high) || count == 0) {
      return {sum.low / count, sum.high / count};
    }
    const double off = widened((static_cast<double>(losses.size()) + 2) * kU * size);
    return {(sum.low - off) / count - kLeastNormal, (sum.high + off) / count + kLeastNormal};
  }

  [[nodiscard]] double factor(std::size_t r) const {
    const bool by_row = b_.reduction == Reduction::kNone || model_.upstream_by_row;
    const double upstream =
        model_.no_upstream ? 1 : value_of(formats::kFp32, inputs_.at("dy").at(by_row ? r : 0));
    if (b_.reduction != Reduction::kMean || model_.no_factor) return upstream;
    return upstream * through(model_.factor_in, 1 / static_cast<double>(counted_));
  }

  void add_gradients(std::size_t r, std::vector<Interval>& all) const {
    const bool ignored = targets_.ignored(r);
    const auto label = targets_.label(r);
    if (ignored && !model_.ignored_rows_flow) {
      all.insert(all.end(), b_.width, Interval{0, 0});
    } else if (!ignored && !label) {
      all.insert(all.end(), b_.width, kNan);
    } else {
      const Row values = row(r);
      const double g = factor(r);
      for (std::size_t i = 0; i < b_.width; ++i) {
        const bool one = !ignored && !model_.no_label_term && is_term(i, *label);
        const Interval p = values.probability(i);
        const Interval kept{through(model_.probability_in, p.low),
                            through(model_.probability_in, p.high)};
        all.push_back(gradient(kept, one ? 1 : 0, g));
      }
    }
  }

  [[nodiscard]] bool is_term(std::size_t i, std::size_t label) const {
    return static_cast<std::int64_t>(i) == static_cast<std::int64_t>(label) + model_.term_apart;
  }

  [[nodiscard]] static Interval gradient(const Interval& p, double one, double g) {
    if (!std::isfinite(p.low)) return kNan;
    const double size = std::abs(g);
    const double value = g * (p.middle() - one);
    if (p.low == 0 && p.high == 0) {
      return one == 0 ? Interval{0, 0} : around(value, widened(4 * kU * size));
    }
    const double off = (p.high - p.low) / 2 + 4 * kU * (p.high + one);
    return around(value, widened(size * off) + kLeastNormal * (1 + size));
  }

  const Binding& b_;
  const TensorSet& inputs_;
  const Model& model_;
  Targets targets_;
  std::size_t counted_ = 0;
};

}  // namespace

Expectation evaluate_model(const Case& c, const TensorSet& inputs, const Model& model) {
  const Binding b = bind(c);
  if (b.portable) return specified_model(b, inputs, model);
  const fast::FloatingPointScope scope;
  const Evaluation evaluation(b, inputs, model);
  const std::vector<Interval> all = b.backward ? evaluation.gradients() : evaluation.losses();
  const std::string name = b.backward ? "dx" : "y";
  const auto tensor = [&](double (*end)(const Interval&)) {
    Tensor values = Tensor::zeros(*b.output, all.size());
    for (std::size_t i = 0; i < all.size(); ++i) values.set(i, nearest(*b.output, end(all[i])));
    return values;
  };
  return {{{name, tensor([](const Interval& i) { return i.middle(); })}},
          Enclosure{.low = {{name, tensor([](const Interval& i) { return i.low; })}},
                    .high = {{name, tensor([](const Interval& i) { return i.high; })}}}};
}

}  // namespace halfmark::suites::cross_entropy
