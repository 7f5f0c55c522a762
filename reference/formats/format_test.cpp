// SPDX-License-Identifier: Apache-2.0
// The rows of the table against the tables of the standards, and the classes of every narrow
// encoding, counted.
#include "reference/formats/format.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

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

// OFP8 revision 1.0 and MX version 1.0: the tables of each format.
static_assert(kE4m3fn.min_exponent() == -6 && kE4m3fn.max_exponent() == 8);
static_assert(max_finite(kE4m3fn) == 0x7e && quiet_nan(kE4m3fn) == 0x7f);
static_assert(kE5m2.min_exponent() == -14 && kE5m2.max_exponent() == 15);
static_assert(max_finite(kE5m2) == 0x7b && infinity(kE5m2) == 0x7c && quiet_nan(kE5m2) == 0x7e);
static_assert(kE4m3fnuz.min_exponent() == -7 && kE4m3fnuz.max_exponent() == 7);
static_assert(kE5m2fnuz.min_exponent() == -15 && kE5m2fnuz.max_exponent() == 15);
static_assert(max_finite(kE5m2fnuz) == 0x7f && quiet_nan(kE5m2fnuz) == 0x80);
static_assert(zero(kE4m3fnuz, true) == 0 && max_finite(kE4m3fnuz, true) == 0xff);
static_assert(kE8m0.min_exponent() == -127 && kE8m0.max_exponent() == 127);
static_assert(classify(kE8m0, 0xff) == Class::kQuietNan && max_finite(kE8m0) == 0xfe);
static_assert(classify(kE8m0, 0x00) == Class::kNormal && one(kE8m0) == 0x7f);
static_assert(min_normal(kE8m0) == 0x00 && min_subnormal(kE8m0) == 0x00);
static_assert(kE3m2.min_exponent() == -2 && kE3m2.max_exponent() == 4);
static_assert(kE2m3.min_exponent() == 0 && kE2m3.max_exponent() == 2);
static_assert(kE2m1.min_exponent() == 0 && kE2m1.max_exponent() == 2);
static_assert(max_finite(kE2m1) == 7 && quiet_nan(kE2m1) == 7 && infinity(kE2m1, true) == 15);
static_assert(classify(kE3m2, 0x3f) == Class::kNormal);
// tf32 has the range of fp32 and the precision of fp16, in the upper bits of a 32-bit word.
static_assert(kTf32.min_exponent() == -126 && kTf32.precision() == 11);
static_assert(kTf32.storage_bytes() == 4 && kTf32.hex_digits() == 8 && kTf32.bits == 19);
static_assert(kTf32.to_word(one(kTf32)) == one(kFp32));
static_assert(kTf32.from_word(0x3f801fff) == one(kTf32));
static_assert(kFp64.min_place() == -1074 && kFp64.max_exponent() == 1023);

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

// The eight-bit formats by the tables that define them: OFP8, MX, arXiv:2206.02915.
TEST(Classify, CensusOfEightBitFormats) {
  using Census = std::map<Class, int>;
  EXPECT_EQ(census(kE4m3fn), (Census{{Class::kZero, 2},
                                     {Class::kSubnormal, 14},
                                     {Class::kNormal, 238},
                                     {Class::kQuietNan, 2}}));
  EXPECT_EQ(census(kE5m2), (Census{{Class::kZero, 2},
                                   {Class::kSubnormal, 6},
                                   {Class::kNormal, 240},
                                   {Class::kInfinity, 2},
                                   {Class::kQuietNan, 4},
                                   {Class::kSignalingNan, 2}}));
  EXPECT_EQ(census(kE4m3fnuz), (Census{{Class::kZero, 1},
                                       {Class::kSubnormal, 14},
                                       {Class::kNormal, 240},
                                       {Class::kQuietNan, 1}}));
  EXPECT_EQ(census(kE5m2fnuz), (Census{{Class::kZero, 1},
                                       {Class::kSubnormal, 6},
                                       {Class::kNormal, 248},
                                       {Class::kQuietNan, 1}}));
  EXPECT_EQ(census(kE8m0), (Census{{Class::kNormal, 255}, {Class::kQuietNan, 1}}));
  EXPECT_EQ(census(kE2m1),
            (Census{{Class::kZero, 2}, {Class::kSubnormal, 2}, {Class::kNormal, 12}}));
}

TEST(Format, RowsHaveDistinctNamesAndFit) {
  std::set<std::string_view> names;
  std::size_t count = 0;
  for (const Format& f : all_formats()) {
    EXPECT_EQ(&f, find_format(f.name));
    EXPECT_EQ(f.bits, (f.has_sign ? 1 : 0) + f.exponent_bits + f.fraction_bits) << f.name;
    names.insert(f.name);
    ++count;
    for (const std::string_view alias : f.aliases) {
      if (alias.empty()) continue;
      EXPECT_EQ(&f, find_format(alias)) << alias;
      names.insert(alias);
      ++count;
    }
  }
  EXPECT_EQ(count, names.size());
  EXPECT_EQ(nullptr, find_format("fp17"));
  EXPECT_EQ(nullptr, find_format(""));
  EXPECT_EQ(&kE4m3fn, find_format("e4m3"));
  EXPECT_EQ(&kE2m1, find_format("fp4_e2m1"));
}

TEST(Format, NoTwoRowsAreEqual) {
  for (const Format& f : all_formats()) {
    for (const Format& g : all_formats()) EXPECT_EQ(&f == &g, f == g) << f.name << " " << g.name;
  }
}

TEST(Format, FoldedRowsAreFoundAndTheOthersLeftToTheCaller) {
  for (const Format& f : all_formats()) {
    const Format* seen = nullptr;
    const bool folded = f == kFp16 || f == kBf16 || f == kFp32;
    EXPECT_EQ(folded, with_constant_format(f, [&](auto row) { seen = &row.format; })) << f.name;
    EXPECT_EQ(folded ? &f : nullptr, seen);
  }
}

TEST(Tensor, StoresLittleEndianAndReadsBack) {
  for (const Format& f : all_formats()) {
    Tensor tensor = Tensor::zeros(f, 3);
    ASSERT_EQ(3U, tensor.count());
    const Bits lowest = max_finite(f, true);
    tensor.set(1, lowest);
    EXPECT_EQ(0U, tensor.at(0));
    EXPECT_EQ(lowest, tensor.at(1)) << f.name;
    const auto top_byte = static_cast<std::byte>(f.to_word(lowest) >> 8 * (f.storage_bytes() - 1));
    EXPECT_EQ(top_byte, tensor.bytes[2 * f.storage_bytes() - 1]) << f.name;
    EXPECT_EQ(tensor, Tensor::from_bits(f, tensor.to_bits()));
  }
}

TEST(Tensor, PaddingIsIgnoredAndWrittenAsZero) {
  Tensor tensor = Tensor::zeros(kTf32, 1);
  tensor.bytes = {std::byte{0xff}, std::byte{0x3f}, std::byte{0x80}, std::byte{0x3f}};
  EXPECT_EQ(one(kTf32) + 1, tensor.at(0));
  tensor.set(0, tensor.at(0));
  EXPECT_EQ((std::vector{std::byte{0}, std::byte{0x20}, std::byte{0x80}, std::byte{0x3f}}),
            tensor.bytes);
}

}  // namespace
}  // namespace halfmark::formats
