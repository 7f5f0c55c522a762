// SPDX-License-Identifier: Apache-2.0
#include "tools/gtest/outcome.hpp"

#include <fmt/format.h>

namespace halfmark::tools {
namespace {

using suites::CaseResult;
using suites::Standing;
using suites::Verdict;

std::string element_line(const suites::Element& element) {
  std::string operands;
  for (const suites::OperandText& operand : element.operands) {
    operands += fmt::format("{}{} = {} ({})", operands.empty() ? "" : ", ", operand.label,
                            operand.hex, operand.value);
  }
  return fmt::format("{}[{}]: expected {} ({}), actual {} ({}), {} ULP{}{}", element.tensor,
                     element.index, element.expected_hex, element.expected_value,
                     element.actual_hex, element.actual_value, element.ulps,
                     operands.empty() ? "" : "; ", operands);
}

std::string story(const CaseResult& result, const std::string& replay) {
  const std::string_view what =
      result.standing == Standing::kNone ? name_of(result.verdict) : name_of(result.standing);
  std::string text = fmt::format("{}: {}\n", what, result.reason);
  if (!result.wrong.empty())
    text += fmt::format("  first    {}\n", element_line(result.wrong.front()));
  text += fmt::format("  rule     {}: {}\n", result.rule, result.promise);
  text += fmt::format("  source   {}\n", result.source);
  if (!result.permitted_by.empty()) text += fmt::format("  permits  {}\n", result.permitted_by);
  return text + fmt::format("  again    {}\n", replay);
}

}  // namespace

Outcome outcome_of(const CaseResult& result, const std::string& replay, bool forbid_deviations) {
  switch (result.verdict) {
    case Verdict::kPass:
      return {OutcomeKind::kSuccess, {}};
    case Verdict::kNotSupported:
    case Verdict::kSkipped:
      return {OutcomeKind::kSkip, fmt::format("{}: {}", name_of(result.verdict), result.reason)};
    case Verdict::kFail: {
      const bool noted = result.standing == Standing::kDeviation && !forbid_deviations;
      return {noted ? OutcomeKind::kNote : OutcomeKind::kFailure, story(result, replay)};
    }
    case Verdict::kUntrusted:
    case Verdict::kError:
    case Verdict::kCrash:
    case Verdict::kHang:
    case Verdict::kDeviceLost:
      return {OutcomeKind::kFailure, story(result, replay)};
  }
  return {OutcomeKind::kFailure, story(result, replay)};
}

}  // namespace halfmark::tools
