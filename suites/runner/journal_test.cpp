// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "suites/core/errors.hpp"

namespace halfmark::suites {
namespace {

std::filesystem::path scratch(const char* name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path;
}

TEST(Journal, KeepsWhatWasAppended) {
  const auto file = scratch("keeps.jsonl");
  {
    Journal journal(file, Journal::Mode::kFresh);
    journal.append("case", {{"n", 1}});
    journal.append("case", {{"n", 2}});
  }
  const auto lines = read_journal(file);
  ASSERT_EQ(2u, lines.size());
  EXPECT_EQ("case", lines[1].at("kind"));
  EXPECT_EQ(2, lines[1].at("n"));
}

TEST(Journal, ALineCutOffByAKillCostsOnlyItself) {
  const auto file = scratch("cut.jsonl");
  std::ofstream(file) << R"({"kind":"case","n":1})" << '\n' << R"({"kind":"ca)";
  EXPECT_EQ(1u, read_journal(file).size());
  Journal(file, Journal::Mode::kAppend).append("case", {{"n", 3}});
  const auto lines = read_journal(file);
  ASSERT_EQ(2u, lines.size());
  EXPECT_EQ(3, lines[1].at("n"));
}

TEST(Journal, AForeignFileIsNamed) {
  const auto file = scratch("foreign.jsonl");
  std::ofstream(file) << "hello\nworld\n";
  EXPECT_THROW(static_cast<void>(read_journal(file)), EnvironmentError);
  EXPECT_THROW(Journal("/nonexistent/folder/journal.jsonl", Journal::Mode::kFresh),
               EnvironmentError);
}

TEST(Journal, AFullDiskIsAnErrorAndNotSilence) {
  Journal journal("/dev/full", Journal::Mode::kAppend);
  try {
    journal.append("case", {{"n", 1}});
    FAIL() << "writing to a full disk must throw";
  } catch (const EnvironmentError& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find("/dev/full"));
    EXPECT_NE(std::string::npos, std::string(e.what()).find("No space left"));
  }
}

// /dev/full ends no line and has no end: whoever reads on takes all memory.
TEST(Journal, AFileThatNoRunHasWrittenIsNotRead) {
  try {
    static_cast<void>(read_journal("/dev/full"));
    FAIL() << "read";
  } catch (const EnvironmentError& e) {
    EXPECT_STREQ("/dev/full is no file that a run has written", e.what());
  }
}

}  // namespace
}  // namespace halfmark::suites
