// SPDX-License-Identifier: Apache-2.0
// From results to findings: which results are findings, how grave each is, their order, ids and
// replay lines; and how a report groups them. Does not decide what is right: the judge did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// Every result that broke a rule, in the order of ids. A plain failure without standing counts as
/// a violation.
[[nodiscard]] std::vector<Finding> make_findings(
    const std::vector<suites::CaseResult>& sorted_results, const std::string& device_selector,
    const std::string& replay_options = {});

/// `critical`, `major` or `minor` for a violation of this class; deviations are `note`.
[[nodiscard]] std::string_view severity_of(suites::Standing standing,
                                           std::string_view finding_class);

/// The operator at fault: "gemm", or "fp32.add" in the suite of elementary operations, which has
/// one per case.
[[nodiscard]] std::string operation_of(const suites::CaseResult& result);

/// What a class name means, in a few words.
[[nodiscard]] std::string_view meaning_of(std::string_view finding_class);

/// The explanation to lead with: exact if there is one. Null: nothing was tried.
[[nodiscard]] const suites::Explanation* leading_explanation(const Finding& finding);

/// Share of the wrong elements that an explanation reproduces, rounded down: 100 means all.
[[nodiscard]] unsigned explained_percent(const suites::Explanation& explanation,
                                         std::uint64_t wrong);

/// Findings of one cause: same standing, rule, class and leading explanation. `all` is never empty.
struct FindingGroup {
  std::vector<const Finding*> all;
  [[nodiscard]] const Finding& first() const { return *all.front(); }
};
[[nodiscard]] std::vector<FindingGroup> group_findings(const Scorecard& card);

/// The finding that was made small for all of its group; null: none was.
[[nodiscard]] const Finding* reduced_of(const FindingGroup& group);
/// The same for the group that a finding of this card belongs to.
[[nodiscard]] const Finding* reduced_like(const Scorecard& card, const Finding& finding);

/// "F002 F003 F004", cut after `limit` ids with an honest count of the rest.
[[nodiscard]] std::string list_other_ids(const FindingGroup& group, std::size_t limit);

}  // namespace halfmark::reports
