// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/tensor_scaling.hpp"

#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using models::Machine;

constexpr Bits kExponent = 0x7f800000;

// The largest magnitude; encodings of magnitudes are ordered as the numbers are.
Bits amax_of(const Tensor& x, const Fp32& op) {
  Bits amax = 0;
  for (std::size_t i = 0; i < x.count(); ++i) {
    const Bits wide = op.load(*x.format, x.at(i)) & ~Fp32::kMinusZero;
    if (!formats::is_nan(kFp32, wide)) amax = std::max(amax, wide);
  }
  return amax;
}

Bits to_eight(const Format& format, Bits wide, const ScaledTensorVariant& variant) {
  const soft::Environment environment{
      .rounding = variant.truncated ? soft::Rounding::kTowardZero : soft::Rounding::kNearEven,
      .overflow = variant.unsaturated ? soft::Overflow::kInfinity : soft::Overflow::kSaturate};
  const Bits eight = soft::convert(kFp32, format, wide, environment).bits;
  if (variant.flushed && formats::is_subnormal(format, eight))
    return formats::zero(format, formats::sign(format, eight));
  return eight;
}

}  // namespace

bool ScaledTensor::has_infinity() const { return formats::is_infinity(kFp32, numbers.at(0)); }

std::optional<Bits> scale_to_largest(const Format& format, Bits amax, const Machine& machine) {
  if (!formats::is_finite(kFp32, amax) || formats::is_zero(kFp32, amax)) return std::nullopt;
  const Bits largest = soft::convert(format, kFp32, formats::max_finite(format)).bits;
  const Bits quotient = Fp32(machine).div(largest, amax);
  return formats::is_infinity(kFp32, quotient) ? formats::max_finite(kFp32) : quotient;
}

ScaledTensor scaled_tensor(const Tensor& x, const Format& format, const Machine& machine,
                           const ScaledTensorVariant& variant) {
  const Fp32 op(machine);
  const Bits amax = amax_of(x, op);
  Bits scale = scale_to_largest(format, amax, machine).value_or(Fp32::kOne);
  if (variant.unscaled) scale = Fp32::kOne;
  if (variant.powers_of_two) scale &= kExponent;
  const Bits inverse = op.div(Fp32::kOne, scale);
  ScaledTensor result{
      .numbers = Tensor::from_bits(kFp32, std::array<Bits, 3>{amax, scale, inverse}),
      .eight = Tensor::zeros(format, x.count())};
  for (std::size_t i = 0; i < x.count(); ++i) {
    const Bits scaled = op.mul(op.load(*x.format, x.at(i)), scale);
    result.eight.set(i, to_eight(format, scaled, variant));
  }
  return result;
}

Tensor scaled_back(const Tensor& sums, const ScaledTensor& a, const ScaledTensor& b,
                   const Machine& machine, const ScaledTensorVariant& variant) {
  if (variant.not_scaled_back) return sums;
  const Fp32 op(machine);
  const Bits inverses = op.mul(a.inverse(), b.inverse());
  const Bits scales = op.mul(a.numbers.at(1), b.numbers.at(1));
  Tensor result = Tensor::zeros(kFp32, sums.count());
  for (std::size_t i = 0; i < sums.count(); ++i) {
    const Bits sum = sums.at(i);
    result.set(i, variant.divided_by_scales ? op.div(sum, scales) : op.mul(sum, inverses));
  }
  return result;
}

}  // namespace halfmark::operators
