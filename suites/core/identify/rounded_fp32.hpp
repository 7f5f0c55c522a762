// SPDX-License-Identifier: Apache-2.0
// Correctly rounded fp32 functions at the speed of the host's library: the error-free exp and log
// of recipes (recipe.hpp). The host's double result decides if its error cannot affect the
// rounding; otherwise reference/soft decides.
//
// Assumptions: (1) the thread's arithmetic is IEEE 754, rounded to nearest
// (fast::FloatingPointScope); (2) the host's functions of double are within 4 ULP (glibc manual,
// "Known Maximum Errors in Math Functions": at most 2 for those used here).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "suites/core/identify/polynomial_fp32.hpp"

namespace halfmark::suites {

[[nodiscard]] float exp_of(float x);
[[nodiscard]] float exp2_of(float x);
[[nodiscard]] float log_of(float x);
[[nodiscard]] float rsqrt_of(float x);
[[nodiscard]] float tanh_of(float x);
[[nodiscard]] float erf_of(float x);

/// How e^(x - shift) is computed: exp of the difference, exp2 of the difference times log2 e, exp2
/// of x log2 e minus the rounded shift log2 e, in one fused step, or the difference's 2^n p(r) as
/// exp_of_degree5() has it; or the device's own exp of the difference (own_functions.hpp), which
/// power_of() does not know.
enum class Exponential : std::uint8_t { kExp, kExp2, kExp2Fused, kDegree5, kOwn };
inline constexpr std::array<std::string_view, 4> kExponentials = {"exp", "exp2", "exp2-fused",
                                                                  "exp-degree5"};
inline constexpr std::string_view kOwnExponential = "own-exp";

[[nodiscard]] inline float power_of(Exponential way, float x, float shift) {
  constexpr float kLog2E = 0x1.715476p+0F;
  switch (way) {
    case Exponential::kExp:
      return exp_of(x - shift);
    case Exponential::kExp2:
      return exp2_of((x - shift) * kLog2E);
    case Exponential::kExp2Fused:
      return exp2_of(std::fma(x, kLog2E, -(shift * kLog2E)));
    case Exponential::kDegree5:
      return exp_of_degree5(x - shift);
    case Exponential::kOwn:
      break;
  }
  return 0;
}

}  // namespace halfmark::suites
