// SPDX-License-Identifier: Apache-2.0
#include "fleet/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reference/text/json.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;
using Place = std::pair<std::string, std::string>;

constexpr text::JsonLimits kLimits{.bytes = kMostSweepBytes,
                                   .depth = 8,
                                   .values = std::size_t{1} << 26,
                                   .string_bytes = std::size_t{1} << 16};

// Absence, an error and a nondeterministic kernel are no finding against the device.
bool was_found_wrong(const std::string& verdict) {
  return std::ranges::any_of(kAllDeviceVerdicts, [&](DeviceVerdict one) {
    return name_of(one) == verdict && is_found_wrong(one);
  });
}

// Newest first, so that the first break ends what is wrong now.
void find_begin(const std::vector<EarlierSweep>& newest_first, const std::string& now,
                DeviceRow& row) {
  const Place place{row.node, row.selector};
  if (is_found_wrong(row.verdict)) row.since = now;
  bool is_unbroken = is_found_wrong(row.verdict);
  for (const EarlierSweep& sweep : newest_first) {
    const bool was_wrong = sweep.wrong.contains(place);
    is_unbroken = is_unbroken && was_wrong;
    if (is_unbroken) row.since = sweep.started;
    if (was_wrong) ++row.wrong_before;
  }
}

std::vector<Recurrence> recovered(const std::vector<EarlierSweep>& newest_first,
                                  const FleetReport& report) {
  std::set<Place> wrong_now;
  for (const DeviceRow& row : report.rows) {
    if (is_found_wrong(row.verdict)) wrong_now.emplace(row.node, row.selector);
  }
  std::map<Place, Recurrence> found;
  for (const EarlierSweep& sweep : newest_first) {
    for (const auto& [place, verdict] : sweep.wrong) {
      if (wrong_now.contains(place)) continue;
      auto [one, is_new] = found.try_emplace(place, Recurrence{.node = place.first,
                                                               .selector = place.second,
                                                               .verdict = verdict,
                                                               .last = sweep.started});
      ++one->second.sweeps;
    }
  }
  std::vector<Recurrence> list;
  for (auto& [place, one] : found) list.push_back(std::move(one));
  return list;
}

}  // namespace

EarlierSweep parse_sweep(std::string_view json_text) {
  try {
    const json j = text::read_json(json_text, kLimits);
    if (j.at("schema") != kFleetSchema)
      throw RollupError(fmt::format("its schema is not {}", kFleetSchema));
    if (!j.contains("started"))
      throw RollupError("it does not say when it was made: an older version wrote it");
    EarlierSweep sweep{.started = j.at("started").at("last"), .wrong = {}};
    for (const json& row : j.at("deviating")) {
      const std::string verdict = row.at("verdict");
      if (was_found_wrong(verdict))
        sweep.wrong.emplace(Place{row.at("node"), row.at("selector")}, verdict);
    }
    return sweep;
  } catch (const text::JsonError& error) {
    throw RollupError(error.what());
  } catch (const json::exception&) {
    throw RollupError("it is no report of `halfmark fleet merge --json`");
  }
}

void add_history(std::vector<EarlierSweep> sweeps, FleetReport& report) {
  std::ranges::sort(sweeps, std::greater<>{}, &EarlierSweep::started);
  report.earlier_sweeps = sweeps.size();
  if (sweeps.empty()) return;
  for (DeviceRow& row : report.rows) find_begin(sweeps, report.last_started, row);
  report.recurrences = recovered(sweeps, report);
}

}  // namespace halfmark::fleet
