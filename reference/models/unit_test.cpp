// SPDX-License-Identifier: Apache-2.0
// The table of matrix units as data: names, lookup, and the operands that a unit refuses.
#include "reference/models/unit.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/models/arithmetic.hpp"

namespace halfmark::models {
namespace {

using formats::kE4m3fn;
using formats::kE5m2;
using formats::kE8m0;
using formats::kFp16;
using formats::kFp32;

std::string words_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(UnitTable, NamesParseBackAndDiffer) {
  std::set<std::string_view> names;
  for (const Unit& unit : all_units()) {
    EXPECT_TRUE(names.insert(unit.name).second) << unit.name << " twice";
    EXPECT_EQ(&unit, find_unit(unit.name));
    const auto arithmetic = parse_arithmetic(unit.name);
    ASSERT_TRUE(arithmetic) << unit.name;
    EXPECT_EQ(&unit, arithmetic->unit);
    EXPECT_FALSE(arithmetic->is_exact());
    EXPECT_EQ(unit.name, print(*arithmetic));
    EXPECT_EQ(unit.output, &answer_format(*arithmetic, kFp16));
    EXPECT_FALSE(unit.source.empty()) << unit.name << " has no source";
    EXPECT_TRUE(unit.name.ends_with("." + std::string(unit.output->name))) << unit.name;
  }
}

TEST(UnitTable, AliasesOfFormatsAreUnderstoodAndCanonicalNamesPrinted) {
  const auto name = [](std::string_view text) {
    const Unit* unit = find_unit(text);
    return unit == nullptr ? std::string_view("none") : unit->name;
  };
  EXPECT_EQ("unit.hopper.wgmma.e4m3fn.fp32", name("unit.hopper.wgmma.e4m3.fp32"));
  EXPECT_EQ("unit.ada.mma.e5m2.fp16", name("unit.ada.mma.fp8_e5m2.half"));
  EXPECT_EQ("unit.cdna3.mfma.e4m3fnuz.fp32", name("unit.cdna3.mfma.e4m3.fp32"));
  EXPECT_EQ("unit.cdna3.mfma.e5m2fnuz.fp32", name("unit.cdna3.mfma.bf8.fp32"));
  EXPECT_EQ("unit.cdna3.mfma.xf32.fp32", name("unit.cdna3.mfma.tf32.fp32"));
  EXPECT_EQ("none", name("unit.hopper.wgmma.e4m3fn"));
  EXPECT_EQ("none", name("unit.hopper.wgmma.e4m3fn.fp32.fp32"));
  EXPECT_EQ("none", name("unit.hopper.mfma.fp16.fp32"));
  EXPECT_EQ("none", name("unit.volta.mma.bf16.fp32"));
  EXPECT_EQ("none", name("tile.volta.mma.fp16.fp32"));
  EXPECT_EQ("none", name(""));
}

TEST(UnitTable, RowsAreConsistent) {
  for (const Unit& unit : all_units()) {
    EXPECT_GE(unit.instruction_k, 1) << unit.name;
    EXPECT_GE(unit.step(), 1U) << unit.name;
    EXPECT_LE(unit.step(), 64U) << unit.name;
    EXPECT_LE(unit.kept_bits, unit.output->fraction_bits) << unit.name;
    EXPECT_EQ(unit.scale != nullptr, unit.scale_block != 0) << unit.name;
    EXPECT_TRUE(formats::is_nan(*unit.output, unit.nan())) << unit.name;
    // The pattern of published zero exponents: -108 - F where sums live in fp32, 3 - F where a
    // warp's instruction accumulates in fp16; F of the generation's fp16 datapath.
    if (unit.rule != Rule::kTruncated || unit.fraction_bits == 13) continue;
    const bool half = *unit.output == kFp16 && unit.instruction() == "mma";
    EXPECT_EQ(half ? 3 - unit.fraction_bits : -108 - unit.fraction_bits, unit.zero_exponent)
        << unit.name;
  }
}

TEST(UnitTable, RefusesOperandsItDoesNotTakeAndNamesThoseItDoes) {
  const Bits one = 0x3c00;
  const Unit& hopper = *find_unit("unit.hopper.wgmma.e4m3fn.fp32");
  EXPECT_EQ(
      "unit.hopper.wgmma.e4m3fn.fp32 takes a in e4m3fn and b in e4m3fn, e5m2; here a is fp16 "
      "and b is fp16",
      words_of([&] { (void)unit_dot(hopper, {&kFp16, &one}, {&kFp16, &one}, 1, {}); }));
  const Bits eights[] = {0x38, 0x38};
  EXPECT_EQ(0x3f800000U,
            unit_dot(hopper, {&kE4m3fn, eights}, {&kE5m2, &one, 0}, 0, Encoded{&kFp16, one}).bits);
  const Unit& nvfp4 = *find_unit("unit.blackwell.tcgen05.nvfp4.fp32");
  const Vector e2m1{&formats::kE2m1, eights};
  EXPECT_EQ(
      "unit.blackwell.tcgen05.nvfp4.fp32 takes scales of a and of b in e4m3fn, one for every "
      "16 elements along k; here they are missing and missing",
      words_of([&] { (void)unit_dot(nvfp4, e2m1, e2m1, 1, {}); }));
  const Scales wrong{{&kE8m0, eights}, {&kE8m0, eights}};
  EXPECT_NE(std::string::npos, words_of([&] {
                                 (void)unit_dot(nvfp4, e2m1, e2m1, 1, {}, &wrong);
                               }).find("here they are e8m0 and e8m0"));
  EXPECT_EQ("unit.hopper.wgmma.e4m3fn.fp32 takes no scales", words_of([&] {
              (void)unit_dot(hopper, {&kE4m3fn, eights}, {&kE5m2, eights}, 1, {}, &wrong);
            }));
}

TEST(UnitTable, ATf32UnitSeesTheUpperBitsOfAnFp32Word) {
  const Unit& unit = *find_unit("unit.ampere.mma.tf32.fp32");
  const Bits words[] = {0x3f803fff};
  const Bits cut[] = {0x3f802000U >> 13};
  const Bits one[] = {0x3f800000U >> 13};
  EXPECT_EQ(0x3f802000U, unit_dot(unit, {&kFp32, words}, {&formats::kTf32, one}, 1, {}).bits);
  EXPECT_EQ(0x3f802000U,
            unit_dot(unit, {&formats::kTf32, cut}, {&formats::kTf32, one}, 1, {}).bits);
  // A NaN whose payload is in the lower bits is truncated to an infinity.
  const Bits nan[] = {0x7f800001};
  EXPECT_EQ(0x7f800000U, unit_dot(unit, {&kFp32, nan}, {&formats::kTf32, one}, 1, {}).bits);
}

TEST(UnitTable, CIsConvertedToNearestEvenAndIsTheAnswerWithoutProducts) {
  const Unit& unit = *find_unit("unit.volta.mma.fp16.fp16");
  const Vector none{&kFp16, nullptr};
  EXPECT_EQ(0U, unit_dot(unit, none, none, 0, {}).bits);
  EXPECT_EQ(0x6802U, unit_dot(unit, none, none, 0, Encoded{&kFp32, 0x45003000}).bits);  // 2051
  EXPECT_EQ(0x8000U, unit_dot(unit, none, none, 0, Encoded{&kFp32, 0x80000000}).bits);
  EXPECT_EQ(0x7fffU, unit_dot(unit, none, none, 0, Encoded{&kFp32, 0x7fc00000}).bits);
}

}  // namespace
}  // namespace halfmark::models
