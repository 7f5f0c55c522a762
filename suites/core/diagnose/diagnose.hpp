// SPDX-License-Identifier: Apache-2.0
// Diagnosis: the reference again, under named hypotheses, to find the arithmetic that reproduces a
// device's wrong bits exactly. Decides which hypotheses about elementary operations exist;
// operator-specific ones come from the suite. Loud by design: runs only for failures, and may cost
// many times the reference.
#pragma once

#include <string_view>
#include <vector>

#include "suites/core/judge/judge.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The last letters of a hypothesis that is told as confined to a part.
inline constexpr std::string_view kInPart = "-in-part";

/// Hypotheses on the elementary operations of a device: subnormals flushed by one or all, other
/// roundings.
[[nodiscard]] std::vector<Hypothesis> machine_hypotheses(const Problem& problem);

/// Those, and the suite's own about one case, about the places where it went wrong and about what
/// stands there.
[[nodiscard]] std::vector<Hypothesis> all_hypotheses(const Problem& problem, const Places& wrong,
                                                     const TensorSet& actual);

/// How far one hypothesis reproduces what a device gave.
[[nodiscard]] Explanation weigh(const Hypothesis& hypothesis, const Case& c,
                                const TensorSet& inputs, const Allowance& allowed,
                                const TensorSet& actual);

/// Tries the suite's and the machine hypotheses. Exact explanations first, of large outputs one
/// alone; of those, a hypothesis on one operation before one on all. Without an exact one, a
/// hypothesis that is exact within the part that went wrong and contradicted outside of it only,
/// told as confined to it; then those of altered.hpp, which know no operator; else the three that
/// explain most wrong elements.
[[nodiscard]] std::vector<Explanation> diagnose(const Problem& problem, const TensorSet& inputs,
                                                const Allowance& allowed, const TensorSet& actual);

}  // namespace halfmark::suites
