// SPDX-License-Identifier: Apache-2.0
#include "reports/writers/explain.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

std::string story_of(const Scorecard& card, const char* id) {
  std::ostringstream out;
  explain(card, *find_finding(card, id), out);
  return out.str();
}

void expect_in_order(const std::string& text, std::initializer_list<const char*> parts) {
  std::size_t at = 0;
  for (const char* part : parts) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << part << " is not in, or not in its place in\n" << text;
    at = found;
  }
}

TEST(Explain, TellsWhatRuleBitsArithmeticAndReplay) {
  expect_in_order(story_of(tally(sample_record()), "F002"),
                  {"F002  fp32.fma: subnormals flushed to zero (ftz)",
                   "Example A1 <rev B>",
                   "arithmetic.fp32.fma.portable.n4096.mixed.s7",
                   "17 of 4,096 elements wrong",
                   "deviation: the device's",
                   "IEEE 754-2019, 5.4.1",
                   "EX_SINGLE_CONFIG=0x3e lacks DENORM",
                   "d[12]",
                   "00800000",
                   "0x1p-126",
                   "expected",
                   "00400000",
                   "got",
                   "00000000",
                   "4,194,304 ulps",
                   "Where",
                   "only elements that leave 12 modulo 250",
                   "elements 12 to 4012; differing bits: 00400000 in some elements",
                   "fma-flushes-results",
                   "exactly, in all 17 wrong elements",
                   "flushes-all",
                   "212 elements",
                   "The smallest case with this failure",
                   "arithmetic.fp32.fma.portable.n1.mixed.s7 with a[0] = 00400000 (0x1p-127), b[0]",
                   "31 trials; nothing smaller was found",
                   "halfmark replay arithmetic.fp32.fma.portable.n4096.mixed.s7 --device toy:0"});
}

TEST(Explain, SaysSoWhenNothingExplains) {
  RunRecord record = clean_record(), wrong = sample_record();
  make_violation(case_named(record, kAddCase), "");
  case_named(record, kAddCase).wrong = case_named(wrong, kFmaCase).wrong;
  expect_in_order(story_of(tally(record), "F001"),
                  {"no named arithmetic explains the bits (unexplained)",
                   "violation: the device breaks", "none: no named arithmetic"});
}

// Memory faults are judged before any value is.
TEST(Explain, IsSilentOfArithmeticWhereNoneWasTried) {
  RunRecord record = clean_record();
  make_violation(case_named(record, kAddCase), "uninit");
  const std::string story = story_of(tally(record), "F001");
  EXPECT_EQ(std::string::npos, story.find("arithmetic explains")) << story;
  expect_in_order(story, {"output left unwritten", "Repeat it"});
}

TEST(Explain, TellsPlacesOfAMatrixByRowsAndColumns) {
  expect_in_order(story_of(tally(sample_record()), "F001"), {"rows 64 to 64, columns 0 to 64"});
}

TEST(Explain, PointsToTheOneThatWasMadeSmall) {
  RunRecord record = sample_record();
  suites::CaseResult* smallest = nullptr;
  for (suites::CaseResult& r : record.results) {
    if (r.reduction) smallest = &r;
  }
  ASSERT_NE(nullptr, smallest);
  suites::CaseResult likewise = *smallest;
  likewise.name = "arithmetic.fp32.fma.portable.n4096.aaa.s7";
  likewise.reduction.reset();
  record.results.push_back(likewise);
  expect_in_order(story_of(tally(record), "F002"),
                  {likewise.name.c_str(),
                   "The smallest case with this failure (found for F003, which has the "
                   "same cause)",
                   "n1.mixed.s7 with"});
}

TEST(Explain, ReplayNamesWhatMadeTheDevice) {
  RunRecord record = sample_record();
  record.replay_options = " --plugin '/a b/x.so' --fault G01";
  expect_in_order(story_of(tally(record), "F002"),
                  {"Repeat it", "--device toy:0 --plugin '/a b/x.so' --fault G01"});
}

TEST(Explain, ListsFindings) {
  std::ostringstream some, none;
  list_findings(tally(sample_record()), some);
  list_findings(tally(clean_record()), none);
  expect_in_order(some.str(), {"F001  violation", "F002  deviation", "F003  deviation"});
  EXPECT_EQ(none.str(), "The scorecard has no findings.\n");
}

}  // namespace
}  // namespace halfmark::reports
