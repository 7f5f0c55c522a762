// SPDX-License-Identifier: Apache-2.0
// Every profile against traces worked out by hand from the cited sources, the rules where profiles
// differ, what is refused, and the departures.
#include "reference/operators/loss_scaler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::kFp64;
using formats::Tensor;

Bits fp64(double value) { return std::bit_cast<std::uint64_t>(value); }
Bits fp32(float value) { return std::bit_cast<std::uint32_t>(value); }

LossScaler scaler_of(std::string_view name) {
  const LossScalerProfile* profile = find_loss_scaler_profile(name);
  return {.profile = profile, .settings = profile->defaults};
}

double scale_of(const LossScaler& scaler, const LossScalerState& state) {
  return std::bit_cast<double>(
      soft::convert(*scaler.profile->scale_format, kFp64, state.scale).bits);
}

// A letter for each step: '.' clean, 'x' an overflow, '2' an overflow on two devices. What it
// leaves: "SCALE/CLEAN", for those with hysteresis "/LEFT", and a mark after a step that was
// skipped (s) or ended the training (!).
std::string trace(const LossScaler& scaler, LossScalerState state, std::string_view events,
                  const LossScalerVariant& variant = {}) {
  std::string text;
  for (const char event : events) {
    const std::size_t found = event == '.' ? 0 : event == 'x' ? 1 : 2;
    const LossScalerUpdate next = updated(scaler, state, found, {}, variant);
    state = next.state;
    std::array<char, 64> shown{};
    std::snprintf(shown.data(), shown.size(), "%g/%lld", scale_of(scaler, state),
                  static_cast<long long>(state.clean_steps));
    text += (text.empty() ? "" : " ") + std::string(shown.data());
    if (scaler.profile->hysteresis != HysteresisRule::kNone)
      text += "/" + std::to_string(state.hysteresis);
    if (next.outcome == StepOutcome::kSkipped) text += "s";
    if (next.outcome == StepOutcome::kStopped) text += "!";
  }
  return text;
}

std::string trace(const LossScaler& scaler, std::string_view events,
                  const LossScalerVariant& variant = {}) {
  return trace(scaler, initial_state(scaler), events, variant);
}

// The profile with a small scale and an interval of three clean steps.
LossScaler small(std::string_view name, double scale = 16) {
  LossScaler scaler = scaler_of(name);
  scaler.settings.scale = fp64(scale);
  scaler.settings.growth_interval = 3;
  return scaler;
}

TEST(LossScalerProfiles, HaveUniqueNamesSourcesAndWorkableDefaults) {
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    EXPECT_EQ(find_loss_scaler_profile(profile.name), &profile) << profile.name;
    EXPECT_FALSE(profile.source.empty()) << profile.name;
    EXPECT_NO_THROW(require_workable({&profile, profile.defaults})) << profile.name;
  }
  EXPECT_EQ(loss_scaler_profiles().size(), 8u);
  EXPECT_EQ(find_loss_scaler_profile("fairscale"), nullptr);
}

TEST(LossScalerProfiles, StartAsDocumented) {
  for (const auto& [name, scale] :
       {std::pair("pytorch", 65536.0), std::pair("genesis", 65536.0), std::pair("apex", 65536.0),
        std::pair("keras", 32768.0), std::pair("tensorflow", 32768.0),
        std::pair("megatron", 4294967296.0), std::pair("deepspeed", 65536.0)}) {
    const LossScaler scaler = scaler_of(name);
    EXPECT_EQ(scale_of(scaler, initial_state(scaler)), scale) << name;
  }
}

// A clean step counts first, and the third one grows; an overflow halves and starts again.
TEST(LossScalerTraces, TheCommonCase) {
  for (const char* name : {"halfmark", "pytorch", "genesis", "apex", "keras", "tensorflow"}) {
    EXPECT_EQ(trace(small(name), "....x..."), "16/1 16/2 32/0 32/1 16/0s 16/1 16/2 32/0") << name;
    EXPECT_EQ(trace(small(name), "..2..."), "16/1 16/2 8/0s 8/1 8/2 16/0") << name;
  }
}

// PyTorch: equality, so a restored counter above the interval never grows; TensorFlow and Genesis
// compare with >=.
TEST(LossScalerTraces, ACounterBeyondTheInterval) {
  for (const auto& [name, expected] :
       {std::pair("pytorch", "16/6 16/7"), std::pair("apex", "16/6 16/7"),
        std::pair("keras", "16/6 16/7"), std::pair("tensorflow", "32/0 32/1"),
        std::pair("genesis", "32/0 32/1")}) {
    const LossScaler scaler = small(name);
    LossScalerState state = initial_state(scaler);
    state.clean_steps = 5;
    EXPECT_EQ(trace(scaler, state, ".."), expected) << name;
  }
}

// What happens at the top of the range: PyTorch and TensorFlow keep the last finite scale, Apex
// stops at its ceiling, Keras and Megatron become infinite for ever.
TEST(LossScalerTraces, TheTopOfTheRange) {
  constexpr double kTop = 0x1p127;
  EXPECT_EQ(trace(small("pytorch", kTop), "....x"),
            "1.70141e+38/1 1.70141e+38/2 1.70141e+38/0 1.70141e+38/1 8.50706e+37/0s");
  EXPECT_EQ(trace(small("tensorflow", kTop), "...x"),
            "1.70141e+38/1 1.70141e+38/2 1.70141e+38/0 8.50706e+37/0s");
  EXPECT_EQ(trace(small("keras", kTop), "...x"), "1.70141e+38/1 1.70141e+38/2 inf/0 inf/0s");
  EXPECT_EQ(trace(small("megatron", kTop), "...xx"),
            "1.70141e+38/1/2 1.70141e+38/2/2 inf/0/2 inf/0/1s inf/0/0s");
  EXPECT_EQ(trace(small("apex", 0x1p23), "......"),
            "8.38861e+06/1 8.38861e+06/2 1.67772e+07/0 1.67772e+07/1 1.67772e+07/2 1.67772e+07/0");
}

// And at the bottom: TensorFlow and Genesis stop at 1, PyTorch and Keras reach 2^-149 and zero.
TEST(LossScalerTraces, TheBottomOfTheRange) {
  for (const char* name : {"tensorflow", "genesis"})
    EXPECT_EQ(trace(small(name, 4), "xxx...."), "2/0s 1/0s 1/0s 1/1 1/2 2/0 2/1") << name;
  EXPECT_EQ(trace(small("apex", 2), "xx"), "1/0s 0.5/0s");
  for (const char* name : {"pytorch", "keras"}) {
    const LossScaler scaler = scaler_of(name);
    LossScalerState state = initial_state(scaler);
    const int halvings = name == std::string("pytorch") ? 165 : 164;
    for (int i = 0; i < halvings; ++i) state = updated(scaler, state, 1).state;
    EXPECT_EQ(state.scale, 1u) << name << ": 2^-149";
    state = updated(scaler, state, 1).state;
    EXPECT_EQ(state.scale, 0u) << name;
    EXPECT_EQ(inverse_scale(scaler, state.scale), 0x7f800000u);
  }
}

// Megatron counts down past zero and refills on growth only.
TEST(LossScalerTraces, MegatronsHysteresis) {
  EXPECT_EQ(trace(small("megatron"), "x.x.xx"), "16/0/1s 16/1/1 8/0/0s 8/1/0 4/0/-1s 2/0/-2s");
  EXPECT_EQ(trace(small("megatron"), "x...x"), "16/0/1s 16/1/1 16/2/1 32/0/2 32/0/1s");
  EXPECT_EQ(trace(small("megatron", 2), "xxxx"), "2/0/1s 1/0/0s 1/0/-1s 1/0/-2s");
}

// DeepSpeed grows at clean step interval + 1, never restarts the count, stays at one of its
// hysteresis, and ends the training when it would fall below the floor.
TEST(LossScalerTraces, DeepSpeed) {
  EXPECT_EQ(trace(small("deepspeed"), "........"),
            "16/1/2 16/2/2 16/3/2 32/4/2 32/5/2 32/6/2 64/7/2 64/8/2");
  EXPECT_EQ(trace(small("deepspeed"), "x.xx...."),
            "16/0/1s 16/1/1 8/0/1s 4/0/1s 4/1/1 4/2/1 4/3/1 8/4/2");
  EXPECT_EQ(trace(small("deepspeed", 2), "xxxx."), "2/0/1s 1/0/1s 1/0/1! 1/0/1! 1/1/1");
  LossScaler refilled = small("deepspeed");
  refilled.settings.refill_on_clean_steps = true;
  EXPECT_EQ(trace(refilled, "x.x.xx"), "16/0/1s 16/1/2 16/0/1s 16/1/2 16/0/1s 8/0/1s");
  refilled.settings.hysteresis = 1;
  EXPECT_EQ(trace(refilled, "xx"), "8/0/1s 4/0/1s");
}

// The formats in which a product is rounded show with 1.1 and 0.7: host arithmetic in
// those formats.
TEST(LossScalerArithmetic, EachProfileRoundsInItsOwnWidth) {
  const auto steps = [](const char* name, std::string_view events) {
    LossScaler scaler = small(name, 3);
    scaler.settings.growth_interval = 1;
    scaler.settings.growth_factor = fp64(1.1);
    scaler.settings.backoff_factor = fp64(0.7);
    scaler.settings.floor = scaler.settings.ceiling = 0;
    LossScalerState state = initial_state(scaler);
    for (const char event : events) state = updated(scaler, state, event == 'x' ? 1 : 0).state;
    return state.scale;
  };
  float of_doubles = 3, of_floats = 3, divided = 3;
  double wide = 3;
  std::string events;
  for (int i = 0; i < 60; ++i) {
    const bool overflow = i % 5 == 4;
    events += overflow ? 'x' : '.';
    of_doubles = static_cast<float>(static_cast<double>(of_doubles) * (overflow ? 0.7 : 1.1));
    of_floats = of_floats * (overflow ? 0.7f : 1.1f);
    divided = overflow ? divided / 1.1f : divided * 1.1f;
    wide = wide * (overflow ? 0.7 : 1.1);
    EXPECT_EQ(steps("pytorch", events), fp32(of_doubles)) << i;
    EXPECT_EQ(steps("halfmark", events), fp32(of_floats)) << i;
    EXPECT_EQ(steps("tensorflow", events), fp32(divided)) << i;
    EXPECT_EQ(steps("genesis", events), fp64(wide)) << i;
  }
  EXPECT_NE(fp32(of_doubles), fp32(of_floats));
}

Tensor gradients(const formats::Format& format, std::initializer_list<Bits> bits) {
  Tensor tensor = Tensor::zeros(format, bits.size());
  std::size_t i = 0;
  for (const Bits each : bits) tensor.set(i++, each);
  return tensor;
}

TEST(LossScalerUnscale, ByReciprocalOrByDivision) {
  const Tensor scaled = gradients(kFp32, {fp32(7), fp32(-0.1f)});
  for (const char* name : {"pytorch", "apex", "megatron", "deepspeed", "tensorflow", "halfmark"}) {
    const LossScaler scaler = small(name, 3);
    const UnscaledGradients got = unscaled(scaler, initial_state(scaler).scale, scaled);
    EXPECT_EQ(got.gradients.at(0), fp32(7 * (1.0f / 3))) << name;
    EXPECT_EQ(got.gradients.at(1), fp32(-0.1f * (1.0f / 3))) << name;
    EXPECT_FALSE(got.found);
  }
  for (const char* name : {"keras", "genesis"}) {
    const LossScaler scaler = small(name, 3);
    const UnscaledGradients got = unscaled(scaler, initial_state(scaler).scale, scaled);
    EXPECT_EQ(got.gradients.at(0), fp32(7.0f / 3)) << name;
    EXPECT_EQ(got.gradients.at(1), fp32(-0.1f / 3)) << name;
  }
  EXPECT_NE(fp32(7.0f / 3), fp32(7 * (1.0f / 3)));
}

TEST(LossScalerUnscale, IntoTheFormatOfTheProfile) {
  const Tensor halves = gradients(kFp16, {0x1000});  // 2^-11
  const auto first = [&](const char* name) {
    const LossScaler scaler = small(name, 0x1p15);
    return unscaled(scaler, initial_state(scaler).scale, halves).gradients;
  };
  EXPECT_EQ(first("apex"), gradients(kFp32, {fp32(0x1p-26f)}));
  EXPECT_EQ(first("keras"), gradients(kFp32, {fp32(0x1p-26f)}));
  EXPECT_EQ(first("genesis"), gradients(kFp16, {0})) << "2^-26 does not fit";
  EXPECT_EQ(first("tensorflow"), gradients(kFp16, {0}));
  const LossScaler tensorflow = small("tensorflow", 3);
  EXPECT_EQ(unscaled(tensorflow, fp32(3), gradients(kBf16, {0x40e0})).gradients.at(0), 0x4016u)
      << "the reciprocal of 3 is rounded to bf16, too: 7 * 0.333984375";
}

// The point of the check decides at the ends of the range.
TEST(LossScalerUnscale, ChecksWhereTheProfileDoes) {
  const Tensor large = gradients(kFp32, {fp32(0x1p100f)});
  const auto found = [&](const char* name, float scale, const Tensor& tensor) {
    const LossScaler scaler = small(name);
    return unscaled(scaler, soft::convert(kFp32, *scaler.profile->scale_format, fp32(scale)).bits,
                    tensor)
        .found;
  };
  EXPECT_FALSE(found("pytorch", 0x1p-100f, large)) << "infinite only after unscaling";
  EXPECT_TRUE(found("tensorflow", 0x1p-100f, large));
  EXPECT_TRUE(found("genesis", 0x1p-100f, large));
  const Tensor zero = gradients(kFp32, {0});
  EXPECT_FALSE(found("pytorch", 0, zero)) << "0 times an infinite reciprocal is a NaN, unseen";
  EXPECT_TRUE(found("tensorflow", 0, zero));
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    EXPECT_TRUE(found(profile.name.data(), 4, gradients(kFp16, {0, 0x7c00})));
    EXPECT_TRUE(found(profile.name.data(), 4, gradients(kFp16, {0xfc00, 0})));
    EXPECT_TRUE(found(profile.name.data(), 4, gradients(kFp16, {0, 0x7e01})));
    EXPECT_FALSE(found(profile.name.data(), 4, gradients(kFp16, {0x7bff, 0xfbff})));
  }
}

// A restart in the middle of an interval continues with the same bits.
TEST(LossScalerRestore, ContinuesInMidInterval) {
  constexpr std::string_view kEvents = "..x.....x.xx......x....";
  for (const LossScalerProfile& profile : loss_scaler_profiles()) {
    const LossScaler scaler = small(profile.name);
    const std::string whole = trace(scaler, kEvents);
    LossScalerState state = initial_state(scaler);
    for (std::size_t cut = 0; cut < kEvents.size(); ++cut) {
      require_restorable(scaler, state);
      const std::string rest = trace(scaler, state, kEvents.substr(cut));
      EXPECT_TRUE(whole.ends_with(rest)) << profile.name << " at " << cut;
      state = updated(scaler, state, kEvents[cut] == 'x' ? 1 : 0).state;
    }
  }
}

std::string refusal(const LossScaler& scaler) {
  try {
    require_workable(scaler);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(LossScalerRefuses, WhatCannotWork) {
  const auto with = [](auto LossScalerSettings::* member, auto value) {
    LossScaler scaler = scaler_of("pytorch");
    scaler.settings.*member = value;
    return refusal(scaler);
  };
  using S = LossScalerSettings;
  EXPECT_EQ(with(&S::growth_factor, fp64(0.5)),
            "'growth_factor' is 0.5; it must be above 1 and finite");
  EXPECT_EQ(with(&S::growth_factor, fp64(1)),
            "'growth_factor' is 1; it must be above 1 and finite");
  EXPECT_EQ(with(&S::growth_factor, fp64(-2)),
            "'growth_factor' is -2; it must be positive and finite");
  EXPECT_NE(with(&S::growth_factor, fp64(HUGE_VAL)), "");
  EXPECT_NE(with(&S::growth_factor, fp64(NAN)), "");
  EXPECT_EQ(with(&S::backoff_factor, fp64(1)),
            "'backoff_factor' is 1; it must lie between 0 and 1");
  EXPECT_NE(with(&S::backoff_factor, fp64(0)), "");
  EXPECT_NE(with(&S::backoff_factor, fp64(-0.5)), "");
  EXPECT_NE(with(&S::backoff_factor, fp64(NAN)), "");
  EXPECT_EQ(with(&S::growth_interval, 0), "'growth_interval' is 0; it must be at least 1");
  EXPECT_EQ(with(&S::growth_interval, -3), "'growth_interval' is -3; it must be at least 1");
  EXPECT_EQ(with(&S::hysteresis, 0), "'hysteresis' is 0; it must be at least 1");
  EXPECT_EQ(with(&S::scale, fp64(-1)), "'scale' is -1; it must be positive and finite");
  EXPECT_EQ(with(&S::scale, fp64(0)), "'scale' is 0; it must be positive and finite");
  EXPECT_EQ(with(&S::scale, fp64(HUGE_VAL)), "'scale' is inf; it must be positive and finite");
  EXPECT_EQ(with(&S::scale, fp64(1e39)), "'scale' is inf; it must be positive and finite");
  EXPECT_EQ(with(&S::scale, fp64(NAN)), "'scale' is nan; it must be positive and finite");
  EXPECT_EQ(with(&S::floor, fp64(131072)), "'scale' is 65536; it must not be below the floor");
  EXPECT_EQ(with(&S::ceiling, fp64(2)), "'ceiling' is 2; it must not be below the scale");
  LossScaler rounded = scaler_of("megatron");
  rounded.settings.growth_factor = fp64(1 + 0x1p-40);
  EXPECT_NE(refusal(rounded), "") << "1 in the format of its products";
  rounded.settings = scaler_of("pytorch").settings;
  rounded.profile = find_loss_scaler_profile("pytorch");
  rounded.settings.growth_factor = fp64(1 + 0x1p-40);
  EXPECT_EQ(refusal(rounded), "");
}

TEST(LossScalerRefuses, StatesThatCannotBe) {
  const auto refused = [](const char* name, const LossScalerState& state) {
    try {
      require_restorable(scaler_of(name), state);
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("pytorch", {.scale = fp32(2), .clean_steps = 5000, .hysteresis = 1}), "");
  EXPECT_EQ(refused("pytorch", {.scale = 0, .hysteresis = 1}), "");
  EXPECT_EQ(refused("keras", {.scale = 0x7f800000, .hysteresis = 1}),
            "'scale' is inf; it must be positive and finite");
  EXPECT_NE(refused("keras", {.scale = 0x80000000, .hysteresis = 1}), "");
  EXPECT_EQ(refused("apex", {.scale = fp64(2), .clean_steps = -1, .hysteresis = 1}),
            "'clean_steps' is -1; it must not be negative");
  EXPECT_EQ(refused("megatron", {.scale = fp32(2), .hysteresis = -7}), "");
  EXPECT_EQ(refused("megatron", {.scale = fp32(2), .hysteresis = 3}),
            "'hysteresis' is 3; the scaler has 2");
  EXPECT_EQ(refused("deepspeed", {.scale = fp64(2), .hysteresis = 0}),
            "'hysteresis' is 0; the scaler has 2");
}

TEST(LossScalerVariants, DifferFromTheProfile) {
  const auto differs = [](const char* name, double scale, std::string_view events,
                          bool LossScalerVariant::* member) {
    LossScalerVariant variant;
    variant.*member = true;
    return trace(small(name, scale), events) != trace(small(name, scale), events, variant);
  };
  using V = LossScalerVariant;
  EXPECT_TRUE(differs("pytorch", 16, "x", &V::step_not_skipped));
  EXPECT_TRUE(differs("pytorch", 16, "2", &V::skips_on_one_flag_only));
  EXPECT_FALSE(differs("pytorch", 16, "x", &V::skips_on_one_flag_only));
  EXPECT_TRUE(differs("pytorch", 16, "x", &V::scale_not_backed_off));
  EXPECT_TRUE(differs("pytorch", 16, ".x", &V::growth_kept_on_overflow));
  EXPECT_TRUE(differs("pytorch", 16, "...", &V::grows_one_step_late));
  EXPECT_TRUE(differs("pytorch", 0x1p127, "...", &V::grows_to_infinity));
  EXPECT_TRUE(differs("apex", 0x1p24, "...", &V::grows_to_infinity));
  EXPECT_TRUE(differs("tensorflow", 1, "x", &V::has_no_floor));
  EXPECT_TRUE(differs("megatron", 16, "x", &V::has_no_hysteresis));
}

}  // namespace
}  // namespace halfmark::operators
