// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/measuring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "suites/registry.hpp"
#include "suites/runner/rivals.hpp"
#include "suites/runner/timed_sizes.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;
using throughput::kAutocast;

constexpr int kMostLost = 2;  // workers in a row

// Sends requests to the worker, and counts lost workers. An incident is a loss of the device where
// its driver crashed or said so; a hang may be a limit that is too short for a busy machine.
class Asker {
 public:
  Asker(Worker& worker, const MeasuringSinks& sinks) : worker_(worker), sinks_(sinks) {}

  // `otherwise` is the outcome of an error that does not end the measuring.
  [[nodiscard]] json ask(const json& request, const std::string& about, const char* otherwise) {
    json answer = worker_.request(request);
    if (interrupted()) return json::object();
    lost_ = answer.value("lost", false) ? lost_ + 1 : 0;
    if (const auto error = answer.find("error"); error != answer.end()) {
      sinks_.incident({{"case", about},
                       {"what", "while its speed was measured: " + error->get<std::string>()},
                       {"then", is_over() ? "nothing more is measured" : otherwise},
                       {"lost", answer.value("loss", false)}});
    }
    return answer;
  }
  [[nodiscard]] bool is_over() const { return lost_ >= kMostLost || interrupted(); }

 private:
  Worker& worker_;
  const MeasuringSinks& sinks_;
  int lost_ = 0;
};

std::set<std::string> passed(const DeviceRun& run) {
  std::set<std::string> names;
  for (const CaseResult& result : run.results) {
    if (result.verdict == Verdict::kPass) names.insert(result.name);
  }
  return names;
}

// A case that was left out also gets a row, with the reason and no sample.
void list_left_out(DeviceRun& run, const MeasuringSinks& sinks) {
  for (const json& incident : run.incidents) {
    if (incident.at("then") != kLeftOut) continue;
    const Case c = parse_case(incident.at("case").get<std::string>());
    json row = throughput::untimed(
        c, run.device, fmt::format("{}: {}", kLeftOut, incident.at("what").get<std::string>()));
    sinks.row(row);
    run.throughput.push_back(std::move(row));
  }
}

// The sizes at which rows are timed.
std::vector<Timed> sized(Asker& asker, const std::vector<std::string>& names) {
  std::map<std::string, Case> grown;  // by the name of the passed case
  for (const std::string& name : names) {
    if (name.starts_with(kAutocast) || !throughput::may_grow(parse_case(name))) continue;
    const json answer =
        asker.ask({{"op", "speaking-size"}, {"name", name}}, name, "timed at the size of its case");
    if (asker.is_over()) return {};
    if (answer.contains("name"))
      grown.insert_or_assign(name, parse_case(answer.at("name").get<std::string>()));
  }
  return timed_sizes(names, grown);
}

double median_ns(const json& row) {
  auto samples = row.at("samples_ns").get<std::vector<std::uint64_t>>();
  if (samples.empty()) return 0;
  std::ranges::nth_element(samples,
                           samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2));
  return static_cast<double>(samples[samples.size() / 2]);
}

// Operations per nanosecond; 0 for a row that does not count.
double rate_of(const json& row) {
  const double elapsed_ns = median_ns(row);
  if (elapsed_ns <= 0 || !row.at("doubt").get<std::string>().empty()) return 0;
  return static_cast<double>(row.at("flops").get<std::uint64_t>()) / elapsed_ns;
}

// Times a row in turn with another one, and keeps that in the row under a name.
void hold_duel(Asker& asker, DeviceRun& run, const TimedRow& row, const TimedRow& against,
               const char* as, const MeasuringSinks& sinks) {
  const json answer = asker.ask({{"op", "duel"}, {"name", row.name}, {"against", against.name}},
                                row.name, "not timed alternately");
  if (asker.is_over() || !answer.contains("duel")) return;
  const json held = {
      {"row", run.throughput[row.row].at("name")}, {"as", as}, {"duel", answer.at("duel")}};
  sinks.duel(held);
  add_duel(run, held);
}

// Repeats, side by side, every claim to be faster than all fp32 kernels of the run. Slower rows
// claim nothing.
void hold_duels(Asker& asker, DeviceRun& run, const std::vector<TimedRow>& rows,
                const MeasuringSinks& sinks) {
  for (const Claim& claim : claims_of(run, rows)) {
    hold_duel(asker, run, *claim.own, *claim.against, "duel", sinks);
    if (asker.is_over()) return;
  }
}

const TimedRow* fastest_of(const DeviceRun& run, const std::vector<TimedRow>& rows,
                           const std::string& operation, std::string_view format) {
  const TimedRow* best = nullptr;
  for (const TimedRow& row : rows) {
    const json& entry = run.throughput[row.row];
    if (row.rate <= 0 || entry.at("operation") != operation || !is_of(entry, format)) continue;
    if (best == nullptr || row.rate > best->rate) best = &row;
  }
  return best;
}

// The same product in fp32; null if none counts.
const TimedRow* same_in_fp32(const DeviceRun& run, const std::vector<TimedRow>& rows,
                             const TimedRow& own) {
  const json& wanted = run.throughput[own.row];
  const auto found = std::ranges::find_if(rows, [&](const TimedRow& row) {
    const json& entry = run.throughput[row.row];
    const auto is_same = [&](const char* key) { return entry.at(key) == wanted.at(key); };
    return row.rate > 0 && is_of(entry, "fp32") && is_same("operation") && is_same("provider") &&
           is_same("shape") && is_same("fill");
  });
  return found == rows.end() ? nullptr : &*found;
}

// Times the fastest fp16 chain of each operation, and the fastest product, in turn with the same in
// fp32: what fp16 gains is then known, whatever clocks do between the rows.
void time_beside_fp32(Asker& asker, DeviceRun& run, const std::vector<TimedRow>& rows,
                      const MeasuringSinks& sinks) {
  for (const char* operation : {"chain.add", "chain.mul", "chain.fma", "chain.muladd", "gemm"}) {
    const TimedRow* own = fastest_of(run, rows, operation, "fp16");
    if (own == nullptr) continue;
    const TimedRow* other = operation == std::string_view("gemm")
                                ? same_in_fp32(run, rows, *own)
                                : fastest_of(run, rows, operation, "fp32");
    if (other == nullptr) continue;
    hold_duel(asker, run, *own, *other, "beside", sinks);
    if (asker.is_over()) return;
  }
}

// The identified arithmetic of the passed case's operator; null: none.
const Identified* found_for(const DeviceRun& run, const Case& c) {
  const Modelling* modelling = find_suite(c.suite).modelling;
  const std::string key = modelling == nullptr ? std::string() : modelling->key(c);
  const auto found = std::ranges::find(run.arithmetics, key, &Identified::key);
  return key.empty() || found == run.arithmetics.end() ? nullptr : &*found;
}

// Measures one row; nothing if the worker returned none.
std::optional<TimedRow> measure_one(Asker& asker, DeviceRun& run, const Timed& timed, bool again,
                                    const MeasuringSinks& sinks) {
  json request = {{"op", "throughput"}, {"name", timed.name}, {"passed", timed.passed}};
  if (const Identified* found = found_for(run, parse_case(timed.passed)))
    request["found"] = to_json(*found);
  json answer = asker.ask(request, timed.name, "not measured");
  if (asker.is_over() || !answer.contains("throughput")) return std::nullopt;
  json& row = answer.at("throughput");
  row["conditions"]["position"] = run.throughput.size();
  if (again) row["conditions"]["again"] = true;
  sinks.row(row);
  run.throughput.push_back(row);
  return TimedRow{.name = timed.name, .row = run.throughput.size() - 1, .rate = rate_of(row)};
}

// Times the fastest fp32 chain of each operation again at the end, which shows changes of clocks
// and load.
void time_again(Asker& asker, DeviceRun& run, const std::vector<Timed>& list,
                const std::vector<TimedRow>& rows, const MeasuringSinks& sinks) {
  std::map<std::string, const TimedRow*> fastest;  // by operation
  for (const TimedRow& row : rows) {
    const json& entry = run.throughput[row.row];
    const std::string operation = entry.at("operation");
    if (row.rate <= 0 || !is_of(entry, "fp32") || !operation.starts_with("chain.")) continue;
    const TimedRow*& best = fastest[operation];
    if (best == nullptr || row.rate > best->rate) best = &row;
  }
  for (const auto& [operation, row] : fastest) {
    const auto timed = std::ranges::find(list, row->name, &Timed::name);
    static_cast<void>(measure_one(asker, run, *timed, true, sinks));
    if (asker.is_over()) return;
  }
}

}  // namespace

// Asks the worker only for kernels that passed in this run. A measurement that kills its worker
// loses only itself, but a device that kills one worker after another is not measured further.
void measure_throughput(Worker& worker, DeviceRun& run, const MeasuringSinks& sinks) {
  Asker asker(worker, sinks);
  sinks.stage("throughput: sizes");
  list_left_out(run, sinks);
  const json plan = asker.ask({{"op", "throughput-list"}, {"passed", passed(run)}},
                              "the list of what is timed", "nothing is measured");
  if (asker.is_over() || !plan.contains("names")) return;
  const std::vector<Timed> list = sized(asker, plan.at("names").get<std::vector<std::string>>());
  sinks.stage("throughput");
  std::vector<TimedRow> rows;
  for (const Timed& timed : list) {
    auto row = measure_one(asker, run, timed, false, sinks);
    if (asker.is_over()) return;
    if (row) rows.push_back(std::move(*row));
  }
  hold_duels(asker, run, rows, sinks);
  if (asker.is_over()) return;
  time_beside_fp32(asker, run, rows, sinks);
  if (asker.is_over()) return;
  time_again(asker, run, list, rows, sinks);
}

void add_duel(DeviceRun& run, const json& held) {
  const auto row = std::ranges::find_if(
      run.throughput, [&](const json& each) { return each.at("name") == held.at("row"); });
  const std::string as = held.value("as", "duel");  // journals of older runs hold one kind alone
  if (as != "duel" && as != "beside")
    throw std::runtime_error("a duel is neither 'duel' nor 'beside'");
  if (row != run.throughput.end()) (*row)[as] = held.at("duel");
}

}  // namespace halfmark::suites
