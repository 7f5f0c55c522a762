// SPDX-License-Identifier: Apache-2.0
// Float sums in an order equal the reference's sums in that order, and the fp32 functions equal
// those of the soft-float.
#include "suites/core/identify/summation_orders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "reference/models/arithmetic.hpp"
#include "reference/soft/functions.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/identify/rounded_fp32.hpp"

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

struct Block {
  std::size_t lanes, run, wave;
  bool up, waves_by_halves;
};

// A kernel's sum, lane by lane: each lane takes runs of terms in turn; within a wave, each lane
// adds the sum of the lane `offset` lanes above; then the waves add up, in the same way or one
// by one.
float by_lanes(const std::vector<float>& terms, const Block& block) {
  const auto [lanes, run, wave, up, waves_by_halves] = block;
  std::vector<float> sums(lanes, 0.0F);
  for (std::size_t i = 0; i < terms.size(); ++i) sums[i / run % lanes] += terms[i];
  const auto shuffle = [](std::span<float> group, std::size_t offset) {
    for (std::size_t lane = 0; lane + offset < group.size(); ++lane)
      group[lane] += group[lane + offset];
  };
  std::vector<float> left;
  for (std::size_t first = 0; first < lanes; first += wave) {
    const std::span<float> group = std::span(sums).subspan(first, wave);
    for (std::size_t step = 1; step < wave; step *= 2) shuffle(group, up ? step : wave / 2 / step);
    left.push_back(group[0]);
  }
  if (waves_by_halves) {
    for (std::size_t step = left.size() / 2; step > 0; step /= 2) shuffle(left, step);
    return left[0];
  }
  float sum = left[0];
  for (std::size_t i = 1; i < left.size(); ++i) sum += left[i];
  return sum;
}

void expect_block(const std::vector<float>& terms, const Block& block) {
  if (block.lanes / 2 * block.run >= terms.size())
    return;  // the upper half of the lanes has no terms
  const std::string word = "strided-" + std::to_string(block.lanes) +
                           (block.run == 1 ? "" : "x" + std::to_string(block.run)) +
                           (block.up ? "-pairwise" : "-halves") + std::to_string(block.wave) +
                           (block.waves_by_halves ? "-halves" : "-sequential");
  const std::vector<std::string> words = order_words(terms.size());
  EXPECT_EQ(1, std::count(words.begin(), words.end(), word)) << word << ' ' << terms.size();
  const Summation sum{.order = order_of(word)};
  EXPECT_EQ(bits_of(by_lanes(terms, block)), bits_of(sum.total(terms)))
      << word << ' ' << terms.size();
}

TEST(Sums, OrdersOfWavesAreWhatLanesDo) {
  constexpr std::size_t kCounts[] = {100, 513, 1024, 3000};
  constexpr Block kBlocks[] = {
      {64, 1, 32, false, true},    {64, 4, 32, true, false},   {256, 1, 64, false, false},
      {256, 4, 32, false, true},   {256, 8, 64, true, false},  {512, 2, 32, true, true},
      {1024, 1, 32, false, false}, {1024, 1, 64, false, true}, {1024, 8, 32, true, false}};
  for (const std::size_t count : kCounts) {
    for (const Block& block : kBlocks) expect_block(numbers(count, 5), block);
  }
}

TEST(Sums, OrdersAreNamesAndNoneIsThereTwice) {
  std::vector<std::string> words = order_words(100);
  EXPECT_EQ("sequential", words.front());
  for (const std::string& word : words) EXPECT_EQ(word, models::print(order_of(word)));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(words.end(), std::adjacent_find(words.begin(), words.end()));
  EXPECT_EQ(1, std::count(words.begin(), words.end(), "strided-128-halves"));
  EXPECT_THROW(static_cast<void>(order_of("sideways")), std::invalid_argument);
}

TEST(KeptTotals, AreTakenOnceForTheSameAnswers) {
  KeptTotals kept(2);
  int taken = 0;
  const auto take = [&] { return static_cast<float>(++taken); };
  const std::vector<std::string> first{"fp32", "sequential"}, second{"fp64", "sequential"};
  EXPECT_TRUE(kept.follow(first));
  EXPECT_EQ(1.0F, kept.of(0, take));
  EXPECT_EQ(2.0F, kept.of(1, take));
  EXPECT_FALSE(kept.follow(first));
  EXPECT_EQ(1.0F, kept.of(0, take));
  EXPECT_TRUE(kept.follow(second));
  EXPECT_EQ(3.0F, kept.of(0, take));
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
