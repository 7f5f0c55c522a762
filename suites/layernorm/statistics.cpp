// SPDX-License-Identifier: Apache-2.0
#include "suites/layernorm/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace halfmark::suites::layernorm {
namespace {

using formats::kFp32;

constexpr double kU = kRoundoff;  // u of error analysis

double cut(double value, unsigned bits) {
  if (bits >= 24 || !std::isfinite(value)) return value;
  const unsigned lost = 24 - bits;
  const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t mask = (std::uint32_t{1} << lost) - 1;
  return static_cast<double>(
      std::bit_cast<float>((word + (std::uint32_t{1} << (lost - 1))) & ~mask));
}

class RowModel {
 public:
  RowModel(const Binding& b, const Model& model) : b_(b), model_(model) {}

  [[nodiscard]] Statistics statistics(Values x) const {
    const auto n = static_cast<double>(x.size());
    x.resize(x.size() / model_.multiple * model_.multiple);
    if (!model_.squares_alone) x = kept(x);
    double divisor = model_.divides_by_counted ? static_cast<double>(x.size()) : n;
    divisor = std::ceil(divisor / static_cast<double>(model_.counted_multiple)) *
              static_cast<double>(model_.counted_multiple);
    divisor = through(model_.count_in, divisor);
    Statistics s{.mean = {0, 0}, .variance = {0, 0}, .rstd = {0, 0}};
    if (centers()) s.mean = through(model_.mean_in, mean(x, divisor));
    s.variance = through(model_.variance_in, variance(x, s.mean, divisor));
    s.rstd = reciprocal_root(s.variance);
    return s;
  }

 private:
  [[nodiscard]] bool centers() const { return b_.centered || model_.centers_too; }

  [[nodiscard]] Values kept(const Values& x) const {
    if (model_.wave == 0) return x;
    Values some;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % model_.wave < model_.kept) some.push_back(x[i]);
    }
    return some;
  }

  // The variance of blocks about their own means.
  [[nodiscard]] Interval within_blocks(const Values& x, double divisor) const {
    const std::size_t block = model_.blocks_alone;
    double squares = 0;
    double size = 0;
    for (std::size_t from = 0; from < x.size(); from += block) {
      const std::size_t end = std::min(from + block, x.size());
      double sum = 0;
      for (std::size_t i = from; i < end; ++i) sum += x[i];
      const double center = sum / static_cast<double>(end - from);
      for (std::size_t i = from; i < end; ++i) {
        squares += (x[i] - center) * (x[i] - center);
        size += x[i] * x[i];
      }
    }
    const double value = squares / divisor;
    const double off = (divisor + 3) * kU * (value + 2 * std::sqrt(value * size / divisor));
    return around(value, widened(off));
  }

  [[nodiscard]] static Interval mean(const Values& x, double n) {
    double sum = 0;
    double size = 0;
    for (const double v : x) {
      sum += v;
      size += std::abs(v);
    }
    // Running updates subtract the infinity from itself.
    if (std::isinf(sum)) return {sum, std::numeric_limits<double>::quiet_NaN()};
    return around(sum / n, widened(sum_error(x.size() + 1) * size / n));
  }

  [[nodiscard]] Interval variance(const Values& x, const Interval& mean, double n) const {
    if (model_.variance != Variance::kRight && b_.centered) return naive(x, n);
    if (b_.centered && has_special(x)) return of_special(x);
    const double divisor = model_.one_less ? n - 1 : n;
    if (model_.squares_in != nullptr) return narrow(x, divisor);
    if (model_.welford_parts > 1 && b_.centered) return merged(x);
    if (model_.blocks_alone != 0) return within_blocks(x, divisor);
    // About the mean that the model uses, right or wrong.
    const double center = mean.middle();
    double sum = 0;
    double size = 0;
    for (const double v : model_.squares_alone ? kept(x) : x) {
      const double d = through(model_.deviation_in, single(v - center));
      sum += model_.deviation_in == nullptr ? (v - center) * (v - center) : d * d;
      size += v * v;
    }
    const double value = std::min(sum / divisor, model_.largest_variance);
    const double rms = std::sqrt(size / n);
    const double off = (n + 3) * kU * (value + (centers() ? 2 * std::sqrt(value) * rms : 0));
    const double shift = centers() ? (n + 1) * kU * rms : 0;
    const double spread = (mean.high - mean.low) / 2;
    const double radius = widened(off + shift * shift + spread * spread);
    const Interval result = around(value, radius);
    return {std::isfinite(result.low) ? std::max(result.low, 0.0) : result.low, result.high};
  }

  [[nodiscard]] static bool has_special(const Values& x) {
    return std::ranges::any_of(x, [](double v) { return !std::isfinite(v); });
  }

  // Two passes make a NaN. Parts that are merged (Chan, Golub, LeVeque 1983, (2.1)) may hold one
  // element each, whose squares are 0 whatever it is: a row of one element keeps them, and an
  // infinity adds the square of its distance, which is infinite, where a second one makes a NaN.
  [[nodiscard]] static Interval of_special(const Values& x) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    if (x.size() == 1) return {0, kNan};
    const bool has_nan = std::ranges::any_of(x, [](double v) { return std::isnan(v); });
    const auto infinities = [&](double infinity) { return std::ranges::count(x, infinity); };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const bool merges = !has_nan && infinities(kInfinity) < 2 && infinities(-kInfinity) < 2;
    return {merges ? kInfinity : kNan, kNan};
  }

  // Running updates of equal parts, whose merges count one element too many.
  [[nodiscard]] Interval merged(const Values& x) const {
    const std::size_t parts = model_.welford_parts;
    const std::size_t length = (x.size() + parts - 1) / parts;
    double count = 0;
    double mean = 0;
    double squares = 0;
    for (std::size_t from = 0; from < x.size(); from += length) {
      const std::size_t end = std::min(from + length, x.size());
      const auto more = static_cast<double>(end - from);
      double sum = 0;
      for (std::size_t i = from; i < end; ++i) sum += x[i];
      const double d = sum / more - mean;
      for (std::size_t i = from; i < end; ++i) squares += (x[i] - sum / more) * (x[i] - sum / more);
      const double whole = count + more + (from > 0 ? 1 : 0);
      squares += d * d * count * more / whole;
      mean += d * more / (count + more);
      count = whole;
    }
    const double value = squares / count;
    return around(value, widened(static_cast<double>(2 * x.size() + 8) * kU * value));
  }

  // The sum of squares accumulated sequentially in a narrow format.
  [[nodiscard]] Interval narrow(const Values& x, double divisor) const {
    const auto n = static_cast<double>(x.size());
    const double center = b_.centered ? single(running_sum(x, nullptr) / n) : 0;
    Values squares = x;
    for (double& v : squares) {
      const double d = single(v - center);
      v = single(d * d);
    }
    const double value = running_sum(squares, model_.squares_in) / divisor;
    return around(value, 2 * kU * value);
  }

  // Every step in a narrow format.
  [[nodiscard]] Interval naive_narrow(const Values& x, double n) const {
    const auto narrow = [this](double v) { return through(model_.naive_in, single(v)); };
    double mean = 0;
    double square = 0;
    for (const double v : x) {
      mean = narrow(mean + narrow(single(v / n)));
      square = narrow(square + narrow(narrow(v * v) / n));
    }
    const double value = std::max(narrow(square - narrow(mean * mean)), 0.0);
    return {value, value};
  }

  [[nodiscard]] Interval naive(const Values& x, double n) const {
    if (model_.variance == Variance::kNaiveNarrow) return naive_narrow(x, n);
    Values squares = x;
    for (double& v : squares) v = single(v * v);
    if (model_.variance == Variance::kNaiveAnyhow) {
      double sum = 0;
      double first = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        sum += squares[i];
        first += x[i];
      }
      const double off = widened(3 * (n + 2) * kU * sum / n);
      const double value = sum / n - first / n * (first / n);
      return {std::max(value - off, 0.0), value + off};
    }
    const double mean = single(running_sum(x, nullptr) / n);
    double value = single(single(running_sum(squares, nullptr) / n) - single(mean * mean));
    if (model_.variance == Variance::kNaiveClamped) value = std::max(value, 0.0);
    return {value, value};
  }

  [[nodiscard]] Interval reciprocal_root(const Interval& variance) const {
    double eps = model_.eps_is >= 0 ? single(model_.eps_is) : value_of(kFp32, b_.eps);
    eps = through(model_.eps_in, model_.eps_dropped ? 0 : model_.eps_twice ? 2 * eps : eps);
    const auto root = [&](double v) {
      if (model_.eps_is_least) return 1 / std::sqrt(std::max(v, eps));
      if (model_.eps_under_own_root) return 1 / (std::sqrt(v) + std::sqrt(eps));
      return model_.eps_outside_root ? 1 / (std::sqrt(v) + eps) : 1 / std::sqrt(v + eps);
    };
    const double low = root(variance.high) * (1 - 5 * kU);
    const double high = root(variance.low) * (1 + 5 * kU);
    if (std::isnan(low)) return {root(variance.low), low};  // this number alone, or a NaN
    if (std::isnan(high)) return {low, high};
    return {cut(low, model_.rstd_bits), cut(high, model_.rstd_bits)};
  }

  const Binding& b_;
  const Model& model_;
};

}  // namespace

double running_sum(const Values& terms, const formats::Format* kept_in) {
  double sum = 0;
  for (const double term : terms) sum = through(kept_in, single(sum + term));
  return sum;
}

Statistics statistics_of(const Binding& b, const Model& model, const Values& x) {
  return RowModel(b, model).statistics(x);
}

}  // namespace halfmark::suites::layernorm
