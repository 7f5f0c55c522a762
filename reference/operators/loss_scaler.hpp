// SPDX-License-Identifier: Apache-2.0
// Dynamic loss scalers: how the scale grows and falls, when a step is skipped, how gradients are
// checked and unscaled, exactly as each framework computes it. A framework is a row of data
// (loss_scaler_profiles.cpp, with its source); this file decides what the columns mean. It does not
// decide how gradients are clipped or applied.
//
// A step goes: gradients of several devices -> non-finite on how many of them? -> updated() with
// that number -> the new state, and whether the optimizer takes the step.
//
// Assumptions: scales and factors are at least zero; numbers of settings are fp64 encodings,
// since the frameworks take them as doubles, and are rounded to the formats of the row where
// it uses them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

/// Which clean step ends an interval, after which the scale grows.
enum class GrowthRule : std::uint8_t {
  kAtInterval,     // the count with this step equals the interval; it starts again at 0
  kFromInterval,   // the count with this step is the interval or more; it starts again at 0
  kAfterInterval,  // the count before this step is a positive multiple; only overflows reset it
};

/// What an overflow does to the scale.
enum class BackoffRule : std::uint8_t {
  kMultiplies,      // times the backoff factor
  kDividesByGrowth  // divided by the growth factor; there is no backoff factor
};

/// How many overflows pass before the scale falls.
enum class HysteresisRule : std::uint8_t {
  kNone,         // none
  kCountsDown,   // each takes one from the count, and the scale falls at zero and below
  kCountsToOne,  // each takes one from the count while it is above one, and falls at one
};

/// How a gradient loses the scale. The reciprocal of an fp32 scale is rounded to fp32 once, which
/// is also what fp64 in between gives; that of an fp64 scale is rounded to fp64, then to fp32.
enum class UnscaleRule : std::uint8_t {
  kReciprocal,            // times the reciprocal in fp32
  kReciprocalInGradient,  // times the reciprocal, itself rounded to the gradient's format, in it
  kDivision,              // divided by the scale in fp32
};

/// The order of the check, the unscaling and a clipping by norm.
enum class GradientOrder : std::uint8_t {
  kCheckUnscaleClip,
  kUnscaleCheckClip,
  kUnscaleClipCheck,
  kCheckClipWithUnscale,  // one multiplication by 1 / (scale * what is clipped)
};

struct LossScalerSettings {
  formats::Bits scale = 0;          // initial
  formats::Bits growth_factor = 0;  // above 1
  formats::Bits backoff_factor = 0;
  std::int64_t growth_interval = 0;
  std::int64_t hysteresis = 1;
  bool refill_on_clean_steps = false;  // the hysteresis; otherwise only when the scale grows
  formats::Bits floor = 0;             // 0: none
  formats::Bits ceiling = 0;           // 0: none

  [[nodiscard]] bool operator==(const LossScalerSettings&) const = default;
};

struct LossScalerProfile {
  std::string_view name;
  std::string_view source;
  const formats::Format* scale_format;    // in which the scale is kept
  const formats::Format* product_format;  // in which it is multiplied, with the factors rounded
  GrowthRule growth;
  bool grows_only_if_finite;  // a scale that would become infinite stays; otherwise it becomes it
  BackoffRule backoff;
  HysteresisRule hysteresis;
  bool stops_at_floor;  // an overflow at the floor ends the training
  UnscaleRule unscale;
  const formats::Format* unscaled_format;  // null: that of the gradients
  GradientOrder order;
  bool saves_settings;  // a saved state holds the factors and the interval, too
  LossScalerSettings defaults;
};

[[nodiscard]] std::span<const LossScalerProfile> loss_scaler_profiles();
/// Null if there is none.
[[nodiscard]] const LossScalerProfile* find_loss_scaler_profile(std::string_view name);

[[nodiscard]] bool checks_before_unscaling(const LossScalerProfile& profile);

struct LossScaler {
  const LossScalerProfile* profile = nullptr;
  LossScalerSettings settings;
};

/// All that a restart needs, besides the settings.
struct LossScalerState {
  formats::Bits scale = 0;       // of the profile's scale_format
  std::int64_t clean_steps = 0;  // since the last overflow or, except kAfterInterval, growth
  std::int64_t hysteresis = 0;   // what is left of it

  [[nodiscard]] bool operator==(const LossScalerState&) const = default;
};

enum class StepOutcome : std::uint8_t { kTaken, kSkipped, kStopped };

struct LossScalerUpdate {
  LossScalerState state;
  StepOutcome outcome = StepOutcome::kTaken;
};

/// Departures from the profile, each a bug seen in frameworks or drivers. The default
/// is the profile.
struct LossScalerVariant {
  enum class Check : std::uint8_t {
    kSpecified,
    kNever,
    kMissesNan,
    kMissesInfinity,
    kMissesTail,
    kHalfSum,  // an fp16 sum of the gradients is looked at instead of each
  };
  enum class Unscale : std::uint8_t {
    kSpecified,
    kInHalf,
    kTwice,
    kNever,
    kDivides,
    kMultiplies,        // by the reciprocal where the profile divides
    kReciprocalIsLow,   // by one unit in the last place, as a fast division may make it
    kReciprocalIsHigh,  // the same
  };

  Check check = Check::kSpecified;
  Unscale unscale = Unscale::kSpecified;
  bool step_not_skipped = false;
  bool skips_on_one_flag_only = false;  // the flags of two devices add up to 2, which is not 1
  bool scale_not_backed_off = false;
  bool growth_kept_on_overflow = false;
  bool grows_one_step_late = false;
  bool grows_to_infinity = false;
  bool has_no_floor = false;
  bool has_no_hysteresis = false;

  [[nodiscard]] bool operator==(const LossScalerVariant&) const = default;
};

/// Throws std::invalid_argument with the field's name first if the scaler cannot work, such as
/// "'growth_interval' is 0; it must be at least 1".
void require_workable(const LossScaler& scaler);
/// The same for a state that is restored. A scale of zero passes: profiles without a
/// floor reach it.
void require_restorable(const LossScaler& scaler, const LossScalerState& state);

[[nodiscard]] LossScalerState initial_state(const LossScaler& scaler);

/// The state after one step in which `devices_with_overflow` devices found a gradient that
/// is not finite.
[[nodiscard]] LossScalerUpdate updated(const LossScaler& scaler, const LossScalerState& state,
                                       std::size_t devices_with_overflow,
                                       const models::Machine& machine = {},
                                       const LossScalerVariant& variant = {});

/// The fp32 factor by which the rules with a reciprocal multiply gradients.
[[nodiscard]] formats::Bits inverse_scale(const LossScaler& scaler, formats::Bits scale,
                                          const models::Machine& machine = {});

struct UnscaledGradients {
  formats::Tensor gradients;
  bool found = false;  // one of them is infinite or a NaN, at the point where the profile checks
};

/// The gradients of one device.
[[nodiscard]] UnscaledGradients unscaled(const LossScaler& scaler, formats::Bits scale,
                                         const formats::Tensor& gradients,
                                         const models::Machine& machine = {},
                                         const LossScalerVariant& variant = {});

}  // namespace halfmark::operators
