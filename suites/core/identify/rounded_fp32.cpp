// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/rounded_fp32.hpp"

#include <bit>
#include <cmath>

#include "reference/soft/functions.hpp"

namespace halfmark::suites {
namespace {

using Soft = soft::Result (*)(const formats::Format&, formats::Bits, const soft::Environment&);

// `near` is within 4 ULP (of double) of the function's value at x.
float rounded(double near, float x, Soft exact) {
  constexpr double kMargin = 0x1p-50;
  const auto low = static_cast<float>(near * (1 - kMargin));
  const auto high = static_cast<float>(near * (1 + kMargin));
  if (low == high || std::isnan(near)) return static_cast<float>(near);
  const formats::Bits bits = exact(formats::kFp32, std::bit_cast<std::uint32_t>(x), {}).bits;
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

}  // namespace

float exp_of(float x) { return rounded(std::exp(static_cast<double>(x)), x, soft::exp); }
float exp2_of(float x) { return rounded(std::exp2(static_cast<double>(x)), x, soft::exp2); }
float log_of(float x) { return rounded(std::log(static_cast<double>(x)), x, soft::log); }
float rsqrt_of(float x) { return rounded(1 / std::sqrt(static_cast<double>(x)), x, soft::rsqrt); }
float tanh_of(float x) { return rounded(std::tanh(static_cast<double>(x)), x, soft::tanh); }
float erf_of(float x) { return rounded(std::erf(static_cast<double>(x)), x, soft::erf); }

}  // namespace halfmark::suites
