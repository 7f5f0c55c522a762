// SPDX-License-Identifier: Apache-2.0
// The modelled tier end to end: an arithmetic is planted in a device, found by probes in a worker,
// checked against fresh data, kept in the journal, and reported in the scorecard.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "reports/scorecard.hpp"
#include "tools/halfmark/modelled/workbench.hpp"

namespace halfmark::tools {
namespace {

std::string journal_named(const char* name) {
  const auto folder = std::filesystem::path(::testing::TempDir());
  return (folder / (std::string("modelled-") + name + ".jsonl")).string();
}

std::uint64_t passes(const reports::Scorecard& card, const char* tier) {
  const auto& tiers = card.suites.at(0).tiers;
  return tiers.contains(tier) ? tiers.at(tier)[suites::Verdict::kPass] : 0;
}

TEST(Modelled, APlantedUnitIsNamedAndHoldsH3) {
  const auto card =
      run_of_gemm({.planted = "unit.hopper.mma.fp16.fp32", .journal = journal_named("hopper")});
  ASSERT_EQ(3u, card.arithmetic.size());
  for (const reports::ArithmeticEntry& entry : card.arithmetic) {
    EXPECT_EQ("unit.hopper.mma.fp16.fp32", entry.arithmetic) << entry.evidence;
    EXPECT_TRUE(entry.contradicted_cases.empty());
    EXPECT_GT(entry.explained_cases, 0u);
  }
  EXPECT_EQ(10u, passes(card, "modelled"));
  EXPECT_EQ(0u, passes(card, "bounded"));
  const reports::Mark* mark = reports::find_mark(card, "H3");
  EXPECT_TRUE(mark->held) << mark->reasons.at(0);
}

TEST(Modelled, FreshDataThatContradictAFoundNameWithdrawItAndWithholdH3) {
  const auto card = run_of_gemm({.planted = "plain:fp32.sequential.fma|scaled:fp32.reversed.fma",
                                 .journal = journal_named("scaled")});
  // The cases with C, except one whose results have too few digits to reveal the order.
  EXPECT_EQ(2u, passes(card, "bounded"));
  EXPECT_EQ(10u, passes(card, "modelled"));
  std::vector<std::string> contradicted;
  for (const reports::ArithmeticEntry& entry : card.arithmetic) {
    const bool holds = entry.contradicted_cases.empty();
    EXPECT_EQ(holds ? "fp32.sequential.fma" : "none", entry.arithmetic);
    EXPECT_EQ(holds ? "named" : "unexplained", entry.outcome);
    EXPECT_EQ(!holds, std::ranges::count(entry.others, "fp32.sequential.fma") == 1);
    contradicted.insert(contradicted.end(), entry.contradicted_cases.begin(),
                        entry.contradicted_cases.end());
  }
  ASSERT_EQ(2u, contradicted.size());
  for (const std::string& name : contradicted) {
    EXPECT_NE(std::string::npos, name.find(".ab")) << name;
  }
  EXPECT_FALSE(reports::find_mark(card, "H3")->held);
}

TEST(Modelled, AResumedRunKeepsWhatItsJournalSays) {
  const std::string file = journal_named("resumed");
  static_cast<void>(run_of_gemm({.planted = "fp32.sequential.fma", .journal = file}));
  std::vector<std::string> kept;
  {
    std::ifstream in(file);
    bool found = false;  // stop after the arithmetic, before any case
    for (std::string line; !found && std::getline(in, line);) {
      found = line.find("\"kind\":\"arithmetic\"") != std::string::npos;
      kept.push_back(line);
    }
    ASSERT_TRUE(found);
  }
  {
    std::ofstream out(file);
    for (const std::string& line : kept) out << line << '\n';
  }
  const auto card = run_of_gemm({.planted = "fp32.reversed.fma", .journal = file, .resume = true});
  const auto of_journal =
      std::ranges::find_if(card.arithmetic, [](const reports::ArithmeticEntry& entry) {
        return std::ranges::count(entry.others, "fp32.sequential.fma") > 0;
      });
  ASSERT_NE(card.arithmetic.end(), of_journal);
  EXPECT_FALSE(of_journal->contradicted_cases.empty());
}

}  // namespace
}  // namespace halfmark::tools
