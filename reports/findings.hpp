// SPDX-License-Identifier: Apache-2.0
// Turns results into findings. Decides which results are findings, their severity, order, ids and
// replay lines, and how reports group them. Does not decide what is right: the judge has already
// done so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// Every result that broke a rule, in the order of ids. A failure without a standing counts as
/// a violation.
[[nodiscard]] std::vector<Finding> make_findings(
    const std::vector<suites::CaseResult>& sorted_results, const std::string& device_selector,
    const std::string& replay_options = {});

/// `critical`, `major` or `minor` for a violation of this class; deviations are `note`.
[[nodiscard]] std::string_view severity_of(suites::Standing standing,
                                           std::string_view finding_class);

/// What a class of findings means, in a few words; empty for an unknown class.
[[nodiscard]] std::string_view meaning_of(std::string_view finding_class);

/// The explanation to present first: an exact one if there is one. Null if none was tried.
[[nodiscard]] const suites::Explanation* leading_explanation(const Finding& finding);

/// Percentage of the wrong elements that an explanation reproduces, rounded down: 100 means all.
[[nodiscard]] unsigned explained_percent(const suites::Explanation& explanation,
                                         std::uint64_t wrong);

/// Findings with one cause: same standing, rule, class and leading explanation. `all` is
/// never empty.
struct FindingGroup {
  std::vector<const Finding*> all;
  [[nodiscard]] const Finding& first() const { return *all.front(); }
};
[[nodiscard]] std::vector<FindingGroup> group_findings(const Scorecard& card);

/// The finding whose case was reduced on behalf of the whole group; null if there is none.
[[nodiscard]] const Finding* reduced_of(const FindingGroup& group);
/// The same for the group that contains this finding of the card.
[[nodiscard]] const Finding* reduced_like(const Scorecard& card, const Finding& finding);

/// "F002 F003 F004": the ids after the first. After `limit` ids, "and N more" gives the
/// number left.
[[nodiscard]] std::string list_other_ids(const FindingGroup& group, std::size_t limit);

}  // namespace halfmark::reports
