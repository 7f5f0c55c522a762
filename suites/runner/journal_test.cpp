// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/journal.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

std::filesystem::path scratch(const char* name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// Cases 1 to 3.
std::filesystem::path written(const char* name) {
  auto file = scratch(name);
  Journal journal(file);
  for (int n = 1; n <= 3; ++n) journal.append("case", {{"n", n}});
  return file;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    static_cast<void>(read_journal(file));
  } catch (const EnvironmentError& error) {
    return error.what();
  }
  return "read";
}

TEST(Journal, KeepsWhatWasAppended) {
  const auto text = read_journal(written("keeps.jsonl"));
  ASSERT_EQ(3u, text.lines.size());
  EXPECT_EQ("case", text.lines[1].at("kind"));
  EXPECT_EQ(2, text.lines[1].at("n"));
  EXPECT_FALSE(text.lines[1].contains("check"));
}

TEST(Journal, ALineCutOffByAKillCostsOnlyItself) {
  const auto file = written("cut.jsonl");
  const std::uint64_t whole = read_journal(file).bytes;
  std::ofstream(file, std::ios::app) << R"({"check":"00)";
  const JournalText text = read_journal(file);
  EXPECT_EQ(3u, text.lines.size());
  EXPECT_EQ(whole, text.bytes);
  Journal(file, text).append("case", {{"n", 4}});
  const auto lines = read_journal(file).lines;
  ASSERT_EQ(4u, lines.size());
  EXPECT_EQ(4, lines[3].at("n"));
}

// Wherever the file is cut, all complete lines before the cut are read.
TEST(Journal, CutAnywhereIsItsBeginning) {
  const auto file = written("cut-anywhere.jsonl");
  const std::string text = text_of(file);
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    std::filesystem::resize_file(file, bytes);
    const auto whole = std::count(text.begin(), text.begin() + static_cast<long>(bytes), '\n');
    EXPECT_EQ(whole, static_cast<long>(read_journal(file).lines.size())) << bytes;
    std::ofstream(file, std::ios::binary) << text;
  }
}

TEST(Journal, NoFlippedBitPasses) {
  const auto file = written("flipped.jsonl");
  const std::string good = text_of(file);
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    text[random() % (text.size() - 1)] ^= static_cast<char>(1u << random() % 8);
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_NE("read", refusal(file)) << text;
  }
}

TEST(Journal, NoLineIsMissingSwappedTwiceOrOfAnotherJournal) {
  const auto file = written("lines.jsonl");
  std::vector<std::string> lines;
  std::istringstream in(text_of(file));
  for (std::string line; std::getline(in, line);) lines.push_back(line + "\n");
  for (const std::string& text :
       {lines[1] + lines[2], lines[0] + lines[2], lines[1] + lines[0] + lines[2],
        lines[0] + lines[0] + lines[1], lines[0] + lines[1] + lines[2] + lines[0]}) {
    std::ofstream(file, std::ios::binary) << text;
    EXPECT_NE(std::string::npos, refusal(file).find("damaged or from another journal")) << text;
  }
}

TEST(Journal, ADamagedLineIsNamedWithFileAndRemedy) {
  const auto file = written("named.jsonl");
  std::string text = text_of(file);
  text[text.find("\"n\":2") + 4] = '5';
  std::ofstream(file, std::ios::binary) << text;
  EXPECT_EQ(
      "line 2 of " + file.string() +
          " is damaged or from another journal (it does not follow the line before it); start "
          "again without --resume, or choose another folder with --out",
      refusal(file));
}

TEST(Journal, AForeignFileIsNamed) {
  const auto file = scratch("foreign.jsonl");
  std::ofstream(file) << "hello\nworld\n";
  EXPECT_TRUE(refusal(file).starts_with("line 1 of " + file.string()));
  std::ofstream(file) << R"({"kind":"case","n":1})" << '\n';
  EXPECT_TRUE(refusal(file).starts_with("line 1 of " + file.string())) << "without checks";
  std::ofstream(file) << "";
  EXPECT_TRUE(read_journal(file).lines.empty()) << "a disk was full at byte 0";
  EXPECT_THROW(Journal("/nonexistent/folder/journal.jsonl"), EnvironmentError);
}

TEST(Journal, AFullDiskIsAnErrorAndNotSilence) {
  Journal journal("/dev/full");
  try {
    journal.append("case", {{"n", 1}});
    FAIL() << "writing to a full disk must throw";
  } catch (const EnvironmentError& e) {
    EXPECT_NE(std::string::npos, std::string(e.what()).find("/dev/full"));
    EXPECT_NE(std::string::npos, std::string(e.what()).find("No space left"));
  }
}

// /dev/full never ends a line or the file: reading on would exhaust memory.
TEST(Journal, AFileThatNoRunHasWrittenIsNotRead) {
  EXPECT_EQ("/dev/full was not written by a run", refusal("/dev/full"));
}

}  // namespace
}  // namespace halfmark::suites
