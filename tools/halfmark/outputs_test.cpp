// SPDX-License-Identifier: Apache-2.0
// Tests a finding whose program cannot be written because it names a tensor that its case does not
// have, output files whose paths are taken, and what goes and stays of an earlier run.
#include "tools/halfmark/outputs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "reports/files.hpp"
#include "tools/halfmark/reproducers/reproducer.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;

// 1.5 * 2 + 1 * 1 = 4.
suites::CaseResult product(const std::string& tensor, const std::string& rule) {
  suites::CaseResult result;
  result.name = "gemm.bf16.acc-fp32.out-bf16.portable.nn.m1n1k2.plain.integer.s1";
  result.rule = rule;
  result.verdict = suites::Verdict::kFail;
  suites::Reduction reduction;
  reduction.case_name = result.name;
  reduction.tensors = {{"a", "bf16", 2, {0, 1}, {"3fc0", "3f80"}, {"1.5", "1"}},
                       {"b", "bf16", 2, {0, 1}, {"4000", "3f80"}, {"2", "1"}}};
  suites::Element wrong;
  wrong.tensor = tensor;
  wrong.expected_hex = wrong.actual_hex = "4080";
  reduction.wrong.push_back(wrong);
  result.reduction = reduction;
  return result;
}

class Outputs : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "halfmark-outputs-XXXXXX").string();
    ASSERT_NE(nullptr, ::mkdtemp(pattern.data()));
    folder_ = pattern;
    device_.backend = "opencl";
    device_.promises.push_back({"fp16.storage", true, "", ""});
    device_.max_group_items = 256;
    add("F001", product("nowhere", "one"));
    add("F002", product("d", "two"));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void add(const std::string& id, suites::CaseResult result) {
    reports::Finding finding;
    finding.id = id;
    finding.result = std::move(result);
    card_.findings.push_back(std::move(finding));
  }

  Written write() { return write_outputs(card_, device_, folder_, err_); }

  void plant(const char* name) { reports::write_file_atomically(folder_ / name, "of before"); }

  reports::Scorecard card_;
  backends::DeviceInfo device_;
  fs::path folder_;
  std::ostringstream err_;
};

TEST_F(Outputs, AProgramThatCannotBeWrittenCostsItself) {
  EXPECT_TRUE(write().card);
  const std::string line = err_.str();
  EXPECT_EQ(1, std::count(line.begin(), line.end(), '\n')) << line;
  EXPECT_TRUE(line.starts_with(
      "halfmark: the reproducer of F001 was not written: writing it failed unexpectedly: "))
      << line;
  EXPECT_FALSE(fs::exists(folder_ / "reproducers" / "F001.c"));
  EXPECT_TRUE(fs::exists(folder_ / "reproducers" / "F002.c"));
  EXPECT_TRUE(reports::read_file(folder_ / "reproducers" / "none.txt")
                  .starts_with("F001 gemm.bf16.acc-fp32.out-bf16.portable.nn.m1n1k2.plain.integer."
                               "s1: writing it failed unexpectedly: "));
  EXPECT_TRUE(fs::exists(folder_ / "scorecard.json"));
  EXPECT_TRUE(fs::exists(folder_ / "report.html"));
}

TEST_F(Outputs, ProgramsThatCannotBeWrittenAreOneLine) {
  plant("reproducers");  // a file where the folder belongs
  EXPECT_TRUE(write().card);
  EXPECT_NE(std::string::npos, err_.str().find("; and 1 more; ")) << err_.str();
  EXPECT_NE(std::string::npos, err_.str().find("none.txt was not written: ")) << err_.str();
  EXPECT_TRUE(fs::exists(folder_ / "scorecard.json"));
}

TEST_F(Outputs, SayWhatWasWritten) {
  card_.findings.clear();
  fs::create_symlink("/dev/full", folder_ / "report.html");
  const Written without_report = write();
  EXPECT_TRUE(without_report.card);
  EXPECT_FALSE(without_report.report);
  EXPECT_TRUE(err_.str().starts_with("halfmark: report.html was not written: ")) << err_.str();
  fs::remove(folder_ / "report.html");
  fs::remove(folder_ / "scorecard.json");
  fs::create_directory(folder_ / "scorecard.json");
  const Written without_card = write();
  EXPECT_FALSE(without_card.card);
  EXPECT_TRUE(without_card.report);
}

constexpr const char* kOfTheUser[] = {"journal.jsonl",      "notes.txt",
                                      "reproducers/F1.c",   "reproducers/F001.c.orig",
                                      "reproducers/Fast.c", "reproducers/main.c"};

TEST_F(Outputs, ProgramsOfAnEarlierRunGoWhenNewOnesAreWritten) {
  for (const char* name : kOfTheUser) plant(name);
  for (const char* name : {"reproducers/F003.c", "reproducers/none.txt"}) plant(name);
  card_.findings.erase(card_.findings.begin());  // the other one has a program
  EXPECT_TRUE(write().card);
  EXPECT_TRUE(fs::exists(folder_ / "reproducers/F002.c"));
  for (const char* name : {"reproducers/F003.c", "reproducers/none.txt"})
    EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  for (const char* name : kOfTheUser) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
}

// Also where nothing is to be written, so that no other line could say so.
TEST_F(Outputs, ProgramsOfAnEarlierRunThatStayAreNamed) {
  for (const char* name : {"reproducers/F001.c", "reproducers/F002.c"}) plant(name);
  card_.findings.clear();
  fs::permissions(folder_, fs::perms::all);
  fs::permissions(folder_ / "reproducers", fs::perms{0555});
  const bool is_root = ::geteuid() == 0;  // who may remove everything
  if (is_root) {
    ASSERT_EQ(0, ::seteuid(65534));
  }
  const bool has_card = write().card;
  if (is_root) {
    ASSERT_EQ(0, ::seteuid(0));
  }
  fs::permissions(folder_ / "reproducers", fs::perms::all);
  EXPECT_TRUE(has_card);
  EXPECT_TRUE(err_.str().starts_with("halfmark: F00"));
  EXPECT_TRUE(err_.str().ends_with(
      ".c of an earlier run was not removed: Permission denied; and 1 more; remove them by hand\n"))
      << err_.str();
}

TEST_F(Outputs, OfAnEarlierRunAreRemovedAndNothingElse) {
  EXPECT_NO_THROW(remove_outputs(folder_));
  EXPECT_TRUE(write().card);
  for (const char* name : kOfTheUser) plant(name);
  fs::create_directory(folder_ / "reproducers/F004.c");
  remove_outputs(folder_);
  for (const char* name :
       {"scorecard.json", "report.html", "reproducers/F002.c", "reproducers/none.txt"})
    EXPECT_FALSE(fs::exists(folder_ / name)) << name;
  for (const char* name : kOfTheUser) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
  EXPECT_TRUE(fs::exists(folder_ / "reproducers/F004.c"));
  plant("latest.json");
  fs::create_symlink(folder_ / "latest.json", folder_ / "scorecard.json");
  remove_outputs(folder_);
  EXPECT_TRUE(fs::is_symlink(folder_ / "scorecard.json")) << "a link keeps its place";
}

}  // namespace
}  // namespace halfmark::tools
