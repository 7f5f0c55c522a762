// SPDX-License-Identifier: Apache-2.0
// Infinities, NaNs, zeros of both signs and overflow, compared bit for bit.
#include <gtest/gtest.h>

#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/models/unit.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;

bool is_truncated(const Unit& unit) {
  return unit.rule == Rule::kTruncated || unit.rule == Rule::kThroughHalf;
}

struct Factors {
  Bits a, b;
};

// The result for a few products and c, all in the unit's own formats.
Bits answer(const Unit& unit, const std::vector<Factors>& factors, Bits c) {
  std::vector<Bits> a, b;
  for (const Factors& f : factors) {
    a.push_back(f.a);
    b.push_back(f.b);
  }
  return unit_dot(unit, {unit.a[0], a.data()}, {unit.b[0], b.data()}, a.size(),
                  Encoded{unit.output, c})
      .bits;
}
Bits answer(const char* name, const std::vector<Factors>& factors, Bits c) {
  return answer(*find_unit(name), factors, c);
}

TEST(UnitSpecials, OneNanWordWhateverThePayload) {
  for (const Unit& unit : all_units()) {
    if (!is_truncated(unit)) continue;
    const Format& in = *unit.a[0];
    if (in.non_finite == formats::NonFinite::kNone) continue;
    const Format& out = *unit.output;
    const Bits word = out == kFp32 ? 0x7fffffff : 0x7fff;
    const Bits one = formats::one(in);
    const Bits b_one = formats::one(*unit.b[0]);
    EXPECT_EQ(word, answer(unit, {{formats::quiet_nan(in), b_one}}, 0)) << unit.name;
    EXPECT_EQ(word, answer(unit, {{in.mask(), b_one}}, 0)) << unit.name;
    EXPECT_EQ(word, answer(unit, {{one, b_one}}, out.mask())) << unit.name;
    EXPECT_EQ(word, answer(unit, {{one, b_one}}, formats::infinity(out) + 1)) << unit.name;
    if (!in.has_infinity()) continue;
    const Bits plus = formats::infinity(in);
    const Bits minus = formats::infinity(in, true);
    EXPECT_EQ(word, answer(unit, {{plus, 0}}, 0)) << unit.name << " infinity * 0";
    EXPECT_EQ(word, answer(unit, {{plus, b_one}, {minus, b_one}}, 0)) << unit.name;
    EXPECT_EQ(word, answer(unit, {{plus, b_one}}, formats::infinity(out, true))) << unit.name;
    std::vector<Factors> apart(static_cast<std::size_t>(2 * unit.instruction_k), {one, b_one});
    apart.front().a = plus;
    apart.back().a = minus;
    EXPECT_EQ(word, answer(unit, apart, 0)) << unit.name << " in different blocks";
    apart.back().a = one;
    EXPECT_EQ(formats::infinity(out), answer(unit, apart, formats::max_finite(out, true)));
  }
}

TEST(UnitSpecials, ZerosKeepANegativeSignOnlyTogether) {
  for (const Unit& unit : all_units()) {
    if (unit.rule != Rule::kTruncated && unit.rule != Rule::kExact && unit.rule != Rule::kFloored) {
      continue;
    }
    const Format& in = *unit.a[0];
    const Bits minus = formats::zero(*unit.output, true);
    const Bits one = formats::one(*unit.b[0]);
    const Bits zero = in.sign_mask();
    EXPECT_EQ(unit.zero_is_positive ? 0U : minus, answer(unit, {{zero, one}, {zero, one}}, minus))
        << unit.name;
    EXPECT_EQ(0U, answer(unit, {{zero, one}, {0, one}}, minus)) << unit.name;
    EXPECT_EQ(0U, answer(unit, {{zero, one}, {zero, one}}, 0)) << unit.name;
    const Bits a = formats::one(in);
    EXPECT_EQ(0U, answer(unit, {{a, one}, {a | in.sign_mask(), one}}, minus)) << unit.name;
  }
  // As an H200 does.
  EXPECT_EQ(0U, answer("unit.hopper.mma.fp16.fp32", {{0x8000, 0x3c00}}, 0x80000000));
  EXPECT_EQ(0x80000000U, answer("unit.ada.mma.fp16.fp32", {{0x8000, 0x3c00}}, 0x80000000));
  // These start from +0 or turn every zero into +0.
  EXPECT_EQ(0U, answer("unit.cdna2.mfma.fp16.fp32", {{0x8000, 0x3c00}}, 0x80000000));
  EXPECT_EQ(0U, answer("unit.hopper.mma.e4m3.fp32", {{0x80, 0x38}}, 0x80000000));
  EXPECT_EQ(0U, answer("unit.amx.tdp.bf16.fp32", {{0x8000, 0x3f80}}, 0x80000000));
}

// Of two products in a pair, the odd one is added to c first: 2^24 + 1 + 1 in fp32.
TEST(UnitSpecials, AFlushedChainTakesTheOddProductFirstAndFlushesEverything) {
  const char* const name = "unit.avx512.dp.bf16.fp32";
  constexpr Bits kLarge = 0x4b800000;
  EXPECT_EQ(0x3f800000U, answer(name, {{0x3f80, 0x3f80}, {0xcb80, 0x3f80}}, kLarge));
  EXPECT_EQ(0U, answer(name, {{0xcb80, 0x3f80}, {0x3f80, 0x3f80}}, kLarge));
  EXPECT_EQ(0x3f800000U, answer(name, {{0x3f80, 0x3f80}}, 0x80000001));
  EXPECT_EQ(0x80000000U, answer(name, {{0x8000, 0x3f80}, {0x8001, 0x3f80}}, 0x80000001));
  EXPECT_EQ(0U, answer(name, {{0x2000, 0x1f80}, {0, 0}}, 0)) << "2^-127";
  EXPECT_EQ(0x00800000U, answer(name, {{0x2000, 0x2000}, {0, 0}}, 0)) << "2^-126";
}

// The odd product is the first step, so its NaN reaches the second one as the sum.
TEST(UnitSpecials, AFlushedChainKeepsTheNanOfTheFirstOperandThatIsOne) {
  const char* const name = "unit.avx512.dp.bf16.fp32";
  EXPECT_EQ(0x7fc10000U, answer(name, {{0x7f81, 0x7fc3}, {0x7fc2, 0x3f80}}, 0x7fc55555));
  EXPECT_EQ(0xffc30000U, answer(name, {{0x3f80, 0xffc3}, {0x7fc2, 0x3f80}}, 0));
  EXPECT_EQ(0x7fc20000U, answer(name, {{0x3f80, 0x3f80}, {0x7fc2, 0x3f80}}, 0x7fc55555));
  EXPECT_EQ(0x7fc55555U, answer(name, {{0x7f80, 0}, {0x7f80, 0}}, 0x7f855555));
  EXPECT_EQ(0xffc00000U, answer(name, {{0x7f80, 0}, {0x3f80, 0x3f80}}, 0));
  EXPECT_EQ(0xffc00000U, answer(name, {{0x7f80, 0x3f80}, {0xff80, 0x3f80}}, 0));
}

// 1 + 2^-24 lies between two numbers; so does 2^-24 less than 1.
TEST(UnitSpecials, OddPairsRoundToOdd) {
  const char* const name = "unit.arm.bfmmla.bf16.fp32";
  EXPECT_EQ(0x3f800001U, answer(name, {{0x3f80, 0x3f80}, {0x3380, 0x3f80}}, 0));
  EXPECT_EQ(0x3f800001U, answer(name, {{0x3380, 0x3f80}, {0, 0}}, 0x3f800000));
  EXPECT_EQ(0x3f7fffffU, answer(name, {{0xb300, 0x3f80}, {0, 0}}, 0x3f800000));
  EXPECT_EQ(0x7f800000U, answer(name, {{0x7f7f, 0x3f80}, {0x7f7f, 0x3f80}}, 0));
  EXPECT_EQ(0U, answer(name, {{0x2000, 0x1f80}, {0, 0}}, 0)) << "2^-127";
  EXPECT_EQ(0x7fc00000U, answer(name, {{0xff81, 0x3f80}, {0, 0}}, 0));
}

TEST(UnitSpecials, OverflowIsInfiniteAlsoTowardZero) {
  const std::vector<Factors> twice{{0x7f00, 0x3f80}, {0x7f00, 0x3f80}};  // 2^127 + 2^127
  for (const Unit& unit : all_units()) {
    if (unit.input() != "bf16" && unit.input() != "bf16_1k") continue;
    EXPECT_EQ(0x7f800000U, answer(unit, twice, 0)) << unit.name;
    // The largest finite number still fits.
    EXPECT_EQ(0x7f7fffffU, answer(unit, {{0, 0}}, 0x7f7fffff)) << unit.name;
  }
}

TEST(UnitSpecials, ProductsMayPassTheRangeWhereTheyAreNotRounded) {
  const std::vector<Factors> opposite{{0x7f00, 0x7f00}, {0xff00, 0x7f00}};  // 2^254 - 2^254
  for (const char* name : {"unit.ampere.mma.bf16.fp32", "unit.ada.mma.bf16.fp32",
                           "unit.hopper.mma.bf16.fp32", "unit.hopper.wgmma.bf16.fp32",
                           "unit.blackwell.tcgen05.bf16.fp32", "unit.cdna1.mfma.bf16.fp32"}) {
    EXPECT_EQ(0U, answer(name, opposite, 0)) << name;
  }
  for (const char* name :
       {"unit.cdna2.mfma.bf16.fp32", "unit.cdna2.mfma.bf16_1k.fp32", "unit.cdna3.mfma.bf16.fp32"}) {
    EXPECT_EQ(0x7fc00000U, answer(name, opposite, 0)) << name << ": a class, hence the default NaN";
  }
}

TEST(UnitSpecials, TheEncodingOfMinusZeroIsTheNanOfFnuz) {
  EXPECT_EQ(0x7fc00000U, answer("unit.cdna3.mfma.e4m3fnuz.fp32", {{0x80, 0x40}}, 0));
  EXPECT_EQ(0U, answer("unit.ada.mma.e4m3.fp32", {{0x80, 0x38}}, 0));
  EXPECT_EQ(0x7fc00000U, answer("unit.cdna3.mfma.e5m2fnuz.fp32", {{0x80, 0x40}}, 0));
}

TEST(UnitSpecials, AnInfiniteCStaysWhateverTheExponents) {
  for (const Unit& unit : all_units()) {
    if (unit.scale != nullptr) continue;
    const Bits big = formats::max_finite(*unit.a[0], true);
    const Bits infinite = formats::infinity(*unit.output);
    EXPECT_EQ(infinite, answer(unit, {{big, formats::one(*unit.b[0])}}, infinite)) << unit.name;
  }
}

// Scales that are NaN, and the sign of an nvfp4 scale.
TEST(UnitSpecials, Scales) {
  const auto scaled = [](const char* name, Bits a_scale, Bits b_scale) {
    const Unit& unit = *find_unit(name);
    const Bits a = formats::one(*unit.a[0]);
    const Bits b = formats::one(*unit.b[0]);
    const Scales scales{{unit.scale, &a_scale}, {unit.scale, &b_scale}};
    return unit_dot(unit, {unit.a[0], &a}, {unit.b[0], &b}, 1, {}, &scales).bits;
  };
  EXPECT_EQ(0x3f800000U, scaled("unit.blackwell.tcgen05.mxfp8.fp32", 0x7f, 0x7f));
  EXPECT_EQ(0x40800000U, scaled("unit.blackwell.tcgen05.mxfp8.fp32", 0x80, 0x80));
  EXPECT_EQ(0x7f800000U, scaled("unit.blackwell.tcgen05.mxfp8.fp32", 0xfe, 0x80));
  EXPECT_EQ(0x7fffffffU, scaled("unit.blackwell.tcgen05.mxfp8.fp32", 0xff, 0x7f));
  EXPECT_EQ(0x7fffffffU, scaled("unit.blackwell.tcgen05.mxfp4.fp32", 0x7f, 0xff));
  EXPECT_EQ(0x40100000U, scaled("unit.blackwell.tcgen05.nvfp4.fp32", 0x3c, 0x3c));  // 1.5 * 1.5
  EXPECT_EQ(0x40100000U, scaled("unit.blackwell.tcgen05.nvfp4.fp32", 0xbc, 0x3c));
  EXPECT_EQ(0x7fffffffU, scaled("unit.blackwell.tcgen05.nvfp4.fp32", 0x3c, 0xff));
  EXPECT_EQ(0U, scaled("unit.blackwell.tcgen05.nvfp4.fp32", 0x00, 0x3c));
}

}  // namespace
}  // namespace halfmark::models
