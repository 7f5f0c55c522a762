// SPDX-License-Identifier: Apache-2.0
#include "reports/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "reports/testing/sample_record.hpp"
#include "reports/writers/comparison.hpp"

namespace halfmark::reports {
namespace {

using suites::Verdict;

std::string text_of(const Scorecard& a, const Scorecard& b) {
  std::ostringstream out;
  write_comparison(a, b, compare(a, b), out);
  return out.str();
}

TEST(Compare, ACardIsEqualToItself) {
  const Scorecard card = tally(sample_record());
  const Comparison c = compare(card, card);
  EXPECT_TRUE(c.alignment_gaps.empty());
  EXPECT_TRUE(c.device.empty());
  EXPECT_TRUE(c.verdicts.empty());
  EXPECT_TRUE(c.other_bits.empty());
  EXPECT_TRUE(c.fixed.empty());
  EXPECT_TRUE(c.appeared.empty());
  EXPECT_EQ(c.same_bits, 10u);  // three of the 13 cases have no output
  ASSERT_EQ(c.times.size(), 2u);
  EXPECT_EQ(c.times[0].ratio(), 1.0);
  EXPECT_FALSE(c.times[0].distinguishable);
}

TEST(Compare, FindingsVerdictsAndMarksThatDiffer) {
  const Scorecard a = tally(sample_record()), b = tally(clean_record());
  const Comparison c = compare(a, b);
  EXPECT_EQ(c.fixed.size(), 3u);
  EXPECT_TRUE(c.appeared.empty());
  EXPECT_EQ(compare(b, a).appeared.size(), 3u);
  EXPECT_EQ(c.verdicts.size(), 5u);  // two fixed, three absent
  EXPECT_EQ(c.marks[0].id, "H1");
  EXPECT_FALSE(c.marks[0].a_held);
  EXPECT_TRUE(c.marks[0].b_held);
  const std::string text = text_of(a, b);
  EXPECT_NE(text.find(std::string(kFmaCase) + ": fail -> pass"), std::string::npos) << text;
  EXPECT_NE(text.find("hang -> absent"), std::string::npos) << text;
  EXPECT_NE(text.find("Findings of A only: 3"), std::string::npos) << text;
}

TEST(Compare, EachPartOfTheQuestionMustAgree) {
  const Scorecard a = tally(clean_record());
  EXPECT_TRUE(alignment_gaps(a, a).empty());
  Scorecard b = a;
  b.suite.version = "0.2.0";
  EXPECT_EQ(alignment_gaps(a, b), std::vector<std::string>{"suite version 0.1.0 against 0.2.0"});
  b = a;
  b.suite.contract_revision = "2";
  EXPECT_EQ(alignment_gaps(a, b).size(), 1u);
  b = a;
  b.suite.level = "full";
  EXPECT_EQ(alignment_gaps(a, b).size(), 1u);
  b = a;
  b.suite.seed = 8;
  EXPECT_EQ(alignment_gaps(a, b), std::vector<std::string>{"seed 7 against 8"});
  EXPECT_NE(text_of(a, b).find("Not aligned: seed 7 against 8"), std::string::npos);
}

TEST(Compare, OtherBitsWithTheSameVerdictAreNamed) {
  RunRecord record = clean_record();
  case_named(record, kAddCase).digest = "1111111111111111";
  const Comparison c = compare(tally(clean_record()), tally(record));
  EXPECT_EQ(c.other_bits, std::vector<std::string>{kAddCase});
  EXPECT_TRUE(c.verdicts.empty());
}

// Data that would not have shown a wrong kernel leave a right result untrusted.
TEST(Compare, EqualBitsCountWhateverTheVerdicts) {
  RunRecord record = clean_record();
  case_named(record, kAddCase).verdict = Verdict::kUntrusted;
  const Comparison c = compare(tally(clean_record()), tally(record));
  EXPECT_EQ(8u, c.same_bits) << "two of the 10 cases have no output";
  EXPECT_EQ(1u, c.verdicts.size());
  EXPECT_TRUE(c.other_bits.empty());
}

TEST(Compare, TimesAreToldApartByTheirIntervals) {
  RunRecord record = clean_record();
  for (std::uint64_t& ns : record.throughput[0].samples_ns) ns /= 2;
  const Comparison c = compare(tally(clean_record()), tally(record));
  EXPECT_EQ(c.times[1].ratio(), 2.0);
  EXPECT_TRUE(c.times[1].distinguishable);
  EXPECT_FALSE(c.times[0].distinguishable);
}

TEST(Compare, ARowThatWasTimedAgainIsHeldAgainstItsLike) {
  RunRecord record = fp16_record();
  for (ThroughputRun& run : record.throughput) {
    if (run.conditions.contains("again"))
      for (std::uint64_t& ns : run.samples_ns) ns = ns * 105 / 100;
  }
  const Comparison c = compare(tally(fp16_record()), tally(record));
  EXPECT_EQ(1, std::ranges::count_if(c.times, &TimeChange::distinguishable));
}

TEST(Compare, EachTimeHasALabelOfItsOwn) {
  RunRecord record = fp16_record();
  ThroughputRun other = run_named(record, "gemm.fp16.acc-fp32.portable.nt.m512n512k512.normal");
  other.name = "gemm.fp16.acc-fp32.library.nt.m512n512k512.normal";
  other.provider = "library";
  other.passed_case = other.name + ".s7";
  record.results.push_back(passing_case(other.passed_case));
  record.throughput.push_back(other);
  const Comparison c = compare(tally(record), tally(record));
  std::set<std::string> labels;
  for (const TimeChange& time : c.times) labels.insert(time.what);
  EXPECT_EQ(c.times.size(), labels.size());
  EXPECT_TRUE(labels.contains("chain.fma fp32 portable w2 chain (timed again)"));
  EXPECT_TRUE(labels.contains("gemm fp16.acc-fp32 library nt.m512n512k512 normal"));
}

TEST(Compare, BothSentencesOnFp16AreShown) {
  const std::string text = text_of(tally(clean_record()), tally(fp16_record()));
  EXPECT_NE(text.find("true fp16: storage only"), std::string::npos) << text;
  EXPECT_NE(text.find("fma emulated, 0.19 x"), std::string::npos) << text;
}

TEST(Compare, DeviceChangesAreTold) {
  RunRecord record = clean_record();
  record.device["driver_version"] = "3.3.0";
  const std::string text = text_of(tally(clean_record()), tally(record));
  EXPECT_NE(text.find("driver_version: 3.2.1 against 3.3.0"), std::string::npos) << text;
}

}  // namespace
}  // namespace halfmark::reports
