// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/calls.hpp"

#include <fmt/format.h>

#include <bit>

#include "reference/operators/elementary.hpp"
#include "reference/operators/perceptron.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/registry.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;
using suites::Plan;
using suites::PlanArgument;
using suites::Role;
using suites::TensorRef;
using suites::TensorSet;

constexpr std::uint32_t kItems = 64;

// The name of the case that the operator is; empty if there is none.
std::string case_of(const Operator& op, const Operands& x, std::string_view provider) {
  const std::string_view from = x[0]->format->name;
  const std::string_view to = op.to->name;
  const std::size_t count = x[0]->count();
  switch (op.kind) {
    case Kind::kCast:
      return fmt::format("convert.{}.to-{}.infinity.{}.n{}.bits.s1", from, to, provider, count);
    case Kind::kProduct:
      return fmt::format("gemm.{}.acc-{}.out-{}.{}.{}{}.m{}n{}k{}.plain.normal.s1", from,
                         op.accumulator->name, to, provider, op.transpose_a ? 't' : 'n',
                         op.transpose_b ? 't' : 'n', op.m, op.n, op.k);
    case Kind::kAdd:
      return fmt::format("arithmetic.fp32.add.portable.n{}.corners.s1", count);
    case Kind::kGelu:
      if (*op.to == kFp32) return {};
      return fmt::format("activation.gelu_tanh.{}.{}.n{}.all.s1", from, provider, count);
    case Kind::kGeluGradient:
      if (*op.to != formats::kFp16) return {};
      return fmt::format("activation.gelu_tanh-backward.fp16.{}.n{}.all.s1", provider, count);
    case Kind::kLoss:
      return fmt::format("loss.mse.fp32.out-fp32.{}.r1n{}p0.normal.s1", provider, count);
    case Kind::kLossGradient:
      return fmt::format("loss.mse-backward.fp32.out-fp32.{}.r1n{}p{}.normal.s1", provider, count,
                         std::bit_width(count) - 1);
    case Kind::kColumnSums:
      return fmt::format("reduction.sum.{}.out-{}.{}.r{}n{}.{}.s1", from, to, provider, op.n, op.m,
                         provider == suites::kPortable ? "normal" : "columns");
    case Kind::kUnscale:
    case Kind::kDescend:
      return {};
  }
  return {};
}

bool has_library_form(Kind kind) {
  return kind != Kind::kAdd && kind != Kind::kUnscale && kind != Kind::kDescend;
}

Tensor transposed(const Tensor& x, std::size_t rows) {
  const std::size_t columns = x.count() / rows;
  Tensor result = Tensor::zeros(*x.format, x.count());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result.set(j * rows + i, x.at(i * columns + j));
  return result;
}

Tensor one_word(formats::Bits bits) {
  return Tensor::from_bits(kFp32, std::array<formats::Bits, 1>{bits});
}

// The gradient of a mean is one number; the tensor is as long as the case says.
Tensor upstream(formats::Bits scale, std::size_t count) {
  Tensor dy = Tensor::zeros(kFp32, count);
  dy.set(0, scale);
  return dy;
}

std::vector<std::string> results_of(Kind kind) {
  switch (kind) {
    case Kind::kProduct:
    case Kind::kAdd:
      return {"d"};
    case Kind::kGeluGradient:
    case Kind::kLossGradient:
      return {"dx"};
    case Kind::kUnscale:
      return {"unscaled", "flags"};
    case Kind::kDescend:
      return {"weights"};
    case Kind::kCast:
    case Kind::kGelu:
    case Kind::kLoss:
    case Kind::kColumnSums:
      return {"y"};
  }
  return {};
}

std::uint32_t groups_of(std::size_t count, std::size_t each) {
  return static_cast<std::uint32_t>((count + each - 1) / each);
}

PlanArgument whole(std::size_t value) { return static_cast<std::int32_t>(value); }

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
  plan.launches[0].defines = {{"HM_X_FORMAT", suites::kernel_word(format)},
                              {"HM_Y_FORMAT", suites::kernel_word(kFp32)}};
  plan.tensors = {{"gradients", &format, count, Role::kInput},
                  {"scale", &kFp32, 1, Role::kInput},
                  {"factors", &format, strips, Role::kScratch},
                  {"unscaled", &kFp32, count, Role::kOutput},
                  {"flags", &kFp32, strips, Role::kOutput}};
  return plan;
}

Plan descend_plan(const Operator& op, std::size_t count) {
  Plan plan;
  plan.launches.push_back(
      launch("loss_scaling", "scaling_step", groups_of(count, kItems),
             {argument("unscaled"), argument("found"), argument("weights"), whole(0), whole(count),
              std::bit_cast<float>(static_cast<std::uint32_t>(op.scalar))}));
  plan.launches[0].defines = {{"HM_X_FORMAT", suites::kernel_word(kFp32)},
                              {"HM_Y_FORMAT", suites::kernel_word(kFp32)}};
  plan.tensors = {{"unscaled", &kFp32, count, Role::kInput},
                  {"found", &kFp32, 1, Role::kInput},
                  {"weights", &kFp32, count, Role::kInOut}};
  return plan;
}

Plan own_plan(const Operator& op, const Operands& x, const backends::DeviceInfo& device) {
  Plan plan;
  if (!suites::require_group(plan, device, kItems)) return plan;
  if (op.kind == Kind::kUnscale) return unscale_plan(*x[0]->format, x[0]->count());
  if (op.kind == Kind::kDescend) return descend_plan(op, x[0]->count());
  return gelu_plan(op, x[0]->count());
}

// The scale is a power of two, so its reciprocal's reciprocal is itself.
formats::Bits reciprocal(formats::Bits power_of_two) { return 0x7f000000U - power_of_two; }

}  // namespace

TensorSet inputs_of(const Operator& op, const Operands& x, bool is_portable) {
  switch (op.kind) {
    case Kind::kCast:
    case Kind::kGelu:
      return {{"x", *x[0]}};
    case Kind::kProduct:
    case Kind::kAdd:
      return {{"a", *x[0]}, {"b", *x[1]}};
    case Kind::kGeluGradient:
      return {{"dy", *x[0]}, {"x", *x[1]}};
    case Kind::kLoss:
      return {{"x", *x[0]}, {"x2", *x[1]}};
    case Kind::kLossGradient:
      return {{"x", *x[0]}, {"x2", *x[1]}, {"dy", upstream(op.scalar, x[0]->count())}};
    case Kind::kColumnSums:
      return {{"x", is_portable ? transposed(*x[0], op.m) : *x[0]}};
    case Kind::kUnscale:
      return {{"gradients", *x[0]}, {"scale", one_word(reciprocal(op.scalar))}};
    case Kind::kDescend:
      return {{"weights", *x[0]}, {"unscaled", *x[1]}, {"found", one_word(0)}};
  }
  return {};
}

Call call_of(const Operator& op, const Operands& operands, const backends::DeviceInfo& device,
             const std::string& provider) {
  Call call;
  const auto bind = [&](std::string_view chosen) {
    const std::string name = case_of(op, operands, chosen);
    call.is_portable = chosen == suites::kPortable;
    call.problem = nullptr;
    if (!name.empty()) {
      const suites::Case c = suites::parse_case(name);
      call.problem = suites::find_suite(c.suite).bind(c);
    }
    call.plan = call.problem ? call.problem->plan(device) : own_plan(op, operands, device);
  };
  if (has_library_form(op.kind) && provider != suites::kPortable &&
      !case_of(op, operands, provider).empty()) {
    bind(provider);
  }
  const bool is_bound = call.problem && !call.plan.no_provider && !call.plan.needs;
  if (!is_bound) bind(suites::kPortable);
  call.inputs = inputs_of(op, operands, call.is_portable);
  call.results = results_of(op.kind);
  return call;
}

suites::Expectation expected_of(const Call& call, const Operator& op, const Operands& operands) {
  if (!call.is_portable) return call.problem->expect(inputs_of(op, operands, false));
  std::vector<Tensor> results = specified(op, operands);
  TensorSet named;
  for (std::size_t i = 0; i < results.size(); ++i)
    named.emplace(call.results[i], std::move(results[i]));
  return {std::move(named)};
}

}  // namespace halfmark::tools::lab
