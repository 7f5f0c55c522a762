// SPDX-License-Identifier: Apache-2.0
// Describes the roofs of a device in words. Decides which format appears on which line.
#include <fmt/format.h>

#include <map>

#include "reports/writers/story.hpp"
#include "reports/writers/text.hpp"

namespace halfmark::reports {
namespace {

std::string chain_text(const Roof& roof) {
  const std::string declared =
      roof.best.of_declared > 0
          ? fmt::format(", {} % of declared", significant(100 * roof.best.of_declared))
          : "";
  return fmt::format("{} {} ({}{})", roof.operation, significant(roof.best.gflops), roof.best.width,
                     declared);
}

std::string memory_text(const MemoryRoof& memory) {
  return fmt::format("{} of {}-byte words {}", memory.operation, memory.word_bytes,
                     significant(memory.gbytes_per_s));
}

}  // namespace

std::vector<std::string> roof_lines(const Scorecard& card) {
  const Roofs& roofs = card.roofs;
  std::vector<std::string> lines, memory, formats;
  std::map<std::string, std::vector<std::string>> chains;
  for (const Roof& roof : roofs.operations) {
    if (!chains.contains(roof.formats)) formats.push_back(roof.formats);
    chains[roof.formats].push_back(chain_text(roof));
  }
  for (const std::string& format : formats)
    lines.push_back(fmt::format("{} chains, GFLOP/s: {}", format, joined(chains[format], ", ")));
  if (roofs.fp32_best.gflops > 0)
    lines.push_back(fmt::format("fp32 at best, GFLOP/s: {} by {}; unrest {} x",
                                significant(roofs.fp32_best.gflops), roofs.fp32_best.row,
                                significant(roofs.unrest)));
  for (const MemoryRoof& roof : roofs.memory) memory.push_back(memory_text(roof));
  if (!memory.empty()) lines.push_back(fmt::format("memory, GB/s: {}", joined(memory, ", ")));
  if (!roofs.clocks.empty()) lines.push_back(roofs.clocks);
  return lines;
}

std::string rate_or_none(const std::optional<double>& rate) {
  return rate ? significant(*rate) : "-";
}

}  // namespace halfmark::reports
