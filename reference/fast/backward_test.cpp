// SPDX-License-Identifier: Apache-2.0
// The fast training step against the soft-float's, bit for bit: every tensor, on every target
// of this host, with scales that overflow and underflow, and in hosts with a hostile
// floating-point state.
#include "reference/fast/backward.hpp"

#include <gtest/gtest.h>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using operators::TrainingProblem;
using operators::TrainingState;
using operators::TrainingStep;
using operators::TrainingVariant;
using testing::Fill;
using testing::filled;

void expect_equal(const TrainingStep& e, const TrainingStep& a) {
  const std::pair<const char*, Tensor TrainingStep::*> tensors[] = {
      {"w1h", &TrainingStep::w1h}, {"w2h", &TrainingStep::w2h}, {"h", &TrainingStep::h},
      {"g", &TrainingStep::g},     {"y", &TrainingStep::y},     {"loss", &TrainingStep::loss},
      {"dy", &TrainingStep::dy},   {"dw2", &TrainingStep::dw2}, {"dg", &TrainingStep::dg},
      {"dh", &TrainingStep::dh},   {"dw1", &TrainingStep::dw1}, {"g1", &TrainingStep::g1},
      {"g2", &TrainingStep::g2},   {"w1", &TrainingStep::w1},   {"w2", &TrainingStep::w2},
      {"b1h", &TrainingStep::b1h}, {"b2h", &TrainingStep::b2h}, {"s1", &TrainingStep::s1},
      {"s2", &TrainingStep::s2},   {"db1", &TrainingStep::db1}, {"db2", &TrainingStep::db2},
      {"gb1", &TrainingStep::gb1}, {"gb2", &TrainingStep::gb2}, {"b1", &TrainingStep::b1},
      {"b2", &TrainingStep::b2}};
  for (const auto& [name, tensor] : tensors) EXPECT_EQ(e.*tensor, a.*tensor) << name;
  EXPECT_EQ(e.found_inf, a.found_inf);
  EXPECT_EQ(e.scale, a.scale);
  EXPECT_EQ(e.growth, a.growth);
}

void expect_soft(const TrainingProblem& p, const TrainingState& state, const Machine& machine = {},
                 const TrainingVariant& variant = {}) {
  const TrainingStep expected = operators::loss_scaled_backward(p, state, machine, variant);
  for (const std::uint64_t host_state : kHostStates) {
    const HostileHost host(host_state);
    for (const Target target : host_targets()) {
      for (const unsigned threads : {1U, 3U}) {
        const Options options{.threads = threads, .target = target};
        expect_equal(expected, fast::loss_scaled_backward(p, state, machine, variant, options));
        ASSERT_FALSE(::testing::Test::HasFailure())
            << to_string(target) << ", " << threads << " threads, scale " << std::hex << state.scale
            << ", host state " << host_state;
      }
    }
  }
}

constexpr TrainingProblem kSmall{
    .batch = 5, .in = 37, .hidden = 20, .out = 23, .rate = 0x3c23d70a, .growth_interval = 3};

TrainingState state_of(const TrainingProblem& p, Fill fill, Bits scale, std::uint32_t growth,
                       unsigned seed) {
  std::mt19937_64 random(seed);
  TrainingState state{.x = filled(*p.format, p.batch * p.in, fill, random),
                      .t = filled(*p.format, p.batch * p.out, fill, random),
                      .w1 = filled(kFp32, p.hidden * p.in, fill, random),
                      .w2 = filled(kFp32, p.out * p.hidden, fill, random),
                      .scale = scale,
                      .growth = growth};
  if (!p.has_biases) return state;
  state.b1 = filled(kFp32, p.hidden, fill, random);
  state.b2 = filled(kFp32, p.out, fill, random);
  return state;
}

constexpr Bits kScales[] = {0x3f800000, 0x447a0000, 0x47800000, 0x4b800000, 0x39800000,
                            0x7f000000, 0x00000001, 0x7f800000, 0x7fc00000};

TEST(FastBackward, EveryFillAndScale) {
  for (const Fill fill : testing::kFills) {
    for (const Bits scale : kScales) expect_soft(kSmall, state_of(kSmall, fill, scale, 0, 1));
  }
}

TEST(FastBackward, EveryFormatWithBiasesAndWithout) {
  for (const formats::Format* format : {&kFp16, &kBf16}) {
    for (const bool has_biases : {false, true}) {
      TrainingProblem p = kSmall;
      p.format = format;
      p.has_biases = has_biases;
      for (const Fill fill : testing::kFills) expect_soft(p, state_of(p, fill, 0x47800000, 0, 1));
    }
  }
}

// Nothing but the gradient of a bias is infinite: inputs and weights are zero.
TEST(FastBackward, AnInfiniteGradientOfABiasIsFound) {
  TrainingProblem p{.batch = 3, .in = 2, .hidden = 2, .out = 2, .rate = 0x3c23d70a};
  p.has_biases = true;
  TrainingState state{.x = Tensor::zeros(kFp16, p.batch * p.in),
                      .t = Tensor::zeros(kFp16, p.batch * p.out),
                      .w1 = Tensor::zeros(kFp32, p.hidden * p.in),
                      .w2 = Tensor::zeros(kFp32, p.out * p.hidden),
                      .scale = 0x47800000,
                      .b1 = Tensor::zeros(kFp32, p.hidden),
                      .b2 = Tensor::zeros(kFp32, p.out)};
  for (std::size_t i = 0; i < p.batch; ++i) state.t.set(i * p.out, 0x4000);
  expect_soft(p, state);
  EXPECT_TRUE(fast::loss_scaled_backward(p, state, {}).found_inf);
}

TEST(FastBackward, TheScaleGrowsBacksOffAndStaysFinite) {
  for (const std::uint32_t growth : {0U, 1U, 2U, 3U, 0xffffffffU}) {
    for (const Bits scale : kScales) {
      expect_soft(kSmall, state_of(kSmall, Fill::kNormal, scale, growth, 2));
    }
  }
}

// Every weight tensor is larger than a block, and the loss covers more than one block.
TEST(FastBackward, MoreThanOneBlock) {
  const TrainingProblem p{
      .batch = 70, .in = 90, .hidden = 65, .out = 67, .rate = 0x3c23d70a, .growth_interval = 9};
  expect_soft(p, state_of(p, Fill::kNormal, 0x47800000, 0, 3));
}

// A single non-finite gradient anywhere in dW2 must be detected; the one non-finite target decides
// its position.
TEST(FastBackward, OneNonFiniteGradientIsFound) {
  for (const Bits odd : {0x7c00U, 0xfe00U}) {
    for (std::size_t place = 0; place < kSmall.batch * kSmall.out; place += 7) {
      TrainingState state = state_of(kSmall, Fill::kZeros, 0x3f800000, 0, 4);
      for (std::size_t i = 0; i < state.x.count(); ++i) state.x.set(i, 0x3c00);
      for (std::size_t i = 0; i < state.w1.count(); ++i) state.w1.set(i, 0x3f800000);
      state.t.set(place, odd);
      expect_soft(kSmall, state);
      EXPECT_TRUE(fast::loss_scaled_backward(kSmall, state, {}).found_inf);
    }
  }
}

// scale * ((2 / N) * 0) is 0, but 2 * scale overflows, which reveals the order of the factors.
TEST(FastBackward, TheScaleIsAppliedLast) {
  const TrainingProblem p{
      .batch = 1, .in = 1, .hidden = 1, .out = 1, .rate = 0x3c23d70a, .growth_interval = 9};
  const TrainingState state{.x = Tensor::zeros(kFp16, 1),
                            .t = Tensor::zeros(kFp16, 1),
                            .w1 = Tensor::zeros(kFp32, 1),
                            .w2 = Tensor::zeros(kFp32, 1),
                            .scale = 0x7f7fffff};
  expect_soft(p, state);
  EXPECT_EQ(0U, fast::loss_scaled_backward(p, state, {}).dy.at(0));
}

TEST(FastBackward, OtherMachinesAndVariantsAreTheSoftFloats) {
  const TrainingState state = state_of(kSmall, Fill::kSubnormal, 0x3f800000, 0, 5);
  expect_soft(kSmall, state, models::uniform_machine({.subnormals = soft::Subnormals::kFlush}));
  expect_soft(kSmall, state, {}, {.squares_in_half = true});
}

TEST(FastBackward, RefusesWhatTheSoftFloatRefuses) {
  TrainingState state = state_of(kSmall, Fill::kNormal, 0x3f800000, 0, 6);
  state.t = Tensor::zeros(kFp16, 1);
  EXPECT_THROW(static_cast<void>(fast::loss_scaled_backward(kSmall, state, {})),
               std::invalid_argument);
}

}  // namespace
}  // namespace halfmark::fast
