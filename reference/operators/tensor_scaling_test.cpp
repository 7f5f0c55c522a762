// SPDX-License-Identifier: Apache-2.0
// Corners of scales and of rounding to 8 bits, by hand; loss_scaled_backward_test.cpp compares
// whole steps with a twin.
#include "reference/operators/tensor_scaling.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kE4m3fn;
using formats::kE5m2;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kOne = 0x3f800000, kInfinity = 0x7f800000, kNan = 0x7fc00000;

ScaledTensor scaled(const std::vector<Bits>& fp32, const formats::Format& format) {
  return scaled_tensor(Tensor::from_bits(kFp32, fp32), format, {});
}

TEST(TensorScaling, BringsTheLargestMagnitudeToTheLargestNumber) {
  const ScaledTensor x = scaled({0x3f800000, 0xc0600000, 0}, kE4m3fn);  // 1, -3.5, 0
  EXPECT_EQ(0x40600000U, x.numbers.at(0));
  EXPECT_EQ(0x43000000U, x.numbers.at(1)) << "448 / 3.5 = 128";
  EXPECT_EQ(0x3c000000U, x.inverse());
  EXPECT_EQ(0x70U, x.eight.at(0)) << "128";
  EXPECT_EQ(0xfeU, x.eight.at(1)) << "-448";
  EXPECT_EQ(0U, x.eight.at(2));
  EXPECT_EQ(0x7bU, scaled({0x40600000}, kE5m2).eight.at(0)) << "57344";
}

TEST(TensorScaling, RoundsTiesToEvenAndKeepsSubnormals) {
  // 448 fixes the scale at 1. 17 and 19 lie between 16, 18 and 20; 2^-10 between 0 and 2^-9.
  const ScaledTensor x =
      scaled({0x43e00000, 0x41880000, 0x41980000, 0x3a800000, 0x3ac00000, 0x3b000000, 0xbb400000},
             kE4m3fn);
  EXPECT_EQ(kOne, x.numbers.at(1));
  EXPECT_EQ(0x58U, x.eight.at(1)) << "17 to 16";
  EXPECT_EQ(0x5aU, x.eight.at(2)) << "19 to 20";
  EXPECT_EQ(0x00U, x.eight.at(3)) << "2^-10 to 0";
  EXPECT_EQ(0x01U, x.eight.at(4)) << "1.5 * 2^-10 to 2^-9";
  EXPECT_EQ(0x01U, x.eight.at(5)) << "2^-9";
  EXPECT_EQ(0x82U, x.eight.at(6)) << "-1.5 * 2^-9 to -2 * 2^-9";
}

TEST(TensorScaling, HasAScaleForEveryAmax) {
  EXPECT_FALSE(scale_to_largest(kE4m3fn, 0));
  EXPECT_FALSE(scale_to_largest(kE4m3fn, kInfinity));
  EXPECT_FALSE(scale_to_largest(kE4m3fn, kNan));
  EXPECT_EQ(0x7f7fffffU, scale_to_largest(kE4m3fn, 1)) << "448 / 2^-149 is infinite";
  EXPECT_EQ(kOne, scaled({0, 0x80000000}, kE5m2).numbers.at(1));
}

TEST(TensorScaling, SaturatesInfinitiesAndKeepsNans) {
  const ScaledTensor x = scaled({kNan, 0xff800000, kOne}, kE5m2);
  EXPECT_TRUE(x.has_infinity());
  EXPECT_EQ(kOne, x.numbers.at(1));
  EXPECT_GT(x.eight.at(0) & 0x7fU, 0x7cU);
  EXPECT_EQ(0xfbU, x.eight.at(1));
  EXPECT_FALSE(scaled({kNan, kOne}, kE5m2).has_infinity()) << "NaNs do not count";
  EXPECT_EQ(kOne, scaled({kNan, kOne}, kE5m2).numbers.at(0));
}

TEST(TensorScaling, ScalesSumsBackByBothInverses) {
  const ScaledTensor a = scaled({0x40400000}, kE4m3fn);  // 3, whose scale is rounded
  const ScaledTensor b = scaled({0x40a00000}, kE5m2);    // 5
  const Tensor sums = Tensor::from_bits(kFp32, std::vector<Bits>{0x4bc40000});  // 448 * 57344
  const float inverse = (1.0F / (448.0F / 3.0F)) * (1.0F / (57344.0F / 5.0F));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(448.0F * 57344.0F * inverse),
            scaled_back(sums, a, b, {}).at(0));
}

}  // namespace
}  // namespace halfmark::operators
