// SPDX-License-Identifier: Apache-2.0
// Recipes of a processor's layer normalisation against plain loops in the host's fp32.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/testing/unit_functions.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/suite.hpp"
#include "suites/layernorm/welford.hpp"

namespace halfmark::suites::layernorm {
namespace {

using Numbers = std::vector<float>;

Numbers numbers(const formats::Tensor& tensor) {
  Numbers list(tensor.count());
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = static_cast<float>(value_of(*tensor.format, tensor.at(i)));
  return list;
}

// A loop over `registers` registers of eight lanes; next(sum, k) adds term k.
template <typename Next>
float in_registers(std::size_t count, std::size_t registers, const Next& next) {
  constexpr std::size_t kLanes = 8;
  std::vector<float> lanes(registers * kLanes, 0.0F);
  std::size_t k = 0;
  for (; k + lanes.size() <= count; k += lanes.size()) {
    for (std::size_t i = 0; i < lanes.size(); ++i) lanes[i] = next(lanes[i], k + i);
  }
  for (std::size_t half = lanes.size() / 2; half >= kLanes; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  for (; k + kLanes <= count; k += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = next(lanes[i], k + i);
  }
  float sum = ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
              ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
  for (; k < count; ++k) sum = next(sum, k);
  return sum;
}

struct Asked {
  Case c;
  TensorSet inputs, outputs;
};

Asked asked(const char* name, const char* arithmetic) {
  Case c = parse_case("layernorm", suite().axes, name);
  TensorSet inputs = suite().bind(c)->inputs();
  Identified found;
  found.arithmetic = arithmetic;
  found.functions = std::make_shared<testing_support::UnitFunctions>();
  TensorSet outputs = modelling().refer(c, inputs, found).middle;
  return {std::move(c), std::move(inputs), std::move(outputs)};
}

void expect_row(const Numbers& expected, const formats::Tensor& actual, std::size_t row) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(expected[i]), actual.at(row * expected.size() + i))
        << "row " << row << " element " << i;
  }
}

TEST(LayernormRecipes, ForwardInRegisters) {
  const Asked a = asked("layernorm.forward.fp32.library.r16n127.eps1e-5.normal.s7",
                        "fp32.vectors-8x8-halves-folded.divide.two-pass-fma.sqrt-divide.fused");
  constexpr std::size_t kWidth = 127;
  const Numbers x = numbers(a.inputs.at("x"));
  const Numbers gamma = numbers(a.inputs.at("gamma")), beta = numbers(a.inputs.at("beta"));
  for (std::size_t r = 0; r < 16; ++r) {
    const float* row = &x[r * kWidth];
    const float mean =
        in_registers(kWidth, 8, [&](float sum, std::size_t k) { return sum + row[k]; }) / kWidth;
    const float variance = in_registers(kWidth, 8,
                                        [&](float sum, std::size_t k) {
                                          const float d = row[k] - mean;
                                          return std::fma(d, d, sum);
                                        }) /
                           kWidth;
    const float inverse = 1.0F / std::sqrt(variance + 1e-5F);
    Numbers y(kWidth);
    for (std::size_t k = 0; k < kWidth; ++k)
      y[k] = std::fma((row[k] - mean) * inverse, gamma[k], beta[k]);
    expect_row(y, a.outputs.at("y"), r);
  }
}

TEST(LayernormRecipes, ForwardByTheDevicesOwnRsqrt) {
  const Asked a = asked("layernorm.forward.fp32.library.r16n127.eps1e-5.normal.s7",
                        "fp32.vectors-8x8-halves-folded.divide.two-pass-fma.own-rsqrt.fused");
  constexpr std::size_t kWidth = 127;
  const Numbers x = numbers(a.inputs.at("x"));
  for (std::size_t r = 0; r < 16; ++r) {
    const float* row = &x[r * kWidth];
    const float mean =
        in_registers(kWidth, 8, [&](float sum, std::size_t k) { return sum + row[k]; }) / kWidth;
    const float squares = in_registers(kWidth, 8, [&](float sum, std::size_t k) {
      const float d = row[k] - mean;
      return std::fma(d, d, sum);
    });
    const float raised = squares / kWidth + 1e-5F;
    const float rstd = testing_support::cut(1 / std::sqrt(static_cast<double>(raised)));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(rstd), a.outputs.at("rstd").at(r)) << r;
  }
}

// What cuDNN 9.14 returned on an H200 for these operands.
constexpr std::uint32_t kMeansOfAnH200[] = {
    0x3c9841a2, 0x3d180678, 0xbb55d9b0, 0x3c797cf3, 0x3ca9f7ca, 0xbcc1852c, 0xbcef7ef6, 0x3d88dcff,
    0x3c79c5f6, 0xbb477543, 0x3d4721e0, 0x3aeb073b, 0xbcbd1758, 0xbd2c91ec, 0xbca12bdd, 0x3cadcae0};
constexpr std::uint32_t kRstdsOfAnH200[] = {
    0x3f83293b, 0x3f7ea670, 0x3f800cf4, 0x3f80422c, 0x3f828611, 0x3f775b5b, 0x3f7ec6e8, 0x3f7ece78,
    0x3f7c803b, 0x3f7dca32, 0x3f818588, 0x3f822ec4, 0x3f7f32a1, 0x3f7c82bb, 0x3f81b44e, 0x3f825c1a};

std::size_t means_of_an_h200_by(const char* arithmetic) {
  const Asked a = asked("layernorm.forward.fp32.library.r16n1536.eps1e-5.normal.s1", arithmetic);
  std::size_t equal = 0;
  for (std::size_t r = 0; r < 16; ++r) {
    if (a.outputs.at("mean").at(r) == kMeansOfAnH200[r]) ++equal;
    EXPECT_NEAR(static_cast<double>(a.outputs.at("rstd").at(r)), kRstdsOfAnH200[r], 2);
  }
  return equal;
}

// The waves' means are merged, neither their sums nor running updates of each lane.
TEST(LayernormRecipes, MeansOfAnH200AreThoseOfFourWaves) {
  EXPECT_EQ(16U,
            means_of_an_h200_by("fp32.strided-128-pairwise32-halves.reciprocal.waves.rsqrt.fused"));
  for (const char* other :
       {"fp32.strided-128-pairwise32-sequential.reciprocal.waves.rsqrt.fused",
        "fp32.strided-128-halves32-halves.reciprocal.waves.rsqrt.fused",
        "fp32.strided-256-pairwise32-halves.reciprocal.waves.rsqrt.fused",
        "fp32.strided-128-pairwise32-halves.divide.waves.rsqrt.fused",
        "fp32.strided-128-pairwise32-halves.reciprocal.two-pass-fma.rsqrt.fused",
        "fp32.strided-128-pairwise32-halves.reciprocal.welford-fma.rsqrt.fused"})
    EXPECT_GT(16U, means_of_an_h200_by(other)) << other;
}

TEST(LayernormRecipes, EpsilonIsFusedWithTheLastProductOfTheVariance) {
  constexpr std::size_t kWidth = 127;
  const Asked a = asked("layernorm.forward.fp32.library.r16n127.eps1e-5.normal.s7",
                        "fp32.sequential.reciprocal.two-pass-fma.own-rsqrt-fused.fused");
  const Numbers x = numbers(a.inputs.at("x"));
  for (std::size_t r = 0; r < 16; ++r) {
    float sum = 0, squares = 0;
    for (std::size_t k = 0; k < kWidth; ++k) sum += x[r * kWidth + k];
    const float share = 1.0F / kWidth;
    for (std::size_t k = 0; k < kWidth; ++k) {
      const float d = x[r * kWidth + k] - sum * share;
      squares = std::fma(d, d, squares);
    }
    const auto raised = static_cast<double>(std::fma(squares, share, 1e-5F));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(testing_support::cut(1 / std::sqrt(raised))),
              a.outputs.at("rstd").at(r));
  }
}

// Each element is normalised with the moments of the lane that loads it.
TEST(LayernormRecipes, WeightedMomentsOfEachLane) {
  constexpr std::size_t kWidth = 127, kLanes = 32;
  const Asked a =
      asked("layernorm.forward.fp32.library.r16n127.eps1e-5.normal.s7",
            "fp32.strided-32-halves.own-reciprocal.weighted-lanes.own-rsqrt-fused.fused");
  const Numbers x = numbers(a.inputs.at("x"));
  const Numbers gamma = numbers(a.inputs.at("gamma")), beta = numbers(a.inputs.at("beta"));
  Numbers one_over(kWidth + 1);
  for (std::size_t n = 1; n <= kWidth; ++n)
    one_over[n] = testing_support::cut(1 / static_cast<double>(n));
  const Numbers y = numbers(a.outputs.at("y"));
  std::size_t other_lanes_differ = 0;
  for (std::size_t r = 0; r < 16; ++r) {
    const auto lanes =
        weighted_moments_of(std::span(x).subspan(r * kWidth, kWidth),
                            *models::read_order("strided-32-halves").order, one_over);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const Moments& own = lanes[i % kLanes];
      const auto raised = static_cast<double>(std::fma(own.squares, one_over[kWidth], 1e-5F));
      const float rstd = testing_support::cut(1 / std::sqrt(raised));
      const std::size_t at = r * kWidth + i;
      EXPECT_EQ(std::fma((x[at] - own.mean) * rstd, gamma[i], beta[i]), y[at]) << at;
      if (own.mean != lanes[0].mean) ++other_lanes_differ;
    }
    EXPECT_EQ(std::bit_cast<std::uint32_t>(lanes[0].mean), a.outputs.at("mean").at(r));
  }
  EXPECT_LT(0U, other_lanes_differ);
}

TEST(LayernormRecipes, GradientInOneJointStep) {
  const Asked a = asked("layernorm.backward.fp32.library.r16n63.eps1e-5.normal.s7",
                        "dx:fp32.vectors-8-folded.fma.divide.joint+weights:fp32.splitk-2.fma");
  constexpr std::size_t kWidth = 63;
  const Numbers x = numbers(a.inputs.at("x")), dy = numbers(a.inputs.at("dy"));
  const Numbers gamma = numbers(a.inputs.at("gamma"));
  const Numbers mean = numbers(a.inputs.at("mean")), rstd = numbers(a.inputs.at("rstd"));
  for (std::size_t r = 0; r < 16; ++r) {
    const auto g = [&](std::size_t k) { return dy[r * kWidth + k] * gamma[k]; };
    const auto deviation = [&](std::size_t k) { return x[r * kWidth + k] - mean[r]; };
    const float plain =
        in_registers(kWidth, 1, [&](float sum, std::size_t k) { return sum + g(k); });
    const float along = rstd[r] * in_registers(kWidth, 1, [&](float sum, std::size_t k) {
                          return std::fma(g(k), deviation(k), sum);
                        });
    Numbers dx(kWidth);
    for (std::size_t k = 0; k < kWidth; ++k)
      dx[k] = (g(k) - std::fma(deviation(k) * rstd[r], along, plain) / kWidth) * rstd[r];
    expect_row(dx, a.outputs.at("dx"), r);
  }
}

// Transformer Engine's rmsnorm and layernorm backward, contracted in both ways.
TEST(LayernormRecipes, GradientWhoseMeansAreAddedFirst) {
  const char* const kName = "layernorm.backward.fp32.library.r16n63.eps1e-5.normal.s7";
  const Asked a =
      asked(kName, "dx:fp32.sequential.fma.reciprocal.added+weights:fp32.sequential.fma-rstd");
  const Asked b =
      asked(kName, "dx:fp32.sequential.fma.reciprocal.added-mean+weights:fp32.sequential.fma");
  constexpr std::size_t kWidth = 63;
  const Numbers x = numbers(a.inputs.at("x")), dy = numbers(a.inputs.at("dy"));
  const Numbers gamma = numbers(a.inputs.at("gamma"));
  const Numbers mean = numbers(a.inputs.at("mean")), rstd = numbers(a.inputs.at("rstd"));
  for (std::size_t r = 0; r < 16; ++r) {
    float plain = 0, along = 0;
    const auto g = [&](std::size_t k) { return dy[r * kWidth + k] * gamma[k]; };
    const auto unit = [&](std::size_t k) { return (x[r * kWidth + k] - mean[r]) * rstd[r]; };
    for (std::size_t k = 0; k < kWidth; ++k) {
      plain += g(k);
      along = std::fma(g(k), unit(k), along);
    }
    const float n = 1.0F / kWidth;
    Numbers added(kWidth), added_mean(kWidth);
    for (std::size_t k = 0; k < kWidth; ++k) {
      added[k] = rstd[r] * (g(k) - std::fma(unit(k), along * n, plain * n));
      added_mean[k] = rstd[r] * (g(k) - std::fma(plain, n, unit(k) * (along * n)));
    }
    expect_row(added, a.outputs.at("dx"), r);
    expect_row(added_mean, b.outputs.at("dx"), r);
  }
  for (std::size_t k = 0; k < kWidth; ++k) {
    float dgamma = 0;
    for (std::size_t r = 0; r < 16; ++r)
      dgamma = std::fma(dy[r * kWidth + k] * (x[r * kWidth + k] - mean[r]), rstd[r], dgamma);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(dgamma), a.outputs.at("dgamma").at(k)) << k;
  }
}

}  // namespace
}  // namespace halfmark::suites::layernorm
