// SPDX-License-Identifier: Apache-2.0
// `halfmark ref loss_scaler`: {"profile","scale"?,"growth_factor"?,"backoff_factor"?,
// "growth_interval"?,"hysteresis"?,"refill_on_clean_steps"?,"floor"?,"ceiling"?,"clip"?,"steps"?}
// runs a scaler through steps. Each is one of
//   {"found_inf":[false,true]}    one flag for each device
//   {"gradients":[TENSOR,...]}    the scaled gradients of each device, which are checked and
//   unscaled
//   {"restore":STATE}             a state as an answer gives it, "state"
// and is answered with the scale after it, the count of clean steps, the outcome (taken, skipped,
// stopped) and the unscaled gradients, clipped to the norm "clip" (fp32) if there is one, in the
// order of the profile; then "norm" is that of all devices. The scale of settings, the factors,
// floor and ceiling are fp64 encodings; a scale in an answer or a state has the format of the
// profile. Without steps the answer is the profile. A problem is answered as a whole or not at all.
#include "reference/operators/loss_scaler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "reference/formats/text.hpp"
#include "reference/operators/gradient_clipping.hpp"
#include "tools/halfmark/ref/shown.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::kFp64;
using nlohmann::json;
using operators::BackoffRule;
using operators::HysteresisRule;
using operators::LossScaler;
using operators::LossScalerProfile;
using operators::LossScalerSettings;
using operators::LossScalerState;
using operators::StepOutcome;

constexpr std::size_t kMostSteps = 1 << 20, kMostDevices = 1 << 12;

// Runs `body` and puts the place before what it throws.
template <typename Body>
auto at(const std::string& place, const Body& body) {
  try {
    return body();
  } catch (const ProblemError& error) {
    throw ProblemError(place + ": " + error.what());
  } catch (const std::invalid_argument& error) {
    throw ProblemError(place + ": " + error.what());
  }
}

const LossScalerProfile& parse_profile(const json& problem) {
  const std::string name = parse_string(problem, "profile");
  if (const LossScalerProfile* profile = operators::find_loss_scaler_profile(name)) return *profile;
  std::vector<std::string_view> names;
  for (const LossScalerProfile& profile : operators::loss_scaler_profiles())
    names.push_back(profile.name);
  throw ProblemError(fmt::format("'profile' is \"{}\", which is no scaler; known: {}", shown(name),
                                 fmt::join(names, ", ")));
}

// Members that hold one number of the settings.
struct Field {
  std::string_view name;
  Bits LossScalerSettings::* value;
};
constexpr Field kFields[] = {{"scale", &LossScalerSettings::scale},
                             {"growth_factor", &LossScalerSettings::growth_factor},
                             {"backoff_factor", &LossScalerSettings::backoff_factor},
                             {"floor", &LossScalerSettings::floor},
                             {"ceiling", &LossScalerSettings::ceiling}};

bool parse_flag(const json& value, std::string_view field) {
  if (value.is_boolean()) return value.get<bool>();
  throw ProblemError(fmt::format("'{}' is {}; write true or false", field, shown(value.dump())));
}

std::int64_t parse_integer(const json& problem, std::string_view field) {
  const json& value = member(problem, field);
  constexpr std::int64_t kMost = INT32_MAX;
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() && value.get<std::uint64_t>() > kMost) &&
                    value.get<std::int64_t>() >= -kMost && value.get<std::int64_t>() <= kMost;
  if (fits) return value.get<std::int64_t>();
  throw ProblemError(fmt::format("'{}' is {}; write a whole number from -{} to {}", field,
                                 shown(value.dump()), kMost, kMost));
}

void refuse_what_the_profile_lacks(const json& problem, const LossScalerProfile& profile) {
  const auto refuse = [&](std::string_view field, const char* why) {
    if (has(problem, field))
      throw ProblemError(
          fmt::format("'{}' is not for {}, which {}; leave it out", field, profile.name, why));
  };
  if (profile.backoff == BackoffRule::kDividesByGrowth)
    refuse("backoff_factor", "divides by its growth factor");
  if (profile.hysteresis == HysteresisRule::kNone) {
    refuse("hysteresis", "has none");
    refuse("refill_on_clean_steps", "has no hysteresis");
  }
}

LossScaler parse_scaler(const json& problem) {
  LossScaler scaler{.profile = &parse_profile(problem), .settings = {}};
  scaler.settings = scaler.profile->defaults;
  refuse_what_the_profile_lacks(problem, *scaler.profile);
  for (const Field& field : kFields) {
    if (has(problem, field.name))
      scaler.settings.*field.value = parse_bits(problem, field.name, kFp64);
  }
  if (has(problem, "growth_interval"))
    scaler.settings.growth_interval = parse_integer(problem, "growth_interval");
  if (has(problem, "hysteresis")) scaler.settings.hysteresis = parse_integer(problem, "hysteresis");
  if (has(problem, "refill_on_clean_steps"))
    scaler.settings.refill_on_clean_steps =
        parse_flag(problem["refill_on_clean_steps"], "refill_on_clean_steps");
  return scaler;
}

bool has_hysteresis(const LossScaler& scaler) {
  return scaler.profile->hysteresis != HysteresisRule::kNone;
}

json state_json(const LossScaler& scaler, const LossScalerState& state) {
  json object{{"scale", formats::hex(*scaler.profile->scale_format, state.scale)},
              {"clean_steps", state.clean_steps}};
  if (has_hysteresis(scaler)) object["hysteresis"] = state.hysteresis;
  return object;
}

json saved_json(const LossScaler& scaler, const LossScalerState& state) {
  json object = state_json(scaler, state);
  object["profile"] = scaler.profile->name;
  if (!scaler.profile->saves_settings) return object;
  object["growth_factor"] = formats::hex(kFp64, scaler.settings.growth_factor);
  object["backoff_factor"] = formats::hex(kFp64, scaler.settings.backoff_factor);
  object["growth_interval"] = scaler.settings.growth_interval;
  return object;
}

struct Saved {
  LossScalerSettings settings;
  LossScalerState state;
};

// All members of a saved state are required, so that none keeps an old value.
Saved parse_saved(const LossScaler& scaler, const json& object) {
  if (!object.is_object()) throw ProblemError("a state is an object");
  const std::string name = parse_string(object, "profile");
  if (name != scaler.profile->name)
    throw ProblemError(
        fmt::format("'profile' is \"{}\"; this scaler is {}", shown(name), scaler.profile->name));
  std::vector<std::string_view> known = {"profile", "scale", "clean_steps"};
  LossScaler next = scaler;
  if (has_hysteresis(scaler)) known.push_back("hysteresis");
  if (scaler.profile->saves_settings) {
    known.insert(known.end(), {"growth_factor", "backoff_factor", "growth_interval"});
    next.settings.growth_factor = parse_bits(object, "growth_factor", kFp64);
    next.settings.backoff_factor = parse_bits(object, "backoff_factor", kFp64);
    next.settings.growth_interval = parse_integer(object, "growth_interval");
  }
  refuse_unknown(object, known);
  const LossScalerState state{.scale = parse_bits(object, "scale", *scaler.profile->scale_format),
                              .clean_steps = parse_integer(object, "clean_steps"),
                              .hysteresis = has_hysteresis(scaler)
                                                ? parse_integer(object, "hysteresis")
                                                : scaler.settings.hysteresis};
  operators::require_workable(next);
  operators::require_restorable(next, state);
  return {next.settings, state};
}

const json& parse_list(const json& problem, std::string_view field, std::size_t most) {
  const json& list = member(problem, field);
  if (!list.is_array() || list.size() > most || list.empty())
    throw ProblemError(fmt::format("'{}' must be a list of 1 to {}", field, most));
  return list;
}

// A scaler on its way through the steps.
class Run {
 public:
  Run(LossScaler scaler, std::optional<Bits> clip)
      : scaler_(scaler), clip_(clip), state_(operators::initial_state(scaler_)) {}

  json step(const json& event) {
    if (!event.is_object() || event.size() != 1)
      throw ProblemError("a step has one member: found_inf, gradients or restore");
    if (has(event, "found_inf")) return after_flags(parse_list(event, "found_inf", kMostDevices));
    if (has(event, "gradients"))
      return after_gradients(parse_list(event, "gradients", kMostDevices));
    static constexpr std::array<std::string_view, 3> kKnown = {"found_inf", "gradients", "restore"};
    refuse_unknown(event, kKnown);
    return at("'restore'", [&] {
      Saved saved = parse_saved(scaler_, event["restore"]);
      scaler_.settings = saved.settings;
      state_ = saved.state;
      return state_json(scaler_, state_);
    });
  }

  [[nodiscard]] json state() const { return saved_json(scaler_, state_); }

 private:
  json after_flags(const json& flags) {
    std::size_t found = 0;
    for (const json& flag : flags) found += parse_flag(flag, "found_inf") ? 1U : 0U;
    return updated(found);
  }

  json after_gradients(const json& devices) {
    std::vector<formats::Tensor> scaled;
    for (const json& tensor : devices) {
      const std::size_t count =
          tensor.is_object() && tensor.contains("bits") ? tensor["bits"].size() : 0;
      scaled.push_back(parse_tensor({{"gradients", tensor}}, "gradients", count));
    }
    const operators::ClippedGradients got = prepared(scaled);
    json answer =
        updated(static_cast<std::size_t>(std::count(got.found.begin(), got.found.end(), true)));
    answer["found_inf"] = got.found;
    answer["gradients"] = json::array();
    for (const formats::Tensor& each : got.gradients)
      answer["gradients"].push_back(tensor_json(each));
    if (clip_) answer["norm"] = formats::hex(formats::kFp32, got.norm);
    return answer;
  }

  [[nodiscard]] operators::ClippedGradients prepared(
      const std::vector<formats::Tensor>& scaled) const {
    if (clip_) return operators::clipped(scaler_, state_.scale, scaled, *clip_);
    operators::ClippedGradients result;
    for (const formats::Tensor& each : scaled) {
      operators::UnscaledGradients got = operators::unscaled(scaler_, state_.scale, each);
      result.gradients.push_back(std::move(got.gradients));
      result.found.push_back(got.found);
    }
    return result;
  }

  json updated(std::size_t found) {
    const operators::LossScalerUpdate next = operators::updated(scaler_, state_, found);
    state_ = next.state;
    json answer = state_json(scaler_, state_);
    answer["outcome"] = next.outcome == StepOutcome::kTaken     ? "taken"
                        : next.outcome == StepOutcome::kSkipped ? "skipped"
                                                                : "stopped";
    return answer;
  }

  LossScaler scaler_;
  std::optional<Bits> clip_;  // the largest norm
  LossScalerState state_;
};

// The rules in words, in the order of their enumerations.
constexpr const char* kGrowthRules[] = {"at the interval", "from the interval on",
                                        "after each interval"};
constexpr const char* kUnscaleRules[] = {"reciprocal", "reciprocal in the gradients' format",
                                         "division"};
constexpr const char* kOrders[] = {"check, unscale, clip", "unscale, check, clip",
                                   "unscale, clip, check", "check, unscale and clip at once"};

template <std::size_t kCount, typename Rule>
const char* word(const char* const (&words)[kCount], Rule rule) {
  return words[static_cast<std::size_t>(rule)];
}

json profile_json(const LossScaler& scaler) {
  const LossScalerProfile& rules = *scaler.profile;
  json object{{"profile", rules.name},
              {"source", rules.source},
              {"scale_format", rules.scale_format->name},
              {"product_format", rules.product_format->name},
              {"growth", word(kGrowthRules, rules.growth)},
              {"grows_only_if_finite", rules.grows_only_if_finite},
              {"stops_at_floor", rules.stops_at_floor},
              {"unscale", word(kUnscaleRules, rules.unscale)},
              {"order", word(kOrders, rules.order)},
              {"growth_interval", scaler.settings.growth_interval}};
  for (const Field& field : kFields) {
    const Bits value = scaler.settings.*field.value;
    if (value != 0) object[std::string(field.name)] = formats::hex(kFp64, value);
  }
  if (has_hysteresis(scaler)) object["hysteresis"] = scaler.settings.hysteresis;
  return object;
}

json answer(const json& problem) {
  static constexpr std::array<std::string_view, 11> kKnown = {"profile",
                                                              "scale",
                                                              "growth_factor",
                                                              "backoff_factor",
                                                              "growth_interval",
                                                              "hysteresis",
                                                              "refill_on_clean_steps",
                                                              "floor",
                                                              "ceiling",
                                                              "clip",
                                                              "steps"};
  refuse_unknown(problem, kKnown);
  const LossScaler scaler = parse_scaler(problem);
  std::optional<Bits> clip;
  if (has(problem, "clip")) clip = parse_bits(problem, "clip", formats::kFp32);
  try {
    require_workable(scaler);
    if (clip) operators::require_clip_limit(*clip);
  } catch (const std::invalid_argument& error) {
    throw ProblemError(error.what());
  }
  if (!has(problem, "steps")) return profile_json(scaler);
  Run run(scaler, clip);
  json steps = json::array();
  for (const json& event : parse_list(problem, "steps", kMostSteps))
    steps.push_back(at(fmt::format("steps[{}]", steps.size()), [&] { return run.step(event); }));
  return {{"steps", std::move(steps)}, {"state", run.state()}};
}

}  // namespace

int ref_loss_scaler(std::istream& in, std::ostream& out, std::ostream& err) {
  return each_problem("ref loss_scaler", in, out, err, answer);
}

}  // namespace halfmark::tools
