// SPDX-License-Identifier: Apache-2.0
// Printed values: known answers, and that the decimal text identifies its encoding (MPFR reads it
// back) with no more digits than the format can need.
#include "reference/formats/text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reference/formats/classify.hpp"
#include "reference/slow/mpfr.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::formats {
namespace {

TEST(Text, HexIsAsWideAsTheFormat) {
  EXPECT_EQ(hex(kFp16, 0x1), "0001");
  EXPECT_EQ(hex(kFp32, 0x3f800000), "3f800000");
  EXPECT_EQ(hex(kTf32, one(kTf32)), "3f800000");
  EXPECT_EQ(hex(kE3m2, 0x3f), "3f");
  EXPECT_EQ(hex(kE2m1, 0x7), "7");
}

TEST(Text, ParseHexTakesTheEncodingAndNothingElse) {
  EXPECT_EQ(parse_hex(kFp16, "3c00"), Bits{0x3c00});
  EXPECT_EQ(parse_hex(kFp16, "0X3C00"), Bits{0x3c00});
  EXPECT_EQ(parse_hex(kFp16, "1"), Bits{1});
  for (const char* wrong : {"", "0x", "3c000", "13c00", "3g00", " 3c00", "-1", "1.0"}) {
    EXPECT_FALSE(parse_hex(kFp16, wrong)) << wrong;
  }
  EXPECT_EQ(parse_hex(kTf32, "3f801fff"), one(kTf32));
  EXPECT_EQ(parse_hex(kTf32, "1"), Bits{0});
  EXPECT_EQ(parse_hex(kE3m2, "3f"), Bits{0x3f});
  EXPECT_FALSE(parse_hex(kE3m2, "40"));
  EXPECT_EQ(parse_hex(kFp64, "ffffffffffffffff"), ~Bits{0});
}

TEST(Text, HexFloat) {
  EXPECT_EQ(hex_float(kFp16, 0x4a00), "0x1.8p+3");
  EXPECT_EQ(hex_float(kFp16, 0x8001), "-0x1p-24");
  EXPECT_EQ(hex_float(kFp16, 0x03ff), "0x1.ff8p-15");
  EXPECT_EQ(hex_float(kFp32, 0x7f7fffff), "0x1.fffffep+127");
  EXPECT_EQ(hex_float(kFp16, 0x8000), "-0x0p+0");
  EXPECT_EQ(hex_float(kFp16, 0xfc00), "-inf");
  EXPECT_EQ(hex_float(kFp16, 0x7e01), "nan");
  EXPECT_EQ(hex_float(kFp16, 0x7d01), "snan");
  EXPECT_EQ(hex_float(kE8m0, 0x00), "0x1p-127");
  EXPECT_EQ(hex_float(kE8m0, 0xff), "nan");
  EXPECT_EQ(hex_float(kE4m3fn, 0xfe), "-0x1.cp+8");
  EXPECT_EQ(hex_float(kE4m3fnuz, 0x80), "nan");
  EXPECT_EQ(hex_float(kE2m1, 0x1), "0x1p-1");
}

TEST(Text, DecimalIsShort) {
  EXPECT_EQ(decimal(kFp32, 0x3dcccccd), "0.1");
  EXPECT_EQ(decimal(kFp32, 0x7f7fffff), "3.4028235e+38");
  EXPECT_EQ(decimal(kFp32, 0x00000001), "1e-45");
  EXPECT_EQ(decimal(kFp16, 0x7bff), "65504");
  EXPECT_EQ(decimal(kFp16, 0x3c00), "1");
  EXPECT_EQ(decimal(kFp16, 0x0001), "6e-08");
  EXPECT_EQ(decimal(kFp16, 0xc900), "-10");
  EXPECT_EQ(decimal(kBf16, 0x3f81), "1.01");
  EXPECT_EQ(decimal(kFp16, 0x8000), "-0");
  EXPECT_EQ(decimal(kFp16, 0x7c00), "inf");
  EXPECT_EQ(decimal(kFp64, 0x3fb999999999999a), "0.1");
  EXPECT_EQ(decimal(kFp64, 0x0000000000000001), "5e-324");
  EXPECT_EQ(decimal(kFp64, 0x7fefffffffffffff), "1.7976931348623157e+308");
  EXPECT_EQ(decimal(kE4m3fn, 0x7e), "448");
  EXPECT_EQ(decimal(kE5m2, 0x7b), "57344");
  EXPECT_EQ(decimal(kE2m1, 0xf), "-6");
  EXPECT_EQ(decimal(kE8m0, 0x00), "6e-39");
}

void expect_read_back(const Format& f, Bits bits) {
  if (!is_finite(f, bits)) return;
  const std::string text = decimal(f, bits);
  ASSERT_EQ(slow::mpfr::parse_decimal(f, text.c_str()), bits) << text;
  std::string mantissa = text.substr(0, text.find('e'));
  std::erase_if(mantissa, [](char c) { return c < '0' || c > '9'; });
  mantissa.erase(0, mantissa.find_first_not_of('0'));
  ASSERT_LE(mantissa.size(), f.bits > 32 ? 17U : 10U) << text;
}

TEST(Text, DecimalIdentifiesEveryEncodingOfSixteenBitsAndFewer) {
  for (const Format& f : all_formats()) {
    if (f.bits > 16) continue;
    for (Bits bits = 0; bits <= f.mask(); ++bits) expect_read_back(f, bits);
  }
}

TEST(Text, DecimalIdentifiesWideEncodings) {
  slow::Operands operands(1);
  for (const Format* f : {&kTf32, &kFp32, &kFp64}) {
    for (const Bits bits : slow::corners(*f)) expect_read_back(*f, bits);
    for (int i = 0; i < 10000; ++i) expect_read_back(*f, operands.any(*f));
  }
}

}  // namespace
}  // namespace halfmark::formats
