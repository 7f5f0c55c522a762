// SPDX-License-Identifier: Apache-2.0
// Restores a run from its journal. Decides how the kinds of lines fit together.
#include "suites/runner/run_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "suites/runner/device_identity.hpp"
#include "suites/runner/journal.hpp"
#include "suites/runner/measuring.hpp"
#include "suites/runner/run.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

void take_device(const json& line, DeviceRun& run) {
  const json& identity = line.at("identity");
  if (!run.device_identity.is_null() && !difference(run.device_identity, identity).empty())
    throw std::runtime_error("it belongs to another device than the lines before it");
  run.device_identity = identity;
  run.device = backends::device_info_from_json(line.at("device"));
}

void take_case(const json& line, std::set<std::string>& names, DeviceRun& run) {
  if (run.device_identity.is_null()) throw std::runtime_error("no device precedes its case");
  CaseResult result = case_result_from_json(line.at("result"));
  if (!names.insert(result.name).second) throw std::runtime_error("its case has a verdict already");
  run.processes = std::max(run.processes, result.process);
  run.results.push_back(std::move(result));
}

void take_arithmetic(const json& line, DeviceRun& run) {
  Identified found = identified_from_json(line.at("identified"));
  if (std::ranges::find(run.arithmetics, found.key, &Identified::key) != run.arithmetics.end())
    throw std::runtime_error("its arithmetic was found already");
  run.arithmetics.push_back(std::move(found));
}

// What the lines so far have said, beside the run itself.
struct Taken {
  std::set<std::string> names;   // of cases with a verdict
  std::size_t earlier_rows = 0;  // at the front of the run's rows: of attempts before a resume
};

void take_row(const json& row, Taken& taken, DeviceRun& run) {
  const auto first = run.throughput.begin();
  const auto end = first + static_cast<std::ptrdiff_t>(taken.earlier_rows);
  const auto rest =
      std::remove_if(first, end, [&](const json& earlier) { return is_timed_again(earlier, row); });
  taken.earlier_rows = static_cast<std::size_t>(rest - first);
  run.throughput.erase(rest, end);
  run.throughput.push_back(row);
}

void take(const json& line, Taken& taken, DeviceRun& run) {
  const std::string kind = line.at("kind");
  if (kind == "run") {
    run.identity = line.at("identity");
    run.environment = line.at("environment");
    run.expected_cases = line.at("cases").get<std::uint64_t>();
    run.processes = std::max(run.processes, line.at("processes").get<std::uint64_t>());
    taken.earlier_rows = run.throughput.size();
  } else if (kind == "device") {
    take_device(line, run);
  } else if (kind == "canaries") {
    run.canaries = line.at("canaries");
  } else if (kind == "self-test") {
    run.self_test = line.at("self_test");
  } else if (kind == "arithmetic") {
    take_arithmetic(line, run);
  } else if (kind == "case") {
    take_case(line, taken.names, run);
  } else if (kind == "throughput") {
    take_row(line.at("throughput"), taken, run);
  } else if (kind == "training-step") {
    run.training_step = line.at("training_step");
  } else if (kind == "duel") {
    add_duel(run, line);
  } else if (kind == "incident") {
    run.incidents.push_back(line.at("incident"));
  } else if (kind == "end") {
    run.completed = line.at("completed").get<bool>();
  } else {
    throw std::runtime_error("the kind of line is unknown");
  }
}

}  // namespace

bool is_timed_again(const json& earlier, const json& row) {
  const auto is_same = [&](const char* key) { return earlier.at(key) == row.at(key); };
  return is_same("name") || (is_same("passed_case") && is_same("operation"));
}

DeviceRun from_journal(const JournalText& text, const std::filesystem::path& file) {
  DeviceRun run;
  Taken taken;
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    try {
      take(text.lines[i], taken, run);
    } catch (const std::exception& error) {
      refuse_journal(file, i + 1, error.what());
    }
  }
  return run;
}

}  // namespace halfmark::suites
