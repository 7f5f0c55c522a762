// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "suites/core/case/errors.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/runner/arithmetics.hpp"
#include "suites/runner/cause.hpp"
#include "suites/runner/journal.hpp"
#include "suites/runner/limits.hpp"
#include "suites/runner/measuring.hpp"
#include "suites/runner/rates.hpp"
#include "suites/runner/run_journal.hpp"
#include "suites/runner/training_step.hpp"
#include "suites/throughput/conditions.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

std::map<std::string, CaseResult> finished_cases(const DeviceRun& before) {
  std::map<std::string, CaseResult> finished;
  for (const CaseResult& result : before.results) finished.emplace(result.name, result);
  return finished;
}

// The results of an earlier run and its journal; both empty if there is nothing to resume.
struct Before {
  JournalText text;
  DeviceRun run;
};

Before resumed_run(const RunOptions& options, const std::filesystem::path& file) {
  std::error_code unknown;
  if (!options.resume || !std::filesystem::exists(file, unknown)) return {};
  JournalText text = read_journal(file);
  if (text.lines.empty()) return {};  // the disk was already full for the first line
  DeviceRun run = from_journal(text, file);
  const std::string other = difference(run.identity, options.identity);
  if (other.empty()) return {std::move(text), std::move(run)};
  throw UsageError(fmt::format(
      "{} belongs to another run ({}); give the same options, or start again without --resume",
      file.string(), other));
}

void check_device(const Before& before, Worker& worker, const std::filesystem::path& file) {
  if (before.run.device_identity.is_null()) return;
  const std::string other = difference(before.run.device_identity, worker.identity());
  if (other.empty()) return;
  throw UsageError(fmt::format(
      "{} belongs to another device ({}); start again without --resume, or choose another folder "
      "with --out",
      file.string(), other));
}

void begin(Journal& journal, const RunOptions& options, DeviceRun& run, Worker& worker) {
  journal.append("run", {{"identity", options.identity},
                         {"environment", options.environment},
                         {"cases", options.cases.size()},
                         {"processes", options.worker.processes_before}});
  journal.append("device", {{"device", backends::to_json_object(run.device)},
                            {"identity", run.device_identity}});
  const json answer = worker.insist({{"op", "canaries"}}, "canaries");
  run.canaries = answer.value("canaries", json::array());
  journal.append("canaries", {{"canaries", run.canaries}});
}

// Shows that the pipeline notices a fault on this device, before a pass is believed.
void test_itself(Journal& journal, const RunOptions& options, DeviceRun& run, Worker& worker) {
  const json answer =
      worker.insist({{"op", "self-test"}, {"names", options.self_test}}, "the self-test");
  const std::string why = answer.value("error", std::string());
  run.self_test = answer.value("self_test", json{{"case", options.self_test.front()},
                                                 {"done", false},
                                                 {"caught", false},
                                                 {"located", false},
                                                 {"what", why}});
  journal.append("self-test", {{"self_test", run.self_test}});
}

std::optional<GoldenCheck> golden_of_case(const RunOptions& options, const std::string& name) {
  if (options.golden == nullptr) return std::nullopt;
  const auto found = options.golden->cases.find(name);
  if (found == options.golden->cases.end()) return std::nullopt;
  return GoldenCheck{.expected = found->second, .recompute = is_recomputed(name, options.node)};
}

// Learns limits from an earlier run in the same folder, whatever its selection; ignores a file that
// cannot be read.
Limits limits_from(const std::filesystem::path& journal_file, const RunOptions& options) {
  Limits limits(options.worker.case_limit);
  std::error_code ignored;
  if (!std::filesystem::exists(journal_file, ignored)) return limits;
  try {
    const DeviceRun earlier = from_journal(read_journal(journal_file), journal_file);
    for (const CaseResult& result : earlier.results) limits.learn(result);
  } catch (const std::exception&) {
    return Limits(options.worker.case_limit);
  }
  return limits;
}

void tell(Journal& journal, const RunProgress& progress, DeviceRun& run, json incident) {
  journal.append("incident", {{"incident", incident}});
  if (progress.on_incident) progress.on_incident(incident);
  run.incidents.push_back(std::move(incident));
}

// Reports and journals incidents before the result of the case in which they occurred.
void note_incidents(Journal& journal, Worker& worker, const RunProgress& progress, DeviceRun& run) {
  for (json& incident : worker.take_incidents()) tell(journal, progress, run, std::move(incident));
}

// Leaves out a large case that would exceed the case limit. The verdict must repeat from run to
// run, so the estimate is kept with the incidents, which need not.
std::optional<CaseResult> leave_out(const Case& c, const Rates& rates, Journal& journal,
                                    const RunOptions& options, const RunProgress& progress,
                                    DeviceRun& run) {
  const double limit = longest_foreseen_s(options.worker.case_limit);
  const auto foreseen = rates.foresee(c);
  if (!foreseen || foreseen->seconds <= limit) return std::nullopt;
  tell(journal, progress, run,
       {{"case", print(c)},
        {"what", fmt::format("up to {} launches would take {:.0f} s at the rate of {}",
                             Rates::kLaunches, foreseen->seconds, foreseen->like)},
        {"then", kLeftOut}});
  CaseResult result = describe_case(find_suite(c.suite), c, run.device);
  result.verdict = Verdict::kSkipped;
  result.reason = fmt::format(
      "left out: it would take longer than {:g} s; a longer --timeout includes it", limit);
  return result;
}

bool is_answer(const CaseResult& result) {
  return result.verdict == Verdict::kPass || result.verdict == Verdict::kFail;
}

// A failure's explanations are told apart on other data, and the first of each cause is made
// smaller; an earlier run has done both for what is resumed.
void examine(const Case& c, bool resumed, const Limits& limits, Worker& worker,
             std::set<Cause>& known_causes, CaseResult& result) {
  if (result.verdict != Verdict::kFail || interrupted()) return;
  if (!resumed) worker.experiment(c, limits.patience(print(c)), result);
  if (interrupted()) return;
  const bool fresh = known_causes.insert(cause_of(result)).second;
  if (fresh && !resumed) worker.shrink(c, limits.patience(print(c)), result);
}

// True if all cases were run.
bool run_cases(Journal& journal, const RunOptions& options, const DeviceRun& before, Limits limits,
               Worker& worker, const RunProgress& progress, DeviceRun& run) {
  const std::map<std::string, CaseResult> finished = finished_cases(before);
  std::set<Cause> known_causes;
  Arithmetics arithmetics;
  Rates rates(throughput::has_modelled_clock(run.device));
  for (const Identified& found : before.arithmetics) arithmetics.learn(found);
  const auto keep = [&](const Identified& found) {
    journal.append("arithmetic", {{"identified", to_json(found)}});
    run.arithmetics.push_back(found);
  };
  std::uint64_t failures = 0;
  for (const Case& c : options.cases) {
    const std::string name = print(c);
    const auto known = finished.find(name);
    const bool resumed = known != finished.end();
    auto answer = resumed ? std::optional(known->second)
                          : leave_out(c, rates, journal, options, progress, run);
    // If the journal lacks the arithmetic behind an answer, it is identified again.
    if (resumed && is_answer(*answer)) static_cast<void>(arithmetics.of(c, worker, keep));
    const std::optional<GoldenCheck> golden = golden_of_case(options, name);
    CaseResult result = answer
                            ? std::move(*answer)
                            : worker.run(c, limits.patience(name), arithmetics.of(c, worker, keep),
                                         golden ? &*golden : nullptr);
    examine(c, resumed, limits, worker, known_causes, result);
    if (interrupted()) return false;
    note_incidents(journal, worker, progress, run);
    if (!resumed) journal.append("case", {{"result", to_json(result, true)}});
    limits.learn(result);
    rates.learn(c, result);
    run.results.push_back(result);
    if (progress.on_case)
      progress.on_case(result, run.results.size(), options.cases.size(), resumed);
    if (result.verdict == Verdict::kFail && !resumed) ++failures;
    const bool enough = options.most_failures > 0 && failures >= options.most_failures;
    if (enough && run.results.size() < options.cases.size()) return false;
  }
  return true;
}

// Connects the reports of the measuring to the journal and the progress.
MeasuringSinks measuring_for(Journal& journal, const RunProgress& progress, DeviceRun& run) {
  return {.stage =
              [&](const std::string& what) {
                if (progress.on_stage) progress.on_stage(what);
              },
          .row = [&](const json& row) { journal.append("throughput", {{"throughput", row}}); },
          .duel = [&](const json& held) { journal.append("duel", held); },
          .incident = [&](json incident) { tell(journal, progress, run, std::move(incident)); }};
}

// After the cases of level standard, whose steps are large enough to be looked at.
void count_training_step(Journal& journal, const RunOptions& options, const RunProgress& progress,
                         Worker& worker, DeviceRun& run) {
  if (options.identity.value("level", "") == name_of(Level::kSmoke)) return;
  const std::string name = step_to_count(run.results);
  if (name.empty()) return;
  constexpr const char* kAbout = "the training step";
  const json answer = worker.insist({{"op", "training-step"}, {"name", name}}, kAbout);
  if (interrupted()) return;
  const std::size_t before = run.incidents.size();
  note_incidents(journal, worker, progress, run);
  const bool is_noted = run.incidents.size() > before;
  if (const auto error = answer.find("error"); error != answer.end() && !is_noted)
    tell(journal, progress, run,
         {{"case", kAbout}, {"what", *error}, {"then", "not counted"}, {"lost", false}});
  run.training_step = answer.value("training_step", json());
  if (!run.training_step.is_null())
    journal.append("training-step", {{"training_step", run.training_step}});
}

// Rows of earlier attempts come first, as from_journal() has them.
void keep_earlier_rows(std::vector<json> earlier, DeviceRun& run) {
  std::erase_if(earlier, [&](const json& old) {
    return std::ranges::any_of(run.throughput,
                               [&](const json& row) { return is_timed_again(old, row); });
  });
  run.throughput.insert(run.throughput.begin(), earlier.begin(), earlier.end());
}

// Cases, then what is measured beside them.
void test_device(Journal& journal, const RunOptions& options, const DeviceRun& before,
                 const Limits& limits, Worker& worker, const RunProgress& progress,
                 DeviceRun& run) {
  const bool all = run_cases(journal, options, before, limits, worker, progress, run);
  sort_by_use(options.cases, run.arithmetics);
  if (!all) return;
  if (!interrupted()) count_training_step(journal, options, progress, worker, run);
  if (options.throughput && !interrupted())
    measure_throughput(worker, run, measuring_for(journal, progress, run));
  if (interrupted()) return;
  run.completed = true;
  journal.append("end", {{"completed", true}});
}

}  // namespace

DeviceRun run_device(const std::string& selector, const RunOptions& asked,
                     const std::filesystem::path& journal_file, const RunProgress& progress) {
  RunOptions options = asked;
  Before before = resumed_run(options, journal_file);
  options.worker.processes_before = before.run.processes;
  const Limits limits = limits_from(journal_file, options);  // before the file is overwritten
  Worker worker(options.worker);
  DeviceRun run;
  run.identity = options.identity;
  run.environment = options.environment;
  run.incidents = before.run.incidents;
  run.arithmetics = before.run.arithmetics;
  try {
    run.device = worker.open(selector);
  } catch (const DeviceUnusable&) {
    if (!interrupted() || before.run.device_identity.is_null()) throw;
    before.run.completed = false;
    return std::move(before.run);  // interrupted before the start: keeps the earlier results
  }
  check_device(before, worker, journal_file);
  run.device_identity = worker.identity();
  options.cases = cases_for(run.device, asked.cases);
  run.expected_cases = options.cases.size();
  Journal journal =
      before.text.lines.empty() ? Journal(journal_file) : Journal(journal_file, before.text);
  begin(journal, options, run, worker);
  if (!options.self_test.empty()) test_itself(journal, options, run, worker);
  test_device(journal, options, before.run, limits, worker, progress, run);
  keep_earlier_rows(std::move(before.run.throughput), run);
  return run;
}

}  // namespace halfmark::suites
