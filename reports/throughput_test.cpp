// SPDX-License-Identifier: Apache-2.0
#include "reports/throughput.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "reports/testing/sample_record.hpp"
#include "reports/throughput_json.hpp"

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

// Ranks from published tables of the sign test's 95 % confidence interval for the median.
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
  EXPECT_EQ(band_of(1.5).name, "1.5 to 2");
  EXPECT_EQ(band_of(1.999).name, "1.5 to 2");
  EXPECT_EQ(band_of(2).name, "2 and above");
  EXPECT_EQ(band_of(40).name, "2 and above");
  EXPECT_EQ(gain_bands().size(), 5u);
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

// Row 1 of the record is the product in fp16.
TEST(Throughput, WhatWasTimedAtAnotherSizeMustHaveBeenVerifiedThere) {
  RunRecord record = clean_record();
  ThroughputRun& run = record.throughput[1];
  const std::string larger = "gemm.fp16.acc-fp32.portable.nt.m1024n1024k1024.normal";
  const auto excluded = [&] { return rows_of(record)[1].excluded; };
  EXPECT_EQ("", excluded());
  run.name = larger;
  EXPECT_EQ("it was not verified at the size that was timed", excluded());
  run.verified = {{"gemm.fp16.acc-fp32.portable.nt.m1024n1024k1024.wide", "exact", "pass", 9}};
  EXPECT_EQ("it was not verified at the size that was timed", excluded()) << "another fill";
  run.verified.push_back({larger + ".s7", "bounded", "fail", 9});
  EXPECT_EQ("it did not pass at the size that was timed: fail", excluded());
  run.verified.back().verdict = "pass";
  EXPECT_EQ("", excluded());
  run.name = "autocast." + run.passed_case.substr(0, run.passed_case.rfind('.'));
  run.verified.clear();
  EXPECT_EQ("", excluded()) << "the same case, with its casts";
}

TEST(Throughput, AFoldedLaunchIsExcluded) {
  RunRecord record = clean_record();
  record.throughput[1].half_work_ns = 4'000'000;
  const ThroughputRow row = rows_of(record)[1];
  ASSERT_TRUE(row.fault);
  EXPECT_EQ("folded", row.fault->name);
  EXPECT_EQ(row.fault->sentence, row.excluded);
}

TEST(Throughput, ARateAboveTheDeclaredPeakIsExcludedAndGivesNoGain) {
  RunRecord record = clean_record();
  const ThroughputRow honest = rows_of(record)[1];
  ASSERT_TRUE(honest.gain);
  record.throughput[1].declared_gflops = gigaflops(honest) / 1.03;
  const ThroughputRow row = rows_of(record)[1];
  ASSERT_TRUE(row.fault);
  EXPECT_EQ("implausible", row.fault->name);
  EXPECT_EQ(row.fault->sentence, row.excluded);
  EXPECT_FALSE(row.gain);
  record.throughput[1].declared_gflops = gigaflops(honest) / 1.01;
  EXPECT_EQ("", rows_of(record)[1].excluded);
}

const ThroughputRow& row_named(const std::vector<ThroughputRow>& rows, const std::string& name) {
  return *std::ranges::find_if(rows, [&](const ThroughputRow& r) { return r.run.name == name; });
}

std::string chain(const char* link, const char* format, const char* width) {
  return std::string("rates.") + link + "." + format + ".portable." + width + ".n65536.chain";
}

TEST(Throughput, AChainGainsByItsBestWidths) {
  const auto rows = rows_of(fp16_record());
  EXPECT_FALSE(row_named(rows, chain("add", "fp16", "w1")).gain);
  const ThroughputRow& best = row_named(rows, chain("add", "fp16", "w2"));
  ASSERT_TRUE(best.gain);
  EXPECT_NEAR(2.6 / 1.4, best.gain->ratio, 0.001);
  EXPECT_TRUE(best.gain->apart);
  const ThroughputRow& fma = row_named(rows, chain("fma", "fp16", "w2"));
  ASSERT_TRUE(fma.fault);
  EXPECT_EQ("slow_fp16", fma.fault->name);
}

TEST(Throughput, BestWidthsNeedNotBeTheSame) {
  RunRecord record = fp16_record();
  ThroughputRun& narrow = run_named(record, chain("add", "fp32", "w1"));
  for (std::uint64_t& ns : narrow.samples_ns) ns /= 2;
  narrow.half_work_ns /= 2;
  const auto rows = rows_of(record);
  EXPECT_NEAR(1.55 / 1.4, row_named(rows, chain("add", "fp16", "w2")).gain->ratio, 0.001);
}

// A change of more than a tenth means that the clock moved; then only rows that were timed
// alternately are compared.
TEST(Throughput, NoGainOfSeparateRowsWhenClocksMoved) {
  RunRecord record = fp16_record();
  const auto moved_by = [&](double ratio) {
    for (ThroughputRun& run : record.throughput) {
      if (!is_again(run)) continue;
      const ThroughputRun first = run_named(record, run.name);
      for (std::size_t i = 0; i < run.samples_ns.size(); ++i)
        run.samples_ns[i] =
            static_cast<std::uint64_t>(ratio * static_cast<double>(first.samples_ns[i]));
    }
    return rows_of(record);
  };
  EXPECT_EQ("", clocks_moved(moved_by(1.09)));
  EXPECT_EQ("", clocks_moved(moved_by(0.92)));
  EXPECT_NE("", clocks_moved(moved_by(0.9)));
  const auto rows = moved_by(1.2);
  EXPECT_NE("", clocks_moved(rows));
  EXPECT_FALSE(row_named(rows, chain("add", "fp16", "w2")).gain) << "its duel is with an fma";
  const auto& gain = row_named(rows, chain("fma", "fp16", "w2")).gain;
  ASSERT_TRUE(gain);
  EXPECT_NEAR(0.19, gain->ratio, 0.001);
  EXPECT_FALSE(gain->apart);
  ThroughputRun& add = run_named(record, chain("add", "fp16", "w2"));
  const ThroughputRun& wide = run_named(record, chain("add", "fp32", "w2"));
  add.beside = Duel{.against = wide.name, .against_flops = wide.flops, .pairs = {}};
  for (std::uint64_t i = 0; i < 5; ++i) add.beside->pairs.push_back({300 + i, 100});
  const auto beside = row_named(rows_of(record), add.name).gain;
  ASSERT_TRUE(beside) << "it was timed in turn with its own counterpart";
  const double work = static_cast<double>(add.flops) / static_cast<double>(wide.flops);
  EXPECT_NEAR(3.02 * work, beside->ratio, 0.001);
  add.beside->against = chain("mul", "fp32", "w2");
  EXPECT_FALSE(row_named(rows_of(record), add.name).gain);
  EXPECT_NE(std::string::npos, tally(record).true_fp16.evidence.back().statement.find("clocks"));
}

// A clock may be too coarse for a single launch of a duel.
TEST(Throughput, ADuelWithATimeOfZeroGivesNoGainAndCostsNoCard) {
  RunRecord moved = fp16_record();
  for (ThroughputRun& run : moved.throughput) {
    if (!is_again(run)) continue;
    for (std::uint64_t& ns : run.samples_ns) ns = ns * 3 / 2;
  }
  const std::string name = chain("fma", "fp16", "w2");
  ASSERT_TRUE(row_named(rows_of(moved), name).gain) << "of its duel";
  for (std::uint64_t Duel::Pair::* side : {&Duel::Pair::own_ns, &Duel::Pair::against_ns}) {
    RunRecord record = moved;
    for (Duel::Pair& pair : run_named(record, name).duel->pairs) pair.*side = 0;
    EXPECT_FALSE(row_named(rows_of(record), name).gain);
    EXPECT_NO_THROW(static_cast<void>(tally(record)));
  }
}

// Rows as a journal holds them: older ones lack these fields.
TEST(Throughput, ReadsWhatARowWasVerifiedAndTimedWith) {
  ThroughputRun run;
  read_verification(nlohmann::json::object(), run);
  EXPECT_TRUE(run.verified.empty());
  EXPECT_FALSE(run.duel);
  EXPECT_EQ(0u, run.half_work_ns);
  read_verification(nlohmann::json::parse(R"({
    "verified": [{"name": "gemm.wide", "tier": "exact", "verdict": "pass", "elements": 9}],
    "duel": {"against": "a row", "against_flops": 4, "pairs_ns": [[1, 2], [3, 4]]},
    "half_work_ns": 5})"),
                    run);
  ASSERT_EQ(1u, run.verified.size());
  EXPECT_EQ(9u, run.verified[0].elements);
  ASSERT_TRUE(run.duel);
  EXPECT_EQ("a row", run.duel->against);
  ASSERT_EQ(2u, run.duel->pairs.size());
  EXPECT_EQ(3u, run.duel->pairs[1].against_ns);
  EXPECT_EQ(4u, run.duel->pairs[1].own_ns);
  EXPECT_EQ(5u, run.half_work_ns);
  read_verification(nlohmann::json{{"duel", nullptr}}, run = {});
  EXPECT_FALSE(run.duel);
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
