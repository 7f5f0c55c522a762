// SPDX-License-Identifier: Apache-2.0
// Hypotheses that apply to any operator: operands read as other numbers or from other places,
// results stored as other numbers or in other places, results all off by one factor, or by a small
// error. Tried if nothing that the suite knows explains a failure, so that a vendor's new mistake
// also gets a name. Decides no formula of an operator.
//
// Assumptions: (1) Problem::expect() accepts any numbers in the inputs, except in tensors for which
// Problem::holds_integers() is true; (2) result roundings are monotone, so that rounding the ends
// of an enclosure is enough.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/judge/judge.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// A failure as the diagnosis sees it. The hypotheses below refer to it during their evaluation and
/// must not outlive it.
struct Failed {
  const Problem& problem;
  const TensorSet& inputs;
  const Allowance& allowed;
  const TensorSet& actual;
  const Places& wrong;
};

struct GenericHypothesis : Hypothesis {
  /// If its name leaves out a number that was read from the failure, such as a factor: the same
  /// hypothesis, with the same number, about other results. Null: the name says everything.
  std::function<Hypothesis(const Failed& other)> elsewhere = {};
};

/// Operands read as other numbers: one operand at a time, then all of them.
[[nodiscard]] std::vector<Hypothesis> misread_operands(const Failed& failed);
/// Elements of one operand that are read in each other's places.
[[nodiscard]] std::vector<Hypothesis> misplaced_operands(const Failed& failed);
/// One operand read in the place of another, or two exchanged.
[[nodiscard]] std::vector<Hypothesis> exchanged_operands(const Failed& failed);
/// Numbers of an operand read as half or twice their value, above or below some magnitude.
[[nodiscard]] std::vector<Hypothesis> operands_of_other_size(const Failed& failed);
/// Right results that are rounded, flushed or clamped once more: in one output, then in all that
/// hold floating-point numbers.
[[nodiscard]] std::vector<Hypothesis> restored_results(const Failed& failed);
/// Wrong elements that hold the right result of another place, all at the same distance or by the
/// same truncation of their index. See displaced_results.cpp.
[[nodiscard]] std::vector<Hypothesis> displaced_results(const Failed& failed);
/// Wrong elements that hold the right results of others near them, by no rule, or whose exponent is
/// off where they are large or small. See neighbour_mixups.cpp.
[[nodiscard]] std::vector<Hypothesis> scattered_results(const Failed& failed);
/// Results that are all off by the same few encodings, in all binades or exactly in some.
/// See shifted_encodings.cpp.
[[nodiscard]] std::vector<Hypothesis> shifted_results(const Failed& failed);
/// Results below the normal range that are one place too near zero: conversions that truncate there
/// if the problem follows machines, and else what is seen, of the class "unexplained".
[[nodiscard]] std::vector<Hypothesis> cut_subnormals(const Failed& failed);
/// One factor between right and actual results, a limit, cut_subnormals(), or, if
/// Problem::near_class says that closeness means something, the number of good bits. See
/// relative_error.cpp.
[[nodiscard]] std::vector<GenericHypothesis> near_results(const Failed& failed);
/// The same by the largest result, as where sums cancel. Comes last: small results that are wrong
/// for any other reason look alike.
[[nodiscard]] std::vector<Hypothesis> near_largest(const Failed& failed);

/// Whether all wrong results are floating-point numbers. Of integers, only the places say
/// something.
[[nodiscard]] bool are_numbers(const Failed& failed);
/// The output as rows; one row if the suite does not describe it.
[[nodiscard]] Extent extent_of(const Failed& failed, const std::string& output);
/// A hypothesis that applies `change` to the right results and to the ends of the enclosure.
[[nodiscard]] Hypothesis on_results(const Failed& failed, std::string name,
                                    FindingClassName finding_class, std::string sentence,
                                    std::function<TensorSet(TensorSet)> change);

/// All of them, in the order of reporting. Their names begin with "general-".
[[nodiscard]] std::vector<GenericHypothesis> generic_hypotheses(const Failed& failed);
/// Of these, restored_results() and misread_operands(): exact rules with nothing that was read from
/// the failure, so that they do not fit by construction.
[[nodiscard]] std::vector<Hypothesis> changed_numbers(const Failed& failed);

}  // namespace halfmark::suites
