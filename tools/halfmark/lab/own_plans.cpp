// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/own_plans.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include "reference/operators/elementary.hpp"
#include "reference/operators/perceptron.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/loss_scaling/binding.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;
using suites::Plan;
using suites::PlanArgument;
using suites::Role;
using suites::TensorRef;

constexpr std::uint32_t kItems = 64;

std::uint32_t groups_of(std::size_t count, std::size_t each) {
  return static_cast<std::uint32_t>((count + each - 1) / each);
}

PlanArgument whole(std::size_t value) { return static_cast<std::int32_t>(value); }

float number(formats::Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

PlanArgument argument(const char* name) { return TensorRef{name}; }

suites::Launch launch(const char* family, const char* entry, std::uint32_t groups,
                      std::vector<PlanArgument> arguments) {
  return {.family = family,
          .defines = {},
          .entry = entry,
          .groups = {groups, 1, 1},
          .items = {kItems, 1, 1},
          .arguments = std::move(arguments)};
}

// Gradients in the format, unscaled ones in fp32.
decltype(suites::Launch::defines) defines_of(const Format& gradients) {
  return {{"HM_X_FORMAT", suites::kernel_word(gradients)},
          {"HM_Y_FORMAT", suites::kernel_word(kFp32)}};
}

// kernels/activation.hk in a format for which the suite has no case.
Plan gelu_plan(const Operator& op, std::size_t count) {
  const bool backward = op.kind == Kind::kGeluGradient;
  std::vector<PlanArgument> arguments{argument("x")};
  if (backward) arguments.push_back(argument("dy"));
  arguments.push_back(argument(backward ? "dx" : "y"));
  arguments.push_back(whole(count));
  Plan plan;
  plan.launches.push_back(launch("activation",
                                 backward ? "gelu_tanh_backward" : "gelu_tanh_forward",
                                 groups_of(count, kItems), std::move(arguments)));
  plan.launches[0].defines = operators::elementary_defines();
  plan.launches[0].defines.emplace_back("HM_X_FORMAT", suites::kernel_word(*op.to));
  plan.tensors = {{"x", op.to, count, Role::kInput}};
  if (backward) plan.tensors.push_back({"dy", op.to, count, Role::kInput});
  plan.tensors.push_back({backward ? "dx" : "y", op.to, count, Role::kOutput});
  return plan;
}

// The check and the unscaling of kernels/loss_scaling.hk, which takes the scale itself.
Plan unscale_plan(const Format& format, std::size_t count) {
  const std::size_t strips = groups_of(count, operators::kCheckStrip);
  Plan plan;
  plan.launches.push_back(
      launch("loss_scaling", "scaling_unscale", static_cast<std::uint32_t>(strips),
             {argument("gradients"), argument("scale"), argument("factors"), argument("unscaled"),
              argument("flags"), whole(0), whole(count), whole(strips), whole(0), whole(1)}));
  plan.launches[0].defines = defines_of(format);
  plan.tensors = {{"gradients", &format, count, Role::kInput},
                  {"scale", &kFp32, 1, Role::kInput},
                  {"factors", &format, strips, Role::kScratch},
                  {"unscaled", &kFp32, count, Role::kOutput},
                  {"flags", &kFp32, strips, Role::kOutput}};
  return plan;
}

Plan descend_plan(const Operator& op, std::size_t count) {
  Plan plan;
  plan.launches.push_back(launch("loss_scaling", "scaling_step", groups_of(count, kItems),
                                 {argument("unscaled"), argument("found"), argument("weights"),
                                  whole(0), whole(count), number(op.scalar)}));
  plan.launches[0].defines = defines_of(kFp32);
  plan.tensors = {{"unscaled", &kFp32, count, Role::kInput},
                  {"found", &kFp32, 1, Role::kInput},
                  {"weights", &kFp32, count, Role::kInOut}};
  return plan;
}

// There is one device, so the sum of the devices' flags is its own.
Plan found_plan(std::size_t count) {
  Plan plan;
  plan.launches.push_back(launch("loss_scaling", "scaling_found", 1,
                                 {argument("strip_flags"), argument("flags"), argument("found"),
                                  whole(0), whole(1), whole(count)}));
  plan.launches[0].defines = defines_of(kFp32);
  plan.tensors = {{"strip_flags", &kFp32, count, Role::kInput},
                  {"flags", &kFp32, 1, Role::kScratch},
                  {"found", &kFp32, 1, Role::kOutput}};
  return plan;
}

Plan rescale_plan(const Operator& op) {
  std::vector<PlanArgument> arguments{argument("found"),  argument("scale"),  argument("counts"),
                                      argument("scales"), argument("traced"), whole(0)};
  std::ranges::copy(suites::loss_scaling::update_arguments(*op.scaler),
                    std::back_inserter(arguments));
  Plan plan;
  plan.launches.push_back(launch("loss_scaling", "scaling_update", 1, std::move(arguments)));
  plan.launches[0].defines = defines_of(kFp32);
  plan.tensors = {{"found", &kFp32, 1, Role::kInput},
                  {"scale", &kFp32, 1, Role::kInOut},
                  {"counts", &kFp32, 2, Role::kInOut},
                  {"scales", &kFp32, 1, Role::kScratch},
                  {"traced", &kFp32, 2, Role::kScratch}};
  return plan;
}

// One kernel of kernels/clipping.hk.
Plan clipping_plan(const char* entry, std::uint32_t groups, std::vector<PlanArgument> arguments,
                   std::vector<suites::TensorSpec> tensors) {
  Plan plan;
  plan.launches.push_back(launch("clipping", entry, groups, std::move(arguments)));
  plan.launches[0].defines = defines_of(kFp32);
  plan.tensors = std::move(tensors);
  return plan;
}

// The norm of unscaled gradients: the kernel does not read its first argument, the scaled ones.
Plan norm_plan(std::size_t count) {
  return clipping_plan(
      "clipping_norm", 1,
      {argument("unscaled"), argument("unscaled"), argument("norms"), whole(0), whole(count),
       whole(0)},
      {{"unscaled", &kFp32, count, Role::kInput}, {"norms", &kFp32, 1, Role::kOutput}});
}

// The kernel adds the norms of devices; here each is the norm of one parameter.
Plan clip_factor_plan(const Operator& op, std::size_t count) {
  return clipping_plan("clipping_total", 1,
                       {argument("norms"), argument("scale"), argument("totals"),
                        argument("factor"), whole(0), whole(count), whole(0), number(op.scalar)},
                       {{"norms", &kFp32, count, Role::kInput},
                        {"scale", &kFp32, 1, Role::kInput},
                        {"totals", &kFp32, 1, Role::kOutput},
                        {"factor", &kFp32, 1, Role::kOutput}});
}

Plan clip_plan(std::size_t count) {
  return clipping_plan(
      "clipping_apply", groups_of(count, kItems),
      {argument("factor"), argument("unscaled"), argument("factor"), whole(0), whole(count),
       whole(0)},
      {{"factor", &kFp32, 1, Role::kInput}, {"unscaled", &kFp32, count, Role::kInOut}});
}

Plan adam_plan(const Operator& op, std::size_t count) {
  const operators::OptimizerSettings& settings = *op.settings;
  Plan plan;
  plan.launches.push_back(
      launch("optimizer", "optimizer_step", groups_of(count, kItems),
             {argument("gradients"), argument("found"), argument("kept"), argument("counts"),
              argument("settings"), argument("sizes"), argument("corrections"), argument("weights"),
              argument("first"), argument("second"), argument("swallowed"), whole(0), whole(count),
              whole(static_cast<std::size_t>(settings.kind)), whole(0),
              whole(operators::scalars_of(settings, 1).from_gradient ? 1 : 0)}));
  plan.launches[0].defines = {{"HM_X_FORMAT", suites::kernel_word(kFp32)}};
  plan.tensors = {{"gradients", &kFp32, count, Role::kInput},
                  {"found", &kFp32, 1, Role::kInput},
                  {"kept", &kFp32, 1, Role::kInput},
                  {"counts", &kFp32, 1, Role::kInput},
                  {"settings", &kFp32, suites::optimizer::kPlaces, Role::kInput},
                  {"sizes", &kFp32, op.count, Role::kInput},
                  {"corrections", &kFp32, op.count, Role::kInput},
                  {"weights", &kFp32, count, Role::kInOut},
                  {"first", &kFp32, count, Role::kInOut},
                  {"second", &kFp32, count, Role::kInOut},
                  {"swallowed", &kFp32, count, Role::kScratch}};
  return plan;
}

}  // namespace

Tensor one_word(formats::Bits bits) {
  return Tensor::from_bits(kFp32, std::array<formats::Bits, 1>{bits});
}

suites::TensorSet adam_inputs(const Operator& op, const Operands& x) {
  suites::TensorSet inputs = suites::optimizer::tables(*op.settings, op.count);
  inputs.merge(suites::TensorSet{{"weights", *x[0]},
                                 {"first", *x[1]},
                                 {"second", *x[2]},
                                 {"gradients", *x[3]},
                                 {"found", one_word(0)},
                                 {"kept", one_word(suites::optimizer::kTapedCast)},
                                 {"counts", one_word(op.count)}});
  return inputs;
}

std::string own_rule(Kind kind) {
  if (kind == Kind::kAdam) return "optimizer.script";
  if (kind == Kind::kUnscale || kind == Kind::kFound || kind == Kind::kDescend ||
      kind == Kind::kRescale)
    return "loss_scaling.script";
  if (kind == Kind::kNorm || kind == Kind::kClipFactor || kind == Kind::kClip)
    return "loss_scaling.clip";
  return "activation.specified";
}

Plan own_plan(const Operator& op, const Operands& x, const backends::DeviceInfo& device) {
  Plan plan;
  if (!suites::require_group(plan, device, kItems)) return plan;
  const std::size_t count = x[0]->count();
  if (op.kind == Kind::kUnscale) return unscale_plan(*x[0]->format, count);
  if (op.kind == Kind::kNorm) return norm_plan(count);
  if (op.kind == Kind::kClipFactor) return clip_factor_plan(op, count);
  if (op.kind == Kind::kClip) return clip_plan(count);
  if (op.kind == Kind::kFound) return found_plan(count);
  if (op.kind == Kind::kDescend) return descend_plan(op, count);
  if (op.kind == Kind::kRescale) return rescale_plan(op);
  if (op.kind == Kind::kAdam) return adam_plan(op, count);
  return gelu_plan(op, count);
}

}  // namespace halfmark::tools::lab
