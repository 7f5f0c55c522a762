// SPDX-License-Identifier: Apache-2.0
// Running updates in an order equal the lanes of known kernels, written out.
#include "suites/layernorm/welford.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string_view>
#include <vector>

#include "reference/fast/floating_point.hpp"

namespace halfmark::suites::layernorm {
namespace {

struct Lane {
  float mean = 0, squares = 0, count = 0;
};

// Apex, layer_norm: cuWelfordOnlineSum and cuChanOnlineSum.
void apex_update(Lane& lane, float x) {
  lane.count = lane.count + 1;
  const float delta = x - lane.mean;
  const float mean = lane.mean + delta / lane.count;
  lane.mean = mean;
  lane.squares = lane.squares + delta * (x - mean);
}
void apex_merge(Lane& lane, const Lane& other) {
  const float delta = other.mean - lane.mean;
  const float count = lane.count + other.count;
  const float of_lane = lane.count / count;
  const float of_other = other.count / count;
  lane.mean = of_lane * lane.mean + of_other * other.mean;
  lane.squares = lane.squares + other.squares + delta * delta * of_lane * of_other * count;
  lane.count = count;
}

// PyTorch's cuWelfordOnlineSum and cuWelfordCombine, contracted.
void fused_update(Lane& lane, float x) {
  const float delta = x - lane.mean;
  const float count = lane.count + 1;
  const float mean = std::fma(delta, 1.0F / count, lane.mean);
  lane = {mean, std::fma(delta, x - mean, lane.squares), count};
}
void fused_merge(Lane& lane, const Lane& other) {
  const float delta = lane.mean - other.mean;
  const float count = other.count + lane.count;
  const float coefficient = 1.0F / count;
  const float of_other = other.count * coefficient;
  const float of_lane = lane.count * coefficient;
  lane = {std::fma(of_other, other.mean, of_lane * lane.mean),
          std::fma(delta * delta * other.count, of_lane, other.squares + lane.squares), count};
}

std::vector<float> numbers(std::size_t count) {
  std::mt19937 random(11);
  std::vector<float> list(count);
  for (float& x : list) x = std::ldexp(static_cast<float>(random()) - 0x1p30F, -30);
  return list;
}

void expect(const Moments& wanted, const std::vector<float>& x, std::string_view order,
            Update update) {
  const Moments got = moments_of(x, *models::read_order(order).order, false, update);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(wanted.mean), std::bit_cast<std::uint32_t>(got.mean))
      << order;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(wanted.squares), std::bit_cast<std::uint32_t>(got.squares))
      << order;
}

// 4 elements at a time, neighbours within a wave first, then the waves by halves.
TEST(Welford, FourWideWavesAsInApex) {
  const fast::FloatingPointScope scope;
  const std::vector<float> x = numbers(1300);
  std::vector<Lane> lanes(128);
  for (std::size_t i = 0; i < x.size(); ++i) apex_update(lanes[i / 4 % 128], x[i]);
  for (std::size_t step = 1; step < 32; step *= 2) {
    for (std::size_t lane = 0; lane < 128; lane += 2 * step)
      apex_merge(lanes[lane], lanes[lane + step]);
  }
  apex_merge(lanes[0], lanes[64]);
  apex_merge(lanes[32], lanes[96]);
  apex_merge(lanes[0], lanes[32]);
  expect({lanes[0].mean, lanes[0].squares}, x, "strided-128x4-pairwise32-halves", Update::kDivide);
}

TEST(Welford, ContractedHalves) {
  const fast::FloatingPointScope scope;
  const std::vector<float> x = numbers(77);
  std::vector<Lane> lanes(8);
  for (std::size_t i = 0; i < x.size(); ++i) fused_update(lanes[i % 8], x[i]);
  for (std::size_t half = 4; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) fused_merge(lanes[lane], lanes[lane + half]);
  }
  expect({lanes[0].mean, lanes[0].squares}, x, "strided-8-halves", Update::kFused);
}

// Apex, contrib/layer_norm, ln_utils.cuh: Stats::compute and warp_chan_upd_dynamic, contracted.
TEST(Welford, WavesByTwoPassesAreMerged) {
  const fast::FloatingPointScope scope;
  const std::vector<float> x = numbers(1300);  // the waves have 336, 324, 320 and 320 terms
  std::vector<Lane> waves(4);
  for (std::size_t w = 0; w < waves.size(); ++w) {
    std::vector<float> lanes(32), squares(32);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i % 128 / 32 == w) lanes[i % 32] += x[i], waves[w].count += 1;
    }
    const auto all = [](std::vector<float> v) {
      for (std::size_t step = 1; step < 32; step *= 2) {
        for (std::size_t lane = 0; lane < 32; lane += 2 * step) v[lane] += v[lane + step];
      }
      return v[0];
    };
    waves[w].mean = all(lanes) * (1.0F / waves[w].count);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float d = x[i] - waves[w].mean;
      if (i % 128 / 32 == w) squares[i % 32] = std::fma(d, d, squares[i % 32]);
    }
    waves[w].squares = all(squares);
  }
  for (std::size_t step = 2; step > 0; step /= 2) {
    for (std::size_t w = 0; w < step; ++w) {
      const Lane a = waves[w], b = waves[w + step];
      const float count = a.count + b.count, share = 1.0F / count, delta = a.mean - b.mean;
      waves[w] = {std::fma(a.count, a.mean, b.count * b.mean) * share,
                  std::fma(delta * delta * a.count * b.count, share, a.squares + b.squares), count};
    }
  }
  const auto order = *models::read_order("strided-128-pairwise32-halves").order;
  const Moments got = moments_of_waves(x, {.order = order}, false);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(waves[0].mean), std::bit_cast<std::uint32_t>(got.mean));
  EXPECT_EQ(std::bit_cast<std::uint32_t>(waves[0].squares),
            std::bit_cast<std::uint32_t>(got.squares));
}

TEST(Welford, OneLaneAndWideSums) {
  const fast::FloatingPointScope scope;
  const std::vector<float> x = numbers(300);
  Lane lane;
  for (const float v : x) apex_update(lane, v);
  expect({lane.mean, lane.squares}, x, "sequential", Update::kDivide);
  double mean = 0, squares = 0, count = 0;
  for (const float v : x) {
    const double delta = static_cast<double>(v) - mean;
    mean += delta * (1 / ++count);
    squares += delta * (static_cast<double>(v) - mean);
  }
  const Moments wide = moments_of(x, models::Order::kSequential, true, Update::kReciprocal);
  EXPECT_EQ(static_cast<float>(mean), wide.mean);
  EXPECT_EQ(static_cast<float>(squares), wide.squares);
}

// cuDNN 9.14, rows of no multiple of 32: a wave of 32 lanes that load two elements at a time. Each
// lane merges what it has with a lane across, and so rounds another way than that lane does.
std::vector<Lane> weighted_lanes(const std::vector<float>& x, const std::vector<float>& one_over) {
  const auto merge = [&](const Lane& own, const Lane& other) {
    if (own.count == 0 || other.count == 0) return own.count == 0 ? other : own;
    const float count = own.count + other.count;
    const float r = one_over[static_cast<std::size_t>(count)];
    const float difference = other.mean - own.mean;
    const float mean = std::fma(other.mean, other.count * r, own.mean * (own.count * r));
    return Lane{
        mean,
        std::fma(difference * difference, own.count * other.count * r, own.squares + other.squares),
        count};
  };
  std::vector<Lane> lanes(32);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Lane& lane = lanes[i / 2 % 32];
    lane = merge({x[i], 0, 1}, lane);
  }
  for (std::size_t distance : {16U, 8U, 4U, 2U, 1U}) {
    const std::vector<Lane> before = lanes;
    for (std::size_t i = 0; i < 32; ++i) lanes[i] = merge(before[i], before[i ^ distance]);
  }
  return lanes;
}

TEST(Welford, WeightedMomentsAreThoseOfEachLane) {
  const fast::FloatingPointScope scope(fast::Direction::kNearEven);
  int other_means = 0;
  for (const std::size_t count : {80U, 1000U, 33U}) {
    const std::vector<float> x = numbers(count);
    std::vector<float> one_over(count + 1);  // not the rounded ones
    for (std::size_t n = 1; n <= count; ++n)
      one_over[n] = std::nextafter(1.0F / static_cast<float>(n), 0.0F);
    const std::vector<Lane> wanted = weighted_lanes(x, one_over);
    const std::vector<Moments> got =
        weighted_moments_of(x, *models::read_order("strided-32x2-halves").order, one_over);
    ASSERT_EQ(wanted.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(wanted[i].mean, got[i].mean) << count << " " << i;
      EXPECT_EQ(wanted[i].squares, got[i].squares) << count << " " << i;
      if (got[i].mean != got[0].mean) ++other_means;
    }
  }
  EXPECT_LT(0, other_means);
}

TEST(Welford, WeightedMomentsOfSeveralWavesAreOne) {
  const fast::FloatingPointScope scope(fast::Direction::kNearEven);
  const std::vector<float> x{1, 2, 4, 9};
  const std::vector<Moments> got =
      weighted_moments_of(x, *models::read_order("strided-128-halves32-halves").order, {});
  ASSERT_EQ(1U, got.size());
  EXPECT_EQ(4.0F, got[0].mean);
  EXPECT_EQ(38.0F, got[0].squares);
}

}  // namespace
}  // namespace halfmark::suites::layernorm
