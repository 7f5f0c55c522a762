// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/operators.hpp"

#include <algorithm>
#include <array>

#include "reference/fast/convert.hpp"
#include "reference/fast/elementwise.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/fast/perceptron.hpp"
#include "reference/fast/softmax.hpp"
#include "reference/formats/classify.hpp"
#include "reference/operators/cross_entropy.hpp"
#include "reference/operators/gradient_clipping.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

constexpr Bits kOne = 0x3f800000;

Tensor product(const Operator& op, const Tensor& a, const Tensor& b) {
  operators::GemmProblem p{.m = op.m, .n = op.n, .k = op.k};
  p.transpose_a = op.transpose_a;
  p.transpose_b = op.transpose_b;
  p.d_format = op.to;
  return fast::gemm(p, a, b, nullptr, operators::specified_arithmetic(*op.accumulator), {});
}

std::vector<Tensor> unscaled(const Tensor& gradients, Bits factor) {
  operators::UnscaledStrips strips = fast::unscaled_strips(gradients, factor);
  return {std::move(strips.gradients), std::move(strips.flags)};
}

Tensor one(Bits fp32) { return Tensor::from_bits(kFp32, std::array<Bits, 1>{fp32}); }

// The part of a tensor from an element on.
Tensor part_of(const Tensor& x, std::size_t first, std::size_t count) {
  Tensor part = Tensor::zeros(*x.format, count);
  for (std::size_t i = 0; i < count; ++i) part.set(i, x.at(first + i));
  return part;
}

void set_part(Tensor& x, std::size_t first, const Tensor& part) {
  for (std::size_t i = 0; i < part.count(); ++i) x.set(first + i, part.at(i));
}

soft::Overflow overflow_of(const Operator& op) {
  return op.saturates ? soft::Overflow::kSaturate : soft::Overflow::kInfinity;
}

Tensor relu(const Tensor& h) {
  Tensor result = h;
  for (std::size_t i = 0; i < h.count(); ++i) {
    const Bits bits = h.at(i);
    const bool is_below = formats::sign(*h.format, bits) && !formats::is_zero(*h.format, bits);
    if (is_below && !formats::is_nan(*h.format, bits)) result.set(i, 0);
  }
  return result;
}

Tensor relu_gradient(const Tensor& gradient, const Tensor& h) {
  Tensor result = Tensor::zeros(*gradient.format, gradient.count());
  for (std::size_t i = 0; i < h.count(); ++i) {
    const Bits bits = h.at(i);
    const bool is_above = !formats::sign(*h.format, bits) && !formats::is_zero(*h.format, bits);
    if (is_above && !formats::is_nan(*h.format, bits)) result.set(i, gradient.at(i));
  }
  return result;
}

Tensor cross_entropy(const Operator& op, const Tensor& y, const Tensor& labels) {
  std::vector<std::int64_t> classes;
  for (std::size_t row = 0; row < labels.count(); ++row)
    classes.push_back(static_cast<std::int64_t>(labels.at(row)));
  const std::size_t width = y.count() / classes.size();
  const operators::CrossEntropyParams params{
      .rows = classes.size(), .width = width, .labels = classes, .output = op.to};
  const operators::SoftmaxParams rows{.rows = params.rows, .width = width, .output = &kFp32};
  if (op.kind == Kind::kCrossEntropy)
    return operators::cross_entropy_forward(params, fast::softmax_log_forward(rows, y, {}), {});
  return operators::cross_entropy_backward(params, fast::softmax_forward(rows, y, {}),
                                           one(op.scalar), {});
}

std::vector<Tensor> clip_factor(const Operator& op, const Tensor& norms) {
  const Bits total = norms.count() == 1 ? norms.at(0) : operators::gradient_norm(norms);
  return {one(total), one(operators::clip_factor(total, op.scalar))};
}

bool is_set(const Tensor& flags) {
  for (std::size_t i = 0; i < flags.count(); ++i) {
    if (!formats::is_zero(kFp32, flags.at(i))) return true;
  }
  return false;
}

std::vector<Tensor> rescaled(const Operator& op, const Operands& x) {
  const formats::Format& own = *op.scaler->profile->scale_format;  // the kernels keep fp32
  const operators::LossScalerState state{.scale = soft::convert(kFp32, own, x[1]->at(0)).bits,
                                         .clean_steps = static_cast<std::int32_t>(x[2]->at(0)),
                                         .hysteresis = static_cast<std::int32_t>(x[2]->at(1))};
  const operators::LossScalerState next =
      operators::updated(*op.scaler, state, is_set(*x[0]) ? 1 : 0).state;
  const std::array<Bits, 2> counts = {static_cast<std::uint32_t>(next.clean_steps),
                                      static_cast<std::uint32_t>(next.hysteresis)};
  return {one(soft::convert(own, kFp32, next.scale).bits), Tensor::from_bits(kFp32, counts)};
}

std::vector<Tensor> adapted(const Operator& op, const Operands& x) {
  constexpr std::size_t kPart = 1 << 12;
  std::vector<Tensor> results{*x[0], *x[1], *x[2]};
  const std::size_t count = x[0]->count();
  fast::for_each_part((count + kPart - 1) / kPart, 0, fast::Direction::kNearEven,
                      [&](std::size_t part) {
                        const std::size_t first = part * kPart;
                        const std::size_t size = std::min(kPart, count - first);
                        const operators::OptimizerState state =
                            operators::optimized(*op.settings,
                                                 {.weights = part_of(*x[0], first, size),
                                                  .first = part_of(*x[1], first, size),
                                                  .second = part_of(*x[2], first, size),
                                                  .steps = op.count - 1},
                                                 part_of(*x[3], first, size));
                        set_part(results[0], first, state.weights);
                        set_part(results[1], first, state.first);
                        set_part(results[2], first, state.second);
                      });
  return results;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::kCast:
      return "cast";
    case Kind::kProduct:
      return "matrix product";
    case Kind::kAdd:
      return "addition of the bias";
    case Kind::kMask:
      return "mask of dropout";
    case Kind::kScale:
      return "scaling";
    case Kind::kGelu:
      return "GELU";
    case Kind::kGeluGradient:
      return "gradient of GELU";
    case Kind::kRelu:
      return "ReLU";
    case Kind::kReluGradient:
      return "gradient of ReLU";
    case Kind::kLoss:
      return "squared error";
    case Kind::kLossGradient:
      return "gradient of the squared error";
    case Kind::kCrossEntropy:
      return "cross-entropy";
    case Kind::kCrossEntropyGradient:
      return "gradient of the cross-entropy";
    case Kind::kColumnSums:
      return "sum over the batch";
    case Kind::kUnscale:
      return "check and unscaling";
    case Kind::kNorm:
      return "norm of gradients";
    case Kind::kClipFactor:
      return "factor of clipping";
    case Kind::kClip:
      return "clipping";
    case Kind::kFound:
      return "flag of the scaler";
    case Kind::kDescend:
      return "descent";
    case Kind::kAdam:
      return "Adam";
    case Kind::kRescale:
      return "update of the scale";
  }
  return "";
}

std::vector<Tensor> specified(const Operator& op, const Operands& x) {
  switch (op.kind) {
    case Kind::kCast:
      return {fast::convert(*x[0], *op.to, {.overflow = overflow_of(op)})};
    case Kind::kProduct:
      return {product(op, *x[0], *x[1])};
    case Kind::kAdd:
      return {fast::elementwise(fast::Operation::kAdd, {*x[0], x[1]})};
    case Kind::kMask:
      return {fast::elementwise(fast::Operation::kMul, {*x[0], x[1]})};
    case Kind::kScale:
      return {std::move(unscaled(*x[0], x[1]->at(0))[0])};
    case Kind::kGelu:
      return {fast::perceptron_gelu(*x[0])};
    case Kind::kGeluGradient:
      return {fast::perceptron_gelu_gradient(*x[0], *x[1])};
    case Kind::kRelu:
      return {relu(*x[0])};
    case Kind::kReluGradient:
      return {relu_gradient(*x[0], *x[1])};
    case Kind::kLoss:
      return {fast::squared_error(*x[0], *x[1])};
    case Kind::kLossGradient:
      return {fast::squared_error_gradient(*x[0], *x[1], op.scalar)};
    case Kind::kCrossEntropy:
    case Kind::kCrossEntropyGradient:
      return {cross_entropy(op, *x[0], *x[1])};
    case Kind::kColumnSums:
      return {fast::column_sums(*x[0], op.m)};
    case Kind::kUnscale:
      return unscaled(*x[0], op.scalar);
    case Kind::kNorm:
      return {one(operators::gradient_norm(*x[0]))};
    case Kind::kClipFactor:
      return clip_factor(op, *x[0]);
    case Kind::kClip:
      return {std::move(unscaled(*x[0], x[1]->at(0))[0])};
    case Kind::kFound:
      return {one(is_set(*x[0]) ? kOne : 0)};
    case Kind::kDescend:
      return {is_set(*x[2]) ? *x[0] : fast::descended(*x[0], *x[1], op.scalar)};
    case Kind::kAdam:
      return adapted(op, x);
    case Kind::kRescale:
      return rescaled(op, x);
  }
  return {};
}

Tensor flushed(const Tensor& tensor) {
  Tensor result = tensor;
  for (std::size_t i = 0; i < result.count(); ++i) {
    const formats::Bits bits = result.at(i);
    if (formats::is_subnormal(*result.format, bits))
      result.set(i, formats::zero(*result.format, formats::sign(*result.format, bits)));
  }
  return result;
}

}  // namespace halfmark::tools::lab
