// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>

#include "fleet/statistics.hpp"
#include "fleet/writers.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::fleet {
namespace {

// The value of a label: backslash, quote and line feed are escaped (OpenMetrics 1.0,
// ABNF escaped-string).
std::string label(const std::string& foreign) {
  std::string escaped;
  for (const char c : text::visible_line(foreign)) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void head(std::ostream& out, const char* name, const char* help) {
  fmt::print(out, "# TYPE halfmark_fleet_{0} gauge\n# HELP halfmark_fleet_{0} {1}\n", name, help);
}

template <typename Value>
void single(std::ostream& out, const char* name, const char* help, Value value) {
  head(out, name, help);
  fmt::print(out, "halfmark_fleet_{} {}\n", name, value);
}

void write_devices(const FleetReport& report, std::ostream& out) {
  head(out, "devices", "Devices by verdict.");
  for (const DeviceVerdict verdict : kAllDeviceVerdicts)
    fmt::print(out, "halfmark_fleet_devices{{verdict=\"{}\"}} {}\n", name_of(verdict),
               report.count(verdict));
  head(out, "device_verdict", "Devices that are not conformant; the value counts them.");
  // Two rows may have the same labels, and a series may not: tasks of two runs that left nothing.
  std::map<std::string, std::uint64_t> series;
  for (std::size_t i = 0; i < report.rows.size() && i < kMostSeries; ++i) {
    const DeviceRow& row = report.rows[i];
    series[fmt::format("node=\"{}\",device=\"{}\",verdict=\"{}\",scope=\"{}\"", label(row.node),
                       label(row.selector), name_of(row.verdict), name_of(row.scope))] +=
        row.devices;
  }
  for (const auto& [labels, devices] : series)
    fmt::print(out, "halfmark_fleet_device_verdict{{{}}} {}\n", labels, devices);
}

}  // namespace

void write_metrics(const FleetReport& report, std::uint64_t merged_at_s, std::ostream& out) {
  write_devices(report, out);
  single(out, "nodes_answered", "Nodes with at least one answer.", report.nodes_answered);
  single(out, "nodes_expected", "Nodes on the roster; 0 without one.", report.nodes_expected);
  single(out, "outliers", "Rates that lie below those of peers.", report.outliers.size());
  single(out, "rate_comparisons", "Rates that were compared with those of peers.",
         report.rate_comparisons);
  single(out, "clean_trials", "Passed cases of conformant devices.", report.clean_trials);
  single(out, "wrong_per_trial_upper_95", "What the clean trials exclude: the rule of three.",
         rule_of_three(report.clean_trials));
  single(out, "notes", "Peculiarities of the folder that the report names.", report.notes.size());
  single(out, "exit_code", "Of the merge: 0 conforms, 1 does not, 4 incomplete.",
         exit_code(report));
  single(out, "merged_timestamp_seconds", "When the merge ended.", merged_at_s);
  fmt::print(out, "# EOF\n");
}

}  // namespace halfmark::fleet
