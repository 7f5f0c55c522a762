// SPDX-License-Identifier: Apache-2.0
// The launches of one training step, in the order of its specification.
#include <bit>

#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/gemm/launch.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp16;
using formats::kFp32;

constexpr std::size_t kStrip = 4096;  // TRAINING_STRIP of kernels/loss_scaled_backward.hk
// Per work-group: HM_LANES where lanes are folded, an arbitrary choice elsewhere.
constexpr std::uint32_t kItems = 64;
static_assert(kItems == operators::kLanes);

std::uint32_t groups_of(std::size_t count, std::size_t each) {
  return static_cast<std::uint32_t>((count + each - 1) / each);
}

PlanArgument whole(std::size_t value) { return static_cast<std::int32_t>(value); }
PlanArgument scalar(formats::Bits bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

Launch step(const char* entry, std::uint32_t groups, std::vector<PlanArgument> arguments) {
  return {.family = "loss_scaled_backward",
          .defines = operators::elementary_defines(),
          .entry = entry,
          .groups = {groups, 1, 1},
          .items = {kItems, 1, 1},
          .arguments = std::move(arguments)};
}

// A kernel with one work-item per element; the count follows the tensors.
Launch each(const char* entry, std::size_t count, std::vector<PlanArgument> arguments) {
  arguments.push_back(whole(count));
  return step(entry, groups_of(count, kItems), std::move(arguments));
}

PlanArgument tensor(const char* name) { return TensorRef{name}; }

struct Factor {
  const char* name;
  bool transposed;
};

gemm::View view_of(Factor f, std::size_t rows, std::size_t columns) {
  return {.start = 0,
          .row = f.transposed ? 1 : columns,
          .column = f.transposed ? rows : 1,
          .batch = 0,
          .count = rows * columns};
}

Launch product(std::size_t m, std::size_t n, std::size_t k, Factor a, Factor b, const char* d) {
  return gemm::launch_of({.m = m,
                          .n = n,
                          .k = k,
                          .operands = &kFp16,
                          .accumulator = &kFp32,
                          .output = &kFp16,
                          .a = view_of(a, m, k),
                          .b = view_of(b, k, n),
                          .c = {},
                          .d = view_of({d, false}, m, n),
                          .a_name = a.name,
                          .b_name = b.name,
                          .c_name = "",
                          .d_name = d});
}

std::vector<TensorSpec> tensors(const operators::TrainingProblem& p) {
  const std::size_t w1 = p.hidden * p.in, w2 = p.out * p.hidden;
  const std::size_t bi = p.batch * p.in, bh = p.batch * p.hidden, bo = p.batch * p.out;
  return {{"x", &kFp16, bi, Role::kInput},
          {"t", &kFp16, bo, Role::kInput},
          {"00_w1h", &kFp16, w1, Role::kOutput},
          {"00_w2h", &kFp16, w2, Role::kOutput},
          {"01_h", &kFp16, bh, Role::kOutput},
          {"02_g", &kFp16, bh, Role::kOutput},
          {"03_y", &kFp16, bo, Role::kOutput},
          {"04_loss", &kFp32, 1, Role::kOutput},
          {"05_dy", &kFp16, bo, Role::kOutput},
          {"06_dw2", &kFp16, w2, Role::kOutput},
          {"07_dg", &kFp16, bh, Role::kOutput},
          {"08_dh", &kFp16, bh, Role::kOutput},
          {"09_dw1", &kFp16, w1, Role::kOutput},
          {"10_flags", &kFp32, groups_of(w1, kStrip) + groups_of(w2, kStrip), Role::kScratch},
          {"10_found_inf", &kFp32, 1, Role::kOutput},
          {"11_g1", &kFp32, w1, Role::kOutput},
          {"11_g2", &kFp32, w2, Role::kOutput},
          {"12_w1", &kFp32, w1, Role::kInOut},
          {"13_w2", &kFp32, w2, Role::kInOut},
          {"14_scale", &kFp32, 1, Role::kInOut},
          {"15_growth", &kFp32, 1, Role::kInOut}};
}

void add_passes(const operators::TrainingProblem& p, std::vector<Launch>& list) {
  const std::size_t w1 = p.hidden * p.in, w2 = p.out * p.hidden;
  const std::size_t bh = p.batch * p.hidden, bo = p.batch * p.out;
  list.push_back(each("training_cast_each", w1, {tensor("12_w1"), tensor("00_w1h")}));
  list.push_back(each("training_cast_each", w2, {tensor("13_w2"), tensor("00_w2h")}));
  list.push_back(product(p.batch, p.hidden, p.in, {"x", false}, {"00_w1h", true}, "01_h"));
  list.push_back(each("training_gelu_each", bh, {tensor("01_h"), tensor("02_g")}));
  list.push_back(product(p.batch, p.out, p.hidden, {"02_g", false}, {"00_w2h", true}, "03_y"));
  list.push_back(
      step("training_loss", 1, {tensor("03_y"), tensor("t"), tensor("04_loss"), whole(bo)}));
  list.push_back(each("training_output_gradient_each", bo,
                      {tensor("03_y"), tensor("t"), tensor("14_scale"), tensor("05_dy")}));
  list.push_back(product(p.out, p.hidden, p.batch, {"05_dy", true}, {"02_g", false}, "06_dw2"));
  list.push_back(product(p.batch, p.hidden, p.out, {"05_dy", false}, {"00_w2h", false}, "07_dg"));
  list.push_back(each("training_hidden_gradient_each", bh,
                      {tensor("07_dg"), tensor("01_h"), tensor("08_dh")}));
  list.push_back(product(p.hidden, p.in, p.batch, {"08_dh", true}, {"x", false}, "09_dw1"));
}

void add_update(const operators::TrainingProblem& p, std::vector<Launch>& list) {
  const std::size_t w1 = p.hidden * p.in, w2 = p.out * p.hidden;
  const std::uint32_t strips1 = groups_of(w1, kStrip), strips2 = groups_of(w2, kStrip);
  list.push_back(
      step("training_check", strips1, {tensor("09_dw1"), tensor("10_flags"), whole(0), whole(w1)}));
  list.push_back(step("training_check", strips2,
                      {tensor("06_dw2"), tensor("10_flags"), whole(strips1), whole(w2)}));
  list.push_back(step("training_found", 1,
                      {tensor("10_flags"), tensor("10_found_inf"), whole(strips1 + strips2)}));
  list.push_back(each("training_step_each", w1,
                      {tensor("09_dw1"), tensor("14_scale"), tensor("10_found_inf"),
                       tensor("11_g1"), tensor("12_w1")}));
  list.back().arguments.push_back(scalar(p.rate));
  list.push_back(each("training_step_each", w2,
                      {tensor("06_dw2"), tensor("14_scale"), tensor("10_found_inf"),
                       tensor("11_g2"), tensor("13_w2")}));
  list.back().arguments.push_back(scalar(p.rate));
  list.push_back(
      step("training_scaler", 1,
           {tensor("10_found_inf"), tensor("14_scale"), tensor("15_growth"),
            scalar(p.growth_factor), scalar(p.backoff_factor), whole(p.growth_interval)}));
}

}  // namespace

Plan make_plan(const Case& c, const backends::DeviceInfo& device) {
  const operators::TrainingProblem problem = bind(c).problem;
  Plan plan;
  if (!require_group(plan, device, gemm::kTile * gemm::kTile)) return plan;
  plan.tensors = tensors(problem);
  add_passes(problem, plan.launches);
  add_update(problem, plan.launches);
  return plan;
}

}  // namespace halfmark::suites::loss_scaled_backward
