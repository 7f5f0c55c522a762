// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/rounded_fp32.hpp"

#include <bit>
#include <cmath>
#include <iterator>

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

float exp_of_degree5(float x) {
  constexpr float kLeast = -0x1.5d58ap+6F, kMost = 0x1.62e43p+6F;
  constexpr float kLog2E = 0x1.715476p+0F, kLn2 = 0x1.62e43p-1F;
  constexpr float kCoefficients[] = {0x1.0f9f9cp-7F, 0x1.573a1ap-5F, 0x1.555a8p-3F,
                                     0x1.fffdc6p-2F, 0x1.fffff6p-1F, 1.0F};
  if (x < kLeast) return 0;
  x = x > kMost || std::isnan(x) ? kMost : x;
  const float scaled = x * kLog2E;
  const float n = std::floor(scaled + 0.5F);
  const float r = std::fma(-n, kLn2, x);
  float p = kCoefficients[0];
  for (std::size_t i = 1; i < std::size(kCoefficients); ++i) p = std::fma(p, r, kCoefficients[i]);
  // Made of its exponent's bits, 2^-127 is zero.
  constexpr std::uint32_t kBias = 127, kFractionBits = 23;
  const auto exponent = static_cast<std::uint32_t>(static_cast<int>(n) - 1) + kBias;
  return p * std::bit_cast<float>(exponent << kFractionBits) * 2;
}

}  // namespace halfmark::suites
