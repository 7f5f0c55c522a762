// SPDX-License-Identifier: Apache-2.0
// fp32 functions correctly rounded, at the speed of the host's library: what recipes (recipe.hpp)
// take for an exp or a log without error. The host's double decides wherever its own error cannot
// matter; where it could, reference/soft does.
//
// Assumptions: (1) the thread's arithmetic is IEEE 754, rounded to nearest
// (fast::FloatingPointScope); (2) the host's functions of double are within 4 ulp (glibc manual,
// "Known Maximum Errors in Math Functions": at most 2 for those used here).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace halfmark::suites {

[[nodiscard]] float exp_of(float x);
[[nodiscard]] float exp2_of(float x);
[[nodiscard]] float log_of(float x);
[[nodiscard]] float rsqrt_of(float x);
[[nodiscard]] float tanh_of(float x);
[[nodiscard]] float erf_of(float x);

/// How e^(x - shift) is taken: exp of the difference, 2 to the difference times log2 e, or 2 to
/// x log2 e less the rounded shift log2 e, in one fused step.
enum class Exponential : std::uint8_t { kExp, kExp2, kExp2Fused };
inline constexpr std::array<std::string_view, 3> kExponentials = {"exp", "exp2", "exp2-fused"};

[[nodiscard]] inline float power_of(Exponential way, float x, float shift) {
  constexpr float kLog2E = 0x1.715476p+0F;
  switch (way) {
    case Exponential::kExp:
      return exp_of(x - shift);
    case Exponential::kExp2:
      return exp2_of((x - shift) * kLog2E);
    case Exponential::kExp2Fused:
      return exp2_of(std::fma(x, kLog2E, -(shift * kLog2E)));
  }
  return 0;
}

}  // namespace halfmark::suites
