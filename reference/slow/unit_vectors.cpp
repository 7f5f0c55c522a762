// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/unit_vectors.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace halfmark::slow {
namespace {

namespace fs = std::filesystem;
using formats::Bits;
using formats::Format;

// The generation of each device; the instruction is the warp-level one.
const std::map<std::string, std::string> kGenerations{
    {"v100", "volta"}, {"a100", "ampere"}, {"a2", "ampere"},   {"ada", "ada"},
    {"l40s", "ada"},   {"h100", "hopper"}, {"h200", "hopper"}, {"b200", "blackwell"},
};

struct Kind {
  const models::Unit* unit;
  const Format* format;
  bool with_c;
};

Kind kind_of(const fs::path& path) {
  std::istringstream stem(path.stem().string());
  std::string device, input, output;
  std::getline(stem, device, '.');
  std::getline(stem, input, '.');
  std::getline(stem, output, '.');
  const auto generation = kGenerations.find(device);
  if (generation == kGenerations.end()) return {nullptr, nullptr, false};
  // These files contain the unit's results for the products only, without c, on the fp8 datapath
  // (results of 14 significant bits), which only wgmma reaches.
  const bool alone =
      generation->second == "hopper" && output == "fp32" && (input == "e4m3" || input == "e5m2");
  const std::string instruction = alone ? ".wgmma." : ".mma.";
  const Format* format = input == "tf32" ? &formats::kFp32 : formats::find_format(input);
  return {models::find_unit("unit." + generation->second + instruction + input + "." + output),
          format, !alone};
}

using Line = std::array<std::vector<Bits>, 4>;

Line read_line(const std::string& text) {
  Line fields;
  std::size_t field = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "|") {
      ++field;
    } else {
      fields.at(field).push_back(std::stoull(word, nullptr, 16));
    }
  }
  return fields;
}

VectorFile read_file(const fs::path& path) {
  const Kind kind = kind_of(path);
  VectorFile file{path.filename().string(), kind.unit, {}, {}};
  if (kind.unit == nullptr) return file;
  std::ifstream in(path);
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    Line line = read_line(text);
    UnitProblem problem{kind.format, kind.format, std::move(line[0]), std::move(line[1]), {},
                        {},          {}};
    if (kind.with_c) problem.c = models::Encoded{&formats::kFp32, line[2].at(0)};
    file.problems.push_back(std::move(problem));
    file.answers.push_back(line[3].at(0));
  }
  return file;
}

}  // namespace

fs::path vectors_folder() {
  if (const char* set = std::getenv("HALFMARK_VECTORS")) return set;
  return fs::path(HALFMARK_ROOT) / ".." / "shared" / "data" / "matrix-unit-vectors";
}

std::vector<VectorFile> read_vectors() {
  std::vector<VectorFile> files;
  if (!fs::is_directory(vectors_folder())) return files;
  for (const auto& entry : fs::directory_iterator(vectors_folder())) {
    if (entry.path().extension() == ".txt") files.push_back(read_file(entry.path()));
  }
  std::sort(files.begin(), files.end(),
            [](const VectorFile& x, const VectorFile& y) { return x.name < y.name; });
  return files;
}

}  // namespace halfmark::slow
