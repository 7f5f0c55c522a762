// SPDX-License-Identifier: Apache-2.0
// Probes whose results differ between generations, with the result of each: sums of a few powers of
// two, worked out by hand from the published rules. A failure also shows which bit of a rule a
// change has broken.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/models/arithmetic.hpp"
#include "reference/slow/unit.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kE4m3fn;
using formats::kE5m2;
using formats::kE5m2fnuz;
using formats::kFp16;
using formats::kFp32;

// integer * 2^exponent, which the format must be able to represent.
struct Number {
  int integer;
  int exponent;
};

Bits bits_of(const Format& f, Number x) {
  const Bits wide = soft::ldexp(kFp32, soft::from_int(kFp32, x.integer).bits, x.exponent).bits;
  const soft::Result narrow = soft::convert(kFp32, f, wide);
  EXPECT_EQ(0U, narrow.flags) << x.integer << " * 2^" << x.exponent << " in " << f.name;
  return narrow.bits;
}

struct Product {
  std::size_t k;
  Number a, b;
};

// A sum over k = 0 to 31 in which all other products are zero.
Bits sum(std::string_view arithmetic, const Format& in, std::initializer_list<Product> products,
         const Format& c_format, Bits c) {
  std::vector<Bits> a(32), b(32);
  for (const Product& p : products) {
    a[p.k] = bits_of(in, p.a);
    b[p.k] = bits_of(in, p.b);
  }
  const auto named = parse_arithmetic(arithmetic);
  if (!named) throw std::invalid_argument(std::string(arithmetic));
  return dot(*named, {&in, a.data()}, {&in, b.data()}, 32, Encoded{&c_format, c}, kFp32).bits;
}

// The columns of the tables: arithmetics that share every result, and the format of their operands.
struct Column {
  const Format& in;
  std::vector<std::string_view> names;
};
const Column kExact{kFp16, {"exact"}};
const Column kChain{kFp16, {"fp32.sequential.fma"}};
const Column kVolta{kFp16, {"unit.volta.mma.fp16.fp32"}};
const Column kAmpere{
    kFp16, {"unit.turing.mma.fp16.fp32", "unit.ampere.mma.fp16.fp32", "unit.ada.mma.fp16.fp32"}};
const Column kHopper{
    kFp16,
    {"unit.hopper.mma.fp16.fp32", "unit.hopper.wgmma.fp16.fp32", "unit.blackwell.mma.fp16.fp32",
     "unit.blackwell.tcgen05.fp16.fp32", "unit.blackwell_rtx.mma.fp16.fp32"}};
const Column kNarrow{kE5m2, {"unit.ada.mma.e5m2.fp32", "unit.hopper.wgmma.e5m2.fp32"}};
const Column kCdna1{kFp16, {"unit.cdna1.mfma.fp16.fp32"}};
const Column kCdna2{kFp16, {"unit.cdna2.mfma.fp16.fp32"}};
const Column kCdna3{kFp16, {"unit.cdna3.mfma.fp16.fp32"}};
const Column kCdna3Fp8{kE5m2fnuz, {"unit.cdna3.mfma.e5m2fnuz.fp32"}};
const Column kAmx{kBf16, {"unit.amx.tdp.bf16.fp32"}};
const Column kBlackwellFp8{
    kE5m2, {"unit.blackwell.tcgen05.e5m2.fp32", "unit.blackwell_rtx.mma.e5m2.fp32"}};
const Column* const kColumns[] = {&kExact, &kChain, &kVolta, &kAmpere,   &kHopper, &kNarrow,
                                  &kCdna1, &kCdna2, &kCdna3, &kCdna3Fp8, &kAmx};

constexpr Bits kAbsent = ~Bits{0};  // the operands do not exist in the column's format

struct Probe {
  std::string_view what;
  std::initializer_list<Product> products;
  Bits c;  // fp32
  Bits expected[11];
};

const Number kOne{1, 0};

const Probe kProbes[] = {
    {"2^23 - 2^23 - 7/8",
     {{0, {-1, 12}, {1, 11}}, {1, {-1, -1}, kOne}, {2, {-1, -2}, kOne}, {3, {-1, -3}, kOne}},
     0x4b000000,
     {0xbf600000, 0xbf600000, 0, 0xbf000000, 0xbf400000, 0, 0xbf600000, 0, 0xbf000000, 0xbf800000,
      0xbf800000}},
    {"1 and twice 2^-24: truncated one by one, or added first",
     {{0, {1, -12}, {1, -12}}, {1, {1, -12}, {1, -12}}},
     0x3f800000,
     {0x3f800001, 0x3f800000, 0x3f800000, 0x3f800001, 0x3f800001, 0x3f800000, 0x3f800001,
      0x3f800001, 0x3f800001, 0x3f800001, 0x3f800001}},
    {"1 and 1.5 * 2^-24: the last rounding",
     {{0, {3, -13}, {1, -12}}},
     0x3f800000,
     {0x3f800001, 0x3f800001, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800001,
      0x3f800001, 0x3f800001, 0x3f800001, 0x3f800001}},
    {"the same, negative",
     {{0, {-3, -13}, {1, -12}}},
     0xbf800000,
     {0xbf800001, 0xbf800001, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800000, 0xbf800001,
      0xbf800001, 0xbf800001, 0xbf800001, 0xbf800001}},
    {"1024 - 2^-20: c rounded down, or lost",
     {{0, {1, 5}, {1, 5}}},
     0xb5800000,
     {0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000,
      0x44800000, 0x447fffff, 0x44800000, 0x44800000}},
    {"1024 + 2^-20",
     {{0, {1, 5}, {1, 5}}},
     0x35800000,
     {0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x44800000,
      0x44800000, 0x44800000, 0x44800000, 0x44800000}},
    {"1024 - 2^-15: 25 bits below",
     {{0, {1, 5}, {1, 5}}},
     0xb8000000,
     {0x44800000, 0x44800000, 0x44800000, 0x44800000, 0x447fffff, 0x44800000, 0x44800000,
      0x44800000, 0x447fffff, 0x447fffff, 0x44800000}},
    {"c alone, 14 bits wide",
     {},
     0x3f800200,
     {0x3f800200, 0x3f800200, 0x3f800200, 0x3f800200, 0x3f800200, 0x3f800000, 0x3f800200,
      0x3f800200, 0x3f800200, 0x3f800200, 0x3f800200}},
    {"the least fp16 number",
     {{0, {1, -24}, kOne}},
     0,
     {0x33800000, 0x33800000, 0x33800000, 0x33800000, 0x33800000, kAbsent, 0x33800000, 0,
      0x33800000, kAbsent, 0x33800000}},
    {"c subnormal",
     {},
     0x00400000,
     {0x00400000, 0x00400000, 0x00400000, 0x00400000, 0x00400000, 0x00400000, 0x00400000, 0,
      0x00400000, 0x00400000, 0}},
    {"1 and four times 2^-25",
     {{0, kOne, kOne},
      {1, {1, -12}, {1, -13}},
      {2, {1, -12}, {1, -13}},
      {3, {1, -12}, {1, -13}},
      {4, {1, -12}, {1, -13}}},
     0,
     {0x3f800001, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800001, 0x3f800000, 0x3f800001,
      0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000}},
    {"2^24 at 0, 1 at 4, -2^24 at 8",
     {{0, {1, 12}, {1, 12}}, {4, kOne, kOne}, {8, {-1, 12}, {1, 12}}},
     0,
     {0x3f800000, 0, 0, 0, 0x3f800000, 0, 0, 0, 0, 0x3f800000, 0}},
    {"2.25 as 1.5 * 1.5, and four times 2^-24",
     {{0, {3, -1}, {3, -1}},
      {1, {1, -12}, {1, -12}},
      {2, {1, -12}, {1, -12}},
      {3, {1, -12}, {1, -12}},
      {4, {1, -12}, {1, -12}}},
     0,
     {0x40100001, 0x40100000, 0x40100000, 0x40100001, 0x40100001, 0x40100000, 0x40100001,
      0x40100000, 0x40100001, 0x40100001, 0x40100000}},
    {"2.25 as 1.125 * 2, and four times 2^-24",
     {{0, {9, -3}, {1, 1}},
      {1, {1, -12}, {1, -12}},
      {2, {1, -12}, {1, -12}},
      {3, {1, -12}, {1, -12}},
      {4, {1, -12}, {1, -12}}},
     0,
     {0x40100001, 0x40100000, 0x40100000, 0x40100000, 0x40100001, kAbsent, 0x40100001, 0x40100000,
      0x40100000, kAbsent, 0x40100000}},
};

void expect_column(const Probe& probe, const Column& column, Bits expected) {
  if (expected == kAbsent) return;
  for (const std::string_view name : column.names) {
    EXPECT_EQ(expected, sum(name, column.in, probe.products, kFp32, probe.c))
        << name << ": " << probe.what;
  }
}

TEST(UnitFingerprint, Fp32Output) {
  for (const Probe& probe : kProbes) {
    for (std::size_t i = 0; i < std::size(kColumns); ++i) {
      expect_column(probe, *kColumns[i], probe.expected[i]);
    }
    // fp8 with 25 fraction bits gives the results of fp16, where e5m2 has the operands.
    expect_column(probe, kBlackwellFp8, probe.expected[5] == kAbsent ? kAbsent : probe.expected[4]);
  }
  EXPECT_EQ(0xbec00000U,
            sum("unit.cdna2.mfma.bf16.fp32", kBf16, kProbes[0].products, kFp32, kProbes[0].c));
  EXPECT_EQ(0x3f800000U, sum("unit.cdna1.mfma.bf16.fp32", kBf16, kProbes[10].products, kFp32, 0));
}

// Where sums are rounded down twice before they are rounded to nearest: to 32 bits below the larger
// of the two where they meet, then to 31 below their own exponent. Only a bit that makes or breaks
// a tie shows either.
TEST(UnitFingerprint, FlooredTwice) {
  for (const auto& [name, in] :
       {std::pair<const char*, const Format&>{"unit.cdna3.mfma.fp16.fp32", kFp16},
        {"unit.cdna3.mfma.bf16.fp32", kBf16},
        {"unit.cdna3.mfma.e5m2fnuz.fp32", kE5m2fnuz}}) {
    const Product tie{0, {1, -12}, {1, -12}};
    const Product minus_tie{0, {-1, -12}, {1, -12}};
    EXPECT_EQ(0x3f800000U, sum(name, in, {tie, {2, {1, -16}, {1, -16}}}, kFp32, 0x3f800000))
        << name;
    EXPECT_EQ(0x3f800001U, sum(name, in, {tie, {2, {1, -16}, {1, -15}}}, kFp32, 0x3f800000))
        << name;
    EXPECT_EQ(0xbf800001U, sum(name, in, {minus_tie, {2, {-1, -16}, {1, -16}}}, kFp32, 0xbf800000))
        << name;
    EXPECT_EQ(
        0x3f7f8001U,
        sum(name, in, {{0, {-1, -4}, {1, -5}}, {2, {1, -12}, {1, -13}}, {4, {1, -16}, {1, -16}}},
            kFp32, 0x3f800000))
        << name;
  }
}

// 1 + 2^-23 and 1 make 2 and half a place; another 2^-23 counts only if it is added with them.
TEST(UnitFingerprint, BlockSize) {
  const struct {
    std::string_view name;
    const Format& in;
    std::size_t first;  // the first place that is in another step; 32: none
  } rows[] = {
      {"fp32.sequential.fma", kFp16, 1},
      {"unit.cdna1.mfma.bf16.fp32", kBf16, 2},
      {"unit.cdna2.mfma.bf16.fp32", kBf16, 2},
      {"unit.volta.mma.fp16.fp32", kFp16, 4},
      {"unit.cdna1.mfma.fp16.fp32", kFp16, 4},
      {"unit.cdna2.mfma.fp16.fp32", kFp16, 4},
      {"unit.cdna2.mfma.bf16_1k.fp32", kBf16, 4},
      {"unit.turing.mma.fp16.fp32", kFp16, 8},
      {"unit.ampere.mma.fp16.fp32", kFp16, 8},
      {"unit.ampere.mma.bf16.fp32", kBf16, 8},
      {"unit.ampere.mma.tf32.fp32", formats::kTf32, 4},
      {"unit.ada.mma.fp16.fp32", kFp16, 8},
      {"unit.cdna3.mfma.fp16.fp32", kFp16, 8},
      {"unit.cdna3.mfma.xf32.fp32", formats::kTf32, 4},
      {"unit.hopper.mma.fp16.fp32", kFp16, 16},
      {"unit.hopper.wgmma.bf16.fp32", kBf16, 16},
      {"unit.hopper.wgmma.tf32.fp32", formats::kTf32, 8},
      {"unit.blackwell.tcgen05.fp16.fp32", kFp16, 16},
      {"unit.cdna3.mfma.e5m2fnuz.fp32", kE5m2fnuz, 16},
      {"unit.blackwell.tcgen05.e5m2.fp32", kE5m2, 32},
      {"unit.amx.tdp.bf16.fp32", kBf16, 32},
      {"unit.avx512.dp.bf16.fp32", kBf16, 2},
  };
  for (const auto& row : rows) {
    for (std::size_t j = 1; j < 32; ++j) {
      EXPECT_EQ(
          j < row.first ? 0x40000001U : 0x40000000U,
          sum(row.name, row.in, {{0, kOne, kOne}, {j, {1, -12}, {1, -11}}}, kFp32, 0x3f800001))
          << row.name << " j=" << j;
    }
  }
}

// fp16 results: 2048 and 32 equal products of 2^-1, 2^-2, 2^-3, 2^-4.
TEST(UnitFingerprint, Fp16OutputAddsProductsBeforeItRounds) {
  const struct {
    std::string_view name;
    const Format& in;
    Bits expected[4];
  } rows[] = {
      {"fp16.sequential.fma", kFp16, {0x6800, 0x6800, 0x6800, 0x6800}},
      {"unit.volta.mma.fp16.fp16", kFp16, {0x6808, 0x6800, 0x6800, 0x6800}},
      {"unit.turing.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6800, 0x6800}},
      {"unit.ampere.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6800, 0x6800}},
      {"unit.ada.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6800, 0x6800}},
      {"unit.hopper.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6802, 0x6800}},
      {"unit.hopper.wgmma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6802, 0x6800}},
      {"unit.blackwell.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6802, 0x6800}},
      {"unit.blackwell.tcgen05.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6802, 0x6800}},
      {"unit.blackwell_rtx.mma.fp16.fp16", kFp16, {0x6808, 0x6804, 0x6802, 0x6800}},
      {"unit.blackwell.tcgen05.e5m2.fp16", kE5m2, {0x6808, 0x6804, 0x6802, 0x6801}},
      // 2^-2 is 13 bits below 2048.
      {"unit.hopper.wgmma.e5m2.fp16", kE5m2, {0x6808, 0x6804, 0x6800, 0x6800}},
  };
  for (const auto& row : rows) {
    for (int i = 0; i < 4; ++i) {
      const std::vector<Bits> a(32, bits_of(row.in, {1, -1 - i}));
      const std::vector<Bits> b(32, bits_of(row.in, kOne));
      EXPECT_EQ(row.expected[i], dot(*parse_arithmetic(row.name), {&row.in, a.data()},
                                     {&row.in, b.data()}, 32, Encoded{&kFp16, 0x6800}, kFp16)
                                     .bits)
          << row.name << " 2^" << -1 - i;
    }
  }
}

TEST(UnitFingerprint, Fp16OutputRoundsAfterEachBlock) {
  const Number big{2047, 5};  // 65504
  for (const Unit& unit : all_units()) {
    if (unit.input() != "fp16" || *unit.output != kFp16) continue;
    EXPECT_EQ(0x6800U, sum(unit.name, kFp16, {{0, kOne, kOne}, {16, kOne, kOne}}, kFp16, 0x6800))
        << unit.name;
    EXPECT_EQ(0x7c00U,
              sum(unit.name, kFp16,
                  {{0, big, kOne}, {1, big, kOne}, {16, {-2047, 5}, kOne}, {17, {-2047, 5}, kOne}},
                  kFp16, 0))
        << unit.name;
    EXPECT_EQ(0x7bffU, sum(unit.name, kFp16,
                           {{0, big, kOne}, {1, big, kOne}, {2, {-2047, 5}, kOne}}, kFp16, 0))
        << unit.name;
  }
  EXPECT_EQ(0x7c00U, sum("fp16.sequential.fma", kFp16,
                         {{0, big, kOne}, {1, big, kOne}, {2, {-2047, 5}, kOne}}, kFp16, 0));
}

// The exponent of zero terms, and that of a subnormal c, decide what an fp16 accumulator keeps.
TEST(UnitFingerprint, Fp16Exponents) {
  const struct {
    std::string_view name;
    int least;     // 2^-25 and 2^least with c = 0: kept, and rounds up
    int beside_c;  // 2^-25 and 2^this with c = 2^-23: lost; one more: kept
  } rows[] = {
      {"unit.volta.mma.fp16.fp16", -43, -38},        {"unit.turing.mma.fp16.fp16", -45, -39},
      {"unit.ampere.mma.fp16.fp16", -45, -39},       {"unit.ada.mma.fp16.fp16", -45, -39},
      {"unit.hopper.mma.fp16.fp16", -47, -40},       {"unit.blackwell.mma.fp16.fp16", -47, -40},
      {"unit.blackwell_rtx.mma.fp16.fp16", -47, -40}};
  for (const auto& row : rows) {
    const Product half{0, {1, -12}, {1, -13}};
    const auto small = [&](int exponent) { return Product{1, {1, -24}, {1, exponent + 24}}; };
    EXPECT_EQ(1U, sum(row.name, kFp16, {half, small(row.least)}, kFp16, 0)) << row.name;
    EXPECT_EQ(0U, sum(row.name, kFp16, {half, small(row.least - 1)}, kFp16, 0)) << row.name;
    EXPECT_EQ(2U, sum(row.name, kFp16, {half, small(row.beside_c)}, kFp16, 2)) << row.name;
    EXPECT_EQ(3U, sum(row.name, kFp16, {half, small(row.beside_c + 1)}, kFp16, 2)) << row.name;
  }
  // Where sums are in fp32, nothing in fp16 is that small.
  EXPECT_EQ(1U, sum("unit.hopper.wgmma.fp16.fp16", kFp16,
                    {{0, {1, -12}, {1, -13}}, {1, {1, -24}, {1, -24}}}, kFp16, 0));
}

TEST(UnitFingerprint, Fp32ZeroExponent) {
  // 2^-149 - 2^-151: with the exponent -126 the second would be lost and 2^-149 stay.
  for (const char* name : {"unit.ampere.mma.bf16.fp32", "unit.hopper.wgmma.bf16.fp32"}) {
    EXPECT_EQ(0U, sum(name, kBf16, {{0, {1, -23}, {1, -126}}, {1, {-1, -25}, {1, -126}}}, kFp32, 0))
        << name;
  }
  // F below the zero exponent: 2^(-132 - 24) is kept, half of it is lost.
  const Product ulp{0, {1, -23}, {1, -126}};
  EXPECT_EQ(0U,
            sum("unit.ampere.mma.bf16.fp32", kBf16, {ulp, {1, {-1, -30}, {1, -126}}}, kFp32, 0));
  EXPECT_EQ(1U,
            sum("unit.ampere.mma.bf16.fp32", kBf16, {ulp, {1, {-1, -31}, {1, -126}}}, kFp32, 0));
  EXPECT_EQ(0U,
            sum("unit.hopper.mma.bf16.fp32", kBf16, {ulp, {1, {-1, -32}, {1, -126}}}, kFp32, 0));
  EXPECT_EQ(1U,
            sum("unit.hopper.mma.bf16.fp32", kBf16, {ulp, {1, {-1, -33}, {1, -126}}}, kFp32, 0));
}

Bits half_path(const char* name, std::initializer_list<std::size_t> ones, Bits c,
               slow::Variation variation = slow::Variation::kNone) {
  slow::UnitProblem p{
      &kE4m3fn, &kE4m3fn, std::vector<Bits>(32), std::vector<Bits>(32, 0x38), Encoded{&kFp16, c},
      {},       {}};
  for (const std::size_t k : ones) p.a[k] = 0x38;
  if (c == 0) {
    p.a[0] = bits_of(kE4m3fn, {1, 5});
    p.b[0] = bits_of(kE4m3fn, {1, 6});
  }
  const Unit& unit = *find_unit(name);
  const Bits expected = slow::unit_dot(unit, p, variation);
  if (variation == slow::Variation::kNone) {
    const Bits actual =
        unit_dot(unit, {p.a_format, p.a.data()}, {p.b_format, p.b.data()}, 32, p.c).bits;
    EXPECT_EQ(expected, actual) << name;
  }
  return expected;
}

// 2048 and two ones: added in one step they make 2050, in two steps each is lost.
TEST(UnitFingerprint, Fp8ThroughFp16) {
  using slow::Variation;
  for (const char* name : {"unit.hopper.mma.e4m3.fp16", "unit.blackwell.mma.e4m3.fp16"}) {
    EXPECT_EQ(0x6801U, half_path(name, {1, 4}, 0)) << name;
    EXPECT_EQ(0x6800U, half_path(name, {1, 2}, 0)) << name;
    EXPECT_EQ(0x6801U, half_path(name, {1, 17}, 0)) << name;
    EXPECT_EQ(0x6801U, half_path(name, {1, 2}, 0, Variation::kHalves)) << name;
    EXPECT_EQ(0x6800U, half_path(name, {1, 17}, 0, Variation::kHalves)) << name;
    EXPECT_EQ(0x6800U, half_path(name, {1, 4}, 0, Variation::kEvenThenOdd)) << name;
    EXPECT_EQ(0x6801U, half_path(name, {0, 2}, 0x6800)) << name << ": c last";
    EXPECT_EQ(0x6800U, half_path(name, {0, 2}, 0x6800, Variation::kEarlyC)) << name;
  }
  for (const auto& ones : {std::initializer_list<std::size_t>{1, 4}, {1, 2}, {1, 17}}) {
    EXPECT_EQ(0x6801U, half_path("unit.blackwell.tcgen05.e4m3.fp16", ones, 0));
  }
  for (const char* name : {"unit.hopper.mma.e4m3.fp32", "unit.blackwell.mma.e4m3.fp32"}) {
    EXPECT_EQ(0x3f800200U, sum(name, kE4m3fn, {}, kFp32, 0x3f800200)) << name << ": c intact";
  }
}

}  // namespace
}  // namespace halfmark::models
