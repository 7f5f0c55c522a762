// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/fleet/merge_verb.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <ctime>
#include <sstream>

#include "fleet/history.hpp"
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

std::vector<fleet::EarlierSweep> read_earlier(const FleetMergeOptions& options) {
  std::vector<fleet::EarlierSweep> sweeps;
  for (const auto& file : options.earlier) {
    try {
      sweeps.push_back(fleet::parse_sweep(reports::read_file(file, fleet::kMostSweepBytes)));
    } catch (const reports::FileError& error) {
      throw suites::UsageError(
          fmt::format("{}; name what an earlier merge wrote with --json", error.what()));
    } catch (const fleet::RollupError& error) {
      throw suites::UsageError(
          fmt::format("{}: {}", text::visible_line(file.string()), error.what()));
    }
  }
  return sweeps;
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  try {
    reports::write_file_atomically(file, text);
  } catch (const reports::FileError& error) {
    throw suites::EnvironmentError(error.what());
  }
}

// A report of the same answers, or of later ones, would shift since when a device is wrong.
void require_earlier(const FleetMergeOptions& options,
                     const std::vector<fleet::EarlierSweep>& sweeps,
                     const fleet::FleetReport& report) {
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    if (report.last_started.empty() || sweeps[i].started < report.last_started) continue;
    throw suites::UsageError(fmt::format(
        "--earlier {}: it is of {}, and the answers merged here are of {}; leave it out",
        text::visible_line(options.earlier[i].string()), text::visible_line(sweeps[i].started),
        report.last_started));
  }
}

// A merge finds such files by their names.
void check_collect(const FleetMergeOptions& options) {
  if (!options.collect || options.collect->string().ends_with(fleet::kCollectedSuffix)) return;
  throw suites::UsageError(fmt::format("--collect '{}' must end in {}",
                                       text::visible_line(options.collect->string()),
                                       fleet::kCollectedSuffix));
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
  std::vector<fleet::EarlierSweep> earlier = read_earlier(options);
  check_collect(options);
  fleet::Merge merge;
  std::ostringstream collected;
  fleet::Collector collector(collected);
  const Gathered gathered = gather(options.folders, merge, options.collect ? &collector : nullptr);
  if (!roster && gathered.answers() + gathered.agents + gathered.unusable == 0)
    throw suites::UsageError(
        fmt::format("there is no answer of any device below {}; name the folder that `halfmark "
                    "fleet run` wrote to, or add --roster",
                    text::visible_line(options.folders.front().string())));
  fleet::FleetReport report = merge.finish(roster);
  require_earlier(options, earlier, report);
  add_history(std::move(earlier), report);
  write_files(options, report);
  if (options.collect) {
    collector.finish();
    write_file(*options.collect, collected.str());
  }
  write_console(report, form ? err : out);
  if (form) write_drain_list(report, *form, options.drain_cap_percent, out);
  return exit_code(report);
}

}  // namespace halfmark::tools
