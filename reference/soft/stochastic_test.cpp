// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding: its definition, compared with the naive twin for many random bits; and
// that the mean over all random numbers is the exact value wherever the random bits cover all
// discarded ones.
#include <gtest/gtest.h>

#include <bit>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

using formats::kE4m3fn;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;

constexpr Environment with(int count, std::uint32_t random) {
  return {.rounding = Rounding::kStochastic, .random_bits = count, .random = random};
}

// 1 + 1/4 of the last place of e4m3fn rounds up for the upper quarter of the random numbers.
static_assert(convert(kFp32, kE4m3fn, 0x3f840000, with(2, 2)) == Result{0x38, kInexact});
static_assert(convert(kFp32, kE4m3fn, 0x3f840000, with(2, 3)) == Result{0x39, kInexact});
// One random bit cannot resolve a quarter: it is truncated to nothing. With no random bits the
// rounding is toward zero.
static_assert(convert(kFp32, kE4m3fn, 0x3f840000, with(1, 1)) == Result{0x38, kInexact});
static_assert(convert(kFp32, kE4m3fn, 0x3f8fffff, with(0, 0)) == Result{0x38, kInexact});
// An exact value never changes; the sign does not affect the direction.
static_assert(convert(kFp32, kE4m3fn, 0x3f800000, with(8, 255)) == Result{0x38, 0});
static_assert(convert(kFp32, kE4m3fn, 0xbf840000, with(2, 3)) == Result{0xb9, kInexact});
// 464 is halfway from the largest number to where the next would be: chance decides overflow.
static_assert(convert(kFp32, kE4m3fn, 0x43e80000, with(1, 0)) == Result{0x7e, kInexact});
static_assert(convert(kFp32, kE4m3fn, 0x43e80000, with(1, 1)) ==
              Result{0x7f, kOverflow | kInexact});
static_assert(max_random_bits(kFp32) == 32 && max_random_bits(kFp64) == 8);

__extension__ using Big = __int128;

// integer * 2^exponent of a finite encoding.
struct Scaled {
  Big integer;
  int exponent;
};

Scaled scaled(const Format& f, Bits bits, int exponent) {
  const Value value = unpack(f, bits);
  if (value.kind == Kind::kZero) return {0, exponent};
  const int shift = value.exponent - kLead - exponent;
  Big integer = value.significand;
  integer = shift >= 0 ? integer << shift : integer >> -shift;
  return {value.negative ? -integer : integer, exponent};
}

// The sum of the results over all random numbers is exactly 2^count times the value.
void expect_unbiased(const Format& from, const Format& to, Bits a, int count) {
  const int place = std::min(from.min_place(), to.min_place());
  Big sum = 0;
  unsigned flags = 0;
  for (std::uint32_t random = 0; random >> count == 0; ++random) {
    const Result result = convert(from, to, a, with(count, random));
    if ((result.flags & kOverflow) != 0) return;  // there is no mean beyond the range
    flags |= result.flags;
    sum += scaled(to, result.bits, place).integer;
  }
  const Big expected = scaled(from, a, place).integer << count;
  ASSERT_TRUE(expected == sum) << from.name << " to " << to.name << ' ' << a;
  const bool exact = convert(from, to, a).flags == 0;
  ASSERT_EQ(exact, flags == 0);
}

TEST(Stochastic, MeanOverAllRandomNumbersIsTheValue) {
  // fp16 to e4m3fn discards 7 bits of a normal number and up to 16 of one that becomes subnormal or
  // vanishes; e5m2 to e2m1 discards 1 to 15.
  for (Bits a = 0; a <= kFp16.mask(); ++a) {
    if (!formats::is_finite(kFp16, a)) continue;
    const int exponent = formats::is_zero(kFp16, a) ? 0 : unpack(kFp16, a).exponent;
    if (exponent < -9 || exponent > 8) continue;
    expect_unbiased(kFp16, kE4m3fn, a, exponent >= -6 ? 7 : 7 - 6 - exponent);
  }
  for (const Format* to : {&formats::kE2m1, &formats::kE3m2, &formats::kE2m3}) {
    for (Bits a = 0; a <= formats::kE4m3fn.mask(); ++a) {
      if (formats::is_finite(kE4m3fn, a)) expect_unbiased(kE4m3fn, *to, a, 9);
    }
  }
}

TEST(Stochastic, FewerBitsAreUnbiasedForTheCutValue) {
  // With fewer random bits than discarded ones, the truncated value says how many random
  // numbers carry.
  for (Bits a = kFp16.from_word(0x3c00); a < 0x4000; ++a) {
    for (int count = 0; count <= 7; ++count) {
      unsigned carried = 0;
      for (std::uint32_t random = 0; random >> count == 0; ++random) {
        carried += convert(kFp16, kE4m3fn, a, with(count, random)).bits != 0x38 + (a >> 7 & 7);
      }
      ASSERT_EQ((a & 0x7f) >> (7 - count), carried) << a << ' ' << count;
    }
  }
}

TEST(Stochastic, OperationsFollowTheDefinition) {
  slow::Operands operands(30);
  for (const Format& f : formats::all_formats()) {
    if (f.use < formats::Use::kArithmetic) continue;
    slow::Checker checker("stochastic " + std::string(f.name));
    for (int i = 0; i < 20000; ++i) {
      const Bits a = operands.any(f);
      const Bits b = i % 4 == 0 ? operands.close_to(f, a) : operands.any(f);
      Environment env = operands.environment(f);
      env.rounding = Rounding::kStochastic;
      env.random_bits = static_cast<int>(operands.word() % 1000) % (max_random_bits(f) + 1);
      env.random = static_cast<std::uint32_t>(operands.word() >> 32 >> (32 - env.random_bits));
      for (const slow::Binary& row : slow::kBinary) {
        checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
      }
      for (const slow::Unary& row : slow::kUnary) {
        checker.expect(row.twin(f, a, env), row.soft(f, a, env), f, env, {a});
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::soft
