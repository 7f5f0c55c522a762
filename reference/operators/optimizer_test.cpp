// SPDX-License-Identifier: Apache-2.0
// Optimizers by hand-computed steps, what each known mistake changes, and what cannot work.
#include "reference/operators/optimizer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

Bits wide(double value) { return std::bit_cast<Bits>(value); }
Bits single(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

Tensor tensor(const std::vector<float>& values) {
  Tensor result = Tensor::zeros(kFp32, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result.set(i, single(values[i]));
  return result;
}

OptimizerSettings sgd(double momentum = 0) {
  return {.kind = OptimizerKind::kSgd, .rate = wide(0.125), .momentum = wide(momentum)};
}

OptimizerSettings adam(OptimizerKind kind = OptimizerKind::kAdam, double decay = 0) {
  return {.kind = kind,
          .rate = wide(1e-3),
          .beta1 = wide(0.9),
          .beta2 = wide(0.999),
          .epsilon = wide(1e-8),
          .decay = wide(decay)};
}

OptimizerState run(const OptimizerSettings& settings, const std::vector<float>& weights,
                   const std::vector<std::vector<float>>& steps,
                   const OptimizerVariant& variant = {}) {
  OptimizerState state = initial_state(tensor(weights));
  for (const std::vector<float>& gradients : steps)
    state = optimized(settings, state, tensor(gradients), false, {}, variant);
  return state;
}

TEST(Optimizer, PlainDescentIsOneFusedOperation) {
  const OptimizerState state = run(sgd(), {1.0F, -2.0F}, {{0.5F, 4.0F}});
  EXPECT_EQ(0.9375F, number(state.weights.at(0)));
  EXPECT_EQ(-2.5F, number(state.weights.at(1)));
  EXPECT_EQ(1U, state.steps);
}

TEST(Optimizer, MomentumStartsWithTheFirstGradient) {
  const OptimizerState state = run(sgd(0.5), {0.0F}, {{1.0F}, {1.0F}, {0.0F}});
  EXPECT_EQ(0.75F, number(state.first.at(0)));              // ((1) / 2 + 1) / 2
  EXPECT_EQ(-0.125F * 3.25F, number(state.weights.at(0)));  // 1 + 1.5 + 0.75
}

TEST(Optimizer, NesterovLooksAhead) {
  OptimizerSettings settings = sgd(0.5);
  settings.nesterov = true;
  EXPECT_EQ(-0.125F * 1.5F, number(run(settings, {0.0F}, {{1.0F}}).weights.at(0)));
}

// The first step of Adam is the rate, whatever the size of the gradient.
TEST(Optimizer, AdamsFirstStepIsItsRate) {
  for (const float gradient : {1e-3F, 1.0F, 1e3F}) {
    const float weight = number(run(adam(), {0.0F}, {{gradient}}).weights.at(0));
    EXPECT_NEAR(-1e-3F, weight, 1e-7F) << gradient;
  }
}

// 1 - beta1 is just below 1/2 but, as the tensor's number, 1/2: the moment is computed from the
// gradient. From itself it would be 1/2 - 2^-25. The words are those of PyTorch 2.13.
TEST(Optimizer, TheSideOfTheFirstMomentIsChosenInFp32) {
  OptimizerSettings settings = adam();
  settings.beta1 = wide(0.50000001);
  EXPECT_EQ(single(-0x1p-25F), run(settings, {1.0F}, {{-0x1p-24F}}).first.at(0));
  EXPECT_EQ(single(0.5F), run(settings, {1.0F}, {{-0x1p-24F}, {1.0F}}).first.at(0));
}

TEST(Optimizer, DecoupledDecayShrinksTheWeightItself) {
  const double decay = 0.5;
  const float weight =
      number(run(adam(OptimizerKind::kAdamW, decay), {8.0F}, {{0.0F}}).weights.at(0));
  EXPECT_EQ(8.0F * static_cast<float>(1 - 1e-3 * decay), weight);
}

TEST(Optimizer, ASkippedStepChangesNothing) {
  const OptimizerState state = run(adam(), {1.0F}, {{0.5F}});
  EXPECT_EQ(state, optimized(adam(), state, tensor({1.0F}), true));
  const OptimizerState counted =
      optimized(adam(), state, tensor({1.0F}), true, {}, {.counts_skipped = true});
  EXPECT_EQ(2U, counted.steps);
  EXPECT_NE(optimized(adam(), state, tensor({1.0F})).weights,
            optimized(adam(), counted, tensor({1.0F})).weights);
}

// An epsilon of 1e-8 is zero in fp16: without gradients the denominator is, too.
TEST(Optimizer, AnEpsilonInHalfDividesByZero) {
  const OptimizerVariant half{.epsilon_in_half = true};
  EXPECT_EQ(1.0F, number(run(adam(), {1.0F}, {{0.0F}}).weights.at(0)));
  EXPECT_TRUE(std::isnan(number(run(adam(), {1.0F}, {{0.0F}}, half).weights.at(0))));
}

// Below 2^-12.5, squares vanish in fp16, and the step explodes.
TEST(Optimizer, ASecondMomentInHalfUnderflows) {
  const OptimizerVariant half{.second_in_half = true};
  EXPECT_EQ(0U, run(adam(), {1.0F}, {{1e-4F}}, half).second.at(0));
  EXPECT_LT(number(run(adam(), {1.0F}, {{1e-4F}}, half).weights.at(0)), -5.0F);
}

// 4096 updates of 2^-12 are one; without master weights each is lost.
TEST(Optimizer, WithoutMasterWeightsUpdatesAreSwallowed) {
  OptimizerSettings settings = sgd();
  settings.rate = wide(0x1p-12);
  const OptimizerVariant half{.weights_in_half = true};
  OptimizerState master = initial_state(tensor({1.0F}));
  OptimizerState narrow = master;
  const Tensor gradients = tensor({-1.0F});
  std::uint64_t swallowed = 0;
  for (int i = 0; i < 4096; ++i) {
    master = optimized(settings, master, gradients);
    const OptimizerState next = optimized(settings, narrow, gradients, false, {}, half);
    swallowed += swallowed_updates(narrow, next, gradients);
    narrow = next;
  }
  EXPECT_EQ(2.0F, number(master.weights.at(0)));
  EXPECT_EQ(1.0F, number(narrow.weights.at(0)));
  EXPECT_EQ(4096U, swallowed);
}

TEST(Optimizer, AnUpdateOfZeroIsNotSwallowed) {
  const OptimizerState before = initial_state(tensor({1.0F, 0x1p30F}));
  const Tensor gradients = tensor({0.0F, 1.0F});
  EXPECT_EQ(1U, swallowed_updates(before, optimized(sgd(), before, gradients), gradients));
}

TEST(Optimizer, EveryDepartureChangesAStep) {
  const OptimizerVariant kVariants[] = {{.epsilon_inside_root = true}, {.epsilon_in_half = true},
                                        {.no_bias_correction = true},  {.decay_coupled = true},
                                        {.second_in_half = true},      {.weights_in_half = true}};
  const std::vector<float> weights = {1.0F, -3.1F, 0.02F, 1e-4F};
  const std::vector<std::vector<float>> steps = {{1e-3F, 1e-4F, 1e-9F, 2.0F},
                                                 {1e-2F, 3e-4F, 2e-9F, 1.0F}};
  const OptimizerSettings settings = adam(OptimizerKind::kAdamW, 0.1);
  const OptimizerState right = run(settings, weights, steps);
  for (const OptimizerVariant& variant : kVariants)
    EXPECT_NE(right.weights, run(settings, weights, steps, variant).weights);
  OptimizerSettings unfused = settings;
  unfused.fused = false;
  EXPECT_NE(right.first, run(unfused, {1.0F}, {{0.1F}, {0.7F}}).first);
}

Tensor words(const std::vector<Bits>& bits) { return Tensor::from_bits(kFp32, bits); }

// Six elements after three steps of torch.optim.AdamW (PyTorch 2.11, decay 0.01) on an H100. The
// first three are some on which the two codes differ.
TEST(Optimizer, ThatOfGpusHasTheWordsOfAnH100) {
  const Tensor first =
      words({0xbe293b63, 0x3e0337dc, 0x3b42df26, 0xbc6ab102, 0xbdbfde1a, 0x3dd90f71});
  const Tensor second =
      words({0x3b766484, 0x3a8e0a4e, 0x3ab7a258, 0x3979ee46, 0x3b07f330, 0x3b61f1e0});
  const Tensor of_one =
      words({0xbe299c8b, 0xbd914cee, 0x3b8c80df, 0xbda090a4, 0x3eb83d79, 0xbf48c08d});
  const Tensor of_lists =
      words({0xbe299c8a, 0xbd914cef, 0x3b8c80de, 0xbda090a4, 0x3eb83d79, 0xbf48c08d});
  const Tensor steps[] = {
      words({0x3f4d1321, 0x3f1a7a8c, 0xbf809dd6, 0x3dc2eaac, 0x3eb466c9, 0x3fd6f281}),
      words({0xbfbc7b55, 0xbd756f8c, 0x3edde500, 0x3e665b3a, 0xbfb2ccd4, 0x3ed646f9}),
      words({0xbf79ec5d, 0x3f58b939, 0x3ee83ca5, 0xbed878d9, 0x3d0f16f9, 0xbf2d505f})};
  const auto after = [&](OptimizerCode code) {
    OptimizerSettings settings = adam(OptimizerKind::kAdamW, 0.01);
    settings.code = code;
    OptimizerState state = initial_state(
        words({0xbe297de8, 0xbd8c6e73, 0x3b43887a, 0xbd9cf7af, 0x3eb84264, 0xbf483241}));
    for (const Tensor& gradients : steps) state = optimized(settings, state, gradients);
    return state;
  };
  for (const OptimizerCode code : {OptimizerCode::kGpu, OptimizerCode::kGpuForeach}) {
    const OptimizerState state = after(code);
    EXPECT_EQ(first, state.first);
    EXPECT_EQ(second, state.second);
    EXPECT_EQ(code == OptimizerCode::kGpu ? of_one : of_lists, state.weights);
  }
  EXPECT_NE(second, after(OptimizerCode::kProcessor).second);
}

TEST(Optimizer, RefusesWhatCannotWork) {
  const auto refused = [](OptimizerSettings settings) {
    EXPECT_THROW(require_workable(settings), std::invalid_argument);
  };
  OptimizerSettings settings = adam();
  EXPECT_NO_THROW(require_workable(settings));
  settings.beta1 = wide(1.0);
  refused(settings);
  settings = adam();
  settings.rate = wide(-1.0);
  refused(settings);
  settings = adam();
  settings.epsilon = wide(std::nan(""));
  refused(settings);
  settings = sgd();
  settings.nesterov = true;
  refused(settings);
}

}  // namespace
}  // namespace halfmark::operators
