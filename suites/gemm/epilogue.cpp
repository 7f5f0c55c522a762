// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/epilogue.hpp"

#include "reference/fast/floating_point.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/functions.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp32;

// As an fp32 program computes it: the quotient of two roundings is within one more. `steepness`
// multiplies the argument of exp.
Bits logistic(Bits x, Bits steepness) {
  const Bits minus = soft::mul(kFp32, x, steepness).bits ^ kFp32.sign_mask();
  const Bits power = soft::exp(kFp32, minus).bits;
  return soft::div(kFp32, x, soft::add(kFp32, formats::one(kFp32), power).bits).bits;
}

}  // namespace

std::string_view word_of(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return "";
    case Activation::kRelu:
      return "relu";
    case Activation::kGelu:
      return "gelu";
    case Activation::kGeluTanh:
      return "gelu_tanh";
    case Activation::kSilu:
      return "silu";
    case Activation::kGeluSigmoid:
      return "gelu_sigmoid";
  }
  return "";
}

Bits activated(Activation activation, Bits x) {
  switch (activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return soft::maximum(kFp32, x, formats::zero(kFp32)).bits;
    case Activation::kGelu:
      return soft::gelu(kFp32, x).bits;
    case Activation::kGeluTanh:
      return soft::gelu_tanh(kFp32, x).bits;
    case Activation::kSilu:
      return logistic(x, formats::one(kFp32));
    case Activation::kGeluSigmoid:
      return logistic(x, nearest(kFp32, kSigmoidFactor));
  }
  return x;
}

Interval activated(Activation activation, const Interval& x) {
  switch (activation) {
    case Activation::kGelu:
      return gelu_image(Gelu::kErf, x);
    case Activation::kGeluTanh:
      return gelu_image(Gelu::kTanh, x);
    case Activation::kSilu:
      return silu_image(x);
    case Activation::kGeluSigmoid:
      return gelu_sigmoid_image(x);
    case Activation::kNone:
    case Activation::kRelu:
      break;
  }
  return x;
}

Bits gelu_tanh_with(const GeluDeparture& departure, Bits x) {
  const fast::FloatingPointScope scope;
  const Interval all = gelu_interval(Gelu::kTanh, value_of(kFp32, x), 0, departure);
  return nearest(kFp32, all.middle());
}

Interval gelu_tanh_with(const GeluDeparture& departure, const Interval& x) {
  return gelu_image(Gelu::kTanh, x, departure);
}

}  // namespace halfmark::suites::gemm
