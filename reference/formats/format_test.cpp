// SPDX-License-Identifier: Apache-2.0
// The table's rows against the tables of the standards, and the census of every 16-bit encoding.
#include "reference/formats/format.hpp"

#include <gtest/gtest.h>

#include <map>

#include "reference/formats/classify.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::formats {
namespace {

static_assert(kFp16.min_exponent() == -14 && kFp16.max_exponent() == 15);
static_assert(kFp32.min_exponent() == -126 && kFp32.max_exponent() == 127);
static_assert(kBf16.min_exponent() == -126 && kBf16.max_exponent() == 127);
static_assert(kFp16.min_place() == -24 && kBf16.min_place() == -133 && kFp32.min_place() == -149);
static_assert(max_finite(kFp16) == 0x7bff && max_finite(kBf16, true) == 0xff7f);
static_assert(quiet_nan(kFp16) == 0x7e00 && quiet_nan(kFp32) == 0x7fc00000);
static_assert(one(kBf16) == 0x3f80 && min_normal(kFp32) == 0x00800000);

// Rows of formats to come: the row type can say what they are.
constexpr Format kE8m0{.name = "e8m0",
                       .bits = 8,
                       .exponent_bits = 8,
                       .fraction_bits = 0,
                       .bias = 127,
                       .non_finite = NonFinite::kNanAllOnes,
                       .has_sign = false,
                       .has_zero = false};
static_assert(kE8m0.min_exponent() == -127 && kE8m0.max_exponent() == 127);
static_assert(classify(kE8m0, 0xff) == Class::kQuietNan);
static_assert(classify(kE8m0, 0x00) == Class::kNormal && one(kE8m0) == 0x7f);

std::map<Class, int> census(const Format& f) {
  std::map<Class, int> counts;
  for (Bits bits = 0; bits <= f.mask(); ++bits) ++counts[classify(f, bits)];
  return counts;
}

TEST(Classify, CensusOfFp16) {
  const auto counts = census(kFp16);
  EXPECT_EQ(counts.at(Class::kZero), 2);
  EXPECT_EQ(counts.at(Class::kSubnormal), 2 * 1023);
  EXPECT_EQ(counts.at(Class::kNormal), 2 * 30 * 1024);
  EXPECT_EQ(counts.at(Class::kInfinity), 2);
  EXPECT_EQ(counts.at(Class::kQuietNan), 2 * 512);
  EXPECT_EQ(counts.at(Class::kSignalingNan), 2 * 511);
}

TEST(Classify, CensusOfBf16) {
  const auto counts = census(kBf16);
  EXPECT_EQ(counts.at(Class::kSubnormal), 2 * 127);
  EXPECT_EQ(counts.at(Class::kNormal), 2 * 254 * 128);
  EXPECT_EQ(counts.at(Class::kSignalingNan), 2 * 63);
}

TEST(Format, RowsHaveDistinctNamesAndFit) {
  for (const Format& f : all_formats()) {
    EXPECT_EQ(find_format(f.name), &f);
    EXPECT_EQ(find_format("fp17"), nullptr);
    EXPECT_EQ(f.bits, 1 + f.exponent_bits + f.fraction_bits) << f.name;
  }
}

TEST(Format, ConstantFormatIsFoundForEveryRow) {
  for (const Format& f : all_formats()) {
    const Format* seen = nullptr;
    EXPECT_TRUE(with_constant_format(f, [&](auto row) { seen = &row.format; }));
    EXPECT_EQ(seen, &f);
  }
  EXPECT_FALSE(with_constant_format(kE8m0, [](auto) {}));
}

TEST(Tensor, StoresLittleEndianAndReadsBack) {
  for (const Format& f : all_formats()) {
    Tensor tensor = Tensor::zeros(f, 3);
    ASSERT_EQ(tensor.count(), 3U);
    tensor.set(1, infinity(f, true));
    EXPECT_EQ(tensor.at(0), 0U);
    EXPECT_EQ(tensor.at(1), infinity(f, true));
    const auto sign_byte = static_cast<std::byte>(infinity(f, true) >> (f.bits - 8));
    EXPECT_EQ(tensor.bytes[2 * f.storage_bytes() - 1], sign_byte);
    EXPECT_EQ(Tensor::from_bits(f, tensor.to_bits()), tensor);
  }
}

}  // namespace
}  // namespace halfmark::formats
