// SPDX-License-Identifier: Apache-2.0
#include "suites/loss_scaling/binding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::kFp64;
using formats::Tensor;
using operators::LossScaler;
using operators::LossScalerProfile;

constexpr std::int64_t kInterval = 3;
constexpr Bits kThousand = 0x447a0000;                 // no power of two, so that unscaling rounds
constexpr Bits kFour = 0x40800000, kTop = 0x7e800000;  // 2^126
constexpr Bits kGrowthOfFour = 0x4010000000000000;
constexpr Bits kElevenTenths = 0x3ff199999999999a, kSevenTenths = 0x3fe6666666666666;

constexpr Script kScripts[] = {
    {.name = "grow", .events = ".......i....", .scale = kThousand},
    {.name = "overflow", .events = "..i.n..tal..", .scale = kThousand},
    {.name = "restore", .events = "i..s.i.r.i.ri..", .scale = kThousand},
    {.name = "bottom", .events = "ii.iiiai....", .scale = kFour},
    {.name = "clip", .events = ".il.n..", .scale = kThousand, .clips = true},
    // Quadrupled, the scale passes the largest number at once.
    {.name = "top", .events = "....i...", .growth_factor = kGrowthOfFour, .exponent = 12},
    {.name = "factors",
     .events = "...i...n.ai......",
     .scale = kThousand,
     .growth_factor = kElevenTenths,
     .backoff_factor = kSevenTenths},
};

constexpr auto kScriptNames = names_of(kScripts);

std::vector<std::string_view> profile_names() {
  std::vector<std::string_view> names;
  for (const LossScalerProfile& profile : operators::loss_scaler_profiles())
    names.push_back(profile.name);
  return names;
}

// The profiles as a device has them: with the scale and its products in fp32. Factors that are
// powers of two make no difference of that; for others has_script() asks for it.
const LossScalerProfile& on_device(std::string_view name) {
  static const std::vector<LossScalerProfile> kProfiles = [] {
    const auto rows = operators::loss_scaler_profiles();
    std::vector<LossScalerProfile> profiles(rows.begin(), rows.end());
    for (LossScalerProfile& profile : profiles) {
      profile.scale_format = &kFp32;
      profile.product_format = &kFp32;
    }
    return profiles;
  }();
  return *std::find_if(kProfiles.begin(), kProfiles.end(),
                       [&](const LossScalerProfile& row) { return row.name == name; });
}

LossScaler scaler_of(const Case& c, const Script& script) {
  LossScaler scaler{.profile = &on_device(c.word("profile")), .settings = {}};
  scaler.settings = scaler.profile->defaults;
  scaler.settings.growth_interval = kInterval;
  if (script.growth_factor != 0) scaler.settings.growth_factor = script.growth_factor;
  const bool multiplies = scaler.profile->backoff == operators::BackoffRule::kMultiplies;
  if (script.backoff_factor != 0 && multiplies)
    scaler.settings.backoff_factor = script.backoff_factor;
  Bits scale = script.scale;
  if (scale == 0) scale = kTop;
  scaler.settings.scale = soft::convert(kFp32, kFp64, scale).bits;
  // Half of a ceiling, which growth then passes.
  if (scaler.settings.ceiling != 0 && script.scale == 0)
    scaler.settings.scale = soft::ldexp(kFp64, scaler.settings.ceiling, -1).bits;
  return scaler;
}

// The gradients of one step: those of the devices one after the other.
void place(const Case& c, const Binding& b, std::size_t step, char event, Tensor& gradients) {
  const std::size_t first = step * b.devices * b.count, last = first + b.devices * b.count - 1;
  const auto random = [&](const char* what, std::size_t below) {
    return static_cast<std::size_t>(Random(c, what).below(step, below));
  };
  const Bits infinity = formats::infinity(*b.format, random("sign", 2) == 1);
  const std::size_t anywhere =
      first + random("device", b.devices) * b.count + random("place", b.count);
  if (event == 'i') gradients.set(anywhere, infinity);
  if (event == 'n') gradients.set(anywhere, formats::quiet_nan(*b.format));
  if (event == 't') gradients.set(last, infinity);
  for (std::size_t d = 0; event == 'a' && d < b.devices; ++d)
    gradients.set(first + d * b.count + random("place", b.count), infinity);
  // Each fits fp16, and two of them do not.
  for (std::size_t i = first; event == 'l' && i <= last; ++i)
    gradients.set(i, scaled(*b.format, 34'000 + 1'024 * static_cast<std::int64_t>(i % 29), 0));
}

Tensor gradients_of(const Case& c, const Binding& b) {
  const std::size_t total = b.steps() * b.devices * b.count;
  Tensor gradients = fill(*b.format, total, "normal", Random(c, "gradients"));
  for (std::size_t i = 0; b.script->exponent != 0 && i < total; ++i)
    gradients.set(i, soft::ldexp(*b.format, gradients.at(i), b.script->exponent).bits);
  std::size_t step = 0;
  for (const char event : b.script->events) {
    if (is_step(event)) place(c, b, step++, event, gradients);
  }
  return gradients;
}

}  // namespace

std::size_t Binding::steps() const {
  return static_cast<std::size_t>(
      std::count_if(script->events.begin(), script->events.end(), is_step));
}

bool has_script(std::string_view profile, std::string_view script) {
  return script != "factors" ||
         *operators::find_loss_scaler_profile(profile)->product_format == kFp32;
}

std::span<const Axis> axes() {
  static const Axis kAxes[] = {
      axis_of_words("profile", "the framework whose scaler it is", profile_names()),
      axis_of_words("format", "format of the gradients", {"fp16", "bf16", "fp32"}),
      provider_axis(Providers::kHalfmark),
      shape_axis("n gradients on each of d devices", "nd"),
      axis_of_words("script", "what happens in the steps",
                    {kScriptNames.begin(), kScriptNames.end()}),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const Script& script = row_named(kScripts, c.word("script"));
  const Binding b{.scaler = scaler_of(c, script),
                  .format = formats::find_format(c.word("format")),
                  .count = c.number("shape", 'n'),
                  .devices = c.number("shape", 'd'),
                  .script = &script};
  if (!has_script(c.word("profile"), script.name)) {
    throw UsageError(
        fmt::format("case '{}': {} multiplies its scale in fp64, so that factors that are no "
                    "powers of two are for `halfmark ref loss_scaler`",
                    print(c), c.word("profile")));
  }
  constexpr std::size_t kMost = std::size_t{1} << 24;
  if (b.count == 0 || b.count > kMost || b.devices == 0 || b.devices > 64) {
    throw UsageError(
        fmt::format("case '{}': 1 to {} gradients on each of 1 to 64 devices", print(c), kMost));
  }
  if (b.steps() * b.devices * b.count >= std::size_t{1} << 31) {
    throw UsageError(fmt::format(
        "case '{}' is too large; its {} steps must have less than 2^31 gradients in all", print(c),
        b.steps()));
  }
  return b;
}

TensorSet make_inputs(const Case& c, const Binding& b) {
  const operators::LossScalerState state = operators::initial_state(b.scaler);
  const std::array<Bits, 2> counts = {static_cast<Bits>(state.clean_steps),
                                      static_cast<Bits>(state.hysteresis)};
  return {{"gradients", gradients_of(c, b)},
          {"06_weights", fill(kFp32, b.devices * b.count, "normal", Random(c, "weights"))},
          {"07_scale", Tensor::from_bits(kFp32, std::array<Bits, 1>{state.scale})},
          {"08_counts", Tensor::from_bits(kFp32, counts)}};
}

}  // namespace halfmark::suites::loss_scaling
