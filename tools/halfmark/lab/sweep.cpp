// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tools/halfmark/lab/words.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

const json& wide_of(const json& modes) {
  return *std::ranges::find_if(modes, [](const json& mode) { return mode.at("name") == "fp32"; });
}

int scale_of(const json& mode) { return mode.at("steps").front().at("scale_log2").get<int>(); }

// Digests of the layers' weights.
std::vector<std::string> weights_of(const json& mode) {
  std::vector<std::string> digests;
  std::istringstream words(mode.at("weights").get<std::string>());
  for (std::string digest; std::getline(words, digest, '.');) digests.push_back(digest);
  return digests;
}

json equal_row(const json& modes, std::size_t layer) {
  json row = {
      {"name", fmt::format("W{}", layer + 1)}, {"least_log2", nullptr}, {"largest_log2", nullptr}};
  std::size_t most = 1;
  for (std::size_t first = 0; first < modes.size();) {
    const std::string digest = weights_of(modes[first]).at(layer);
    std::size_t end = first + 1;
    while (end < modes.size() && modes[end].at("format") == modes[first].at("format") &&
           weights_of(modes[end]).at(layer) == digest)
      ++end;
    if (modes[first].at("format") == "fp16" && end - first > most) {
      most = end - first;
      row["least_log2"] = scale_of(modes[first]);
      row["largest_log2"] = scale_of(modes[end - 1]);
    }
    first = end;
  }
  return row;
}

}  // namespace

std::optional<double> gap_to_fp32(const json& modes, const json& mode) {
  const json& wide = wide_of(modes).at("steps").back().at("loss");
  const json& last = mode.at("steps").back();
  const json& loss = last.at("loss");
  if (!last.at("first_non_finite").is_null()) return std::nullopt;
  if (!wide.is_number() || !loss.is_number()) return std::nullopt;
  return std::abs(loss.get<double>() / wide.get<double>() - 1);
}

json scales_that_keep_up(const json& modes) {
  constexpr double kClose = 1e-3;
  json range;
  for (const json& mode : modes) {
    const std::optional<double> gap = gap_to_fp32(modes, mode);
    if (mode.at("format") != "fp16" || !gap || *gap > kClose) continue;
    const int scale = scale_of(mode);
    if (range.is_null()) range["least_log2"] = scale;
    range["largest_log2"] = scale;
  }
  return range;
}

json scales_of_equal_weights(const json& modes) {
  json rows = json::array();
  const std::size_t layers = weights_of(modes.front()).size();
  for (std::size_t layer = 0; layer < layers; ++layer) rows.push_back(equal_row(modes, layer));
  return rows;
}

void print_scales(const char* where, const json& modes, std::ostream& out) {
  fmt::print(out, "\n{}\n  {:>6} {:>10} {:>12} {:>10} {:>10}  {}\n", where, "scale", "last loss",
             "from fp32's", "zero", "subnormal", "died of");
  for (const json& mode : modes) {
    const json& last = mode.at("steps").back();
    const std::optional<double> gap = gap_to_fp32(modes, mode);
    const std::string of = mode.at("died_of");
    fmt::print(out, "  {:>6} {:>10} {:>12} {:>10} {:>10}  {}\n", mode.at("name").get<std::string>(),
               word(last.at("loss")), gap ? percent(*gap) : "-",
               percent(last.at("zero_share").get<double>()),
               percent(last.at("subnormal_share").get<double>()), of.empty() ? "-" : of);
  }
  const json range = scales_that_keep_up(modes);
  if (range.is_null())
    fmt::print(out, "  no scale keeps up with fp32\n");
  else
    fmt::print(
        out, "  2^{} is the smallest scale that keeps up with fp32 (to 0.1 %), 2^{} the largest\n",
        range.at("least_log2").get<int>(), range.at("largest_log2").get<int>());
  for (const json& row : scales_of_equal_weights(modes)) {
    const std::string name = row.at("name");
    if (row.at("least_log2").is_null())
      fmt::print(out, "  {} differs from each scale to the next\n", name);
    else
      fmt::print(out, "  {} is bit-equal for scales 2^{} to 2^{}\n", name,
                 row.at("least_log2").get<int>(), row.at("largest_log2").get<int>());
  }
}

}  // namespace halfmark::tools::lab
