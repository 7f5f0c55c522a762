// SPDX-License-Identifier: Apache-2.0
// The operands handled before any bounds are evaluated (functions_edges.cpp proves the
// list complete).
//
// Assumption: x is finite and nonzero.
#pragma once

#include <optional>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft::detail {

// The result where the value is exact, halfway between representable numbers, a pole or undefined.
using Exact = std::optional<Result> (*)(const Format& f, const Value& x, const Environment& env);

inline std::optional<Result> never(const Format& /*f*/, const Value& /*x*/,
                                   const Environment& /*env*/) {
  return std::nullopt;
}
[[nodiscard]] std::optional<Result> exact_exp2(const Format& f, const Value& x,
                                               const Environment& env);
[[nodiscard]] std::optional<Result> exact_exp10(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_log(const Format& f, const Value& x,
                                              const Environment& env);
[[nodiscard]] std::optional<Result> exact_log10(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_log1p(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_log2(const Format& f, const Value& x,
                                               const Environment& env);
[[nodiscard]] std::optional<Result> exact_rsqrt(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_cbrt(const Format& f, const Value& x,
                                               const Environment& env);
[[nodiscard]] std::optional<Result> exact_sinpi(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_cospi(const Format& f, const Value& x,
                                                const Environment& env);
[[nodiscard]] std::optional<Result> exact_asin(const Format& f, const Value& x,
                                               const Environment& env);
[[nodiscard]] std::optional<Result> exact_acos(const Format& f, const Value& x,
                                               const Environment& env);

// The bounds where the value is extremely close to a representable number, or beyond every format.
using Edge = std::optional<Bounds> (*)(const Value& x);

inline std::optional<Bounds> no_edge(const Value& /*x*/) { return std::nullopt; }
[[nodiscard]] std::optional<Bounds> edge_of_exp(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_tanh(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_erf(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_sigmoid(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_gelu(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_gelu_tanh(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_sin(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_cos(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_cospi(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_exp10(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_expm1(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_log1p(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_erfc(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_tan(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_asin(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_atan(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_sinh(const Value& x);
[[nodiscard]] std::optional<Bounds> edge_of_cosh(const Value& x);

// An infinity, with division by zero.
[[nodiscard]] Result pole(const Format& f, bool negative, const Environment& env);
// pi/2, or pi when `times` is 2
[[nodiscard]] Result half_pi(const Format& f, bool negative, int times, const Environment& env);

}  // namespace halfmark::soft::detail
