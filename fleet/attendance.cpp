// SPDX-License-Identifier: Apache-2.0
#include "fleet/attendance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/plain_plural.hpp"

namespace halfmark::fleet {
namespace {

constexpr std::size_t kMostNamed = 8;
constexpr std::int64_t kMostClockSkewSeconds = 5;

// "a, b and 3 more"
template <typename Names>
std::string some_of(const Names& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (++count <= kMostNamed) text += (count == 1 ? "" : ", ") + name;
  }
  if (count > kMostNamed) text += fmt::format(" and {} more", count - kMostNamed);
  return text;
}

struct TasksOfRun {
  std::map<std::string, std::set<std::string>> nodes_of;  // by task
  std::set<std::string> nodes;
  std::uint64_t expected = 0;
  bool has_agents = false;
};

using Runs = std::map<std::string, TasksOfRun>;

Runs runs_of(const Kept& kept) {
  Runs runs;
  const auto seen = [&](const Origin& origin) -> TasksOfRun& {
    TasksOfRun& run = runs[origin.run];
    run.nodes_of[origin.task].insert(origin.node);
    run.nodes.insert(origin.node);
    return run;
  };
  for (const KeptDevice& device : kept.devices) {
    const std::string& node = kept.words.text(device.node);
    for (const KeptAnswer& answer : device.answers)
      seen({kept.words.text(answer.run), kept.words.text(answer.task), node});
  }
  for (const AgentRecord& agent : kept.agents) {
    TasksOfRun& run = seen(agent.origin);
    run.expected = std::max(run.expected, agent.tasks);
    run.has_agents = true;
  }
  return runs;
}

void add_absent(FleetReport& report, const std::string& node, const std::string& selector,
                std::uint64_t devices, std::string why) {
  report.rows.push_back({.node = node,
                         .selector = selector,
                         .devices = devices,
                         .verdict = DeviceVerdict::kAbsent,
                         .scope = Scope::kNone,
                         .violates = false,
                         .evidence = std::move(why),
                         .cases = {},
                         .card = {},
                         .ladder = {},
                         .next = {}});
}

// An agent that named its devices and did not come to their answers. Returns how many devices of
// each node are accounted for, by an answer or by absence.
std::map<std::string, std::uint64_t> absent_of_agents(Kept& kept, FleetReport& report) {
  std::map<std::string, std::uint64_t> known;
  for (const KeptDevice& device : kept.devices) ++known[kept.words.text(device.node)];
  std::set<std::pair<std::string, std::string>> named;
  for (const AgentRecord& agent : kept.agents) {
    known.try_emplace(agent.origin.node, 0);
    for (const std::string& selector : agent.devices) {
      if (kept.find(agent.origin.node, selector) != nullptr) continue;
      if (!named.emplace(agent.origin.node, selector).second) continue;
      ++known[agent.origin.node];
      add_absent(report, agent.origin.node, selector, 1,
                 agent.finished ? "its agent ended without an answer from this device"
                                : "its agent started and never finished");
    }
  }
  return known;
}

std::uint64_t due_of(const std::optional<Roster>& roster, const std::string& node) {
  if (!roster) return 1;
  const auto found = roster->nodes.find(node);
  return found == roster->nodes.end() ? 1 : std::max<std::uint64_t>(found->second, 1);
}

void errors_of_agents(const Kept& kept, const std::map<std::string, std::uint64_t>& known,
                      const std::optional<Roster>& roster, FleetReport& report) {
  std::set<std::string> named;
  for (const AgentRecord& agent : kept.agents) {
    const std::string& node = agent.origin.node;
    if (agent.error.empty() || known.at(node) > 0 || !named.insert(node).second) continue;
    add_absent(report, node, "-", due_of(roster, node), agent.error);
    report.rows.back().verdict = DeviceVerdict::kError;
  }
}

void check_roster(const Roster& roster, const std::map<std::string, std::uint64_t>& known,
                  FleetReport& report) {
  report.nodes_expected = roster.nodes.size();
  for (const auto& [node, devices] : roster.nodes) {
    const auto answered = known.find(node);
    const std::uint64_t seen = answered == known.end() ? 0 : answered->second;
    const std::uint64_t due = std::max<std::uint64_t>(devices, 1);
    if (answered == known.end()) {
      add_absent(report, node, "-", due, "it is on the roster but left nothing here");
    } else if (seen > 0 && seen < due) {
      add_absent(report, node, "-", due - seen,
                 fmt::format("the roster has {} devices of it, and {} {} known here", due, seen,
                             seen == 1 ? "is" : "are"));
    } else if (devices > 0 && seen > devices) {
      report.notes.push_back(
          fmt::format("{} has {} devices, and the roster says {}", node, seen, devices));
    }
  }
  std::set<std::string> strangers;
  for (const auto& [node, devices] : known) {
    if (!roster.nodes.contains(node)) strangers.insert(node);
  }
  if (!strangers.empty())
    report.notes.push_back(fmt::format("not on the roster, and counted: {}", some_of(strangers)));
}

std::set<std::string> silent_tasks(const TasksOfRun& run) {
  std::set<std::string> silent;
  // Elements of job arrays have names that the number of tasks does not give.
  const bool is_array = std::ranges::any_of(
      run.nodes_of, [](const auto& task) { return task.first.find('.') != std::string::npos; });
  for (std::uint64_t task = 0; !is_array && task < run.expected && silent.size() < 1000; ++task) {
    if (!run.nodes_of.contains(std::to_string(task))) silent.insert(std::to_string(task));
  }
  return silent;
}

void check_run(const std::string& name, const TasksOfRun& run, bool has_roster,
               FleetReport& report) {
  report.runs.push_back({name, run.expected, run.nodes_of.size(), run.nodes.size()});
  if (run.has_agents && run.expected > run.nodes_of.size()) {
    const std::uint64_t missing = run.expected - run.nodes_of.size();
    const std::set<std::string> silent = silent_tasks(run);
    const std::string which = silent.empty() ? "" : fmt::format(": task {}", some_of(silent));
    const std::string what = fmt::format("run {} has {} tasks, and {} of them left nothing here{}",
                                         name, run.expected, missing, which);
    if (has_roster) {
      report.notes.push_back(what);  // the roster says which nodes these are
    } else {
      add_absent(report, "?", "-", missing, what);
    }
  }
  for (const auto& [task, nodes] : run.nodes_of) {
    if (run.has_agents && nodes.size() > 1)
      report.notes.push_back(
          fmt::format("task {} of run {} ran on two nodes or more: {}; each device counts once",
                      task, name, some_of(nodes)));
  }
}

void note_repeats(const Kept& kept, FleetReport& report) {
  if (kept.repeated > 0)
    report.notes.push_back(
        fmt::format("{} {} once", reports::plain_plural(kept.repeated, "roll-up"),
                    kept.repeated == 1 ? "is here twice and counts" : "are here twice and count"));
  std::set<std::string> devices;
  for (const KeptDevice& device : kept.devices) {
    const bool several = std::ranges::any_of(device.answers, [&](const KeptAnswer& answer) {
      return answer.run != device.answers.front().run;
    });
    if (several)
      devices.insert(kept.words.text(device.node) + " " + kept.words.text(device.selector));
  }
  if (!devices.empty())
    report.notes.push_back(fmt::format("{} {} tested by more than one run, and {} once: {}",
                                       reports::plain_plural(devices.size(), "device"),
                                       devices.size() == 1 ? "was" : "were",
                                       devices.size() == 1 ? "counts" : "count", some_of(devices)));
}

void note_agents(const Kept& kept, FleetReport& report) {
  std::set<std::string> skewed, restarted;
  for (const AgentRecord& agent : kept.agents) {
    if (std::abs(agent.clock_ahead_s) > kMostClockSkewSeconds)
      skewed.insert(fmt::format("{} by {:+} s", agent.origin.node, agent.clock_ahead_s));
    if (agent.attempts > 1)
      restarted.insert(fmt::format("{} ({} starts)", agent.origin.node, agent.attempts));
  }
  if (!skewed.empty())
    report.notes.push_back(
        fmt::format("clocks that differ from the shared folder's: {}; no verdict depends on them",
                    some_of(skewed)));
  if (!restarted.empty())
    report.notes.push_back(fmt::format("tasks that were started again: {}", some_of(restarted)));
}

std::set<std::string> answering_nodes(const Kept& kept) {
  std::set<std::string> nodes;
  for (const KeptDevice& device : kept.devices) nodes.insert(kept.words.text(device.node));
  return nodes;
}

// A node of which no device answered is absent as a whole.
void scope_absences(const std::set<std::string>& answering, FleetReport& report) {
  for (DeviceRow& row : report.rows)
    row.scope = answering.contains(row.node) ? Scope::kDevice : Scope::kNode;
}

}  // namespace

void take_attendance(Kept& kept, const std::optional<Roster>& roster, FleetReport& report) {
  const std::map<std::string, std::uint64_t> known = absent_of_agents(kept, report);
  errors_of_agents(kept, known, roster, report);
  if (roster) check_roster(*roster, known, report);
  for (const auto& [name, run] : runs_of(kept)) check_run(name, run, roster.has_value(), report);
  const std::set<std::string> answering = answering_nodes(kept);
  report.nodes_answered = answering.size();
  scope_absences(answering, report);
  note_repeats(kept, report);
  note_agents(kept, report);
}

}  // namespace halfmark::fleet
