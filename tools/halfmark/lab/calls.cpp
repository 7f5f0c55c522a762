// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/calls.hpp"

#include <fmt/format.h>

#include <bit>

#include "suites/core/execute/provider.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/lab/own_plans.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::kFp32;
using formats::Tensor;
using suites::TensorSet;

// The name of the case that the operator is; empty if there is none.
std::string case_of(const Operator& op, const Operands& x, std::string_view provider) {
  const std::string_view from = x[0]->format->name;
  const std::string_view to = op.to->name;
  const std::size_t count = x[0]->count();
  switch (op.kind) {
    case Kind::kCast:
      return fmt::format("convert.{}.to-{}.{}.{}.n{}.bits.s1", from, to,
                         op.saturates ? "saturate" : "infinity", provider, count);
    case Kind::kProduct:
      return fmt::format("gemm.{}.acc-{}.out-{}.{}.{}{}.m{}n{}k{}.plain.normal.s1", from,
                         op.accumulator->name, to, provider, op.transpose_a ? 't' : 'n',
                         op.transpose_b ? 't' : 'n', op.m, op.n, op.k);
    case Kind::kAdd:
      return fmt::format("arithmetic.fp32.add.portable.n{}.corners.s1", count);
    case Kind::kMask:
    case Kind::kScale:
      return fmt::format("arithmetic.fp32.mul.portable.n{}.corners.s1", count);
    case Kind::kRelu:
      return fmt::format("activation.relu.{}.{}.n{}.{}.s1", from, provider, count,
                         op.to->bits == 16 ? "all" : "special");
    case Kind::kReluGradient:
      return fmt::format("activation.relu-backward.{}.{}.n{}.{}.s1", from, provider, count,
                         *op.to == formats::kFp16 ? "all" : "special");
    case Kind::kCrossEntropy:
    case Kind::kCrossEntropyGradient:
      return fmt::format("cross_entropy.{}.fp32.out-fp32.int32.mean.{}.r{}n{}.normal.s1",
                         op.kind == Kind::kCrossEntropy ? "forward" : "backward", provider,
                         x[1]->count(), count / x[1]->count());
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
    case Kind::kNorm:
    case Kind::kClipFactor:
    case Kind::kClip:
    case Kind::kFound:
    case Kind::kDescend:
    case Kind::kAdam:
    case Kind::kRescale:
      return {};
  }
  return {};
}

bool has_library_form(Kind kind) {
  return kind != Kind::kAdd && kind != Kind::kMask && kind != Kind::kScale;
}

Tensor transposed(const Tensor& x, std::size_t rows) {
  const std::size_t columns = x.count() / rows;
  Tensor result = Tensor::zeros(*x.format, x.count());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) result.set(j * rows + i, x.at(i * columns + j));
  return result;
}

constexpr formats::Bits kOne = 0x3f800000;

Tensor repeated(formats::Bits fp32, std::size_t count) {
  Tensor tensor = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, fp32);
  return tensor;
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
    case Kind::kMask:
    case Kind::kScale:
      return {"d"};
    case Kind::kGeluGradient:
    case Kind::kReluGradient:
    case Kind::kLossGradient:
    case Kind::kCrossEntropyGradient:
      return {"dx"};
    case Kind::kUnscale:
      return {"unscaled", "flags"};
    case Kind::kNorm:
      return {"norms"};
    case Kind::kClipFactor:
      return {"totals", "factor"};
    case Kind::kClip:
      return {"unscaled"};
    case Kind::kFound:
      return {"found"};
    case Kind::kDescend:
      return {"weights"};
    case Kind::kAdam:
      return {"weights", "first", "second"};
    case Kind::kRescale:
      return {"scale", "counts"};
    case Kind::kCast:
    case Kind::kGelu:
    case Kind::kRelu:
    case Kind::kLoss:
    case Kind::kCrossEntropy:
    case Kind::kColumnSums:
      return {"y"};
  }
  return {};
}

// The scale is a power of two, so its reciprocal's reciprocal is itself.
formats::Bits reciprocal(formats::Bits power_of_two) { return 0x7f000000U - power_of_two; }

}  // namespace

TensorSet inputs_of(const Operator& op, const Operands& x, bool is_portable) {
  switch (op.kind) {
    case Kind::kCast:
    case Kind::kGelu:
    case Kind::kRelu:
      return {{"x", *x[0]}};
    case Kind::kProduct:
    case Kind::kAdd:
    case Kind::kMask:
      return {{"a", *x[0]}, {"b", *x[1]}};
    case Kind::kScale:
      return {{"a", *x[0]}, {"b", repeated(x[1]->at(0), x[0]->count())}};
    case Kind::kGeluGradient:
    case Kind::kReluGradient:
      return {{"dy", *x[0]}, {"x", *x[1]}};
    case Kind::kLoss:
      return {{"x", *x[0]}, {"x2", *x[1]}};
    case Kind::kLossGradient:
      return {{"x", *x[0]}, {"x2", *x[1]}, {"dy", upstream(op.scalar, x[0]->count())}};
    case Kind::kCrossEntropy:
      return {{"x", *x[0]}, {"target", *x[1]}};
    case Kind::kCrossEntropyGradient:
      return {{"x", *x[0]}, {"target", *x[1]}, {"dy", upstream(op.scalar, x[1]->count())}};
    case Kind::kColumnSums:
      return {{"x", is_portable ? transposed(*x[0], op.m) : *x[0]}};
    case Kind::kUnscale:
      return {{"gradients", *x[0]}, {"scale", one_word(reciprocal(op.scalar))}};
    case Kind::kNorm:
      return {{"unscaled", *x[0]}};
    case Kind::kClipFactor:
      return {{"norms", *x[0]}, {"scale", one_word(kOne)}};
    case Kind::kClip:
      return {{"unscaled", *x[0]}, {"factor", *x[1]}};
    case Kind::kFound:
      return {{"strip_flags", *x[0]}};
    case Kind::kDescend:
      return {{"weights", *x[0]}, {"unscaled", *x[1]}, {"found", *x[2]}};
    case Kind::kAdam:
      return adam_inputs(op, x);
    case Kind::kRescale:
      return {{"found", *x[0]}, {"scale", *x[1]}, {"counts", *x[2]}};
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
    call.rule = call.problem ? call.problem->row(device).id : own_rule(op.kind);
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
