// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "reference/formats/format.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;

TensorSet one_tensor(std::vector<Bits> bits) {
  TensorSet set;
  set.emplace("d", formats::Tensor::from_bits(kFp16, bits));
  return set;
}

TEST(Agrees, ComparesEncodings) {
  EXPECT_TRUE(agrees(kFp16, 0x3c00, 0x3c00, 0));
  EXPECT_FALSE(agrees(kFp16, 0x3c00, 0x3c01, 0));
  EXPECT_FALSE(agrees(kFp16, 0x0000, 0x8000, 0)) << "the sign of zero is part of the answer";
}

TEST(Agrees, TakesNaNAsAClass) {
  EXPECT_TRUE(agrees(kFp16, 0x7e00, 0xfe01, 0));
  EXPECT_FALSE(agrees(kFp16, 0x7e00, 0x7c00, 0));
  EXPECT_FALSE(agrees(kFp16, 0x7c00, 0x7e00, 1u << 20)) << "no bound lets a NaN pass for a number";
}

TEST(Agrees, BoundsCountEncodings) {
  EXPECT_TRUE(agrees(kFp32, 0x3f800000, 0x3f800003, 3));
  EXPECT_FALSE(agrees(kFp32, 0x3f800000, 0x3f800004, 3));
}

TEST(Compare, ShowsTheFirstAndTheWorst) {
  std::vector<Bits> expected(100, 0x3c00);
  std::vector<Bits> actual = expected;
  for (std::size_t i = 10; i < 20; ++i) actual[i] += 1;
  actual[50] += 40;
  const Comparison c = compare(one_tensor(expected), one_tensor(actual), 0);
  EXPECT_EQ(100u, c.elements);
  EXPECT_EQ(11u, c.mismatches);
  EXPECT_EQ(10u, c.shown.at(0).index);
  EXPECT_EQ(50u, c.shown.at(4).index) << "the worst follows the first four";
  EXPECT_EQ(40u, c.shown.at(4).ulps);
}

TEST(Compare, ShowsEveryKind) {
  std::vector<Bits> expected(100, 0x7e00), actual(100, 0);  // zeros for NaN
  expected[70] = actual[71] = 0x3c00;
  actual[70] = 0x7c00;  // an infinity for a number; the other is a number for a NaN
  const Comparison c = compare(one_tensor(expected), one_tensor(actual), 0);
  EXPECT_EQ(6u, c.shown.size());
  EXPECT_EQ(1, std::ranges::count(c.shown, 70u, &Mismatch::index));
  EXPECT_EQ(1, std::ranges::count(c.shown, 71u, &Mismatch::index));
}

TEST(Compare, IntegersAreTheirBits) {
  const TensorSet expected = one_tensor({0x7e00, 0xfffe, 0x0005});
  const auto mismatches = [&](const TensorSet& actual) {
    return compare({expected, 4, nullptr, {"d"}}, actual);
  };
  EXPECT_EQ(0u, mismatches(expected).mismatches);
  const Comparison c = mismatches(one_tensor({0x7e01, 0x0003, 0x0006}));
  EXPECT_EQ(3u, c.mismatches) << "no NaN, and no bound";
  EXPECT_EQ(1u, c.shown.at(0).ulps);
  EXPECT_EQ(5u, c.shown.at(1).ulps) << "from -2 to 3";
}

TEST(Compare, AnEnclosureMayAllowANumberOrANaN) {
  const TensorSet expected = one_tensor({0x7c00});
  const Enclosure either{one_tensor({0x7c00}), one_tensor({0x7e00})};
  const Allowance allowed{expected, 0, &either};
  EXPECT_EQ(0u, compare(allowed, one_tensor({0x7c00})).mismatches);
  EXPECT_EQ(0u, compare(allowed, one_tensor({0xfe01})).mismatches);
  for (const Bits wrong : {0xfc00u, 0x7bffu, 0x0000u})
    EXPECT_EQ(1u, compare(allowed, one_tensor({wrong})).mismatches) << wrong;
}

TEST(Compare, AnEnclosureAllowsWhatLiesInItAndNothingElse) {
  const TensorSet expected = one_tensor({0x3c00, 0x8001, 0x7e00});
  const Enclosure around{one_tensor({0x3bff, 0x8002, 0x7e00}),
                         one_tensor({0x3c01, 0x0001, 0x7e00})};
  const Allowance allowed{expected, 0, &around};
  EXPECT_EQ(0u, compare(allowed, one_tensor({0x3c01, 0x8000, 0xfe01})).mismatches);
  EXPECT_EQ(1u, compare(allowed, one_tensor({0x3c02, 0x0000, 0x7e00})).mismatches);
  EXPECT_EQ(1u, compare(allowed, one_tensor({0x3bfe, 0x0000, 0x7e00})).mismatches);
  EXPECT_EQ(1u, compare(allowed, one_tensor({0x3c00, 0x0002, 0x7e00})).mismatches);
  EXPECT_EQ(2u, compare(allowed, one_tensor({0x7e00, 0x0000, 0x0000})).mismatches)
      << "a NaN is in no interval, and no number is a NaN";
}

TEST(Compare, AnEnclosureWithStepsAllowsTheirMultiplesAlone) {
  const TensorSet expected = one_tensor({0x0000, 0x0000, 0x3c00});
  // From 0 to 2^-10 in steps of 2^-11, and from 1 to 2 in units of the last place.
  const Enclosure around{one_tensor({0x0000, 0x0000, 0x3c00}),
                         one_tensor({0x1400, 0x1400, 0x4000}),
                         {{"d", {-11, -11, -10}}}};
  const Allowance allowed{expected, 0, &around};
  EXPECT_EQ(0u, compare(allowed, one_tensor({0x1000, 0x1400, 0x3c01})).mismatches);
  EXPECT_EQ(0u, compare(allowed, one_tensor({0x0000, 0x8000, 0x4000})).mismatches);
  EXPECT_EQ(1u, compare(allowed, one_tensor({0x0001, 0x1400, 0x3c01})).mismatches);
  EXPECT_EQ(2u, compare(allowed, one_tensor({0x0c00, 0x1200, 0x3c01})).mismatches);
  EXPECT_EQ(1u, compare(allowed, one_tensor({0x1000, 0x1400, 0x7e00})).mismatches);
}

TEST(Unearned, ABoundThatHoldsAnImpostorEarnsNothing) {
  const TensorSet inputs = one_tensor({0x5000, 0x5000});
  const TensorSet expected = one_tensor({0x0010, 0x3c00});
  const Enclosure wide{one_tensor({0x8010, 0x8000}), one_tensor({0x0020, 0x4000})};
  const Enclosure narrow{one_tensor({0x0001, 0x3bff}), one_tensor({0x0020, 0x3c01})};
  EXPECT_NE("", unearned(inputs, {expected, 0, &wide}));
  EXPECT_EQ("", unearned(inputs, {expected, 0, &narrow}));
}

TEST(Unearned, NamesTheImpostorThatWouldPass) {
  const TensorSet inputs = one_tensor({0x3c00, 0x4000});
  EXPECT_NE("", unearned(inputs, one_tensor({0, 0}), 0));
  EXPECT_NE("", unearned(inputs, one_tensor({0x3c00, 0x4000}), 0));
  EXPECT_NE("", unearned(inputs, one_tensor({0x4200, 0x4200}), 0));
  EXPECT_EQ("", unearned(inputs, one_tensor({0x4200, 0x3c00}), 0));
}

TEST(Unearned, OfNoOperandsThereIsOneAnswer) {
  EXPECT_EQ("", unearned(one_tensor({}), one_tensor({0, 0}), 0));
  TensorSet some = one_tensor({});
  some.emplace("more", formats::Tensor::zeros(formats::kFp16, 1));
  EXPECT_NE("", unearned(some, one_tensor({0, 0}), 0));
}

TEST(Unearned, AnAnswerThatComesAgainWhenShuffledIsRight) {
  const TensorSet inputs = one_tensor({0x5000});
  const TensorSet palindrome = one_tensor({0x3c00, 0x4000, 0x4200, 0x4000, 0x3c00});
  EXPECT_EQ("", unearned(inputs, palindrome, 0));
  EXPECT_EQ("", unearned(inputs, palindrome, 1));
}

TEST(Unearned, NeighboursThatABoundCannotTellApartEarnNothing) {
  const TensorSet inputs = one_tensor({0x5000});
  const TensorSet expected = one_tensor({0x3c00, 0x3c02, 0x3c01});
  const Enclosure around{one_tensor({0x3bfe, 0x3c01, 0x3c00}),
                         one_tensor({0x3c02, 0x3c04, 0x3c03})};
  EXPECT_EQ("a kernel that writes its answer one place further would pass",
            unearned(inputs, {expected, 0, &around}));
}

TEST(Unearned, ABoundWiderThanTheSignalEarnsNothing) {
  const TensorSet inputs = one_tensor({0x5000});
  const TensorSet expected = one_tensor({0x3c00, 0x4400, 0xc800});
  const auto why = [&](Bits width) {
    const Enclosure around{one_tensor({0x3c00 - width, 0x4400 - width, 0xc800 + width}),
                           one_tensor({0x3c00 + width, 0x4400 + width, 0xc800 - width})};
    return unearned(inputs, {expected, 0, &around});
  };
  EXPECT_EQ("", why(3)) << "2^-8 is four encodings of these";
  EXPECT_EQ("a kernel whose every result is wrong by 2^-8 would pass", why(4));
  EXPECT_EQ("", unearned(inputs, {expected, 3})) << "a bound in units of the last place";
  EXPECT_NE("", unearned(inputs, {expected, 4}));
  EXPECT_EQ("", unearned(inputs, {expected, 0})) << "bits are told from everything else";
  EXPECT_EQ("", unearned(one_tensor({0, 0, 0}), one_tensor({0x7e00, 0x0000, 0x7c00}), 4))
      << "there is no number to be wrong";
}

}  // namespace
}  // namespace halfmark::suites
