// SPDX-License-Identifier: Apache-2.0
#include "reports/throughput.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reports/sample_record.hpp"

namespace halfmark::reports {
namespace {

std::vector<std::uint64_t> counting_to(std::uint64_t n) {
  std::vector<std::uint64_t> samples(n);
  std::iota(samples.begin(), samples.end(), 1u);
  return samples;
}

TEST(Throughput, MedianOfOddEvenAndNone) {
  EXPECT_EQ(median_of(std::vector<std::uint64_t>{}), 0);
  EXPECT_EQ(median_of(std::vector<std::uint64_t>{5}), 5);
  EXPECT_EQ(median_of(std::vector<std::uint64_t>{9, 1, 5}), 5);
  EXPECT_EQ(median_of(std::vector<std::uint64_t>{4, 1, 3, 9}), 3.5);
}

// Ranks from published tables of the sign test's confidence interval for the median, 95 %.
TEST(Throughput, IntervalHasTheRanksOfTheSignTest) {
  for (std::uint64_t n = 0; n < 6; ++n) EXPECT_FALSE(median_interval(counting_to(n))) << n;
  const std::pair<std::uint64_t, double> ranks[] = {{6, 1},   {8, 1},   {9, 2},   {10, 2},
                                                    {12, 3},  {15, 4},  {20, 6},  {25, 8},
                                                    {30, 10}, {50, 18}, {100, 40}};
  for (const auto& [n, rank] : ranks) {
    const auto interval = median_interval(counting_to(n));
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ(interval->low_ns, rank) << n;
    EXPECT_EQ(interval->high_ns, static_cast<double>(n) + 1 - rank) << n;
  }
}

TEST(Throughput, BordersBelongToTheBandAbove) {
  EXPECT_EQ(band_of(0.99).name, "below 1.0");
  EXPECT_EQ(band_of(1.0).name, "1.0 to 1.2");
  EXPECT_EQ(band_of(1.199).name, "1.0 to 1.2");
  EXPECT_EQ(band_of(1.2).name, "1.2 to 1.5");
  EXPECT_EQ(band_of(1.5).name, "1.5 and above");
  EXPECT_EQ(band_of(40).name, "1.5 and above");
  EXPECT_EQ(gain_bands().size(), 4u);
}

std::vector<ThroughputRow> rows_of(const RunRecord& record) { return tally(record).throughput; }

TEST(Throughput, GainIsOfTheFp16RowOnly) {
  const auto rows = rows_of(clean_record());
  ASSERT_EQ(rows.size(), 3u);  // sorted by format: bf16, fp16, fp32
  EXPECT_FALSE(rows[0].gain);
  ASSERT_TRUE(rows[1].gain);
  EXPECT_NEAR(rows[1].gain->ratio, 5210000.0 / 4110000.0, 1e-12);
  EXPECT_EQ(rows[1].gain->band, "1.2 to 1.5");
  EXPECT_FALSE(rows[2].gain);
}

TEST(Throughput, TimesOfAFailedCaseDoNotCountAndGiveNoGain) {
  RunRecord record = clean_record();
  make_violation(case_named(record, record.throughput[0].passed_case), "rounding");
  const auto rows = rows_of(record);
  EXPECT_NE(rows[2].excluded.find("did not pass: fail"), std::string::npos);
  EXPECT_FALSE(rows[1].gain);
}

TEST(Throughput, EveryReasonForExclusionIsTold) {
  RunRecord record = clean_record();
  EXPECT_EQ(rows_of(record)[0].excluded, "no case of this kernel, shape and fill passed");
  record.throughput[2].passed_case = "gemm.absent.s7";
  EXPECT_EQ(rows_of(record)[0].excluded, "its case gemm.absent.s7 was not run");
  record.throughput[2].samples_ns.push_back(0);
  EXPECT_NE(rows_of(record)[0].excluded.find("too coarse"), std::string::npos);
  record.throughput[2].samples_ns.clear();
  EXPECT_EQ(rows_of(record)[0].excluded, "no sample was taken");
  record.throughput[2].doubt = "two clocks differ by 5 %";
  EXPECT_EQ(rows_of(record)[0].excluded, "two clocks differ by 5 %");
}

TEST(Throughput, RatesArePerNanosecond) {
  ThroughputRow row;
  row.run.flops = 2000;
  row.run.bytes = 500;
  EXPECT_EQ(gigaflops(row), 0);
  row.median_ns = 1000;
  EXPECT_EQ(gigaflops(row), 2);
  EXPECT_EQ(gigabytes_per_second(row), 0.5);
}

}  // namespace
}  // namespace halfmark::reports
