// SPDX-License-Identifier: Apache-2.0
// Sums of floats in an order are the reference's sums in that order, and single functions those of
// the soft-float.
#include "suites/core/sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "reference/models/arithmetic.hpp"
#include "reference/soft/functions.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/single_functions.hpp"

namespace halfmark::suites {
namespace {

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

std::vector<float> numbers(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> list(count);
  for (float& x : list) x = std::ldexp(static_cast<float>(random()) - 0x1p31F, -31);
  return list;
}

// The same sum by the reference.
std::uint32_t expected(const std::string& order, bool wide, bool fused, const std::vector<float>& a,
                       const std::vector<float>& b) {
  models::Arithmetic arithmetic{.accumulator = wide ? &formats::kFp64 : &formats::kFp32,
                                .order = order_of(order),
                                .step = fused ? models::Step::kFma : models::Step::kMul};
  if (!fused) arithmetic.product = &formats::kFp32;
  std::vector<formats::Bits> x, y;
  for (const float v : a) x.push_back(bits_of(v));
  for (const float v : b) y.push_back(bits_of(v));
  const models::Encoded sum =
      models::dot(arithmetic, {&formats::kFp32, x.data()}, {&formats::kFp32, y.data()}, x.size(),
                  std::nullopt, formats::kFp32);
  return static_cast<std::uint32_t>(soft::convert(*sum.format, formats::kFp32, sum.bits).bits);
}

TEST(Sums, FollowTheReferenceInEveryOrderWidthAndStep) {
  const std::vector<float> a = numbers(77, 1);
  const std::vector<float> b = numbers(77, 2);
  const std::vector<float> ones(77, 1.0F);
  for (const std::string& order : order_words(77)) {
    for (const bool wide : {false, true}) {
      for (const bool fused : {false, true}) {
        const Summation sum{.order = order_of(order), .wide = wide, .fused = fused};
        EXPECT_EQ(expected(order, wide, fused, a, b), bits_of(sum.dot(a, b)))
            << order << wide << fused;
      }
      const Summation sum{.order = order_of(order), .wide = wide};
      EXPECT_EQ(expected(order, wide, false, a, ones), bits_of(sum.total(a))) << order << wide;
    }
  }
}

TEST(Sums, OrdersAreNamesAndNoneIsThereTwice) {
  std::vector<std::string> words = order_words(100);
  EXPECT_EQ("sequential", words.front());
  for (const std::string& word : words) EXPECT_EQ(word, models::print(order_of(word)));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(words.end(), std::adjacent_find(words.begin(), words.end()));
  EXPECT_THROW(static_cast<void>(order_of("sideways")), std::invalid_argument);
}

TEST(SingleFunctions, AreCorrectlyRounded) {
  const auto check =
      [](float (*fast)(float),
         soft::Result (*soft)(const formats::Format&, formats::Bits, const soft::Environment&),
         float scale) {
        for (const float x : numbers(3000, 3)) {
          const float at = x * scale;
          const formats::Bits want = soft(formats::kFp32, bits_of(at), {}).bits;
          const float got = fast(at);
          if (std::isnan(got)) continue;  // of negative numbers
          EXPECT_EQ(want, bits_of(got)) << at;
        }
      };
  check(exp_of, soft::exp, 100);
  check(exp2_of, soft::exp2, 140);
  check(log_of, soft::log, 1000);
  check(rsqrt_of, soft::rsqrt, 1000);
  check(tanh_of, soft::tanh, 5);
  check(erf_of, soft::erf, 4);
  EXPECT_TRUE(std::isnan(exp_of(std::nanf(""))));
  EXPECT_EQ(0.0F, exp_of(-INFINITY));
}

}  // namespace
}  // namespace halfmark::suites
