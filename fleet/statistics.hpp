// SPDX-License-Identifier: Apache-2.0
// The statistics of a fleet: robust centre and spread, cut-offs that grow with the number of
// comparisons, and the bound that a clean record proves. Decides formulas only.
//
// Sources: B. Iglewicz, D. Hoaglin, How to Detect and Handle Outliers (1993): deviations from the
// median in units of 1.4826 median absolute deviations. P. Rousseeuw, C. Croux, Alternatives to the
// Median Absolute Deviation, JASA 88 (1993): its efficiency is 37 %. J. Hanley, A. Lippman-Hand, If
// Nothing Goes Wrong, Is Everything All Right?, JAMA 249 (1983): the rule of three.
#pragma once

#include <cstdint>
#include <vector>

namespace halfmark::fleet {

/// Of at least one value.
[[nodiscard]] double median(std::vector<double> values);

/// 1.4826 times the median absolute deviation: for normal data, the standard deviation.
[[nodiscard]] double robust_spread(const std::vector<double>& values, double centre);

/// P(T > t) of Student's t with `freedom` degrees of freedom, for t >= 0.
[[nodiscard]] double student_tail(double t, double freedom);

/// The t that student_tail exceeds with the given probability, which is in (0, 0.5).
[[nodiscard]] double student_cut(double probability, double freedom);

/// How many spreads below the median a value may lie in a group of `members` if `comparisons` of
/// one sweep together may flag `false_flags` normal values. The spread is estimated from the group
/// with the precision of 37 % of its members, so deviations follow Student's t rather than the
/// normal distribution; for large groups the two agree.
[[nodiscard]] double outlier_cut(std::uint64_t members, std::uint64_t comparisons,
                                 double false_flags = 0.01);

/// The rate of wrong answers that `trials` independent right ones exclude with 95 %: 3 / trials, at
/// most 1.
[[nodiscard]] double rule_of_three(std::uint64_t trials);

}  // namespace halfmark::fleet
