// SPDX-License-Identifier: Apache-2.0
// Hypotheses that need to know no operator: an operand that is read as other numbers or from other
// places, results that are stored as other numbers or in other places, results that are all off by
// one factor, or by little. Tried where nothing that the suite knows explains a failure, so that a
// vendor's new mistake has a name, too. Decides no formula of an operator.
//
// Assumptions: (1) Suite::refer and Suite::enclose may be asked about any numbers in the inputs,
// those that Suite::holds_integers names excepted; (2) roundings of results are monotone, so that
// the ends of an enclosure may be rounded in the place of what lies between.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/judge/judge.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The first letters of all their names: what is found so is made small as any wrong bits are.
inline constexpr std::string_view kGeneralPrefix = "general-";

/// A failure as the diagnosis sees it. The hypotheses below look at it while they are evaluated:
/// they may not outlive it.
struct Failed {
  const Problem& problem;
  const TensorSet& inputs;
  const Allowance& allowed;
  const TensorSet& actual;
  const Places& wrong;
};

/// Numbers that are read otherwise: one operand at a time, then all of them.
[[nodiscard]] std::vector<Hypothesis> misread_operands(const Failed& failed);
/// Elements of one operand that are read in each other's place.
[[nodiscard]] std::vector<Hypothesis> misplaced_operands(const Failed& failed);
/// One operand in the place of another, or two for each other.
[[nodiscard]] std::vector<Hypothesis> exchanged_operands(const Failed& failed);
/// Numbers of an operand that are read as half or twice what they are, from some size on or below.
[[nodiscard]] std::vector<Hypothesis> operands_of_other_size(const Failed& failed);
/// Right results that are rounded, flushed or clamped once more: of one output, then of all.
[[nodiscard]] std::vector<Hypothesis> restored_results(const Failed& failed);
/// Wrong elements that hold what is right for another place, all at the same distance or by the
/// same cut of their index. See displaced.cpp.
[[nodiscard]] std::vector<Hypothesis> displaced_results(const Failed& failed);
/// Wrong elements that hold what is right for others near them, by no rule, or whose exponent is
/// off where they are large or small. See scattered.cpp.
[[nodiscard]] std::vector<Hypothesis> scattered_results(const Failed& failed);
/// One factor between what is right and what came, or, where Problem::near_class says that
/// closeness means something, so many good bits. See near.cpp.
[[nodiscard]] std::vector<Hypothesis> near_results(const Failed& failed);

/// The output as rows; one row where the suite says nothing of it.
[[nodiscard]] Extent extent_of(const Failed& failed, const std::string& output);
/// Right results that are changed once more, as the ends of what is allowed are.
[[nodiscard]] Hypothesis on_results(const Failed& failed, std::string name,
                                    std::string_view finding_class, std::string sentence,
                                    std::function<TensorSet(TensorSet)> change);

/// All of them, in the order in which they are told.
[[nodiscard]] std::vector<Hypothesis> general_hypotheses(const Failed& failed);

}  // namespace halfmark::suites
