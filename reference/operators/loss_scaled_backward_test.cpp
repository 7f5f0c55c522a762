// SPDX-License-Identifier: Apache-2.0
// The training step against a twin in native arithmetic, and the rules of the scaler against
// scripted states.
#include "reference/operators/loss_scaled_backward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/operators/loss_scaled_backward_twin.hpp"

namespace halfmark::operators {
namespace {

using namespace training_twin;  // NOLINT(google-build-using-namespace): it is this test's

void expect_equal_in_8_bits(const Twin& want, const ScaledOperands& got) {
  const std::pair<const Operand&, const ScaledTensor&> operands[] = {
      {want.ox, got.x}, {want.ow1h, got.w1h}, {want.ow2h, got.w2h},
      {want.og, got.g}, {want.ody, got.dy},   {want.odh, got.dh}};
  for (const auto& [w, g] : operands) {
    EXPECT_EQ(single_tensor({w.amax, w.scale, w.inverse}), g.numbers);
    ASSERT_EQ(*w.eight->format, *g.eight.format);
    for (std::size_t i = 0; i < w.bits.size(); ++i) EXPECT_EQ(w.bits[i], g.eight.at(i)) << i;
  }
}

void expect_equal(const Twin& want, const TrainingStep& got, const Half& half, bool has_biases) {
  const std::pair<const Matrix&, const Tensor&> halves[] = {
      {want.w1h, got.w1h}, {want.w2h, got.w2h}, {want.h, got.h},     {want.g, got.g},
      {want.y, got.y},     {want.dy, got.dy},   {want.dw2, got.dw2}, {want.dg, got.dg},
      {want.dh, got.dh},   {want.dw1, got.dw1}};
  for (const auto& [w, g] : halves) EXPECT_EQ(half.tensor(w), g);
  const std::pair<const Matrix&, const Tensor&> singles[] = {
      {want.g1, got.g1}, {want.g2, got.g2}, {want.w1, got.w1}, {want.w2, got.w2}};
  for (const auto& [w, g] : singles) EXPECT_EQ(single_tensor(w), g);
  EXPECT_EQ(as_bits(want.loss), got.loss.at(0));
  if (!has_biases) return;
  const std::pair<const Matrix&, const Tensor&> halves_of_biases[] = {
      {want.b1h, got.b1h}, {want.b2h, got.b2h}, {want.db1, got.db1}, {want.db2, got.db2}};
  for (const auto& [w, g] : halves_of_biases) EXPECT_EQ(half.tensor(w), g);
  const std::pair<const Matrix&, const Tensor&> singles_of_biases[] = {
      {want.s1, got.s1},   {want.s2, got.s2}, {want.gb1, got.gb1},
      {want.gb2, got.gb2}, {want.b1, got.b1}, {want.b2, got.b2}};
  for (const auto& [w, g] : singles_of_biases) EXPECT_EQ(single_tensor(w), g);
}

void expect_the_twin(const Half& half, bool has_biases, std::size_t batch, float scale,
                     std::mt19937_64& random, bool is_in_8_bits = false) {
  TrainingProblem p{.batch = batch, .in = 20, .hidden = 33, .out = 17};
  p.rate = as_bits(0.01f);
  p.format = half.format;
  p.has_biases = has_biases;
  p.has_scaled_products = is_in_8_bits;
  const Matrix x = mapped(random_matrix(p.batch * p.in, 1.0f, random), half.rounded);
  const Matrix t =
      mapped(random_matrix(p.batch * p.out, scale > 100 ? 0.01f : 1.0f, random), half.rounded);
  Masters masters{.w1 = random_matrix(p.hidden * p.in, 0.2f, random),
                  .w2 = random_matrix(p.out * p.hidden, 0.001f, random),
                  .b1 = {},
                  .b2 = {}};
  if (has_biases) {
    masters.b1 = random_matrix(p.hidden, 0.2f, random);
    masters.b2 = random_matrix(p.out, 0.01f, random);
  }
  const TrainingState state{.x = half.tensor(x),
                            .t = half.tensor(t),
                            .w1 = single_tensor(masters.w1),
                            .w2 = single_tensor(masters.w2),
                            .scale = as_bits(scale),
                            .growth = 5,
                            .b1 = single_tensor(masters.b1),
                            .b2 = single_tensor(masters.b2)};
  const TrainingStep got = loss_scaled_backward(p, state, {});
  const Twin want = twin(p, half, x, t, masters, scale);
  expect_equal(want, got, half, has_biases);
  if (is_in_8_bits) expect_equal_in_8_bits(want, got.eight);
  EXPECT_FALSE(got.found_inf);
  EXPECT_EQ(got.growth, 6u);
  EXPECT_EQ(got.scale, as_bits(scale));
}

TEST(LossScaledBackward, EqualsTheTwinInNativeArithmetic) {
  std::mt19937_64 random(7);
  for (const Half& half : kHalves) {
    for (const bool has_biases : {false, true}) {
      for (const float scale : {1.0f, 1000.0f, 65536.0f, 0x1p-12f})
        expect_the_twin(half, has_biases, 9, scale, random);
      expect_the_twin(half, has_biases, 150, 1000.0f, random);  // more rows than lanes
    }
  }
}

TEST(LossScaledBackward, EqualsTheTwinWithProductsIn8Bits) {
  constexpr bool kIn8Bits = true;
  std::mt19937_64 random(17);
  for (const Half& half : kHalves) {
    for (const bool has_biases : {false, true}) {
      for (const float scale : {1.0f, 1000.0f, 65536.0f, 0x1p-12f})
        expect_the_twin(half, has_biases, 9, scale, random, kIn8Bits);
    }
  }
}

// One number everywhere, because the scale depends on nothing more.
TrainingState tiny_state(float x, float scale, std::uint32_t growth) {
  return {.x = half_tensor({x}),
          .t = half_tensor({0.25f}),
          .w1 = single_tensor({1.0f}),
          .w2 = single_tensor({1.0f}),
          .scale = as_bits(scale),
          .growth = growth};
}

TrainingProblem tiny_problem() {
  TrainingProblem p{.batch = 1, .in = 1, .hidden = 1, .out = 1};
  p.rate = as_bits(0.5f);
  return p;
}

TEST(LossScaler, GrowsWhenTheIntervalIsReachedExactly) {
  const TrainingStep before = loss_scaled_backward(tiny_problem(), tiny_state(1, 16, 1998), {});
  EXPECT_EQ(before.scale, as_bits(16));
  EXPECT_EQ(before.growth, 1999u);
  const TrainingStep at = loss_scaled_backward(tiny_problem(), tiny_state(1, 16, 1999), {});
  EXPECT_EQ(at.scale, as_bits(32));
  EXPECT_EQ(at.growth, 0u);
  const TrainingStep beyond = loss_scaled_backward(tiny_problem(), tiny_state(1, 16, 5000), {});
  EXPECT_EQ(beyond.scale, as_bits(16)) << "a restored counter above the interval never grows again";
  EXPECT_EQ(beyond.growth, 5001u);
}

TEST(LossScaler, BacksOffAndSkipsOnNonFiniteGradients) {
  for (const float x : {INFINITY, NAN, 1.0f}) {
    const float scale = x == 1.0f ? 0x1p24f : 16.0f;  // the last one overflows without scaling
    const TrainingState state = tiny_state(x, scale, 1999);
    const TrainingStep step = loss_scaled_backward(tiny_problem(), state, {});
    EXPECT_TRUE(step.found_inf);
    EXPECT_EQ(step.scale, as_bits(scale / 2));
    EXPECT_EQ(step.growth, 0u);
    EXPECT_EQ(step.w1, state.w1);
    EXPECT_EQ(step.w2, state.w2);
  }
}

TEST(LossScaler, NeverGrowsToInfinityAndHasNoFloor) {
  TrainingState still = tiny_state(0, 0x1p127f, 1999);
  still.t = half_tensor({0.0f});
  const TrainingStep top = loss_scaled_backward(tiny_problem(), still, {});
  EXPECT_EQ(top.scale, as_bits(0x1p127f));
  EXPECT_EQ(top.growth, 0u);
  const TrainingStep low =
      loss_scaled_backward(tiny_problem(), tiny_state(INFINITY, 0x1p-149f, 0), {});
  EXPECT_EQ(low.scale, 0u) << "half of the smallest number rounds to zero";
}

TEST(LossScaledBackward, EveryVariantDiffersSomewhere) {
  std::mt19937_64 random(11);
  TrainingProblem p{.batch = 9, .in = 20, .hidden = 33, .out = 17};
  p.rate = as_bits(0.01f);
  const TrainingState state{.x = half_tensor(random_matrix(p.batch * p.in, 1.0f, random)),
                            .t = half_tensor(random_matrix(p.batch * p.out, 0.1f, random)),
                            .w1 = single_tensor(random_matrix(p.hidden * p.in, 0.3f, random)),
                            .w2 = single_tensor(random_matrix(p.out * p.hidden, 0.01f, random)),
                            .scale = as_bits(3.0f),
                            .growth = 1999};
  const TrainingStep specified = loss_scaled_backward(p, state, {});
  const auto differs = [&](const TrainingVariant& v) {
    const TrainingStep s = loss_scaled_backward(p, state, {}, v);
    return s.w1 != specified.w1 || s.w2 != specified.w2 || s.loss != specified.loss ||
           s.growth != specified.growth || s.g1 != specified.g1;
  };
  TrainingVariant v;
  EXPECT_FALSE(differs(v));
  for (bool TrainingVariant::* member :
       {&TrainingVariant::narrow_accumulator, &TrainingVariant::flush_gradients,
        &TrainingVariant::truncated_casts, &TrainingVariant::squares_in_half,
        &TrainingVariant::factor_in_half, &TrainingVariant::step_unfused,
        &TrainingVariant::weights_in_half}) {
    v = {};
    v.*member = true;
    EXPECT_TRUE(differs(v));
  }
  v = {};
  v.scaler.grows_one_step_late = true;
  EXPECT_TRUE(differs(v));
  for (const auto unscale :
       {LossScalerVariant::Unscale::kInHalf, LossScalerVariant::Unscale::kTwice,
        LossScalerVariant::Unscale::kNever, LossScalerVariant::Unscale::kDivides}) {
    v = {};
    v.scaler.unscale = unscale;
    EXPECT_TRUE(differs(v));
  }
}

struct Biased {
  TrainingProblem problem;
  TrainingState state;
};

Biased biased(const Half& half) {
  std::mt19937_64 random(13);
  TrainingProblem p{.batch = 9, .in = 20, .hidden = 33, .out = 17};
  p.rate = as_bits(0.01f);
  p.format = half.format;
  p.has_biases = true;
  const auto narrow = [&](std::size_t count) {
    return half.tensor(mapped(random_matrix(count, 1.0f, random), half.rounded));
  };
  return {p,
          {.x = narrow(p.batch * p.in),
           .t = narrow(p.batch * p.out),
           .w1 = single_tensor(random_matrix(p.hidden * p.in, 0.3f, random)),
           .w2 = single_tensor(random_matrix(p.out * p.hidden, 0.01f, random)),
           .scale = as_bits(3.0f),
           .growth = 1,
           .b1 = single_tensor(random_matrix(p.hidden, 0.3f, random)),
           .b2 = single_tensor(random_matrix(p.out, 0.3f, random))}};
}

TEST(LossScaledBackward, EveryVariantOfBiasesDiffersSomewhere) {
  const auto [p, state] = biased(kHalves[0]);
  const TrainingStep right = loss_scaled_backward(p, state, {});
  for (bool TrainingVariant::* member :
       {&TrainingVariant::bias_left_out, &TrainingVariant::bias_after_rounding,
        &TrainingVariant::bias_not_cast, &TrainingVariant::bias_sums_in_half,
        &TrainingVariant::bias_averaged_twice, &TrainingVariant::bias_not_unscaled,
        &TrainingVariant::bias_kept}) {
    TrainingVariant v;
    v.*member = true;
    const TrainingStep wrong = loss_scaled_backward(p, state, {}, v);
    EXPECT_TRUE(wrong.b1 != right.b1 || wrong.b2 != right.b2);
  }
}

TEST(LossScaledBackward, DetoursThroughFp16DifferInBf16) {
  const auto [p, state] = biased(kHalves[1]);
  const TrainingStep right = loss_scaled_backward(p, state, {});
  EXPECT_NE(right.w1h, loss_scaled_backward(p, state, {}, {.casts_through_fp16 = true}).w1h);
  EXPECT_NE(right.dw1, loss_scaled_backward(p, state, {}, {.products_through_fp16 = true}).dw1);
}

TEST(LossScaledBackward, EveryVariantOfProductsIn8BitsDiffersSomewhere) {
  auto [p, state] = biased(kHalves[1]);
  p.has_scaled_products = true;
  state.x.set(3, 0x3880);  // 2^-14, so small beside the others that it is subnormal in 8 bits
  const TrainingStep right = loss_scaled_backward(p, state, {});
  for (bool ScaledTensorVariant::* member :
       {&ScaledTensorVariant::unscaled, &ScaledTensorVariant::powers_of_two,
        &ScaledTensorVariant::truncated, &ScaledTensorVariant::flushed,
        &ScaledTensorVariant::gradients_in_e4m3fn, &ScaledTensorVariant::multiplied_unrounded,
        &ScaledTensorVariant::divided_by_scales, &ScaledTensorVariant::not_scaled_back}) {
    TrainingVariant v;
    v.scaled.*member = true;
    const TrainingStep wrong = loss_scaled_backward(p, state, {}, v);
    EXPECT_TRUE(wrong.s1 != right.s1 || wrong.g1 != right.g1 ||
                wrong.eight.x.eight != right.eight.x.eight);
  }
}

// The largest number of bf16 times 2 overflows; in 8 bits the gradient saturates, and every
// gradient of a weight is finite.
TEST(LossScaledBackward, SaturationHidesNoOverflow) {
  TrainingProblem p{.batch = 1, .in = 1, .hidden = 1, .out = 1};
  p.rate = as_bits(0.5f);
  p.format = &kBf16;
  p.has_scaled_products = true;
  const TrainingState state{.x = bf16_tensor({1.0f}),
                            .t = bf16_tensor({-0x1p127f}),
                            .w1 = single_tensor({1.0f}),
                            .w2 = single_tensor({1.0f}),
                            .scale = as_bits(4.0f),
                            .growth = 0};
  const TrainingStep step = loss_scaled_backward(p, state, {});
  EXPECT_EQ(0x7f80U, step.dy.at(0));
  EXPECT_EQ(0x7bU, step.eight.dy.eight.at(0)) << "57344, the largest number of e5m2";
  EXPECT_EQ(0U, step.dw2.at(0) & 0x8000U);
  EXPECT_LT(step.dw2.at(0), 0x7f80U);
  EXPECT_TRUE(step.found_inf);
  EXPECT_EQ(state.w2, step.w2);
  TrainingVariant unnoticed;
  unnoticed.scaled.infinities_unnoticed = true;
  EXPECT_FALSE(loss_scaled_backward(p, state, {}, unnoticed).found_inf);
  TrainingVariant unsaturated;
  unsaturated.scaled.unsaturated = true;
  EXPECT_EQ(0x7cU, loss_scaled_backward(p, state, {}, unsaturated).eight.dy.eight.at(0));
}

// 40000 + 40000 is infinite in fp16; no gradient of a weight is, because all inputs are zero.
TEST(LossScaledBackward, AnInfiniteGradientOfABiasIsFound) {
  TrainingProblem p{.batch = 2, .in = 1, .hidden = 1, .out = 1};
  p.rate = as_bits(0.5f);
  p.has_biases = true;
  const TrainingState state{.x = half_tensor({0, 0}),
                            .t = half_tensor({-40000, -40000}),
                            .w1 = single_tensor({0}),
                            .w2 = single_tensor({0}),
                            .scale = as_bits(1),
                            .growth = 0,
                            .b1 = single_tensor({0}),
                            .b2 = single_tensor({0})};
  const TrainingStep step = loss_scaled_backward(p, state, {});
  EXPECT_EQ(0x7c00U, step.db2.at(0));
  EXPECT_TRUE(step.found_inf);
  EXPECT_EQ(state.b2, step.b2);
  EXPECT_FALSE(loss_scaled_backward(p, state, {}, {.bias_unchecked = true}).found_inf);
}

TEST(LossScaledBackward, GivenProductsStandForItsOwn) {
  const auto [p, state] = biased(kHalves[0]);
  const TrainingStep own = loss_scaled_backward(p, state, {});
  TrainingProducts products{.h = own.s1, .y = own.s2, .dw2 = own.dw2, .dg = own.dg, .dw1 = own.dw1};
  EXPECT_EQ(own.b1, loss_scaled_backward(p, state, {}, {}, &products).b1);
  products.dw1.set(5, 0x7c00);
  const TrainingStep step = loss_scaled_backward(p, state, {}, {}, &products);
  EXPECT_TRUE(step.found_inf);
  EXPECT_EQ(own.db1, step.db1) << "which does not depend on dW1";
}

TEST(LossScaledBackward, RefusesBiasesOfOtherSizes) {
  auto [p, state] = biased(kHalves[0]);
  state.b2 = single_tensor({0});
  EXPECT_THROW(static_cast<void>(loss_scaled_backward(p, state, {})), std::invalid_argument);
}

}  // namespace
}  // namespace halfmark::operators
