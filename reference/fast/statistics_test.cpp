// SPDX-License-Identifier: Apache-2.0
// The statistics of 10^7 numbers against an independent count that sees one decoded number at a
// time, and the zones against the soft-float's conversion of every number.
#include "reference/fast/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using testing::Fill;

double decoded(const Format& f, Bits bits) {
  const Bits wide = soft::convert(f, formats::kFp64, bits).bits;
  return std::bit_cast<double>(wide);
}

struct Count {
  std::uint64_t zeros = 0, subnormals = 0, infinities = 0, nans = 0;
  std::map<int, std::uint64_t> exponents;
  double largest = 0, low = INFINITY, high = -INFINITY;
  long double squares = 0;
  std::size_t first = SIZE_MAX, first_zero = SIZE_MAX;
};

Count counted(const Tensor& tensor) {
  Count count;
  const double least_normal = std::ldexp(1.0, 1 - tensor.format->bias);
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double number = decoded(*tensor.format, tensor.at(i));
    const double value = std::fabs(number);
    if (std::isnan(value) || std::isinf(value)) {
      ++(std::isnan(value) ? count.nans : count.infinities);
      count.first = std::min(count.first, i);
      continue;
    }
    count.low = std::min(count.low, number);
    count.high = std::max(count.high, number);
    if (value == 0) {
      ++count.zeros;
      count.first_zero = std::min(count.first_zero, i);
      continue;
    }
    if (value < least_normal) ++count.subnormals;
    ++count.exponents[std::ilogb(value)];
    count.largest = std::max(count.largest, value);
    count.squares += static_cast<long double>(value) * value;
  }
  return count;
}

void expect_count(const Tensor& tensor) {
  const Statistics got = statistics(tensor);
  const Count count = counted(tensor);
  EXPECT_EQ(tensor.count(), got.count);
  EXPECT_EQ(count.zeros, got.zeros);
  EXPECT_EQ(count.subnormals, got.subnormals);
  EXPECT_EQ(count.infinities, got.infinities);
  EXPECT_EQ(count.nans, got.nans);
  EXPECT_EQ(count.exponents, got.exponents);
  EXPECT_EQ(count.largest, decoded(*tensor.format, got.amax));
  if (got.least) {
    EXPECT_EQ(count.low, decoded(*tensor.format, *got.least));
    EXPECT_EQ(count.high, decoded(*tensor.format, *got.largest));
  }
  EXPECT_EQ(got.finite() > 0, got.least.has_value());
  EXPECT_EQ(count.first, got.first_non_finite.value_or(SIZE_MAX));
  EXPECT_EQ(count.first_zero, got.first_zero.value_or(SIZE_MAX));
  const auto squares = static_cast<double>(count.squares);
  EXPECT_NEAR(squares, got.sum_of_squares, squares * 1e-9);
  const Statistics alone = statistics(tensor, {.threads = 1});
  EXPECT_EQ(alone.sum_of_squares, got.sum_of_squares);
  EXPECT_EQ(alone.sum, got.sum);
}

// The product is exact in fp64, so only the conversion rounds.
Zones converted(const Tensor& tensor, const Format& to, int scale) {
  Zones zones;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    if (!formats::is_finite(kFp32, tensor.at(i)) || formats::is_zero(kFp32, tensor.at(i))) continue;
    const double scaled = std::ldexp(std::fabs(decoded(kFp32, tensor.at(i))), scale);
    const Bits stored = soft::convert(formats::kFp64, to, std::bit_cast<Bits>(scaled)).bits;
    const double below_normal = std::ldexp(1.0, 1 - to.bias);
    if (formats::is_zero(to, stored)) {
      ++zones.lost;
    } else if (scaled < below_normal) {
      ++zones.subnormal;
    } else {
      ++(std::ilogb(scaled) > std::ilogb(decoded(to, formats::max_finite(to))) ? zones.overflow
                                                                               : zones.normal);
    }
  }
  return zones;
}

Tensor gradients(std::size_t count) {
  std::mt19937_64 random(7);
  Tensor tensor = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = random();
    const Bits field = 127 - 40 + (word >> 40) % 60;
    const Bits fraction = word % 8 == 0 ? 0 : word & kFp32.fraction_mask();
    tensor.set(i, (word >> 63) << 31 | field << 23 | fraction);
  }
  return tensor;
}

TEST(Statistics, OfTenMillionNumbersAreThoseOfAnIndependentCount) {
  expect_count(gradients(10'000'000));
}

TEST(Statistics, OfEveryFormatAndFill) {
  for (const Format* format : {&kFp16, &formats::kBf16, &kFp32}) {
    for (const Fill fill : testing::kFills) {
      std::mt19937_64 random(3);
      expect_count(testing::filled(*format, 70'001, fill, random));
    }
  }
}

TEST(Statistics, HostileHostStatesDoNotShow) {
  Tensor tensor = gradients((std::size_t{5} << 20) + 3);  // several parts, whose sums round
  tensor.set(0, 0);
  tensor.set(1, formats::min_subnormal(kFp32));
  const auto observed = [&] {
    const Statistics s = statistics(tensor);
    return std::vector{s.sum, s.sum_of_squares, s.norm(), s.subnormal_share(), s.zero_share()};
  };
  const std::vector<double> expected = observed();
  for (const std::uint64_t state : kHostStates) {
    std::vector<double> actual;
    {
      const HostileHost host(state);
      actual = observed();
    }
    EXPECT_EQ(expected, actual) << std::hex << state;
  }
}

TEST(Statistics, ZonesAreThoseOfTheConversion) {
  const Tensor tensor = gradients(300'000);
  const Statistics s = statistics(tensor);
  for (const Format* to : {&kFp16, &formats::kBf16}) {
    for (const int scale : {-12, 0, 1, 16, 24}) {
      const Zones expected = converted(tensor, *to, scale);
      const Zones got = zones_of(s, *to, scale);
      EXPECT_EQ(expected.lost, got.lost) << scale;
      EXPECT_EQ(expected.subnormal, got.subnormal) << scale;
      EXPECT_EQ(expected.normal, got.normal) << scale;
      EXPECT_EQ(expected.overflow, got.overflow) << scale;
    }
  }
}

TEST(Statistics, TheSuggestedScaleLeavesTwoBinades) {
  const Tensor one = Tensor::from_bits(kFp32, std::array<Bits, 1>{0x3f800000});
  EXPECT_EQ(13, suggested_scale(statistics(one), kFp16));
  const Tensor most = Tensor::from_bits(kFp32, std::array<Bits, 1>{0x477fe000});  // 65504
  EXPECT_EQ(-2, suggested_scale(statistics(most), kFp16));
  EXPECT_EQ(std::nullopt, suggested_scale(statistics(Tensor::zeros(kFp32, 4)), kFp16));
}

TEST(Statistics, RefusesOtherFormats) {
  EXPECT_THROW(static_cast<void>(statistics(Tensor::zeros(formats::kFp64, 1))),
               std::invalid_argument);
}

TEST(AllFinite, SeesOneElementAnywhere) {
  constexpr std::size_t kCount = (std::size_t{1} << 20) + 3;  // a part, and a short one
  for (const Format* format :
       {&kFp16, &formats::kBf16, &kFp32, &formats::kE5m2, &formats::kE4m3fn, &formats::kFp64}) {
    Tensor tensor = Tensor::zeros(*format, kCount);
    for (const Bits sign : {Bits{0}, format->sign_mask()}) {
      for (const std::size_t at : {std::size_t{0}, kCount / 2, kCount - 4, kCount - 1}) {
        tensor.set(at, formats::max_finite(*format) | sign);
        EXPECT_TRUE(all_finite(tensor)) << format->name;
        std::vector<Bits> others = {formats::quiet_nan(*format) | sign};
        if (format->has_infinity()) {
          others.push_back(formats::infinity(*format) | sign);
          others.push_back((formats::infinity(*format) + 1) | sign);  // a signalling NaN
        }
        for (const Bits other : others) {
          tensor.set(at, other);
          EXPECT_FALSE(all_finite(tensor)) << format->name << ' ' << at << ' ' << other;
        }
        tensor.set(at, 0);
      }
    }
  }
  EXPECT_TRUE(all_finite(Tensor::zeros(kFp16, 0)));
}

}  // namespace
}  // namespace halfmark::fast
