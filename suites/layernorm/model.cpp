// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/model.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "reference/fast/floating_point.hpp"
#include "suites/layernorm/statistics.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;

constexpr double kU = kRoundoff;  // u of error analysis

// a * b over two intervals.
Interval product(const Interval& a, const Interval& b) {
  const double all[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  if (std::any_of(std::begin(all), std::end(all), [](double v) { return std::isnan(v); })) {
    return {all[0] + all[1] + all[2] + all[3], all[0] + all[1] + all[2] + all[3]};
  }
  return {*std::min_element(std::begin(all), std::end(all)),
          *std::max_element(std::begin(all), std::end(all))};
}

Interval enlarged(const Interval& i, double radius) {
  return {i.low - (std::isfinite(i.low) ? radius : 0),
          i.high + (std::isfinite(i.high) ? radius : 0)};
}

double largest(const Interval& i) { return std::max(std::abs(i.low), std::abs(i.high)); }

// Outputs under construction, three tensors each: low, high, middle.
class Outputs {
  struct Ends {
    Tensor &low, &high, &middle;
  };

 public:
  explicit Outputs(const TensorSet& inputs) : inputs_(inputs) {}

  void add(const std::string& name, const Format& format, std::size_t count) {
    const auto before = inputs_.find(name);
    const Tensor start = before != inputs_.end() ? before->second : Tensor::zeros(format, count);
    ends_.emplace(name, Ends{low_.emplace(name, start).first->second,
                             high_.emplace(name, start).first->second,
                             middle_.emplace(name, start).first->second});
  }
  void set(std::string_view name, std::size_t index, const Interval& value) {
    const Ends& ends = ends_.find(name)->second;
    const Format& format = *ends.low.format;
    const formats::Bits low = nearest(format, value.low), high = nearest(format, value.high);
    ends.low.set(index, low);
    ends.high.set(index, high);
    ends.middle.set(index, low == high ? low : nearest(format, value.middle()));
  }
  [[nodiscard]] Expectation take() {
    return {std::move(middle_), Enclosure{std::move(low_), std::move(high_)}};
  }

 private:
  const TensorSet& inputs_;
  TensorSet low_, high_, middle_;
  std::map<std::string, Ends, std::less<>> ends_;
};

Values read(const Tensor& tensor, std::size_t start, std::size_t count) {
  Values values(count);
  for (std::size_t i = 0; i < count && start + i < tensor.count(); ++i) {
    values[i] = value_of(*tensor.format, tensor.at(start + i));
  }
  return values;
}

// The call's weights, or their substitutes if the call has none.
Values weights(const Binding& b, const TensorSet& inputs, const std::string& name,
               double otherwise) {
  const auto found = inputs.find(name);
  return found == inputs.end() ? Values(b.width, otherwise) : read(found->second, 0, b.width);
}

Expectation forward(const Binding& b, const TensorSet& inputs, const Model& model) {
  Outputs out(inputs);
  out.add("y", *b.format, b.count());
  if (b.centered) out.add("mean", kFp32, b.rows);
  out.add("rstd", kFp32, b.rows);
  const Values gamma = weights(b, inputs, "gamma", model.gamma_is_zero ? 0 : 1);
  const Values beta = weights(b, inputs, "beta", 0);
  const std::size_t pitch = model.dense ? b.width : pitch_of(b);
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::size_t from = (model.row_limit != 0 ? r % model.row_limit : r) * pitch;
    const Values x = read(inputs.at("x"), from, b.width);
    const std::size_t seen = model.statistics_before && r > 0 ? from - pitch : from;
    const Statistics s = statistics_of(
        b, model, read(inputs.at("x"), seen, model.over_read ? pitch_of(b) : b.width));
    for (std::size_t i = 0; i < b.width; ++i) {
      const std::size_t weight = model.gamma_by_row ? r % b.width : i;
      const Interval d = enlarged({x[i] - s.mean.high, x[i] - s.mean.low}, 0);
      Interval unit = product(d, s.rstd);
      if (model.normalised_in != nullptr)
        unit = through(model.normalised_in, enlarged(unit, 2 * kU * largest(unit)));
      const double g = gamma[weight] + (model.gamma_plus_one ? 1 : 0);
      const Interval scaled = product(unit, {g, g});
      const double off =
          widened(5 * kU * (largest(scaled) + std::abs(beta[weight]))) + kLeastNormal;
      out.set("y", r * b.width + i,
              enlarged({scaled.low + beta[weight], scaled.high + beta[weight]}, off));
    }
    if (b.centered) out.set("mean", r, s.mean);
    const Interval given = model.rstd_inverted ? Interval{1 / s.rstd.high, 1 / s.rstd.low} : s.rstd;
    out.set("rstd", r, through(model.rstd_to, model.rstd_is_variance ? s.variance : given));
  }
  return out.take();
}

struct Column {
  Values terms;
  double size = 0;

  void add(double term) {
    terms.push_back(term);
    size += std::abs(term);
  }
};

Interval column_sum(const Model& model, const Column& column) {
  if (model.weights_in != nullptr) {
    const double sum = running_sum(column.terms, model.weights_in);
    return {sum, sum};
  }
  double sum = 0;
  for (const double term : column.terms) sum += term;
  return around(sum, widened(sum_error(column.terms.size() + 3) * column.size) + kLeastNormal);
}

bool counts(const Binding& b, const Model& model, std::size_t row) {
  if (model.half_of_rows && row >= b.rows / 2) return false;
  if (model.last_row_left_out && row + 1 == b.rows) return false;
  if (model.rows_limit != 0 && row >= model.rows_limit) return false;
  if (row >= b.rows / model.rows_multiple * model.rows_multiple) return false;
  return model.lanes_halved == 0 || row % model.lanes_halved < model.lanes_halved / 2;
}

struct Gradient {
  const Values& plain;
  const Values& scaled;  // by gamma
};

// dx of one row: rstd (g - mean(g) - unit mean(g unit)).
void row_gradient(const Binding& b, const Model& model, const Values& unit, const Gradient& dy,
                  double rstd, std::size_t row, Outputs& out) {
  const Values& g = dy.scaled;
  const Values& projected = model.gamma_outside ? dy.plain : dy.scaled;
  const auto n = static_cast<double>(b.width);
  double plain = 0;
  double along = 0;
  double plain_size = 0;
  double along_size = 0;
  for (std::size_t i = 0; i < b.width; ++i) {
    plain += g[i];
    along += projected[i] * unit[i];
    plain_size += std::abs(g[i]);
    along_size += std::abs(projected[i] * unit[i]);
  }
  const double divisor = model.means_over_less ? n - 1 : n;
  const bool centers = b.centered || model.mean_term_too;
  plain = model.no_mean_term || !centers ? 0 : plain / divisor;
  along = model.no_projection ? 0 : along / divisor;
  const double plain_off = centers ? sum_error(b.width + 4) * plain_size / n : 0;
  const double along_off = sum_error(b.width + 9) * along_size / n;
  for (std::size_t i = 0; i < b.width; ++i) {
    const double value = rstd * (g[i] - plain - unit[i] * along);
    const double off = plain_off + std::abs(unit[i]) * along_off +
                       4 * kU * (std::abs(g[i]) + std::abs(plain) + std::abs(unit[i] * along));
    out.set("dx", row * b.width + i, around(value, widened(std::abs(rstd) * off) + kLeastNormal));
  }
}

// The gradients of gamma and beta: sums over rows.
class WeightGradients {
 public:
  WeightGradients(const Binding& b, const Model& model)
      : b_(b), model_(model), for_gamma_(b.width), for_beta_(b.width) {}

  void add_row(const Values& unit, const Values& dy, double rstd, std::size_t row) {
    const bool counted = counts(b_, model_, row);
    const bool again = row >= b_.rows / model_.rows_again * model_.rows_again;
    for (std::size_t i = 0; i < b_.width; ++i) {
      const double factor = model_.weights_unscaled ? unit[i] / rstd : unit[i];
      const double term = single(dy[i] * factor);
      if (counted || model_.dbeta_alone) for_gamma_[i].add(term);
      if (counted) for_beta_[i].add(dy[i]);
      if (!again) continue;
      for_gamma_[i].add(term);
      for_beta_[i].add(dy[i]);
    }
  }

  void store(Outputs& out) const {
    if (b_.has_gamma()) out.add("dgamma", *b_.format, b_.width);
    if (b_.has_beta()) out.add("dbeta", *b_.format, b_.width);
    for (std::size_t i = 0; i < b_.width; ++i) {
      if (b_.has_gamma()) out.set("dgamma", i, column_sum(model_, for_gamma_[i]));
      if (b_.has_beta()) out.set("dbeta", i, column_sum(model_, for_beta_[i]));
    }
  }

 private:
  const Binding& b_;
  const Model& model_;
  std::vector<Column> for_gamma_, for_beta_;
};

Expectation backward(const Binding& b, const TensorSet& inputs, const Model& model) {
  Outputs out(inputs);
  out.add("dx", *b.format, b.count());
  const Values gamma = weights(b, inputs, "gamma", model.gamma_is_zero ? 0 : 1);
  const Values rstds = read(inputs.at("rstd"), 0, b.rows);
  const Values means = b.centered ? read(inputs.at("mean"), 0, b.rows) : Values(b.rows, 0);
  WeightGradients of_weights(b, model);
  const std::size_t rows = model.first_axis_is_all && first_axis(b) != 0 ? first_axis(b) : b.rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t from = (model.row_limit != 0 ? r % model.row_limit : r) * pitch_of(b);
    Values unit = read(inputs.at("x"), from, b.width);
    const Values dy = read(inputs.at("dy"), r * b.width, b.width);
    Values g = dy;
    for (std::size_t i = 0; i < b.width; ++i) {
      unit[i] = single(single(unit[i] - means[r]) * rstds[r]);
      if (!model.no_gamma) g[i] *= gamma[i];
      g[i] = through(model.gradient_in, g[i]);
    }
    of_weights.add_row(unit, dy, rstds[r], r);
    row_gradient(b, model, unit, {dy, g}, rstds[r], r, out);
  }
  of_weights.store(out);
  return out.take();
}

}  // namespace

Expectation evaluate_model(const Case& c, const TensorSet& inputs, const Model& model) {
  const Binding b = bind(c);
  if (b.portable) return specified_model(b, inputs, model);
  const fast::FloatingPointScope scope;
  return b.backward ? backward(b, inputs, model) : forward(b, inputs, model);
}

}  // namespace halfmark::suites::layernorm
