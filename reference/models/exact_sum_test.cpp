// SPDX-License-Identifier: Apache-2.0
// The exact sum against the naive twin's big numbers, and its rules for special values.
#include "reference/models/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/convert.hpp"

namespace halfmark::models {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using slow::Exact;
using soft::Environment;
using soft::Result;

struct Terms {
  std::vector<Bits> a;
  std::vector<Bits> b;
};

struct Formats {
  Format a;
  Format b;
};

Bits finite(slow::Operands& operands, const Format& f) {
  Bits bits = operands.any(f);
  while (!formats::is_finite(f, bits)) bits = operands.any(f);
  return bits;
}

// Few or many products, some of them cancelling.
Terms random_terms(slow::Operands& operands, const Format& fa, const Format& fb) {
  Terms terms;
  const auto count = 1 + operands.word() % 12;
  for (std::uint64_t i = 0; i < count; ++i) {
    terms.a.push_back(finite(operands, fa));
    terms.b.push_back(finite(operands, fb));
    if (operands.word() % 2 == 0) {  // the same product again with the opposite sign
      terms.a.push_back(soft::neg(fa, terms.a.back()));
      terms.b.push_back(terms.b.back());
    }
  }
  return terms;
}

class ExactProducts : public testing::TestWithParam<Formats> {};

TEST_P(ExactProducts, AgreeWithBigNumbers) {
  const auto& [fa, fb] = GetParam();
  slow::Operands operands(1);
  slow::Checker checker("exact sum");
  slow::Checker scaled_checker("scaled exact sum");
  for (int i = 0; i < 15000; ++i) {
    const Terms terms = random_terms(operands, fa, fb);
    ExactSum sum;
    Exact expected;
    for (std::size_t k = 0; k < terms.a.size(); ++k) {
      sum.add_product(fa, terms.a[k], fb, terms.b[k]);
      expected = plus(expected,
                      times(slow::exact_value(fa, terms.a[k]), slow::exact_value(fb, terms.b[k])));
    }
    if (expected.numerator.is_zero()) continue;  // another test checks the signs of zeros
    const Format& out = formats::kFormats[operands.word() % formats::kFormats.size()];
    const Environment env = operands.environment(out);
    checker.expect(slow::round_exact(out, expected, env), sum.round(out, env), out, env,
                   {terms.a[0], terms.b[0]});
    const Format& factor_format = i % 3 == 0 ? formats::kFp64 : i % 3 == 1 ? kFp32 : fa;
    const Bits factor = finite(operands, factor_format);
    if (formats::is_zero(factor_format, factor)) continue;
    sum.scale(factor_format, factor);
    expected = times(expected, slow::exact_value(factor_format, factor));
    scaled_checker.expect(slow::round_exact(out, expected, env), sum.round(out, env), out, env,
                          {factor, terms.a[0], terms.b[0]});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mixed, ExactProducts,
    testing::Values(Formats{kFp16, kFp16}, Formats{formats::kBf16, formats::kBf16},
                    Formats{kFp32, kFp32}, Formats{formats::kFp64, formats::kFp64},
                    Formats{formats::kFp64, kFp16}, Formats{formats::kTf32, formats::kTf32},
                    Formats{formats::kE4m3fn, formats::kE5m2},
                    Formats{formats::kE4m3fnuz, formats::kE5m2fnuz},
                    Formats{formats::kE2m1, formats::kE8m0}, Formats{formats::kE3m2, kFp32},
                    Formats{formats::kE2m3, formats::kE2m1}),
    [](const auto& row) {
      return std::string(row.param.a.name) + "_" + std::string(row.param.b.name);
    });

// Both registers together: terms of both kinds, and sums added to sums.
TEST(ExactSum, NarrowAndWideTermsMeet) {
  slow::Operands operands(4);
  slow::Checker checker("mixed exact sum");
  for (int i = 0; i < 20000; ++i) {
    ExactSum sum;
    ExactSum other;
    Exact expected;
    for (std::uint64_t k = 0; k < 2 + operands.word() % 8; ++k) {
      const Format& f = operands.word() % 2 == 0 ? formats::kFp64 : kFp16;
      Bits bits = finite(operands, f);
      if (f == formats::kFp64 && operands.word() % 2 == 0) {  // cancel the terms that fp16
                                                              // can represent
        bits = soft::convert(kFp16, f, finite(operands, kFp16)).bits;
      }
      (operands.word() % 2 == 0 ? sum : other).add(f, bits);
      expected = plus(expected, slow::exact_value(f, bits));
    }
    sum.add(other);
    if (expected.numerator.is_zero()) continue;
    const Environment env = operands.environment(formats::kFp64);
    checker.expect(slow::round_exact(formats::kFp64, expected, env), sum.round(formats::kFp64, env),
                   formats::kFp64, env, {});
  }
}

class ExactSumOf : public testing::TestWithParam<Format> {};

TEST_P(ExactSumOf, TermsCommute) {
  const Format& f = GetParam();
  slow::Operands operands(2);
  for (int i = 0; i < 2000; ++i) {
    ExactSum forward;
    ExactSum backward;
    ExactSum halves[2];
    std::vector<Bits> terms;
    for (int k = 0; k < 9; ++k) terms.push_back(operands.any(f));  // special values included
    for (std::size_t k = 0; k < 9; ++k) {
      forward.add(f, terms[k]);
      backward.add(f, terms[8 - k]);
      halves[k % 2].add(f, terms[k]);
    }
    halves[0].add(halves[1]);
    ASSERT_EQ(forward.round(f), backward.round(f));
    ASSERT_EQ(forward.round(f), halves[0].round(f));
  }
}

// A sum of two terms is an addition and must equal one, except that operands are not flushed.
TEST_P(ExactSumOf, TwoTermsIsAddition) {
  const Format& f = GetParam();
  std::size_t turn = 0;
  for (const Bits a : slow::corners(f)) {
    for (const Bits b : slow::corners(f)) {
      for (int i = 0; i < (f.bits <= 32 ? 3 : 1); ++i) {
        const auto rounding = soft::kRoundings[turn++ % soft::kRoundings.size()].value;
        const auto overflow = soft::kOverflowPolicies[turn / 5 % 2].value;
        const Environment env{.rounding = rounding, .overflow = overflow};
        ExactSum sum;
        sum.add(f, a);
        sum.add(f, b);
        ASSERT_EQ(soft::add(f, a, b, env), sum.round(f, env)) << a << ' ' << b;
        ExactSum product;
        product.add_product(f, a, f, b);
        ASSERT_EQ(soft::mul(f, a, b, env), product.round(f, env)) << a << ' ' << b;
        ExactSum scaled;
        scaled.add(f, a);
        scaled.scale(f, b);
        ASSERT_EQ(soft::mul(f, a, b, env), scaled.round(f, env)) << a << ' ' << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ExactSumOf,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ExactSum, SignsOfZeroSums) {
  const Environment down{soft::Rounding::kDown, soft::Subnormals::kKeep};
  ExactSum sum;
  EXPECT_EQ(sum.round(kFp16), (Result{0x0000, 0}));
  sum.add(kFp16, 0x8000);
  sum.add_product(kFp16, 0x8000, kFp16, 0x3c00);
  EXPECT_EQ(sum.round(kFp16), (Result{0x8000, 0}));
  ExactSum mixed = sum;
  mixed.add(kFp16, 0x0000);
  EXPECT_EQ(mixed.round(kFp16), (Result{0x0000, 0}));
  EXPECT_EQ(mixed.round(kFp16, down), (Result{0x8000, 0}));
  sum.scale(kFp16, 0xbc00);
  EXPECT_EQ(sum.round(kFp16, down), (Result{0x0000, 0}));
}

TEST(ExactSum, SpecialValuesDecideWhateverTheOrder) {
  ExactSum sum;
  sum.add(kFp16, 0x7c00);
  EXPECT_EQ(sum.round(kFp16), (Result{0x7c00, 0}));
  sum.add(kFp16, 0xfc00);
  EXPECT_EQ(sum.round(kFp16), (Result{0x7e00, soft::kInvalid}));
  sum.add(kFp16, 0x7e01);
  EXPECT_EQ(sum.round(kFp16), (Result{0x7e00, 0}));
  sum.add_product(kFp16, 0x0000, kFp16, 0xfc00);
  EXPECT_EQ(sum.round(kFp16), (Result{0x7e00, soft::kInvalid}));
}

TEST(ExactSum, KeepsTheSmallestBesideTheLargest) {
  ExactSum sum;
  const Bits big = formats::max_finite(kFp32);
  for (int i = 0; i < 1000; ++i) sum.add_product(kFp32, big, kFp32, big);
  sum.add_product(kFp32, 1, kFp32, 1);
  sum.scale(kFp32, big);
  ExactSum rest;
  for (int i = 0; i < 1000; ++i) rest.add_product(kFp32, big | 0x80000000, kFp32, big);
  rest.scale(kFp32, big);
  sum.add(rest);
  // The rest is 2^-298 * max: scaled back into range, its bits are those of the factor.
  sum.scale(kFp32, 0x7f000000);
  sum.scale(kFp32, 0x7f000000);
  EXPECT_EQ(sum.round(kFp32).flags, 0U);
  EXPECT_EQ(formats::fraction_field(kFp32, sum.round(kFp32).bits), 0x7fffffU);
}

TEST(ExactSum, KeepsTheSmallestDoubleBesideTheLargest) {
  const Format& f = formats::kFp64;
  const Bits big = formats::max_finite(f);
  ExactSum sum;
  for (int i = 0; i < 1000; ++i) sum.add_product(f, big, f, big);
  sum.add_product(f, 1, f, 1);
  sum.scale(f, big);
  ExactSum rest;
  for (int i = 0; i < 1000; ++i) rest.add_product(f, soft::neg(f, big), f, big);
  rest.scale(f, big);
  sum.add(rest);
  // The rest is 2^-2148 * max, below the range; 2^2044 scales it back exactly.
  for (int i = 0; i < 2; ++i) sum.scale(f, Bits{2045} << 52);
  EXPECT_EQ(0U, sum.round(f).flags);
  EXPECT_EQ(f.fraction_mask(), formats::fraction_field(f, sum.round(f).bits));
}

TEST(ExactSum, AFiniteSumTimesInfinityHasItsSignInEitherRegister) {
  for (const Format* f : {&kFp32, &formats::kFp64}) {
    ExactSum sum;
    sum.add(*f, formats::one(*f, true));
    sum.scale(*f, formats::infinity(*f));
    EXPECT_EQ((Result{formats::infinity(*f, true), 0}), sum.round(*f));
    ExactSum none;
    none.add(*f, formats::zero(*f));
    none.scale(*f, formats::infinity(*f));
    EXPECT_EQ((Result{formats::quiet_nan(*f), soft::kInvalid}), none.round(*f));
  }
}

}  // namespace
}  // namespace halfmark::models
