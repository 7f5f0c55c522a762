// SPDX-License-Identifier: Apache-2.0
// The named ways to scale a sum: alpha * sum + beta * c where beta is not zero, evaluated in fp32
// (in the accumulator's format where that is wider). F is one rounding to that format:
//
// clang-format off
//   as specified       fma(beta, c, F(alpha * sum)): step 3 of operators/gemm.hpp; it adds nothing
//                      to a name
//   scaled-alpha-fma   fma(alpha, sum, F(beta * c)): a contracting compiler's version of
//                      alpha * sum + beta * c
//   scaled-mul         F(F(alpha * sum) + F(beta * c)): the same expression, not contracted
//   scaled-narrow      as specified, but F rounds to D's format where that is narrower, and alpha
//                      and beta are also rounded to it
//   scaled-narrow-alpha-fma, scaled-narrow-mul
//                      the narrow versions of the other two
// clang-format on
//
// The name is appended to that of the sums: fp32.sequential.mul.scaled-mul. Sums that are rounded
// before they are scaled show that in their own name (early-P). Where beta is zero, all ways equal
// F(alpha * sum). scaling_probe.hpp decides which way a library uses.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "reference/operators/gemm.hpp"

namespace halfmark::suites::gemm {

enum class Scaling : std::uint8_t {
  kSpecified,
  kAlphaFused,
  kRounded,
  kNarrow,
  kNarrowAlphaFused,
  kNarrowRounded
};
inline constexpr std::array kScalings{Scaling::kSpecified,        Scaling::kAlphaFused,
                                      Scaling::kRounded,          Scaling::kNarrow,
                                      Scaling::kNarrowAlphaFused, Scaling::kNarrowRounded};

/// Whether it is evaluated in D's format where that is narrower than fp32.
[[nodiscard]] constexpr bool is_narrow(Scaling scaling) { return scaling >= Scaling::kNarrow; }

/// Whether C takes part. If not, all ways except the narrow ones coincide, and the narrow ones
/// coincide with each other.
[[nodiscard]] bool reads_c(const operators::GemmProblem& problem);

/// Joins the name of sums, such as "fp32.sequential.mul", and a scaling into one name, and
/// splits it.
[[nodiscard]] std::string with_scaling(std::string sums, Scaling scaling);
[[nodiscard]] std::pair<std::string, Scaling> without_scaling(std::string_view name);

/// D from sums; C as the problem describes it, not needed when beta is zero.
[[nodiscard]] formats::Tensor scale_sums(const operators::GemmProblem& problem,
                                         const formats::Tensor& sums, const formats::Tensor* c,
                                         const models::Machine& machine, Scaling scaling);

}  // namespace halfmark::suites::gemm
