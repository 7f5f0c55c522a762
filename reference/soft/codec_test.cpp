// SPDX-License-Identifier: Apache-2.0
// Known answers as compile-time assertions: the edge cases of rounding in IEEE 754, and the three
// ways in which an 8-bit format can end its range.
#include "reference/soft/codec.hpp"

#include <gtest/gtest.h>

#include "reference/soft/soft.hpp"

namespace halfmark::soft {
namespace {

using formats::kBf16;
using formats::kE4m3fn;
using formats::kE4m3fnuz;
using formats::kE5m2;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;

constexpr Environment kFlushOut{Rounding::kNearEven, Subnormals::kFlushOut};
constexpr Environment kFlushIn{Rounding::kNearEven, Subnormals::kFlushIn};

// The command line's example: one plus one place, with minus zero added.
static_assert(fma(kFp16, 0x3c00, 0x3c01, 0x8000) == Result{0x3c01, 0});
static_assert(add(kFp16, 0x7bff, 0x7bff) == Result{0x7c00, kOverflow | kInexact});
static_assert(div(kFp32, 0x3f800000, 0) == Result{0x7f800000, kDivideByZero});
static_assert(div(kFp32, 0, 0) == Result{0x7fc00000, kInvalid});
static_assert(sqrt(kFp32, 0x80000000) == Result{0x80000000, 0});
static_assert(fma(kFp16, 0x0000, 0x7c00, 0x7e00) == Result{0x7e00, kInvalid});
static_assert(mul(kFp16, 0x7d00, 0x3c00) == Result{0x7e00, kInvalid});

// 65519 still rounds to the largest fp16, 65520 is the tie that overflows.
static_assert(convert(kFp32, kFp16, 0x477fefff) == Result{0x7bff, kInexact});
static_assert(convert(kFp32, kFp16, 0x477ff000) == Result{0x7c00, kOverflow | kInexact});

// Tininess after rounding: 2^-14 (1 - 2^-12) rounds to 2^-14 at full precision, so it is inexact
// but not tiny.
static_assert(convert(kFp32, kFp16, 0x387ff800) == Result{0x0400, kInexact});
// One place less stays below 2^-14 at full precision, although the subnormal grid rounds it up
// to that.
static_assert(convert(kFp32, kFp16, 0x387fe000) == Result{0x0400, kInexact | kUnderflow});
static_assert(convert(kFp32, kFp16, 0x387fe000, kFlushOut) == Result{0, kInexact | kUnderflow});
static_assert(convert(kFp32, kFp16, 0x387ff800, kFlushOut) == Result{0x0400, kInexact});
// An exact subnormal raises nothing, unless it is flushed.
static_assert(convert(kFp32, kFp16, 0x33800000) == Result{0x0001, 0});
static_assert(convert(kFp32, kFp16, 0xb3800000, kFlushOut) == Result{0x8000, 3});

// In a mixed operation an fp16 subnormal is an ordinary fp32 number; a bf16 subnormal is not.
static_assert(mul(kFp16, 0x0001, 0x3c00, kFp32, kFlushIn) == Result{0x33800000, 0});
static_assert(mul(kFp16, 0x0001, 0x3c00, kFlushIn) == Result{0, 0});
static_assert(mul(kBf16, 0x0001, 0x7f00, kFp32, kFlushIn) == Result{0, 0});
static_assert(convert(kFp16, kFp32, 0x0001, kFlushIn) == Result{0, 0});

// fp64, and the three ways in which an 8-bit format can end its range.
static_assert(add(kFp64, 0x3ff0000000000000, 0x3ca0000000000001).bits == 0x3ff0000000000001);
static_assert(mul(kFp64, 0x3ff0000000000001, 0x3ff0000000000001).bits == 0x3ff0000000000002);
static_assert(fma(kFp64, 0x3ff0000000000001, 0x3ff0000000000001, 0xbff0000000000002) ==
              Result{0x3970000000000000, 0});
static_assert(div(kFp64, 0x3ff0000000000000, 0x4008000000000000).bits == 0x3fd5555555555555);
static_assert(sqrt(kFp64, 0x4000000000000000).bits == 0x3ff6a09e667f3bcd);
static_assert(formats::max_finite(kE4m3fn) == 0x7e && kE4m3fn.max_exponent() == 8);
static_assert(convert(kFp32, kE4m3fn, 0x43e80000) == Result{0x7e, kInexact});              // 464
static_assert(convert(kFp32, kE4m3fn, 0x43e80001) == Result{0x7f, kOverflow | kInexact});  // above
static_assert(convert(kFp32, kE5m2, 0x7f800000) == Result{0x7c, 0});
static_assert(convert(kFp32, kE4m3fnuz, 0x80000000) == Result{0x00, 0});
static_assert(convert(kFp32, kE4m3fnuz, 0x43700000) == Result{0x7f, 0});  // 240
static_assert(convert(kE4m3fnuz, kFp32, 0x80).bits == 0x7fc00000);
static_assert(convert(kE4m3fn, kFp32, 0x01).bits == 0x3b000000);  // 2^-9

TEST(Codec, UnpackNormalisesSubnormals) {
  const Value value = unpack(kFp16, 0x8003);
  EXPECT_EQ(value.kind, Kind::kFinite);
  EXPECT_TRUE(value.negative);
  EXPECT_EQ(value.exponent, -23);
  EXPECT_EQ(value.significand, std::uint64_t{3} << 61);
}

TEST(Codec, EveryEncodingSurvivesTheRoundTrip) {
  for (const Format* f : {&kFp16, &kBf16, &kE5m2, &kE4m3fn, &kE4m3fnuz}) {
    for (Bits bits = 0; bits <= f->mask(); ++bits) {
      if (formats::is_nan(*f, bits)) continue;
      ASSERT_EQ(round(*f, unpack(*f, bits), {}), (Result{bits, 0})) << f->name << ' ' << bits;
    }
  }
}

TEST(Codec, NamesOfEnvironmentsParseBack) {
  for (const auto& row : kRoundings) EXPECT_EQ(parse_rounding(to_string(row.value)), row.value);
  for (const auto& row : kSubnormalPolicies) {
    EXPECT_EQ(parse_subnormals(to_string(row.value)), row.value);
  }
  EXPECT_FALSE(parse_rounding("nearest"));
}

}  // namespace
}  // namespace halfmark::soft
