// SPDX-License-Identifier: Apache-2.0
// For the tests of suites: the finding classes that a suite's library cases report for a software
// device with one planted fault.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/host/faults.hpp"
#include "reference/slow/effort.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/remembered.hpp"

namespace halfmark::suites {

/// The cases in an order whose every prefix is spread over all of them.
inline std::vector<Case> spread(const std::vector<Case>& cases) {
  std::size_t step = cases.size() * 5 / 8 + 1;
  while (std::gcd(step, cases.size()) != 1) ++step;
  std::vector<Case> result;
  for (std::size_t i = 0; i < cases.size(); ++i) result.push_back(cases[i * step % cases.size()]);
  return result;
}

/// Classes of the findings of the suite's library cases at `smoke`, under `fault` ("": none): of
/// all cases, or until one has the class `looked_for`.
inline std::set<std::string> classes_found(const Suite& suite, const std::string& fault,
                                           std::string_view looked_for = "") {
  Memory& memory = memory_of(suite);
  nlohmann::json options = nlohmann::json::object();
  if (!fault.empty()) options["fault"] = fault;
  Session session(backends::Device::open("host", options));
  std::set<std::string> found;
  for (const Case& c : spread(suite.cases(Level::kSmoke, 7))) {
    if (c.word("provider") != "library") continue;
    const CaseResult result = run_problem(session, *memory.bind(c));
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kUntrusted) continue;
    found.insert(result.verdict == Verdict::kFail ? result.finding_class
                                                  : std::string(name_of(result.verdict)));
    if (result.finding_class == looked_for) break;
  }
  return found;
}

/// Which library cases a test runs under a fault; null: all.
using Asked = bool (*)(const Case&, std::string_view fault);

/// Every `every`-th of the selected cases, starting with number `first`.
struct OneOf {
  std::size_t every = 1, first = 0;
};

/// Findings of the library cases at `standard`, in one format and of one operation ("": all): each
/// class, and how many cases had it. Stops after a dozen failures in ci/test, since a diagnosis
/// takes longer than many cases.
inline std::map<std::string, int> findings(const Suite& suite, const std::string& fault,
                                           std::string_view operation, std::string_view format,
                                           Asked asked = nullptr, OneOf share = {}) {
  Memory& memory = memory_of(suite);
  nlohmann::json options = nlohmann::json::object();
  if (!fault.empty()) options["fault"] = fault;
  Session session(backends::Device::open("host", options));
  const int most = slow::effort(std::numeric_limits<int>::max(), 12);
  int failed = 0;
  std::size_t number = 0;
  std::map<std::string, int> found;
  for (const Case& c : spread(suite.cases(Level::kStandard, 7))) {
    if (failed == most) break;
    if (c.word("provider") != "library" || c.word("format") != format) continue;
    if (!operation.empty() && c.word("operation") != operation) continue;
    if (asked != nullptr && !asked(c, fault)) continue;
    if (number++ % share.every != share.first) continue;
    const CaseResult result = run_problem(session, *memory.bind(c));
    if (result.verdict == Verdict::kPass) continue;
    EXPECT_EQ("fail", name_of(result.verdict)) << result.name << ": " << result.reason;
    ++found[result.finding_class];
    ++failed;
  }
  return found;
}

/// The correct library and the legally different ones pass every case; in ci/test each of the
/// latter runs a third of the cases, in turn.
inline void expect_controls_pass(const Suite& suite, Asked asked = nullptr) {
  const std::size_t every = slow::effort<std::size_t>(1, 3);
  std::size_t control = 0;
  for (const std::string fault : {"", "N01", "N03", "N04", "N05", "N07"}) {
    const OneOf share = fault.empty() ? OneOf{} : OneOf{every, control++ % every};
    for (const char* format : {"fp16", "bf16", "fp32"}) {
      for (const auto& [finding_class, cases] : findings(suite, fault, "", format, asked, share)) {
        ADD_FAILURE() << fault << ": " << cases << " " << format
                      << " cases fail: " << finding_class;
      }
    }
  }
}

/// The suite's library cases at `smoke` report nothing under these controls.
inline void expect_silence(const Suite& suite, std::initializer_list<const char*> controls) {
  for (const char* id : controls) {
    EXPECT_TRUE(classes_found(suite, id).empty())
        << id << ": " << testing::PrintToString(classes_found(suite, id));
  }
}

/// A fault planted in an operation's fp16 cases, and the class that it must be reported as.
struct Planted {
  const char *fault, *operation, *finding_class;
};

/// At least half of the failing cases report the fault as its class.
inline void expect_named(const Suite& suite, const Planted& row, Asked asked = nullptr) {
  const auto found = findings(suite, row.fault, row.operation, "fp16", asked);
  EXPECT_TRUE(found.contains(row.finding_class)) << row.fault;
  int named = 0;
  int all = 0;
  for (const auto& [name, cases] : found) {
    all += cases;
    if (name == row.finding_class) named += cases;
  }
  EXPECT_LT(all, 2 * named + 1) << row.fault << ": most cases say something else";
}

/// Whether a class is among those that a planted fault must be reported as.
inline bool must_report(const backends::host::FaultRow& row, std::string_view finding_class) {
  return fmt::format(" {} ", row.must_report).find(fmt::format(" {} ", finding_class)) !=
         std::string::npos;
}

/// A fault planted with its parameters, a case that shows it, and its name.
struct NamedFault {
  const char *fault, *case_name, *hypothesis;
};

/// The diagnosis of the case has the name among those that give all bits.
inline void expect_name(const Suite& suite, const NamedFault& row) {
  Session session(backends::Device::open("host", {{"fault", row.fault}}));
  const Case c = parse_case(suite.name, suite.axes, row.case_name);
  const CaseResult result = run_problem(session, *memory_of(suite).bind(c));
  std::set<std::string> names;
  for (const Explanation& e : result.explanations) {
    if (e.exact(result.mismatches)) names.insert(e.hypothesis);
  }
  EXPECT_TRUE(names.contains(row.hypothesis))
      << row.fault << ' ' << result.reason << ": " << testing::PrintToString(names);
}

/// Faults of a letter that a suite's test treats apart.
struct Exceptions {
  std::set<std::string_view> elsewhere = {};  // another suite's operation
};

/// Every fault of the software device's library whose id begins with `letter` is found by the
/// suite's library cases at `smoke`, and has a class that its row names; the right library and the
/// control N05 are not accused.
inline void expect_faults_named(const Suite& suite, char letter, const Exceptions& but = {}) {
  std::size_t faults = 0;
  for (const backends::host::FaultRow& row : backends::host::all_faults()) {
    if (row.kind != backends::host::FaultKind::kFault || row.id[0] != letter) continue;
    if (but.elsewhere.contains(row.id)) continue;
    ++faults;
    const std::set<std::string> found = classes_found(
        suite, std::string(row.id), row.must_report.substr(0, row.must_report.find(' ')));
    EXPECT_TRUE(
        std::ranges::any_of(found, [&](const std::string& one) { return must_report(row, one); }))
        << row.id << ": " << testing::PrintToString(found) << ", expected " << row.must_report;
  }
  EXPECT_LT(0u, faults) << "no fault has this letter";
  for (const char* id : {"", "N05"}) EXPECT_TRUE(classes_found(suite, id).empty()) << id;
}

}  // namespace halfmark::suites
