// SPDX-License-Identifier: Apache-2.0
// For tests only: faults and legal variants that the software device plants in the text of a
// suite's kernels.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>

#include "backends/host/text_faults.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// A fault, a case that shows it, and a part of the sentence that names it.
struct ShownFault {
  const char *fault, *case_name, *sentence;
};

inline CaseResult with_text_fault(const Suite& suite, const std::string& fault, const Case& c) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  return run_case(session, suite, c);
}

inline void expect_text_faults_named(const Suite& suite, std::span<const ShownFault> shown) {
  for (const ShownFault& row : shown) {
    const Case c = parse_case(suite.name, suite.axes, row.case_name);
    const CaseResult result = with_text_fault(suite, row.fault, c);
    EXPECT_EQ(Verdict::kFail, result.verdict) << row.fault;
    EXPECT_EQ(backends::host::parse_fault(row.fault).row()->must_report, result.finding_class)
        << row.fault << ": " << result.reason;
    EXPECT_NE(std::string::npos, result.reason.find(row.sentence))
        << row.fault << ": " << result.reason;
  }
}

/// `group`: the first letter of the ids of the suite's faults.
inline void expect_every_text_fault_shown(std::span<const ShownFault> shown, char group) {
  std::size_t count = 0;
  for (const backends::host::TextFault& fault : backends::host::text_faults()) {
    if (fault.id[0] != group) continue;
    ++count;
    EXPECT_NE(shown.end(), std::ranges::find(shown, fault.id, &ShownFault::fault)) << fault.id;
  }
  EXPECT_LT(0u, count);
}

inline void expect_legal_texts_pass(const Suite& suite,
                                    std::initializer_list<const char*> controls) {
  for (const char* control : controls) {
    for (const Case& c : suite.cases(Level::kSmoke, 7)) {
      const CaseResult result = with_text_fault(suite, control, c);
      EXPECT_EQ(Verdict::kPass, result.verdict)
          << control << ' ' << result.name << ": " << result.reason;
    }
  }
}

}  // namespace halfmark::suites
