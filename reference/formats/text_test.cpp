// SPDX-License-Identifier: Apache-2.0
// Printed values: known answers, and that the decimal text identifies its encoding (read back by
// MPFR) with no more digits than the format can need.
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
}

TEST(Text, ParseHexTakesTheEncodingAndNothingElse) {
  EXPECT_EQ(parse_hex(kFp16, "3c00"), Bits{0x3c00});
  EXPECT_EQ(parse_hex(kFp16, "0X3C00"), Bits{0x3c00});
  EXPECT_EQ(parse_hex(kFp16, "1"), Bits{1});
  for (const char* wrong : {"", "0x", "3c000", "13c00", "3g00", " 3c00", "-1", "1.0"}) {
    EXPECT_FALSE(parse_hex(kFp16, wrong)) << wrong;
  }
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
}

void expect_read_back(const Format& f, Bits bits) {
  if (!is_finite(f, bits)) return;
  const std::string text = decimal(f, bits);
  ASSERT_EQ(slow::mpfr::parse_decimal(f, text.c_str()), bits) << text;
  std::string mantissa = text.substr(0, text.find('e'));
  std::erase_if(mantissa, [](char c) { return c < '0' || c > '9'; });
  mantissa.erase(0, mantissa.find_first_not_of('0'));
  ASSERT_LE(mantissa.size(), 10U) << text;
}

TEST(Text, DecimalIdentifiesEverySixteenBitEncoding) {
  for (const Format* f : {&kFp16, &kBf16}) {
    for (Bits bits = 0; bits <= f->mask(); ++bits) expect_read_back(*f, bits);
  }
}

TEST(Text, DecimalIdentifiesFp32Encodings) {
  slow::Operands operands(1);
  for (const Bits bits : slow::corners(kFp32)) expect_read_back(kFp32, bits);
  for (int i = 0; i < 20000; ++i) expect_read_back(kFp32, operands.any(kFp32));
}

}  // namespace
}  // namespace halfmark::formats
