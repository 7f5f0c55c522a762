// SPDX-License-Identifier: Apache-2.0
// Libraries that omit elements from their statistics, or factors from their gradients, computed
// here only from the formula: the diagnosis must name the mistake from the bits.
#include "suites/layernorm/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "suites/core/testing/suite_checks.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Tensor;

constexpr double kEps = 1e-5;

Values row_of(const Tensor& tensor, std::size_t row, std::size_t width) {
  Values values(width);
  for (std::size_t i = 0; i < width; ++i)
    values[i] = value_of(*tensor.format, tensor.at(row * width + i));
  return values;
}

void put(Tensor& tensor, std::size_t index, double value) {
  tensor.set(index, nearest(*tensor.format, value));
}

struct Moments {
  double mean, variance;
};
using Statistic = std::function<Moments(const Values&)>;

double sum_of(const Values& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum;
}

double squares_about(const Values& x, double center) {
  double sum = 0;
  for (const double v : x) sum += (v - center) * (v - center);
  return sum;
}

Values lanes_below(const Values& x, std::size_t wave, std::size_t kept) {
  Values some;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % wave < kept) some.push_back(x[i]);
  }
  return some;
}

std::string class_told(const Prepared& prepared, const TensorSet& actual) {
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].finding_class;
}

// The diagnosis of a library with these statistics.
std::string class_of(const std::string& name, const Statistic& statistic) {
  const Case c = parse_case("layernorm", suite().axes, name);
  const Binding b = bind(c);
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  const Values gamma = row_of(prepared.inputs.at("gamma"), 0, b.width);
  const Values beta =
      b.centered ? row_of(prepared.inputs.at("beta"), 0, b.width) : Values(b.width, 0);
  for (std::size_t r = 0; r < b.rows; ++r) {
    const Values x = row_of(prepared.inputs.at("x"), r, b.width);
    const Moments m = statistic(x);
    const double rstd = 1 / std::sqrt(m.variance + kEps);
    put(actual.at("rstd"), r, rstd);
    if (b.centered) put(actual.at("mean"), r, m.mean);
    for (std::size_t i = 0; i < b.width; ++i)
      put(actual.at("y"), r * b.width + i, (x[i] - m.mean) * rstd * gamma[i] + beta[i]);
  }
  return class_told(prepared, actual);
}

constexpr const char* kForward = "layernorm.forward.fp32.library.r8n96.eps1e-5.normal.s7";
constexpr const char* kRms = "layernorm.rms-forward.fp32.library.r8n96.eps1e-5.normal.s7";

// The number that is allowed beside NaN as rstd of a row; NaN: none is.
double number_beside_nan(const Values& x) {
  const Binding b = bind(parse_case("layernorm", suite().axes,
                                    "layernorm.forward.fp32.library.r16n64.eps1e-5.special.s7"));
  const Interval rstd = statistics_of(b, Model(), x).rstd;
  EXPECT_TRUE(std::isnan(rstd.high));
  return rstd.low;
}

TEST(LayernormStatistics, AnInfinityMakesAVarianceOfInfinityOrNan) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(0, number_beside_nan({1, kInfinity, 2}));
  EXPECT_EQ(0, number_beside_nan({-kInfinity, kInfinity}));
  EXPECT_TRUE(std::isnan(number_beside_nan({kInfinity, 1, kInfinity})));
  EXPECT_TRUE(std::isnan(number_beside_nan({1, std::nan(""), kInfinity})));
  EXPECT_NEAR(1 / std::sqrt(kEps), number_beside_nan({kInfinity}), 1e-5);
}

TEST(LayernormStatistics, TheRightOnesAreNotAccused) {
  EXPECT_EQ("", class_of(kForward, [](const Values& x) {
              const double mean = sum_of(x) / 96;
              return Moments{mean, squares_about(x, mean) / 96};
            }));
}

TEST(LayernormStatistics, ThePartOfAWave) {
  EXPECT_EQ("wave_width", class_of(kForward, [](const Values& x) {
              const double mean = sum_of(lanes_below(x, 32, 16)) / 96;
              return Moments{mean, squares_about(lanes_below(x, 32, 16), mean) / 96};
            }));
}

TEST(LayernormStatistics, TheFirstHalfOfTheRow) {
  EXPECT_EQ("wave_width", class_of(kForward, [](const Values& x) {
              const Values half = lanes_below(x, 96, 48);
              const double mean = sum_of(half) / 48;
              return Moments{mean, squares_about(half, mean) / 48};
            }));
}

TEST(LayernormStatistics, SquaresOfThreeLanesInFour) {
  EXPECT_EQ("wave_width", class_of(kForward, [](const Values& x) {
              const double mean = sum_of(x) / 96;
              return Moments{mean, squares_about(lanes_below(x, 16, 12), mean) / 96};
            }));
}

TEST(LayernormStatistics, BlocksAboutMeansOfTheirOwn) {
  EXPECT_EQ("norm_stat", class_of(kForward, [](const Values& x) {
              double squares = 0;
              for (std::size_t from = 0; from < 96; from += 32) {
                const Values block(x.begin() + static_cast<std::ptrdiff_t>(from),
                                   x.begin() + static_cast<std::ptrdiff_t>(from + 32));
                squares += squares_about(block, sum_of(block) / 32);
              }
              return Moments{sum_of(x) / 96, squares / 96};
            }));
}

TEST(LayernormStatistics, AMeanThatRmsnormHasNot) {
  EXPECT_EQ("formula", class_of(kRms, [](const Values& x) {
              const double mean = sum_of(x) / 96;
              return Moments{mean, squares_about(x, mean) / 96};
            }));
}

// The two sums over rows and the gradient of a row, with the mistakes that a library may make.
struct Slips {
  std::size_t rows_of_dbeta = 64;
  bool scales_dgamma = true, gamma_in_projection = true;
};

std::string told_of_gradients(const Slips& slips) {
  const Case c = parse_case("layernorm", suite().axes,
                            "layernorm.backward.fp32.library.r64n100.eps1e-5.normal.s7");
  const Binding b = bind(c);
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  const Values gamma = row_of(prepared.inputs.at("gamma"), 0, b.width);
  const Values means = row_of(prepared.inputs.at("mean"), 0, b.rows);
  const Values rstds = row_of(prepared.inputs.at("rstd"), 0, b.rows);
  Values dgamma(b.width, 0);
  Values dbeta(b.width, 0);
  for (std::size_t r = 0; r < b.rows; ++r) {
    const Values x = row_of(prepared.inputs.at("x"), r, b.width);
    const Values dy = row_of(prepared.inputs.at("dy"), r, b.width);
    double plain = 0;
    double along = 0;
    for (std::size_t i = 0; i < b.width; ++i) {
      const double unit = (x[i] - means[r]) * rstds[r];
      plain += dy[i] * gamma[i] / 100;
      along += dy[i] * (slips.gamma_in_projection ? gamma[i] : 1) * unit / 100;
      dgamma[i] += dy[i] * (slips.scales_dgamma ? unit : x[i] - means[r]);
      if (r < slips.rows_of_dbeta) dbeta[i] += dy[i];
    }
    for (std::size_t i = 0; i < b.width; ++i) {
      const double unit = (x[i] - means[r]) * rstds[r];
      put(actual.at("dx"), r * b.width + i, rstds[r] * (dy[i] * gamma[i] - plain - unit * along));
    }
  }
  for (std::size_t i = 0; i < b.width; ++i) {
    put(actual.at("dgamma"), i, dgamma[i]);
    put(actual.at("dbeta"), i, dbeta[i]);
  }
  return class_told(prepared, actual);
}

TEST(LayernormGradients, OfTheFormulaAreNotAccused) { EXPECT_EQ("", told_of_gradients({})); }

TEST(LayernormGradients, RowsBeyondALimitThatDbetaLacks) {
  EXPECT_EQ("grid_limit", told_of_gradients({.rows_of_dbeta = 48}));
}

TEST(LayernormGradients, FactorsThatAreMissing) {
  EXPECT_EQ("formula", told_of_gradients({.scales_dgamma = false}));
  EXPECT_EQ("formula", told_of_gradients({.gamma_in_projection = false}));
}

}  // namespace
}  // namespace halfmark::suites::layernorm
