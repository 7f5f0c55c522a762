// SPDX-License-Identifier: Apache-2.0
#include "fleet/drain.hpp"
#include "fleet/statistics.hpp"
#include "fleet/writers.hpp"

namespace halfmark::fleet {
namespace {

using nlohmann::json;

json row_json(const DeviceRow& row) {
  json ladder = json::array();
  for (const LadderStep& step : row.ladder)
    ladder.push_back({{"step", step.step}, {"outcome", step.outcome}});
  return {{"node", row.node},
          {"selector", row.selector},
          {"wrong_before", row.wrong_before},
          {"since", row.since},
          {"devices", row.devices},
          {"verdict", name_of(row.verdict)},
          {"scope", name_of(row.scope)},
          {"violates", row.violates},
          {"evidence", row.evidence},
          {"cases", row.cases},
          {"card", row.card},
          {"ladder", ladder},
          {"next", row.next}};
}

json outlier_json(const Outlier& one) {
  return {{"node", one.node},
          {"selector", one.selector},
          {"rate", one.rate},
          {"giga_per_second", one.value},
          {"median", one.median},
          {"spreads_below", one.spreads_below},
          {"cut", one.cut},
          {"slow_per_cycle", one.has_clock ? json(one.per_cycle) : json(nullptr)}};
}

template <typename Rows, typename ToJson>
json list_of(const Rows& rows, ToJson to_one) {
  json list = json::array();
  for (const auto& row : rows) list.push_back(to_one(row));
  return list;
}

json bound_json(const FleetReport& report) {
  return {{"trials", report.clean_trials},
          {"most_wrong_per_trial_95", rule_of_three(report.clean_trials)}};
}

json run_json(const RunRow& run) {
  return {{"run", run.run},
          {"tasks_expected", run.tasks_expected},
          {"tasks_answered", run.tasks_answered},
          {"nodes", run.nodes}};
}

json group_json(const PeerGroup& group) {
  return {{"name", group.name}, {"devices", group.devices}, {"rates_compared", group.judged_rates}};
}

json store_json(const StoreRow& row) {
  return {{"store", row.store},     {"answers", row.answers},
          {"matched", row.matched}, {"confirmed", row.confirmed},
          {"refuted", row.refuted}, {"refuting_answers", row.refuting_answers}};
}

json recurrence_json(const Recurrence& one) {
  return {{"node", one.node},
          {"selector", one.selector},
          {"verdict", one.verdict},
          {"last", one.last},
          {"sweeps", one.sweeps}};
}

json drain_json(const FleetReport& report) {
  const DrainList list = drain_list_of(report, kDrainCapPercent);
  return {{"cap_percent", kDrainCapPercent}, {"nodes", list.nodes}, {"withheld", list.withheld}};
}

}  // namespace

json to_json(const FleetReport& report) {
  json counts = json::object();
  for (const DeviceVerdict verdict : kAllDeviceVerdicts)
    counts[std::string(name_of(verdict))] = report.count(verdict);
  return {{"schema", kFleetSchema},
          {"exit_code", exit_code(report)},
          {"devices", report.devices},
          {"verdicts", counts},
          {"nodes",
           {{"expected", report.nodes_expected == 0 ? json(nullptr) : json(report.nodes_expected)},
            {"answered", report.nodes_answered}}},
          {"rollups", report.rollups},
          {"questions", report.questions},
          {"runs", list_of(report.runs, run_json)},
          {"groups", list_of(report.groups, group_json)},
          {"deviating", list_of(report.rows, row_json)},
          {"rate_comparisons", report.rate_comparisons},
          {"outliers", list_of(report.outliers, outlier_json)},
          {"bound", bound_json(report)},
          {"started", {{"first", report.first_started}, {"last", report.last_started}}},
          {"self_tests", {{"caught", report.self_tests}, {"none", report.untested}}},
          {"stores", list_of(report.stores, store_json)},
          {"earlier_sweeps", report.earlier_sweeps},
          {"recurrences", list_of(report.recurrences, recurrence_json)},
          {"drain", drain_json(report)},
          {"notes", report.notes}};
}

}  // namespace halfmark::fleet
