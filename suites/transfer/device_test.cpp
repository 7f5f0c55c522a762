// SPDX-License-Identifier: Apache-2.0
// Every driver of this machine copies correctly, and each planted copy fault is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "backends/host/faults.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/transfer/binding.hpp"
#include "suites/transfer/suite.hpp"

namespace halfmark::suites::transfer {
namespace {

TEST(Transfer, IsRightOnEveryDevice) {
  for (const backends::BackendStatus& status : backends::enumerate()) {
    for (const backends::DeviceInfo& info : status.devices) {
      if (info.kind == "simulator") continue;
      Session session(backends::Device::open(info.selector));
      for (const Case& c : suite().cases(Level::kSmoke, 1)) {
        const CaseResult result = run_case(session, suite(), c);
        EXPECT_EQ(Verdict::kPass, result.verdict)
            << info.selector << ' ' << result.name << ": " << result.reason;
      }
    }
  }
}

// Every smoke finding must have this class, whatever the size. Long copies behave like short ones.
constexpr std::size_t kLongest = std::size_t{1} << 18;

void expect_named(const std::string& fault, std::string_view finding_class) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  int found = 0;
  for (const Case& c : suite().cases(Level::kSmoke, 1)) {
    if (bind(c).bytes > kLongest) continue;
    const CaseResult result = run_case(session, suite(), c);
    if (result.verdict == Verdict::kPass) continue;
    EXPECT_EQ(finding_class, result.finding_class)
        << fault << ' ' << result.name << ": " << result.reason;
    ++found;
  }
  EXPECT_GT(found, 0) << fault;
}

TEST(Transfer, NamesEveryPlantedFault) {
  for (const backends::host::FaultRow& row : backends::host::all_faults()) {
    if (row.operation != "transfer") continue;
    const backends::host::FaultParameter& p = row.parameters[0];
    for (const std::uint64_t value : {p.least, p.value, std::min<std::uint64_t>(p.reach, 65536)}) {
      expect_named(std::string(row.id) + ":" + std::string(p.name) + "=" + std::to_string(value),
                   row.must_report);
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::transfer
