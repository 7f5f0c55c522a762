// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/elementary.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::kFp32;
using models::Machine;

// A misspelt name does not compile.
consteval Bits constant(std::string_view name) {
  for (const Constant& row : kElementaryConstants) {
    if (row.name == name) return row.bits;
  }
  throw "no constant has this name";
}

constexpr Bits kWord = 0xffffffff;

Bits limited(Bits x, Bits low, Bits high) {
  if (Fp32::greater(low, x)) return low;
  return Fp32::greater(x, high) ? high : x;
}

// 1 + exp(-2z), the divisor of both GELU functions.
Bits gelu_divisor(const Machine& machine, Bits x, Bits square) {
  const Fp32 op(machine);
  const Bits factor = op.fma(square, constant("HM_GELU_CUBIC"), Fp32::kOne);
  const Bits exponent = op.mul(op.mul(x, factor), constant("HM_GELU_NEG_SLOPE"));
  return op.add(Fp32::kOne, exp(machine, exponent));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> elementary_defines() {
  std::vector<std::pair<std::string, std::string>> defines;
  for (const Constant& row : kElementaryConstants) {
    defines.emplace_back(row.name, fmt::format("0x{:08x}u", row.bits));
  }
  return defines;
}

Bits exp(const Machine& machine, Bits x) {
  const Fp32 op(machine);
  const Bits c = limited(x, constant("HM_EXP_LOW"), constant("HM_EXP_HIGH"));
  const Bits shifted = op.fma(c, constant("HM_EXP_LOG2E"), constant("HM_EXP_MAGIC"));
  const Bits n = op.sub(shifted, constant("HM_EXP_MAGIC"));
  Bits r = op.fma(n, constant("HM_EXP_NEG_LN2_HI"), c);
  r = op.fma(n, constant("HM_EXP_NEG_LN2_LO"), r);
  Bits p = constant("HM_EXP_C6");
  for (const Bits next : {constant("HM_EXP_C5"), constant("HM_EXP_C4"), constant("HM_EXP_C3"),
                          constant("HM_EXP_C2"), Fp32::kOne, Fp32::kOne}) {
    p = op.fma(p, r, next);
  }
  // The low bits of `shifted` are n; adding 256 keeps both halves of the power positive.
  const Bits power = (shifted - (constant("HM_EXP_MAGIC") - 256)) & kWord;
  const Bits half = power >> 1;
  p = op.mul(p, ((half - 1) << 23) & kWord);
  return op.mul(p, ((power - half - 1) << 23) & kWord);
}

Bits log(const Machine& machine, Bits x) {
  const Fp32 op(machine);
  if (formats::is_zero(kFp32, x)) return Fp32::kMinusInfinity;
  if (formats::is_nan(kFp32, x) || formats::sign(kFp32, x)) return Fp32::kNan;
  if (x == Fp32::kInfinity) return x;
  const bool subnormal = x < formats::min_normal(kFp32);
  const Bits scaled = subnormal ? op.mul(x, constant("HM_LOG_TWO23")) : x;
  constexpr Bits kSqrtHalf = 0x3f3504f3;
  const Bits moved = scaled + (Fp32::kOne - kSqrtHalf);
  const auto exponent = static_cast<std::int64_t>(moved >> 23) - 127 - (subnormal ? 23 : 0);
  const Bits k = soft::from_int(kFp32, exponent).bits;
  const Bits f = op.sub((moved & 0x7fffff) + kSqrtHalf, Fp32::kOne);
  const Bits square = op.mul(f, f);
  Bits q = constant("HM_LOG_C11");
  for (const Bits next : {constant("HM_LOG_C10"), constant("HM_LOG_C9"), constant("HM_LOG_C8"),
                          constant("HM_LOG_C7"), constant("HM_LOG_C6"), constant("HM_LOG_C5"),
                          constant("HM_LOG_C4"), constant("HM_LOG_C3"), constant("HM_LOG_C2")}) {
    q = op.fma(q, f, next);
  }
  const Bits low = op.fma(square, q, op.mul(k, constant("HM_LOG_LN2_LO")));
  return op.fma(k, constant("HM_LOG_LN2_HI"), op.add(low, f));
}

Bits gelu(const Machine& machine, Bits x) {
  const Fp32 op(machine);
  if (Fp32::greater(constant("HM_GELU_NEG_LIMIT"), x)) return Fp32::kMinusZero;
  return op.div(x, gelu_divisor(machine, x, op.mul(x, x)));
}

Bits gelu_derivative(const Machine& machine, Bits x) {
  const Fp32 op(machine);
  const Bits c = limited(x, constant("HM_GELU_NEG_LIMIT"), constant("HM_GELU_LIMIT"));
  const Bits square = op.mul(c, c);
  const Bits s = op.div(Fp32::kOne, gelu_divisor(machine, c, square));
  const Bits rest = op.sub(Fp32::kOne, s);
  const Bits growth = op.fma(square, constant("HM_GELU_CUBIC3"), Fp32::kOne);
  const Bits slope = op.mul(op.mul(c, growth), constant("HM_GELU_SLOPE"));
  return op.mul(s, op.fma(slope, rest, Fp32::kOne));
}

}  // namespace halfmark::operators
