// SPDX-License-Identifier: Apache-2.0
// Planted faults, for the tests of suites: the classes that a suite's library cases report of a
// software device in which one fault is planted.
#pragma once

#include <set>
#include <string>

#include "suites/core/line.hpp"

namespace halfmark::suites {

/// Classes of all findings of the suite's library cases up to a level, under `fault`; "" is none.
inline std::set<std::string> classes_found(const Suite& suite, const std::string& fault,
                                           Level level = Level::kSmoke) {
  nlohmann::json options = nlohmann::json::object();
  if (!fault.empty()) options["fault"] = fault;
  Session session(backends::Device::open("host", options));
  std::set<std::string> found;
  for (const Case& c : suite.cases(level, 7)) {
    if (c.word("provider") != "library") continue;
    const CaseResult result = run_case(session, suite, c);
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kUntrusted) continue;
    found.insert(result.verdict == Verdict::kFail ? result.finding_class
                                                  : std::string(name_of(result.verdict)));
  }
  return found;
}

}  // namespace halfmark::suites
