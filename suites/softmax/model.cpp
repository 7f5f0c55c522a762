// SPDX-License-Identifier: Apache-2.0
#include "suites/softmax/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/fast/floating_point.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/bounds/exponentials.hpp"
#include "suites/softmax/layout.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Format;
using formats::Tensor;
using Values = std::vector<double>;

constexpr double kU = kRoundoff;  // u of error analysis
constexpr double kMasked = -std::numeric_limits<double>::infinity();
constexpr double kLowest = -std::numeric_limits<float>::max();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What two flushed intermediates take from a result at most, one of them multiplied by the factor.
double flushed(double factor) { return kLeastNormal * (1 + std::abs(factor)); }

struct Powers {
  Values value;  // exp(d) in fp32, within its error
  Values error;  // relative
  Interval sum;
};

class RowModel {
 public:
  RowModel(const Model& model, bool logarithm) : model_(model), logarithm_(logarithm) {}

  [[nodiscard]] double maximum(const Values& x) const {
    double largest = model_.max_from_zero ? 0 : kMasked;
    const std::size_t block = model_.max_block;
    std::size_t seen = block == 0 ? x.size() : x.size() / block * block;
    if (model_.max_limit != 0) seen = std::min(seen, model_.max_limit);
    for (std::size_t i = 0; i < seen; ++i) largest = x[i] > largest ? x[i] : largest;
    return pads(x) > 0 ? std::max(largest, model_.pad_value) : largest;
  }

  [[nodiscard]] std::vector<Interval> forward(const Values& original, double largest) const {
    Values x = original;
    for (double& v : x) v = model_.nan_is_masked && std::isnan(v) ? kMasked : v;
    if (model_.copies_single && x.size() == 1) return {{x.front(), x.front()}};
    if (const std::optional<double> value = apart(x)) {
      const double whole = logarithm_ ? std::log(*value) : *value;
      return std::vector<Interval>(x.size(), around(whole, std::abs(whole) * 8 * kU));
    }
    double shift = model_.shifts ? largest : 0;
    if (model_.limits_nan) shift = std::max(shift, kLowest);
    const Powers powers = powers_of(x, shift);
    std::vector<Interval> y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      y[i] = logarithm_ && !model_.log_of_quotient ? difference(x[i], shift, powers.sum)
                                                   : quotient(powers, i);
      if (logarithm_ && model_.log_of_quotient) y[i] = logarithm_of(y[i]);
      // A maximum may keep the NaN, by its place in the row; then all are NaN.
      if (model_.limits_nan && std::isinf(powers.sum.low)) y[i].high = kNan;
    }
    return y;
  }

  [[nodiscard]] std::vector<Interval> backward(const Values& y, const Values& dy) const {
    Values terms = dy;
    double size = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!logarithm_ && !model_.row_sum_of_dy) terms[i] *= y[i];
      terms[i] = through(model_.product_in, terms[i]);
      size += std::abs(terms[i]);
    }
    terms.resize(summed(terms.size()));
    const double sum = model_.no_row_sum ? 0 : through(model_.row_sum_to, total(terms));
    const double error = model_.no_row_sum ? 0 : sum_error(y.size() + 1) * size;
    std::vector<Interval> dx(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (logarithm_) {
        const double power = model_.probability_not_raised ? y[i] : std::exp(y[i]);
        const double off =
            std::abs(power) * (error + (6 + 4 * std::abs(y[i])) * kU * std::abs(sum));
        dx[i] = around(dy[i] - power * sum, widened(off + 2 * kU * std::abs(dy[i])) + flushed(sum));
      } else {
        const double off = error + 3 * kU * (std::abs(dy[i]) + std::abs(sum));
        dx[i] = around(y[i] * (dy[i] - sum), widened(std::abs(y[i]) * off) +
                                                 flushed(1 + std::abs(dy[i]) + std::abs(sum)));
      }
    }
    return dx;
  }

 private:
  // The unscaled terms where nothing rescales them: relative to the maximum of the blocks so far,
  // or of the first block.
  void raise(const Values& x, double shift, Values& terms) const {
    double largest = kMasked;
    for (std::size_t i = 0; i < x.size() && i < terms.size(); ++i) {
      const std::size_t block = model_.online_block;
      if (i % block == 0) {
        if (i > 0 && model_.first_block_alone) return;
        const std::size_t end = std::min(i + block, x.size());
        for (std::size_t j = i; j < end; ++j) largest = std::max(largest, x[j]);
      }
      if (largest < shift) terms[i] = single(std::exp(x[i] - largest));
    }
  }
  // The value of a row that is handled separately.
  [[nodiscard]] std::optional<double> apart(const Values& x) const {
    const bool masked = std::all_of(x.begin(), x.end(), [](double v) { return v == kMasked; });
    const bool no_number = std::none_of(x.begin(), x.end(), [](double v) { return v > kMasked; });
    if (model_.drops_nan_rows && no_number) return 0;
    if (!masked || model_.masked == MaskedRow::kNan) return std::nullopt;
    return model_.masked == MaskedRow::kZero ? 0 : 1 / static_cast<double>(x.size());
  }

  [[nodiscard]] std::size_t pads(const Values& x) const {
    const std::size_t n = x.size();
    if (model_.pad_multiple == 0) return 0;
    if (model_.pad_multiple == 1) return std::bit_ceil(n) - n;
    return (n + model_.pad_multiple - 1) / model_.pad_multiple * model_.pad_multiple - n;
  }

  // The number of a row's elements in its sum.
  [[nodiscard]] std::size_t summed(std::size_t width) const {
    return model_.tail_block == 0 ? width : width / model_.tail_block * model_.tail_block;
  }

  // In the format that the model accumulates in; otherwise as exactly as double allows.
  [[nodiscard]] double total(const Values& terms) const {
    Values lanes(model_.sum_lanes, 0.0);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (model_.wave != 0 && i % model_.wave >= model_.kept) continue;
      double& lane = lanes[i % lanes.size()];
      lane = kept(lane, terms[i]);
    }
    double sum = lanes[0];
    for (std::size_t i = 1; i < lanes.size(); ++i) sum = kept(sum, lanes[i]);
    return sum;
  }
  [[nodiscard]] double kept(double sum, double term) const {
    if (model_.sum_in == nullptr) return sum + term;
    return through(model_.sum_in, single(sum + single(term)));
  }

  [[nodiscard]] bool has_empty_lane(const Values& x) const {
    if (model_.online_lanes == 0) return false;
    std::vector<bool> live(model_.online_lanes, false);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] > kMasked) live[i % live.size()] = true;
    }
    return std::find(live.begin(), live.end(), false) != live.end();
  }

  // Of a row with a difference that is NaN, if the model's exp takes it for its upper limit.
  [[nodiscard]] static std::optional<Powers> limited(const Values& x, double shift) {
    Powers p{.value = {}, .error = Values(x.size(), 0.0), .sum = {kInfinite, kInfinite}};
    bool has_nan = false;
    for (const double v : x) {
      const double d = v - shift;
      has_nan = has_nan || std::isnan(d);
      p.value.push_back(std::isnan(d) ? kInfinite : std::exp(d));
    }
    if (!has_nan) return std::nullopt;
    return p;
  }

  [[nodiscard]] Powers powers_of(const Values& x, double shift) const {
    if (model_.limits_nan) {
      if (std::optional<Powers> found = limited(x, shift)) return *std::move(found);
    }
    Powers p;
    for (const double v : x) {
      const double d = std::max(through(model_.shift_in, v - shift), model_.least_exponent);
      p.value.push_back(d < model_.cut_below ? 0 : through(model_.exp_in, single(std::exp(d))));
      p.error.push_back(exp_error(d));
    }
    const std::size_t pad = pads(x);
    const std::size_t count = summed(x.size());
    Values terms(p.value.begin(), p.value.begin() + static_cast<std::ptrdiff_t>(count));
    terms.insert(terms.end(), pad, single(std::exp(model_.pad_value - shift)));
    if (model_.online_block != 0) raise(x, shift, terms);
    for (std::size_t i = model_.twice_from; i < std::min(2 * model_.twice_from, x.size()); ++i)
      terms.push_back(p.value[i]);
    const double sum = has_empty_lane(x) ? kNan : total(terms);
    // Relative to the terms that are summed, right or wrong.
    double error = sum_error(terms.size()) * sum + static_cast<double>(terms.size()) * kLeastNormal;
    for (std::size_t i = 0; i < count; ++i) error += terms[i] * p.error[i];
    p.sum = sum == 0 ? Interval{0, 0} : around(sum, widened(error));
    p.sum = {through(model_.sum_to, p.sum.low), through(model_.sum_to, p.sum.high)};
    if (logarithm_ && model_.log_in != nullptr) {
      const auto rounded = [this](double s) {
        return std::exp(through(model_.log_in, std::log(s)));
      };
      p.sum = {rounded(p.sum.low), rounded(p.sum.high)};
    }
    return p;
  }

  [[nodiscard]] Interval quotient(const Powers& p, std::size_t i) const {
    const double power = p.value[i];
    const double off = widened(p.error[i] + 4 * kU);
    if (model_.not_divided) return around(power, power * off);
    if (!std::isfinite(power) || !std::isfinite(p.sum.low) || p.sum.low <= 0) {
      const double value = power / p.sum.low;
      return {value, value};
    }
    if (power == 0) return {0, 0};
    double least = 1 / p.sum.high;
    double most = 1 / p.sum.low;
    if (model_.reciprocal_in != nullptr) {
      least = through(model_.reciprocal_in, least * (1 - 2 * kU));
      most = through(model_.reciprocal_in, most * (1 + 2 * kU));
    }
    const double tiny = kLeastNormal * (1 + most);
    if (model_.numerator_in != nullptr) {
      const auto stored = [&](double relative) {
        return through(model_.numerator_in, power * (1 + relative));
      };
      return {stored(-p.error[i]) * least * (1 - 4 * kU) - tiny,
              stored(p.error[i]) * most * (1 + 4 * kU) + tiny};
    }
    return {power * least * (1 - off) - tiny, power * most * (1 + off) + tiny};
  }

  [[nodiscard]] Interval difference(double x, double shift, const Interval& sum) const {
    if (model_.numerator_in == nullptr) return log_softmax(x, shift, sum);
    return log_softmax(through(model_.numerator_in, single(x - shift)), 0, sum);
  }

  [[nodiscard]] Interval logarithm_of(const Interval& y) const {
    const double low = through(model_.quotient_in, single(std::max(y.low, 0.0)));
    const double high = through(model_.quotient_in, single(y.high));
    const double a = std::log(low);
    const double b = std::log(high);
    return {a - std::abs(std::isfinite(a) ? a : 0) * 4 * kU,
            b + std::abs(std::isfinite(b) ? b : 0) * 4 * kU};
  }

  const Model& model_;
  bool logarithm_;
};

// Where a row begins: with groups, only the first row of each lies where the layout says.
std::size_t start_of(const Model& model, std::size_t row, std::size_t step, std::size_t width) {
  const std::size_t first = row / model.dense_groups * model.dense_groups;
  return first * step + (row - first) * (model.dense_groups > 1 ? width : step);
}

// Reads a row of an input from where the model looks for its elements.
Values read_row(const Binding& b, const Model& model, const Format& format, const Tensor& tensor,
                std::size_t row) {
  const Layout layout = layout_of(b);
  const Layout dense{.row_step = b.width, .element_step = 1, .count = layout.count};
  const Layout& seen = model.dense ? dense : layout;
  std::size_t start = start_of(model, row, seen.row_on_device(), b.width);
  if (model.offset_bits < 64) start &= (std::size_t{1} << model.offset_bits) - 1;
  if (seen.apart > 0) start = start / seen.apart * seen.row_step;  // nothing lies between rows
  Values values(b.width);
  for (std::size_t i = 0; i < b.width; ++i) {
    const std::size_t at = start + i * seen.element_step;
    values[i] = value_of(format, at < tensor.count() ? tensor.at(at) : 0);
  }
  return values;
}

// The column whose mask element i of a row uses; the first and last elements have one neighbour.
std::size_t mask_column(Mask which, std::size_t i, std::size_t width) {
  if (which == Mask::kColumnBefore) return i == 0 ? 0 : i - 1;
  return which == Mask::kColumnAfter ? std::min(i + 1, width - 1) : i;
}

// The mask added to a row of logits. Masks are dense.
Values mask_row(const Binding& b, const Tensor& mask, Mask which, std::size_t row) {
  const bool shifted = which == Mask::kColumnBefore || which == Mask::kColumnAfter;
  const bool first = which == Mask::kFirstRow || (shifted && one_mask_row(b));
  const std::size_t own = first ? 0 : row;
  Values values(b.width);
  for (std::size_t i = 0; i < b.width; ++i) {
    const std::size_t at = which == Mask::kTransposed
                               ? (i * b.rows + row) % b.count()
                               : own * b.width + mask_column(which, i, b.width);
    values[i] = value_of(*mask.format, mask.at(at));
  }
  return values;
}

// An output's image in memory, starting from its previous contents.
Tensor start_image(const Binding& b, const TensorSet& inputs, const std::string& name) {
  const auto before = inputs.find(name);
  if (before != inputs.end()) return before->second;
  return Tensor::zeros(*b.output, result_layout_of(b).count);
}

enum class End : std::uint8_t { kLow, kMiddle, kHigh };

// Where results are flushed, a number that rounds up to the least normal one may be: devices look
// before rounding, or after it.
bool may_be_flushed(const Format& format, double value, formats::Bits rounded, End end) {
  const bool is_nearer_to_zero = end == (value > 0 ? End::kLow : End::kHigh);
  return formats::is_subnormal(format, rounded) ||
         (is_nearer_to_zero && std::abs(value) < std::ldexp(1, format.min_exponent()));
}

void write_row(const Binding& b, const Model& model, const Format& format, Tensor& tensor,
               std::size_t row, const std::vector<double>& values, End end) {
  const Layout layout = result_layout_of(b);
  const std::size_t start = start_of(model, row, layout.row_step, b.width);
  for (std::size_t i = 0; i < b.width; ++i) {
    const std::size_t at = model.dense ? row * b.width + i : start + i * layout.element_step;
    formats::Bits bits = nearest(format, values[i]);
    if (model.flushes && may_be_flushed(format, values[i], bits, end)) bits &= format.sign_mask();
    tensor.set(at, bits);
  }
}

std::vector<Interval> model_row(const Binding& b, const TensorSet& inputs, const Model& model,
                                const Format& format, std::size_t row) {
  const bool logarithm =
      b.operation == Operation::kLogForward || b.operation == Operation::kLogBackward;
  const RowModel rows(model, logarithm);
  const auto read = [&](const char* name, std::size_t r) {
    return read_row(b, model, format, inputs.at(name), r);
  };
  if (is_backward(b.operation)) return rows.backward(read("y", row), read("dy", row));
  const auto logits = [&](std::size_t r) {
    Values x = read("x", r);
    if (!inputs.contains("mask") || model.mask == Mask::kNone) return x;
    const Values mask = mask_row(b, inputs.at("mask"), model.mask, r);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = single(x[i] + (mask[i] == kMasked ? model.hidden_by : mask[i]));
    return x;
  };
  const Values x = logits(row);
  return rows.forward(x, rows.maximum(model.stale_max && row > 0 ? logits(row - 1) : x));
}

}  // namespace

Model right_model(const Binding& b) {
  Model right;
  right.mask = one_mask_row(b) ? Mask::kFirstRow : Mask::kRight;
  right.masked = b.fill == "zeroed" ? MaskedRow::kZero : MaskedRow::kNan;
  return right;
}

Expectation evaluate_model(const Case& c, const TensorSet& inputs, const Model& model) {
  const Binding b = bind(c);
  if (b.portable) return specified_model(b, inputs, model);
  const fast::FloatingPointScope scope;
  const std::string name = is_backward(b.operation) ? "dx" : "y";
  const Format& input = model.other_format ? format_before(b) : *b.input;
  const Format& output = model.other_format ? format_before(b) : *b.output;
  Tensor low = start_image(b, inputs, name);
  Tensor high = low;
  Tensor middle = low;
  for (std::size_t r = 0; r < b.rows; ++r) {
    const std::vector<Interval> row = model_row(b, inputs, model, input, r);
    Values ends(row.size());
    const auto write = [&](Tensor& tensor, End end, double (*number)(const Interval&)) {
      std::transform(row.begin(), row.end(), ends.begin(), number);
      write_row(b, model, output, tensor, r, ends, end);
    };
    write(low, End::kLow, [](const Interval& i) { return i.low; });
    write(high, End::kHigh, [](const Interval& i) { return i.high; });
    write(middle, End::kMiddle, [](const Interval& i) { return i.middle(); });
  }
  return {{{name, std::move(middle)}},
          Enclosure{.low = {{name, std::move(low)}}, .high = {{name, std::move(high)}}}};
}

}  // namespace halfmark::suites::softmax
