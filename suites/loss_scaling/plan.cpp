// SPDX-License-Identifier: Apache-2.0
// The launches of a script: four for each step, three or four more where it clips, and a copy of
// the state where it is saved or restored.
#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>
#include <vector>

#include "reference/operators/lanes.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using formats::kFp32;
using operators::GradientOrder;
using operators::GrowthRule;
using operators::HysteresisRule;
using operators::LossScalerProfile;
using operators::LossScalerSettings;
using operators::UnscaleRule;

constexpr std::size_t kStrip = 4096;  // SCALING_STRIP of kernels/loss_scaling.hk
constexpr std::uint32_t kItems = 64;
static_assert(kItems == operators::kLanes);

// The numbers that the kernels give to the rules.
static_assert(static_cast<int>(GrowthRule::kAtInterval) == 0 &&
              static_cast<int>(GrowthRule::kFromInterval) == 1);
static_assert(static_cast<int>(UnscaleRule::kReciprocal) == 0 &&
              static_cast<int>(UnscaleRule::kReciprocalInGradient) == 1 &&
              static_cast<int>(UnscaleRule::kDivision) == 2);
static_assert(static_cast<int>(HysteresisRule::kNone) == 0 &&
              static_cast<int>(HysteresisRule::kCountsDown) == 1);

// A number of the settings, which is fp64, as the kernels take it.
PlanArgument single(formats::Bits setting) {
  const formats::Bits bits = soft::convert(formats::kFp64, kFp32, setting).bits;
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

PlanArgument tensor(const char* name) { return TensorRef{name}; }

class Builder {
 public:
  explicit Builder(const Binding& b)
      : b_(b), strips_((b.count + kStrip - 1) / kStrip), total_(b.count * b.devices) {}

  void step(Plan& plan, std::size_t step) const {
    const LossScalerProfile& rules = *b_.scaler.profile;
    add(plan, "scaling_unscale", b_.devices * strips_,
        {tensor("gradients"), tensor("07_scale"), tensor("factors"), tensor("01_unscaled"),
         tensor("strip_flags"), whole(step), whole(b_.count), whole(strips_), whole(rules.unscale),
         whole(operators::checks_before_unscaling(rules))});
    if (b_.script->clips) clip(plan, step);
    add(plan, "scaling_found", 1,
        {tensor("strip_flags"), tensor("02_flags"), tensor("03_found"), whole(step),
         whole(b_.devices), whole(strips_)});
    add(plan, "scaling_step", (total_ + kItems - 1) / kItems,
        {tensor("01_unscaled"), tensor("03_found"), tensor("06_weights"), whole(step),
         whole(total_), std::bit_cast<float>(static_cast<std::uint32_t>(kRate))});
    update(plan, step);
  }

  void copy(Plan& plan, bool restores) const {
    const char* const own[] = {"07_scale", "08_counts"};
    const char* const kept[] = {"saved_scale", "saved_counts"};
    const auto& from = restores ? kept : own;
    const auto& to = restores ? own : kept;
    add(plan, "scaling_copy_state", 1,
        {tensor(from[0]), tensor(from[1]), tensor(to[0]), tensor(to[1])});
  }

  [[nodiscard]] std::vector<TensorSpec> tensors() const {
    const std::size_t steps = b_.steps();
    std::vector<TensorSpec> list = own_tensors(steps);
    if (b_.script->clips) {
      list.push_back({"norms", &kFp32, b_.devices, Role::kScratch});
      list.push_back({"factor", &kFp32, 1, Role::kScratch});
      list.push_back({"00_norms", &kFp32, steps, Role::kOutput});
    }
    return list;
  }

 private:
  [[nodiscard]] std::vector<TensorSpec> own_tensors(std::size_t steps) const {
    return {{"gradients", b_.format, steps * total_, Role::kInput},
            {"factors", b_.format, b_.devices * strips_, Role::kScratch},
            {"01_unscaled", &b_.unscaled_format(), steps * total_, Role::kOutput},
            {"strip_flags", &kFp32, b_.devices * strips_, Role::kScratch},
            {"02_flags", &kFp32, steps * b_.devices, Role::kOutput},
            {"03_found", &kFp32, steps, Role::kOutput},
            {"04_scales", &kFp32, steps, Role::kOutput},
            {"05_counts", &kFp32, 2 * steps, Role::kOutput},
            {"06_weights", &kFp32, total_, Role::kInOut},
            {"07_scale", &kFp32, 1, Role::kInOut},
            {"08_counts", &kFp32, 2, Role::kInOut},
            {"saved_scale", &kFp32, 1, Role::kScratch},
            {"saved_counts", &kFp32, 2, Role::kScratch}};
  }

  void clip(Plan& plan, std::size_t step) const {
    const GradientOrder order = b_.scaler.profile->order;
    const bool with_unscale = order == GradientOrder::kCheckClipWithUnscale;
    add(plan, "clipping_norm", b_.devices,
        {tensor("gradients"), tensor("01_unscaled"), tensor("norms"), whole(step), whole(b_.count),
         whole(with_unscale)});
    add(plan, "clipping_total", 1,
        {tensor("norms"), tensor("07_scale"), tensor("00_norms"), tensor("factor"), whole(step),
         whole(b_.devices), whole(with_unscale),
         std::bit_cast<float>(static_cast<std::uint32_t>(kClipLimit))});
    add(plan, "clipping_apply", (total_ + kItems - 1) / kItems,
        {tensor("gradients"), tensor("01_unscaled"), tensor("factor"), whole(step), whole(total_),
         whole(with_unscale)});
    if (order != GradientOrder::kUnscaleClipCheck) return;
    add(plan, "clipping_check", b_.devices * strips_,
        {tensor("01_unscaled"), tensor("strip_flags"), whole(step), whole(b_.count),
         whole(strips_)});
  }

  void update(Plan& plan, std::size_t step) const {
    std::vector<PlanArgument> arguments{tensor("03_found"),  tensor("07_scale"),
                                        tensor("08_counts"), tensor("04_scales"),
                                        tensor("05_counts"), whole(step)};
    std::ranges::copy(update_arguments(b_.scaler), std::back_inserter(arguments));
    add(plan, "scaling_update", 1, std::move(arguments));
  }

  void add(Plan& plan, const char* entry, std::size_t groups,
           std::vector<PlanArgument> arguments) const {
    const bool is_clipping = std::string_view(entry).starts_with("clipping");
    plan.launches.push_back({.family = is_clipping ? "clipping" : "loss_scaling",
                             .defines = {{"HM_X_FORMAT", kernel_word(*b_.format)},
                                         {"HM_Y_FORMAT", kernel_word(b_.unscaled_format())}},
                             .entry = entry,
                             .groups = {static_cast<std::uint32_t>(groups), 1, 1},
                             .items = {kItems, 1, 1},
                             .arguments = std::move(arguments)});
  }

  const Binding& b_;
  std::size_t strips_, total_;
};

}  // namespace

std::vector<PlanArgument> update_arguments(const operators::LossScaler& scaler) {
  const LossScalerProfile& rules = *scaler.profile;
  const LossScalerSettings& s = scaler.settings;
  return {whole(rules.growth),      whole(rules.grows_only_if_finite),
          whole(rules.hysteresis),  whole(rules.stops_at_floor),
          whole(s.growth_interval), whole(s.hysteresis),
          single(s.growth_factor),  single(s.backoff_factor),
          single(s.floor),          single(s.ceiling)};
}

Plan make_plan(const Binding& b, const backends::DeviceInfo& device) {
  Plan plan;
  if (!require_group(plan, device, kItems)) return plan;
  const Builder builder(b);
  plan.tensors = builder.tensors();
  std::size_t step = 0;
  for (const char event : b.script->events) {
    if (is_step(event)) {
      builder.step(plan, step++);
    } else {
      builder.copy(plan, event == 'r');
    }
  }
  return plan;
}

}  // namespace halfmark::suites::loss_scaling
