// SPDX-License-Identifier: Apache-2.0
// What real matrix units returned, line by line, against their rows.
//
// The vectors are those published with Khattak and Mikaitis, "Accurate Models of Tensor Cores",
// arXiv:2512.07004 (BSD-2), one file per device, input and output: after a line of comment, lines
// of `a... | b... | c | d` in hex. The folder is $HALFMARK_VECTORS, or stands beside the
// repository; without it these tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "reference/models/unit.hpp"

namespace halfmark::models {
namespace {

namespace fs = std::filesystem;

fs::path folder() {
  if (const char* set = std::getenv("HALFMARK_VECTORS")) return set;
  return fs::path(HALFMARK_ROOT) / ".." / "shared" / "data" / "matrix-unit-vectors";
}

struct Line {
  std::vector<Bits> a, b, c, d;
};

std::vector<Line> read_lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    Line line;
    std::vector<Bits>* fields[] = {&line.a, &line.b, &line.c, &line.d};
    std::size_t field = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "|") {
        ++field;
      } else {
        fields[field]->push_back(std::stoull(word, nullptr, 16));
      }
    }
    lines.push_back(line);
  }
  return lines;
}

// The generation of each device; the instruction is that of a warp.
const std::map<std::string, std::string> kGenerations{
    {"v100", "volta"}, {"a100", "ampere"}, {"a2", "ampere"},   {"ada", "ada"},
    {"l40s", "ada"},   {"h100", "hopper"}, {"h200", "hopper"}, {"b200", "blackwell"},
};

struct File {
  const Unit* unit;
  const Format* format;
  bool with_c;
};

File describe(const fs::path& path) {
  std::istringstream stem(path.stem().string());
  std::string device, input, output;
  std::getline(stem, device, '.');
  std::getline(stem, input, '.');
  std::getline(stem, output, '.');
  const std::string generation = kGenerations.at(device);
  // These files hold what the unit made of the products alone, and on the fp8 datapath (results of
  // 14 significant bits), which only wgmma reaches.
  const bool alone =
      generation == "hopper" && output == "fp32" && (input == "e4m3" || input == "e5m2");
  const std::string instruction = alone ? ".wgmma." : ".mma.";
  // tf32 operands are written as fp32 words.
  const Format* format = input == "tf32" ? &formats::kFp32 : formats::find_format(input);
  return {find_unit("unit." + generation + instruction + input + "." + output), format, !alone};
}

std::size_t matches(const File& file, const std::vector<Line>& lines) {
  std::size_t count = 0;
  for (const Line& line : lines) {
    std::optional<Encoded> c;
    if (file.with_c) c = Encoded{&formats::kFp32, line.c[0]};
    const Encoded d = unit_dot(*file.unit, {file.format, line.a.data()},
                               {file.format, line.b.data()}, line.a.size(), c);
    if (d.bits == line.d[0]) ++count;
  }
  return count;
}

TEST(UnitVectors, EveryLineOfEveryFile) {
  if (!fs::is_directory(folder())) {
    GTEST_SKIP() << "no hardware vectors at " << folder() << "; set HALFMARK_VECTORS";
  }
  std::size_t files = 0;
  std::size_t lines = 0;
  for (const auto& entry : fs::directory_iterator(folder())) {
    if (entry.path().extension() != ".txt") continue;
    const File file = describe(entry.path());
    ASSERT_NE(file.unit, nullptr) << entry.path();
    const std::vector<Line> all = read_lines(entry.path());
    EXPECT_EQ(all.size(), matches(file, all)) << entry.path() << " by " << file.unit->name;
    ++files;
    lines += all.size();
  }
  EXPECT_EQ(48U, files);
  EXPECT_EQ(19200U, lines);
}

}  // namespace
}  // namespace halfmark::models
