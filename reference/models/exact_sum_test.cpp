// SPDX-License-Identifier: Apache-2.0
// The exact sum against the naive twin's big numbers, and its rules for special values.
#include "reference/models/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

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

// Products of few, many and cancelling terms.
Terms random_terms(slow::Operands& operands, const Format& f) {
  Terms terms;
  const auto count = 1 + operands.word() % 12;
  const auto finite = [&] {
    Bits bits = operands.any(f);
    while (!formats::is_finite(f, bits)) bits = operands.any(f);
    return bits;
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    terms.a.push_back(finite());
    terms.b.push_back(finite());
    if (operands.word() % 2 == 0) {  // the same product again with the other sign
      terms.a.push_back(terms.a.back() ^ f.sign_mask());
      terms.b.push_back(terms.b.back());
    }
  }
  return terms;
}

class ExactSumOf : public testing::TestWithParam<Format> {};

TEST_P(ExactSumOf, ProductsAgreesWithBigNumbers) {
  const Format& f = GetParam();
  slow::Operands operands(1);
  slow::Checker checker("exact sum");
  slow::Checker scaled_checker("scaled exact sum");
  for (int i = 0; i < 40000; ++i) {
    const Terms terms = random_terms(operands, f);
    ExactSum sum;
    Exact expected;
    for (std::size_t k = 0; k < terms.a.size(); ++k) {
      sum.add_product(f, terms.a[k], f, terms.b[k]);
      expected =
          plus(expected, times(slow::exact_value(f, terms.a[k]), slow::exact_value(f, terms.b[k])));
    }
    if (expected.numerator.is_zero()) continue;  // signs of zeros have their own test
    const Environment& env = operands.environment();
    for (const Format& out : {formats::kFp16, formats::kBf16, formats::kFp32}) {
      checker.expect(slow::round_exact(out, expected, env), sum.round(out, env), out, env,
                     {terms.a[0], terms.b[0]});
    }
    const Bits factor = terms.a[0];
    if (formats::is_zero(f, factor)) continue;
    sum.scale(f, factor);
    expected = times(expected, slow::exact_value(f, factor));
    scaled_checker.expect(slow::round_exact(kFp32, expected, env), sum.round(kFp32, env), kFp32,
                          env, {factor, terms.a[0], terms.b[0]});
  }
}

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

// A sum of two is an addition, and must be one in everything but the flushing of operands.
TEST_P(ExactSumOf, TwoTermsIsAddition) {
  const Format& f = GetParam();
  for (const Bits a : slow::corners(f)) {
    for (const Bits b : slow::corners(f)) {
      for (const auto& rounding : soft::kRoundings) {
        const Environment env{rounding.value, soft::Subnormals::kKeep};
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
                         testing::Values(formats::kFp16, formats::kBf16, formats::kFp32),
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
  // What is left is 2^-298 * max: scaled back into range, its bits are those of the factor.
  sum.scale(kFp32, 0x7f000000);
  sum.scale(kFp32, 0x7f000000);
  EXPECT_EQ(sum.round(kFp32).flags, 0U);
  EXPECT_EQ(formats::fraction_field(kFp32, sum.round(kFp32).bits), 0x7fffffU);
}

}  // namespace
}  // namespace halfmark::models
