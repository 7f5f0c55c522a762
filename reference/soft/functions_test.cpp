// SPDX-License-Identifier: Apache-2.0
// The elementary functions against MPFR, encodings and flags: every operand of the formats of up to
// 8 bits and a third of those of 16 bits. functions_full_test.cpp tests all operands in all
// directions and policies.
#include "reference/soft/functions.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check_functions.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::soft {
namespace {

struct Case {
  Function function;
  Format format;
};

std::string name_of_case(const testing::TestParamInfo<Case>& row) {
  return std::string(row.param.function.name) + "_" + std::string(row.param.format.name);
}

std::vector<Case> cases(bool (*holds)(const Format&)) {
  std::vector<Case> list;
  for (const Function& function : kFunctions) {
    for (const Format& f : slow::formats_where(holds)) list.push_back({function, f});
  }
  return list;
}
bool is_narrow(const Format& f) { return has_functions(f) && f.bits <= 8; }
bool is_half(const Format& f) { return has_functions(f) && f.bits == 16; }

class NarrowFunctions : public testing::TestWithParam<Case> {};

TEST_P(NarrowFunctions, OfEveryEncodingInEveryEnvironment) {
  const auto& [function, f] = GetParam();
  slow::FunctionChecker checker(function, f);
  for (Bits a = 0; a <= f.mask(); ++a) checker.expect(a, slow::all_policies());
}

INSTANTIATE_TEST_SUITE_P(All, NarrowFunctions, testing::ValuesIn(cases(is_narrow)), name_of_case);

class HalfFunctions : public testing::TestWithParam<Case> {};

// In round to nearest even, and in one of the other environments, in rotation.
TEST_P(HalfFunctions, OfAThirdOfTheEncodings) {
  const auto& [function, f] = GetParam();
  slow::FunctionChecker checker(function, f);
  const auto& others = slow::all_policies();
  for (Bits a = 0; a <= f.mask(); a += 3) {
    checker.expect(a, std::array{Environment{}, others[a % others.size()]});
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalfFunctions, testing::ValuesIn(cases(is_half)), name_of_case);

// Edge cases open to dispute, written out for fp32.

constexpr unsigned kTiny = kInexact | kUnderflow;

struct Edge {
  const char* what;
  Result (*function)(const Format&, Bits, const Environment&);
  Bits a;
  Rounding rounding;
  Result expected;
};

const Edge kEdges[]{
    {"e^-0 is exactly 1", exp, 0x80000000, Rounding::kUp, {0x3f800000, 0}},
    {"e^2^-149 is just above 1", exp, 1, Rounding::kNearEven, {0x3f800000, kInexact}},
    {"e^2^-149 is just above 1", exp, 1, Rounding::kUp, {0x3f800001, kInexact}},
    {"e^-2^-149 is just below 1", exp, 0x80000001, Rounding::kDown, {0x3f7fffff, kInexact}},
    {"e^89", exp, 0x42b20000, Rounding::kNearEven, {0x7f800000, kOverflow | kInexact}},
    {"e^89", exp, 0x42b20000, Rounding::kTowardZero, {0x7f7fffff, kOverflow | kInexact}},
    {"e^-largest", exp, 0xff7fffff, Rounding::kUp, {1, kTiny}},
    {"2^-149 is subnormal and exact", exp2, 0xc3150000, Rounding::kDown, {1, 0}},
    {"2^-150 is a tie", exp2, 0xc3160000, Rounding::kNearEven, {0, kTiny}},
    {"2^-150 is a tie", exp2, 0xc3160000, Rounding::kNearAway, {1, kTiny}},
    {"2^128", exp2, 0x43000000, Rounding::kDown, {0x7f7fffff, kOverflow | kInexact}},
    {"log 1 is +0", log, 0x3f800000, Rounding::kDown, {0, 0}},
    {"log of a zero", log, 0x80000000, Rounding::kNearEven, {0xff800000, kDivideByZero}},
    {"log -1", log, 0xbf800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"log -infinity", log, 0xff800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"log2 2^-149", log2, 1, Rounding::kUp, {0xc3150000, 0}},
    {"rsqrt -0 keeps the sign", rsqrt, 0x80000000, Rounding::kUp, {0xff800000, kDivideByZero}},
    {"rsqrt 4", rsqrt, 0x40800000, Rounding::kDown, {0x3f000000, 0}},
    {"rsqrt infinity", rsqrt, 0x7f800000, Rounding::kUp, {0, 0}},
    {"tanh x < x", tanh, 1, Rounding::kNearEven, {1, kTiny}},
    {"tanh x < x", tanh, 1, Rounding::kTowardZero, {0, kTiny}},
    {"tanh x < x", tanh, 0x00800000, Rounding::kTowardZero, {0x007fffff, kTiny}},
    {"tanh 20 < 1", tanh, 0x41a00000, Rounding::kNearEven, {0x3f800000, kInexact}},
    {"tanh 20 < 1", tanh, 0x41a00000, Rounding::kDown, {0x3f7fffff, kInexact}},
    {"tanh infinity", tanh, 0xff800000, Rounding::kUp, {0xbf800000, 0}},
    {"erf -9 > -1", erf, 0xc1100000, Rounding::kTowardZero, {0xbf7fffff, kInexact}},
    {"sigmoid 0", sigmoid, 0x80000000, Rounding::kUp, {0x3f000000, 0}},
    {"sigmoid 2^-149 > 1/2", sigmoid, 1, Rounding::kUp, {0x3f000001, kInexact}},
    {"sigmoid -1000", sigmoid, 0xc47a0000, Rounding::kUp, {1, kTiny}},
    {"half of 2^-149, and a hair", gelu, 1, Rounding::kNearEven, {1, kTiny}},
    {"half of 2^-149, less a hair", gelu, 0x80000001, Rounding::kNearAway, {0x80000000, kTiny}},
    {"gelu -20", gelu, 0xc1a00000, Rounding::kNearEven, {0x80000000, kTiny}},
    {"gelu -20", gelu, 0xc1a00000, Rounding::kDown, {0x80000001, kTiny}},
    {"gelu 20 < 20", gelu, 0x41a00000, Rounding::kDown, {0x419fffff, kInexact}},
    {"the limit", gelu_tanh, 0xff800000, Rounding::kDown, {0x80000000, 0}},
    {"sin -0", sin, 0x80000000, Rounding::kUp, {0x80000000, 0}},
    {"cos -0 is exactly 1", cos, 0x80000000, Rounding::kDown, {0x3f800000, 0}},
    {"2^-30, less a hair", sin, 0x30800000, Rounding::kTowardZero, {0x307fffff, kInexact}},
    {"1, less a hair", cos, 1, Rounding::kNearEven, {0x3f800000, kInexact}},
    {"1, less a hair", cos, 1, Rounding::kDown, {0x3f7fffff, kInexact}},
    {"2^-149, less a hair", sin, 1, Rounding::kDown, {0, kTiny}},
    {"sin 2^127", sin, 0x7f000000, Rounding::kNearEven, {0x3f1f9631, kInexact}},
    {"no sine of infinity", sin, 0xff800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"no cosine of infinity", cos, 0x7f800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"tan -0", tan, 0x80000000, Rounding::kUp, {0x80000000, 0}},
    {"2^-30, and a hair", tan, 0x30800000, Rounding::kUp, {0x30800001, kInexact}},
    {"asin 1 is pi/2", asin, 0x3f800000, Rounding::kNearEven, {0x3fc90fdb, kInexact}},
    {"asin -1, toward zero", asin, 0xbf800000, Rounding::kTowardZero, {0xbfc90fda, kInexact}},
    {"no arc sine beyond 1", asin, 0x3f800001, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"acos 1 is +0", acos, 0x3f800000, Rounding::kDown, {0, 0}},
    {"acos -1 is pi", acos, 0xbf800000, Rounding::kDown, {0x40490fda, kInexact}},
    {"acos -0 is pi/2", acos, 0x80000000, Rounding::kUp, {0x3fc90fdb, kInexact}},
    {"no arc cosine of infinity", acos, 0xff800000, Rounding::kUp, {0x7fc00000, kInvalid}},
    {"atan infinity", atan, 0xff800000, Rounding::kDown, {0xbfc90fdb, kInexact}},
    {"atan largest", atan, 0x7f7fffff, Rounding::kDown, {0x3fc90fda, kInexact}},
    {"sinh of the least", sinh, 1, Rounding::kUp, {2, kTiny}},
    {"sinh -100", sinh, 0xc2c80000, Rounding::kUp, {0xff7fffff, kOverflow | kInexact}},
    {"cosh -infinity", cosh, 0xff800000, Rounding::kDown, {0x7f800000, 0}},
    {"1, and a hair", cosh, 0x80000001, Rounding::kUp, {0x3f800001, kInexact}},
    {"10^10 is exact", exp10, 0x41200000, Rounding::kDown, {0x501502f9, 0}},
    {"10^-1 is not", exp10, 0xbf800000, Rounding::kDown, {0x3dcccccc, kInexact}},
    {"10^38", exp10, 0x42180000, Rounding::kNearEven, {0x7e967699, kInexact}},
    {"10^39", exp10, 0x421c0000, Rounding::kTowardZero, {0x7f7fffff, kOverflow | kInexact}},
    {"expm1 -infinity", expm1, 0xff800000, Rounding::kUp, {0xbf800000, 0}},
    {"-1, less a hair", expm1, 0xc2c80000, Rounding::kNearEven, {0xbf800000, kInexact}},
    {"-1, less a hair", expm1, 0xc2c80000, Rounding::kUp, {0xbf7fffff, kInexact}},
    {"log10 10^10", log10, 0x501502f9, Rounding::kDown, {0x41200000, 0}},
    {"log10 -0", log10, 0x80000000, Rounding::kUp, {0xff800000, kDivideByZero}},
    {"log1p -1", log1p, 0xbf800000, Rounding::kNearEven, {0xff800000, kDivideByZero}},
    {"log1p below -1", log1p, 0xbf800001, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"log1p -infinity", log1p, 0xff800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"cbrt -27", cbrt, 0xc1d80000, Rounding::kUp, {0xc0400000, 0}},
    {"cbrt 2^-147", cbrt, 4, Rounding::kDown, {0x27000000, 0}},
    {"cbrt -infinity", cbrt, 0xff800000, Rounding::kUp, {0xff800000, 0}},
    {"erfc -infinity", erfc, 0xff800000, Rounding::kUp, {0x40000000, 0}},
    {"2, less a hair", erfc, 0xc1100000, Rounding::kDown, {0x3fffffff, kInexact}},
    {"erfc 12", erfc, 0x41400000, Rounding::kUp, {1, kTiny}},
    {"sinpi -3", sinpi, 0xc0400000, Rounding::kUp, {0x80000000, 0}},
    {"sinpi 3.5", sinpi, 0x40600000, Rounding::kUp, {0xbf800000, 0}},
    {"sinpi 2^24", sinpi, 0x4b800000, Rounding::kDown, {0, 0}},
    {"sinpi infinity", sinpi, 0x7f800000, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"cospi 2^23 + 1", cospi, 0x4b000001, Rounding::kDown, {0xbf800000, 0}},
    {"cospi -0.5", cospi, 0xbf000000, Rounding::kDown, {0, 0}},
    {"1, less a hair", cospi, 0x33800000, Rounding::kDown, {0x3f7fffff, kInexact}},
    {"a signaling NaN", sigmoid, 0x7f800001, Rounding::kNearEven, {0x7fc00000, kInvalid}},
    {"a quiet NaN", log, 0xffc00001, Rounding::kNearEven, {0x7fc00000, 0}},
};

TEST(FunctionEdges, OfFp32) {
  for (const Edge& edge : kEdges) {
    const Result actual = edge.function(formats::kFp32, edge.a, {.rounding = edge.rounding});
    EXPECT_EQ(edge.expected, actual)
        << edge.what << " " << to_string(edge.rounding) << ": expected " << std::hex
        << edge.expected.bits << " " << edge.expected.flags << " actual " << actual.bits << " "
        << actual.flags;
  }
}

TEST(FunctionEdges, SubnormalsAreFlushedOnEitherSide) {
  const Format& f = formats::kFp32;
  const Environment in{.subnormals = Subnormals::kFlushIn};
  const Environment out{.subnormals = Subnormals::kFlushOut};
  EXPECT_EQ((Result{0xff800000, kDivideByZero}), log(f, 1, in));
  EXPECT_EQ((Result{0x80000000, 0}), tanh(f, 0x80000001, in));
  EXPECT_EQ((Result{0, kTiny}), exp(f, 0xc2b00000, out));   // e^-88
  EXPECT_EQ((Result{0, kTiny}), exp2(f, 0xc2fe0000, out));  // 2^-127, exact
}

TEST(FunctionEdges, FormatsWithoutInfinityOverflowAtAPole) {
  const Format& f = formats::kE4m3fn;
  EXPECT_EQ((Result{0x7f, kDivideByZero | kOverflow | kInexact}), rsqrt(f, 0));
  EXPECT_EQ((Result{0xfe, kDivideByZero | kOverflow | kInexact}),
            log(f, 0, {.overflow = Overflow::kSaturate}));
}

}  // namespace
}  // namespace halfmark::soft
