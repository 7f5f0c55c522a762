// SPDX-License-Identifier: Apache-2.0
// The kernels give the reference's bits, the planted faults of optimizers are caught and named, and
// legal variants pass.
#include <gtest/gtest.h>

#include "backends/host/text_faults.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/optimizer/suite.hpp"

namespace halfmark::suites::optimizer {
namespace {

struct Planted {
  const char* fault;
  const char* name;  // of a case of level smoke
  const char* sentence;
};

constexpr Planted kPlanted[] = {
    {"O01", "adam.fp16.portable.n1021.skip.s7", "epsilon is rounded to fp16"},
    {"O02", "adam.fp16.portable.n1021.skip.s7", "the second moment is kept in fp16"},
    {"O03", "sgd.fp16.portable.n1021.tiny.s7", "without a master copy"},
    {"O04", "adam.fp16.portable.n1021.skip.s7", "a skipped step advances the count"},
    {"O05", "adamw.fp16.portable.n1021.evaluate.s7", "without a tape is used again"},
};

CaseResult with_fault(const std::string& fault, const Case& c) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  return run_case(session, suite(), c);
}

TEST(OptimizerKernels, GiveTheReferencesBits) {
  constexpr bool kDeviations = true;  // a driver may flush where its promises permit it
  expect_conforming_everywhere(suite(), Level::kSmoke, kDeviations);
}

TEST(OptimizerKernels, GiveThemInEveryCaseOfTheLevelStandard) {
  expect_conforming(suite(), "host", Level::kStandard);
}

TEST(OptimizerFaults, EachIsCaughtAndNamed) {
  for (const Planted& planted : kPlanted) {
    const Case c = parse_case("optimizer", suite().axes, std::string("optimizer.") + planted.name);
    const CaseResult result = with_fault(planted.fault, c);
    EXPECT_EQ(Verdict::kFail, result.verdict) << planted.fault;
    EXPECT_EQ(backends::host::parse_fault(planted.fault).row()->must_report, result.finding_class)
        << planted.fault << ": " << result.reason;
    EXPECT_NE(std::string::npos, result.reason.find(planted.sentence))
        << planted.fault << ": " << result.reason;
  }
}

TEST(OptimizerFaults, NoneIsLeftOut) {
  for (const backends::host::TextFault& fault : backends::host::text_faults()) {
    if (fault.family != "optimizer" || fault.id[0] == 'N') continue;
    EXPECT_TRUE(std::any_of(std::begin(kPlanted), std::end(kPlanted), [&](const Planted& planted) {
      return planted.fault == fault.id;
    })) << fault.id;
  }
}

TEST(OptimizerFaults, NoLegalVariantIsAccused) {
  for (const char* control : {"N34", "N35"}) {
    for (const Case& c : suite().cases(Level::kSmoke, 7)) {
      const CaseResult result = with_fault(control, c);
      EXPECT_EQ(Verdict::kPass, result.verdict)
          << control << ' ' << result.name << ": " << result.reason;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::optimizer
