// SPDX-License-Identifier: Apache-2.0
// The sentences that several writers share: the summary of a card in one line, the description of a
// finding, the summary of the subnormal probes. Decides wording; writers decide layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/findings.hpp"
#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// "Conforms: ...", "Does not conform: ...", "Incomplete; so far: ...".
[[nodiscard]] std::string headline(const Scorecard& card);

/// "Example Silicon, Example Runtime, driver 1.2.3".
[[nodiscard]] std::string provenance_line(const Scorecard& card);

/// "Example A1 (Example Silicon, Example Runtime, driver 1.2.3)".
[[nodiscard]] std::string device_line(const Scorecard& card);

/// "version 0.1.0, contract 1, level smoke, seed 7" and what was left out.
[[nodiscard]] std::string asked_line(const Scorecard& card);

/// "fp32 subnormals: kept by add, mul; flushed by fma, scale", one line per probed format.
[[nodiscard]] std::vector<std::string> subnormal_lines(const Scorecard& card);

/// How the cases of a suite ended, as reports count them. An empty suite name means all suites.
struct Outcomes {
  std::uint64_t cases = 0, pass = 0, violations = 0, deviations = 0, not_supported = 0, other = 0;
};
[[nodiscard]] Outcomes outcomes_of(const Scorecard& card, std::string_view suite);

/// A finding in one sentence: its exact explanation if there is one, else the meaning of its class.
[[nodiscard]] std::string gist_of(const Finding& finding);

/// Cases without an answer, grouped by verdict and reason, where reasons that differ by the
/// operator alone are one; the worst verdicts first, and of each the most frequent reasons.
struct Unanswered {
  suites::Verdict verdict = suites::Verdict::kSkipped;
  std::string reason, first;
  std::uint64_t count = 0;
};
[[nodiscard]] std::vector<Unanswered> unanswered(const Scorecard& card);
/// A verdict as a reader says it: "not supported", "device lost".
[[nodiscard]] std::string words_of(suites::Verdict verdict);

/// "17 of 4,096 elements wrong (0.41 %)"; empty when no element was compared or none is wrong.
[[nodiscard]] std::string wrong_line(const Finding& finding);

/// "every 16th column from 3; each is a zero", for each output; empty if there is no regularity.
[[nodiscard]] std::string where_line(const Finding& finding);

/// "gemm...m1n1k2...: a[0] = 3c00 (0x1p+0), ...": what is left of the reduced case; empty when it
/// was not reduced.
[[nodiscard]] std::string reduction_line(const Finding& finding);

/// "out[12]: a=00000001 (0x1p-149), b=...".
[[nodiscard]] std::string operands_line(const suites::Element& element);
/// "expected 00000001 (0x1p-149), got 00000000 (0x0p+0): 1 ulp".
[[nodiscard]] std::string outcome_line(const suites::Element& element);

/// Whether an arithmetic was looked for that explains the bits: not where memory, a copy or a
/// repeat went wrong, which makes every value doubtful, nor where two calls differ from each other.
[[nodiscard]] bool was_cause_sought(const Finding& finding);

/// "fma flushes subnormal results to zero: exactly, all 17 wrong elements", or the share, and what
/// the explanation contradicts.
[[nodiscard]] std::string explanation_line(const suites::Explanation& explanation,
                                           std::uint64_t wrong);

/// The exact explanations of a finding as a line, "A; B; C; 2 more: each exactly, in all 40 wrong
/// elements"; without one, the nearest that was tried; empty: none was.
[[nodiscard]] std::string cause_line(const Finding& finding);
/// How to label it: one exact explanation explains; of several, none is a fact; any other
/// is only near.
[[nodiscard]] std::string_view cause_label(const Finding& finding);

/// "asked again on 4 other data sets, wrong on 3 of them; 2 explanations excluded; one explanation
/// is left".
[[nodiscard]] std::string experiments_line(const suites::Experiments& experiments);

/// "12 of 12": cases that the found arithmetic explains, out of the cases that passed and whose
/// arithmetic was searched for.
[[nodiscard]] std::string explained_share(const ArithmeticEntry& entry);
/// "gemm fp16.acc-fp32.out-fp16 by library (ExampleBLAS 2.1) at nn.m33n17k40 and 4 more:
/// fp32.sequential.fma; every bit of ...".
[[nodiscard]] std::string arithmetic_line(const ArithmeticEntry& entry);
/// What was found for the operator, provider and formats of a finding, at its shape if that was
/// probed; null if there was no search.
[[nodiscard]] const ArithmeticEntry* arithmetic_behind(const Scorecard& card,
                                                       const Finding& finding);

/// "1.303": a distance in ULP of the exact value.
[[nodiscard]] std::string ulps_text(const suites::Accuracy& accuracy);
[[nodiscard]] std::string allowed_text(const suites::Accuracy& accuracy);
/// "x=3f800000 (0x1p+0): expected ..., got ...".
[[nodiscard]] std::string farthest_line(const suites::Accuracy& accuracy);

/// "1,234", in 1e9 flops per second, with "(62 % of declared)" where the device has a data sheet;
/// empty where the operator has no count of flops.
[[nodiscard]] std::string rate_text(const ThroughputRow& row);
/// What the device reached, one line for each: chains by format, memory, the best fp32
/// rate, clocks.
[[nodiscard]] std::vector<std::string> roof_lines(const Scorecard& card);

/// A rate in 1e9 flops per second, or a ratio, where there is one; else "-".
[[nodiscard]] std::string rate_or_none(const std::optional<double>& rate);

/// The note of a row that repeats another one, to show whether clocks changed.
inline constexpr std::string_view kTimedAgain = "timed again at the end of the run";
/// "fp16 runs at 1.31 x the rate of fp32 (band 1.2 to 1.5): ...".
[[nodiscard]] std::string gain_line(const ThroughputRow& row);
/// The cost of the casts of an autocast row; empty for other rows.
[[nodiscard]] std::string casts_line(const ThroughputRow& row);

}  // namespace halfmark::reports
