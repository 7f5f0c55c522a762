// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/operators.hpp"

#include "reference/fast/convert.hpp"
#include "reference/fast/elementwise.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/fast/perceptron.hpp"
#include "reference/formats/classify.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Tensor;

Tensor product(const Operator& op, const Tensor& a, const Tensor& b) {
  operators::GemmProblem p{.m = op.m, .n = op.n, .k = op.k};
  p.transpose_a = op.transpose_a;
  p.transpose_b = op.transpose_b;
  p.d_format = op.to;
  return fast::gemm(p, a, b, nullptr, operators::specified_arithmetic(*op.accumulator), {});
}

std::vector<Tensor> unscaled(const Operator& op, const Tensor& gradients) {
  operators::UnscaledStrips strips = fast::unscaled_strips(gradients, op.scalar);
  return {std::move(strips.gradients), std::move(strips.flags)};
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
    case Kind::kGelu:
      return "GELU";
    case Kind::kGeluGradient:
      return "gradient of GELU";
    case Kind::kLoss:
      return "squared error";
    case Kind::kLossGradient:
      return "gradient of the squared error";
    case Kind::kColumnSums:
      return "sum over the batch";
    case Kind::kUnscale:
      return "check and unscaling";
    case Kind::kDescend:
      return "descent";
  }
  return "";
}

std::vector<Tensor> specified(const Operator& op, const Operands& x) {
  switch (op.kind) {
    case Kind::kCast:
      return {fast::convert(*x[0], *op.to)};
    case Kind::kProduct:
      return {product(op, *x[0], *x[1])};
    case Kind::kAdd:
      return {fast::elementwise(fast::Operation::kAdd, {*x[0], x[1]})};
    case Kind::kGelu:
      return {fast::perceptron_gelu(*x[0])};
    case Kind::kGeluGradient:
      return {fast::perceptron_gelu_gradient(*x[0], *x[1])};
    case Kind::kLoss:
      return {fast::squared_error(*x[0], *x[1])};
    case Kind::kLossGradient:
      return {fast::squared_error_gradient(*x[0], *x[1], op.scalar)};
    case Kind::kColumnSums:
      return {fast::column_sums(*x[0], op.m)};
    case Kind::kUnscale:
      return unscaled(op, *x[0]);
    case Kind::kDescend:
      return {fast::descended(*x[0], *x[1], op.scalar)};
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
