// SPDX-License-Identifier: Apache-2.0
#include "fleet/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace halfmark::fleet {
namespace {

constexpr double kNormalSpread = 1.4826;  // 1 / the normal quantile of 3/4
constexpr double kEfficiency = 0.37;

// The continued fraction of the incomplete beta function: NIST DLMF 8.17.22, by Lentz's algorithm.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto kept = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / kept(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / kept(1 + even * d);
    c = kept(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / kept(1 + odd * d);
    c = kept(1 + odd / c);
    const double step = d * c;
    fraction *= step;
    if (std::fabs(step - 1) < 1e-14) break;
  }
  return fraction;
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}

// The regularised incomplete beta function I_x(a, b): NIST DLMF 8.17.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) +
                                b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

double median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double robust_spread(const std::vector<double>& values, double centre) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::fabs(value - centre));
  return kNormalSpread * median(std::move(deviations));
}

double student_tail(double t, double freedom) {
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
}

double student_cut(double probability, double freedom) {
  double low = 0, high = 1;
  while (student_tail(high, freedom) > probability && high < 1e9) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, freedom) > probability ? low : high) = middle;
  }
  return high;
}

double outlier_cut(std::uint64_t members, std::uint64_t comparisons, double false_flags) {
  const double freedom = std::max(1.0, kEfficiency * (static_cast<double>(members) - 1));
  const double each = false_flags / static_cast<double>(std::max<std::uint64_t>(comparisons, 1));
  return student_cut(std::min(each, 0.25), freedom);
}

double rule_of_three(std::uint64_t trials) {
  return trials < 3 ? 1 : 3 / static_cast<double>(trials);
}

}  // namespace halfmark::fleet
