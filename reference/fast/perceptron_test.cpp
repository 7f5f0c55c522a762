// SPDX-License-Identifier: Apache-2.0
// The fast operators of a perceptron against the soft-float's, bit for bit: every format that they
// take, hostile operands, every target of this host, and more than one block.
#include "reference/fast/perceptron.hpp"

#include <gtest/gtest.h>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using testing::Fill;
using testing::filled;

constexpr std::size_t kRows = 67;
constexpr std::size_t kCount = kRows * 131;  // two blocks and a part of a third
constexpr Bits kScales[] = {0x3f800000, 0x447a0000, 0x4b800000, 0x39800000, 0x00000001};

// NaNs compare as a class where an operand's payload may pass: both give the default one.
void expect_same(const Tensor& a, const Tensor& b, const Tensor& w, const Options& options) {
  EXPECT_EQ(operators::perceptron_gelu(a), perceptron_gelu(a, options));
  EXPECT_EQ(operators::perceptron_gelu_gradient(a, b), perceptron_gelu_gradient(a, b, options));
  EXPECT_EQ(operators::squared_error(a, b), squared_error(a, b, options));
  EXPECT_EQ(operators::column_sums(a, kRows), column_sums(a, kRows, options));
  for (const Bits scale : kScales) {
    EXPECT_EQ(operators::squared_error_gradient(a, b, scale),
              squared_error_gradient(a, b, scale, options));
    const operators::UnscaledStrips expected = operators::unscaled_strips(a, scale);
    const operators::UnscaledStrips got = unscaled_strips(a, scale, options);
    EXPECT_EQ(expected.gradients, got.gradients);
    EXPECT_EQ(expected.flags, got.flags);
    EXPECT_EQ(operators::descended(w, expected.gradients, scale),
              descended(w, expected.gradients, scale, options));
  }
}

TEST(FastPerceptron, HasTheSoftFloatsBits) {
  for (const Format* format : {&formats::kFp16, &formats::kBf16, &kFp32}) {
    for (const Fill fill : testing::kFills) {
      std::mt19937_64 random(1);
      const Tensor a = filled(*format, kCount, fill, random);
      const Tensor b = filled(*format, kCount, fill, random);
      const Tensor w = filled(kFp32, kCount, fill, random);
      for (const Target target : host_targets()) {
        expect_same(a, b, w, {.threads = 2, .target = target});
        ASSERT_FALSE(::testing::Test::HasFailure()) << to_string(target) << ' ' << format->name;
      }
    }
  }
}

TEST(FastPerceptron, FlagsTheStripOfAnyInfinityOrNan) {
  for (const Bits odd : {0x7c00U, 0xfe00U}) {
    for (std::size_t place = 0; place < kCount; place += 997) {
      Tensor gradients = Tensor::zeros(formats::kFp16, kCount);
      gradients.set(place, odd);
      const operators::UnscaledStrips got = unscaled_strips(gradients, 0x3f800000);
      EXPECT_TRUE(got.found());
      for (std::size_t strip = 0; strip < got.flags.count(); ++strip)
        EXPECT_EQ(strip == place / operators::kCheckStrip, got.flags.at(strip) != 0);
    }
  }
  EXPECT_FALSE(unscaled_strips(Tensor::zeros(formats::kFp16, kCount), 0x3f800000).found());
}

}  // namespace
}  // namespace halfmark::fast
