// SPDX-License-Identifier: Apache-2.0
// Images of intervals contain the correctly rounded value at every point between the ends, the
// minimum included, and little more.
#include "suites/core/bounds/gelu.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/soft/functions.hpp"

namespace halfmark::suites {
namespace {

using formats::kFp32;
using formats::kFp64;

double by_erf(double x) { return x / 2 * std::erfc(-x * M_SQRT1_2); }
double by_tanh(double x) {
  return x / (1 + std::exp(-2 * M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x)));
}
double silu(double x) { return x / (1 + std::exp(-x)); }

struct Form {
  const char* name;
  double (*value)(double);
  Interval (*image)(const Interval&);
};
constexpr Form kForms[] = {
    {"erf", by_erf, [](const Interval& x) { return gelu_image(Gelu::kErf, x); }},
    {"tanh", by_tanh, [](const Interval& x) { return gelu_image(Gelu::kTanh, x); }},
    {"silu", silu, silu_image},
};

TEST(GeluImage, HoldsWhatLiesBetweenTheEnds) {
  for (const Form& form : kForms) {
    for (double low = -12; low < 12; low += 0.173) {
      for (const double width : {0x1p-16, 0x1p-8, 0.5, 3.0}) {
        const Interval image = form.image({low, low + width});
        for (int step = 0; step <= 16; ++step) {
          const double value = form.value(low + width * step / 16);
          EXPECT_LE(image.low, value) << form.name << ' ' << low << ' ' << width;
          EXPECT_GE(image.high, value) << form.name << ' ' << low << ' ' << width;
        }
      }
    }
  }
}

// 7.1.26 of Abramowitz and Stegun, summed about 1/2: in the tail beyond the bound, within the
// departure, which allows for little more.
TEST(GeluInterval, AShortErfIsADepartureOfTheGradient) {
  const GeluDeparture short_erf{.erf_error = 1.5e-7};
  const auto holds = [](const Interval& interval, double value) {
    return interval.low <= value && value <= interval.high;
  };
  for (double x = -12; x < -6.5; x += 0.25) {
    EXPECT_FALSE(holds(gelu_interval(Gelu::kErfGradient, x, 1, {}), 0)) << x;
    const Interval departed = gelu_interval(Gelu::kErfGradient, x, 1, short_erf);
    EXPECT_TRUE(holds(departed, 0)) << x;
    for (const double wrong : {-4e-7, 4e-7}) EXPECT_FALSE(holds(departed, wrong)) << x;
  }
}

// An infinite upstream gradient has no rounding: where the derivative's sign is certain, the
// result is that infinity.
TEST(GeluInterval, OfAnInfiniteGradientIsTheInfinityOfItsSign) {
  for (const Gelu form : {Gelu::kErfGradient, Gelu::kTanhGradient}) {
    for (const double dy : {HUGE_VAL, -HUGE_VAL}) {
      for (const double x : {-2.0, -1.0, -0.5, 0.5, 1.0, 4.0}) {
        const double expected = x < -0.75 ? -dy : dy;
        const Interval all = gelu_interval(form, x, dy, {});
        EXPECT_EQ(expected, all.low) << x;
        EXPECT_EQ(expected, all.high) << x;
      }
      const Interval either = gelu_interval(form, -16, dy, {});
      EXPECT_EQ(-HUGE_VAL, either.low) << "the derivative may be zero";
      EXPECT_EQ(HUGE_VAL, either.high);
      EXPECT_TRUE(std::isnan(gelu_interval(form, NAN, dy, {}).low));
    }
  }
}

// The plain formula in double keeps more than fp32 does of a tail that it cancels, and is off by
// more than a form that does not cancel.
TEST(GeluImage, HoldsTheFormThatCancelsInDouble) {
  for (double x = -9; x < -4; x += 0x1p-10) {
    const double z = M_2_SQRTPI * M_SQRT1_2 * (x + 0.044715 * x * x * x);
    const double value = x / 2 * (1 + std::tanh(z));
    const Interval image = gelu_image(Gelu::kTanh, {x, x});
    EXPECT_LE(image.low, value) << x;
    EXPECT_GE(image.high, value) << x;
  }
}

// Intervals with equal values at their ends, on both sides of the minimum.
TEST(GeluImage, KnowsTheMinimum) {
  for (const Form& form : kForms) {
    double least = 0;
    for (double x = -3; x < 0; x += 0x1p-12) least = std::min(least, form.value(x));
    const Interval image = form.image({-3, -0.1});
    EXPECT_NEAR(least, image.low, 1e-4) << form.name;
    EXPECT_LT(image.high, -0.003) << form.name;
  }
}

// The image of a single number adds nothing to its own radius, and distinguishes the two forms
// of GELU.
TEST(GeluImage, OfANumberIsThatOfTheNumber) {
  for (const Form& form : kForms) {
    for (double x = -4; x < 8; x += 0.37) {
      const Interval image = form.image({x, x});
      EXPECT_LT(image.high - image.low, 0x1p-19 * (std::abs(x) + 0x1p-20)) << form.name << ' ' << x;
    }
  }
  const Interval erf = gelu_image(Gelu::kErf, {2, 2});
  const Interval tanh = gelu_image(Gelu::kTanh, {2, 2});
  EXPECT_GT(tanh.low - erf.high, 5e-5);
}

}  // namespace
}  // namespace halfmark::suites
