// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/fleet/merge_verb.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ctime>
#include <sstream>

#include "fleet/merge.hpp"
#include "fleet/writers.hpp"
#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/fleet/gather.hpp"

namespace halfmark::tools {
namespace {

constexpr std::size_t kMostRosterBytes = std::size_t{64} << 20;

std::optional<fleet::Roster> read_roster(const FleetMergeOptions& options) {
  if (!options.roster) return std::nullopt;
  try {
    return fleet::parse_roster(reports::read_file(*options.roster, kMostRosterBytes));
  } catch (const reports::FileError& error) {
    throw suites::UsageError(
        fmt::format("{}; name a file with one node in each line", error.what()));
  } catch (const fleet::RosterError& error) {
    throw suites::UsageError(
        fmt::format("{}: {}", text::visible_line(options.roster->string()), error.what()));
  }
}

std::optional<fleet::DrainForm> drain_form(const FleetMergeOptions& options) {
  if (options.drain.empty()) return std::nullopt;
  const auto form = fleet::parse_drain_form(options.drain);
  if (!form)
    throw suites::UsageError(
        fmt::format("there is no form '{}' of a drain list; choose from: slurm, kubernetes, plain",
                    text::visible_line(options.drain)));
  return form;
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  try {
    reports::write_file_atomically(file, text);
  } catch (const reports::FileError& error) {
    throw suites::EnvironmentError(error.what());
  }
}

void write_files(const FleetMergeOptions& options, const fleet::FleetReport& report) {
  if (options.json)
    write_file(
        *options.json,
        to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  if (options.metrics) {
    std::ostringstream text;
    write_metrics(report, static_cast<std::uint64_t>(std::time(nullptr)), text);
    write_file(*options.metrics, text.str());
  }
}

}  // namespace

int fleet_merge(const FleetMergeOptions& options, std::ostream& out, std::ostream& err) {
  const auto form = drain_form(options);
  const auto roster = read_roster(options);
  fleet::Merge merge;
  const Gathered gathered = gather(options.folders, merge);
  if (!roster && gathered.answers() + gathered.agents + gathered.unusable == 0)
    throw suites::UsageError(
        fmt::format("there is no answer of any device below {}; name the folder that `halfmark "
                    "fleet run` wrote to, or add --roster",
                    text::visible_line(options.folders.front().string())));
  const fleet::FleetReport report = merge.finish(roster);
  write_files(options, report);
  write_console(report, form ? err : out);
  if (form) write_drain_list(report, *form, options.drain_cap_percent, out);
  return exit_code(report);
}

}  // namespace halfmark::tools
