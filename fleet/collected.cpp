// SPDX-License-Identifier: Apache-2.0
#include "fleet/collected.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

namespace halfmark::fleet {
namespace {

constexpr std::string_view kEnd = "{\"schema\":\"halfmark-collected/1\",\"lines\":";

std::string end_of(std::uint64_t lines) { return fmt::format("{}{}}}", kEnd, lines); }

// A line is tried as a roll-up first, since nearly all are.
void read_line(const std::string& line, const CollectedSinks& sinks) {
  if (line.find(kAgentSchema) == std::string::npos) {
    sinks.rollup(parse_rollup(line));
  } else {
    sinks.agent(parse_agent(line));
  }
}

}  // namespace

void Collector::add_line(const std::string& line) {
  out_ << line;  // it ends with a line end
  ++lines_;
}

void Collector::finish() { fmt::print(out_, "{}\n", end_of(lines_)); }

void read_collected(std::istream& in, const CollectedSinks& sinks) {
  std::uint64_t lines = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kEnd)) {
      if (line != end_of(lines))
        sinks.unusable(fmt::format("it ends with {}, after {} lines", line, lines));
      return;
    }
    ++lines;
    try {
      if (line.size() > kMostRollupBytes) throw RollupError("it is too long");
      read_line(line, sinks);
    } catch (const RollupError& error) {
      sinks.unusable(fmt::format("line {}: {}", lines, error.what()));
    }
  }
  sinks.unusable(fmt::format("it was cut off after {} lines", lines));
}

}  // namespace halfmark::fleet
