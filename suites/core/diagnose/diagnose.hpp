// SPDX-License-Identifier: Apache-2.0
// Diagnosis: evaluates the reference again under named hypotheses, to find the arithmetic that
// reproduces a device's wrong bits exactly. Decides in which order hypotheses are tried and what
// counts as an explanation; which there are, others decide: the suite's about its operator,
// machine_hypotheses.hpp about elementary operations, generic_hypotheses.hpp about any. Runs only
// for failures, and may cost many times as much as the reference.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/diagnose/wrong_region.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The machine hypotheses, and the suite's own about the case, about the places of the wrong
/// elements, and about the values in them.
[[nodiscard]] std::vector<Hypothesis> all_hypotheses(const Problem& problem, const Places& wrong,
                                                     const TensorSet& actual);

/// A hypothesis as an explanation that has not been weighed.
[[nodiscard]] Explanation explanation_of(const Hypothesis& hypothesis);

/// How much of a device's output one hypothesis reproduces.
[[nodiscard]] Explanation weigh(const Hypothesis& hypothesis, const Case& c,
                                const TensorSet& inputs, const Allowance& allowed,
                                const TensorSet& actual);

/// Tries the suite's and the machine hypotheses. Returns exact explanations first (only one for
/// large outputs, whose sentence says if others were not tried), a hypothesis about one operation
/// before one about all. Without an exact one: a hypothesis that is exact within the part that went
/// wrong and contradicted only outside of it, reported as confined to it; else those of
/// generic_hypotheses.hpp, which know no operator; else the three that explain most wrong elements.
/// While nothing that it returns is permitted by `permits`, it tries on whatever may be, of higher
/// tiers, about large outputs and without an operator, too: no other order of attempts may accuse a
/// device of what it need not have done. Null: nothing is permitted.
/// Does not try the hypotheses of the names in `excluded`, with or without kInPart.
[[nodiscard]] std::vector<Explanation> diagnose(const Problem& problem, const TensorSet& inputs,
                                                const Allowance& allowed, const TensorSet& actual,
                                                const Permits& permits = nullptr,
                                                const std::set<std::string>& excluded = {});

/// Whether a hypothesis, if `part` is given in that part alone, predicts every element of a
/// device's output, right or wrong, that `wrong` was found in.
[[nodiscard]] bool predicts(const Hypothesis& hypothesis, const Part* part, const Case& c,
                            const TensorSet& inputs, const Allowance& allowed,
                            const TensorSet& actual, const Comparison& found);

}  // namespace halfmark::suites
