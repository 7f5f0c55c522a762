// SPDX-License-Identifier: Apache-2.0
// The launches of a script: each pass casts the weights, and a step counts and moves them.
#include "suites/core/execute/plan_builder.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::suites::optimizer {
namespace {

using formats::kFp32;
using operators::OptimizerKind;

constexpr std::uint32_t kItems = 64;

static_assert(static_cast<int>(OptimizerKind::kSgd) == 0 &&
              static_cast<int>(OptimizerKind::kAdam) == 1 &&
              static_cast<int>(OptimizerKind::kAdamW) == 2);

PlanArgument tensor(const char* name) { return TensorRef{name}; }

class Builder {
 public:
  Builder(const Binding& b, Plan& plan)
      : b_(b), plan_(plan), groups_((b.count + kItems - 1) / kItems) {}

  void drop_cast() { add("optimizer_keep", 1, {tensor("kept"), kNoCast}); }

  void pass(int wanted) {
    add("optimizer_cast", groups_,
        {tensor("04_weights"), tensor("06_narrow"), tensor("kept"), whole(b_.count), wanted});
    add("optimizer_keep", 1, {tensor("kept"), wanted});
  }

  void step(std::size_t step) {
    const bool from_gradient = operators::scalars_of(b_.settings, 1).from_gradient;
    add("optimizer_count", 1, {tensor("found"), tensor("kept"), tensor("01_counts"), whole(step)});
    add("optimizer_step", groups_,
        {tensor("gradients"), tensor("found"), tensor("kept"), tensor("01_counts"),
         tensor("settings"), tensor("sizes"), tensor("corrections"), tensor("04_weights"),
         tensor("02_first"), tensor("03_second"), tensor("05_swallowed"), whole(step),
         whole(b_.count), whole(b_.settings.kind), whole(b_.settings.nesterov),
         whole(from_gradient)});
  }

 private:
  void add(const char* entry, std::size_t groups, std::vector<PlanArgument> arguments) {
    plan_.launches.push_back({.family = "optimizer",
                              .defines = {{"HM_X_FORMAT", kernel_word(*b_.format)}},
                              .entry = entry,
                              .groups = {static_cast<std::uint32_t>(groups), 1, 1},
                              .items = {kItems, 1, 1},
                              .arguments = std::move(arguments)});
  }

  const Binding& b_;
  Plan& plan_;
  std::size_t groups_;
};

std::vector<TensorSpec> tensors(const Binding& b) {
  const std::size_t steps = b.steps();
  return {{"gradients", b.format, steps * b.count, Role::kInput},
          {"found", &kFp32, steps, Role::kInput},
          {"settings", &kFp32, kPlaces, Role::kInput},
          {"sizes", &kFp32, steps, Role::kInput},
          {"corrections", &kFp32, steps, Role::kInput},
          {"kept", &kFp32, 1, Role::kScratch},
          {"01_counts", &kFp32, steps, Role::kOutput},
          {"02_first", &kFp32, b.count, Role::kInOut},
          {"03_second", &kFp32, b.count, Role::kInOut},
          {"04_weights", &kFp32, b.count, Role::kInOut},
          {"05_swallowed", &kFp32, b.count, Role::kOutput},
          {"06_narrow", b.format, b.count, Role::kOutput}};
}

}  // namespace

Plan make_plan(const Binding& b, const backends::DeviceInfo& device) {
  Plan plan;
  if (!require_group(plan, device, kItems)) return plan;
  plan.tensors = tensors(b);
  Builder builder(b, plan);
  builder.drop_cast();
  std::size_t step = 0;
  for (const char event : b.script->events) {
    builder.pass(is_step(event) ? kTapedCast : kCast);
    if (!is_step(event)) continue;
    builder.step(step++);
    builder.drop_cast();
  }
  return plan;
}

}  // namespace halfmark::suites::optimizer
