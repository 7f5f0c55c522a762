// SPDX-License-Identifier: Apache-2.0
#include "fleet/drain.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "fleet/roster.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::fleet {
namespace {

// Node -> its gravest row.
std::map<std::string, const DeviceRow*> suspects_of(const FleetReport& report) {
  std::map<std::string, const DeviceRow*> suspects;
  for (const DeviceRow& row : report.rows) {
    if (is_suspect(row.verdict)) suspects.emplace(row.node, &row);  // rows come gravest first
  }
  return suspects;
}

// Goes between quotes of a shell: everything that could end them is replaced.
std::string quotable(std::string text) {
  text = text::visible_line(text, 120);
  std::ranges::replace_if(
      text, [](char c) { return c == '"' || c == '\'' || c == '$' || c == '`' || c == '\\'; }, '_');
  return text;
}

std::string reason_of(const DeviceRow& row) {
  return quotable(fmt::format("halfmark: {} of {} (scope {}{}{})", name_of(row.verdict),
                              row.selector, name_of(row.scope), row.card.empty() ? "" : ", card ",
                              row.card));
}

void write_node(const DeviceRow& row, DrainForm form, std::ostream& out) {
  switch (form) {
    case DrainForm::kSlurm:
      fmt::print(out, "scontrol update NodeName={} State=DRAIN Reason='{}'\n", row.node,
                 reason_of(row));
      return;
    case DrainForm::kKubernetes:
      fmt::print(out, "kubectl taint nodes {} halfmark/verdict={}:NoSchedule --overwrite\n",
                 row.node, name_of(row.verdict));
      return;
    case DrainForm::kPlain:
      fmt::print(out, "{}\n", row.node);
      return;
  }
}

void write_absent(const FleetReport& report, std::ostream& out) {
  for (const DeviceRow& row : report.rows) {
    if (row.verdict == DeviceVerdict::kAbsent || row.verdict == DeviceVerdict::kError)
      fmt::print(out, "# {} {}: {}, not listed: {}\n", text::visible_line(row.node),
                 text::visible_line(row.selector), name_of(row.verdict),
                 text::visible_line(row.evidence));
  }
}

}  // namespace

std::optional<DrainForm> parse_drain_form(std::string_view name) {
  if (name == "slurm") return DrainForm::kSlurm;
  if (name == "kubernetes") return DrainForm::kKubernetes;
  if (name == "plain") return DrainForm::kPlain;
  return std::nullopt;
}

namespace {

bool is_within_cap(const FleetReport& report, std::size_t suspects, double cap_percent) {
  const std::uint64_t nodes = std::max<std::uint64_t>(
      {report.nodes_expected, report.nodes_answered, static_cast<std::uint64_t>(suspects)});
  return suspects <= 1 ||
         static_cast<double>(suspects) <= static_cast<double>(nodes) * cap_percent / 100;
}

}  // namespace

DrainList drain_list_of(const FleetReport& report, double cap_percent) {
  const std::map<std::string, const DeviceRow*> suspects = suspects_of(report);
  DrainList list;
  for (const auto& [node, row] : suspects) {
    if (is_plain_name(node)) list.nodes.push_back(node);
  }
  if (!is_within_cap(report, suspects.size(), cap_percent)) list.nodes.clear();
  list.withheld = suspects.size() - list.nodes.size();
  return list;
}

bool write_drain_list(const FleetReport& report, DrainForm form, double cap_percent,
                      std::ostream& out) {
  const std::map<std::string, const DeviceRow*> suspects = suspects_of(report);
  const std::uint64_t nodes = std::max<std::uint64_t>(
      {report.nodes_expected, report.nodes_answered, static_cast<std::uint64_t>(suspects.size())});
  const bool is_within = is_within_cap(report, suspects.size(), cap_percent);
  bool listed_all = true;
  if (!is_within) {
    fmt::print(
        out,
        "# {} of {} nodes would be listed, which is more than {:g} %: none is. Many devices "
        "that fail alike are a driver, a common cause, or Halfmark; --drain-cap allows more\n",
        suspects.size(), nodes, cap_percent);
    listed_all = false;
  }
  for (const auto& [node, row] : suspects) {
    if (!is_plain_name(node)) {
      fmt::print(out, "# {}: not listed, since no command should contain this name\n",
                 text::visible_line(node));
      listed_all = false;
    } else if (is_within) {
      write_node(*row, form, out);
    }
  }
  write_absent(report, out);
  return listed_all;
}

}  // namespace halfmark::fleet
