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
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;
using throughput::kAutocast;

constexpr int kMostLost = 2;  // workers in a row

// The timed name, and the case of the same kernel that passed.
struct Timed {
  std::string name, passed;
};

// Sends requests to the worker, and counts lost workers.
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
                       {"then", is_over() ? "nothing more is measured" : otherwise}});
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

std::string without_casts(const std::string& name) {
  return name.starts_with(kAutocast) ? name.substr(kAutocast.size()) : name;
}

// The group of rows that are compared with each other, whatever their formats, and must have the
// same sizes: products of one layout, and rows of one width. Nothing for chains and streams, which
// are compared by rate and not by time.
std::string peers_of(const Case& c) {
  const throughput::Labels labels = throughput::labels_of(c);
  if (labels.shape_class == "chain" || c.suite == "rates") return {};
  const std::string part = c.suite == "gemm" ? std::string(c.word("layout"))
                                             : fmt::format("n{}", c.number("shape", 'n'));
  return fmt::format("{} {} {} {}", throughput::find_target(c)->operation, labels.provider,
                     labels.fill, part);
}

// The sizes at which rows are timed; rows that are compared with each other share the largest.
std::vector<Timed> sized(Asker& asker, const std::vector<std::string>& names) {
  std::map<std::string, Case> grown;    // by the name of the passed case
  std::map<std::string, Case> largest;  // of each set of peers
  for (const std::string& name : names) {
    const Case c = parse_case(without_casts(name));
    if (name.starts_with(kAutocast) || !throughput::may_grow(c)) continue;
    const json answer =
        asker.ask({{"op", "speaking-size"}, {"name", name}}, name, "timed at the size of its case");
    if (asker.is_over()) return {};
    if (!answer.contains("name")) continue;
    const Case larger = parse_case(answer.at("name").get<std::string>());
    const auto place = grown.insert_or_assign(name, larger).first;
    const std::string peers = peers_of(c);
    if (peers.empty()) continue;
    const auto [most, fresh] = largest.try_emplace(peers, place->second);
    if (!fresh && throughput::elements_of_work(larger) > throughput::elements_of_work(most->second))
      most->second = larger;
  }
  std::vector<Timed> list;
  for (const std::string& name : names) {
    const std::string plain = without_casts(name);
    const auto found = grown.find(plain);
    if (found == grown.end()) {
      list.push_back({.name = name, .passed = plain});
      continue;
    }
    const std::string peers = peers_of(parse_case(plain));
    const Case c =
        peers.empty() ? found->second : throughput::as_large_as(found->second, largest.at(peers));
    const std::string casts = name.starts_with(kAutocast) ? std::string(kAutocast) : std::string();
    list.push_back({.name = casts + print(c), .passed = plain});
  }
  return list;
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

// A row, with its worker's name for it.
struct Measured {
  std::string name;
  std::size_t row = 0;  // of DeviceRun::throughput
  double rate = 0;
};

bool is_of(const json& row, std::string_view format) {
  const std::string formats = row.at("formats");
  return formats.substr(0, formats.find('.')) == format;
}

bool is_product(const json& row) { return row.at("operation") == "gemm"; }

// Instructions per nanosecond: a fused multiply-add counts as two operations but is
// one instruction.
double step_rate(const json& row, const Measured& measured) {
  const bool fused = is_product(row) || row.at("operation") == "chain.fma";
  return fused ? measured.rate / 2 : measured.rate;
}

// The fastest kernel without fp16: among chains those of fp32, among products also those that
// multiply in tf32. Null if no row counts.
const Measured* rival_of(const DeviceRun& run, const std::vector<Measured>& rows, bool of_product) {
  const Measured* best = nullptr;
  for (const Measured& row : rows) {
    const json& entry = run.throughput[row.row];
    const bool wide = is_of(entry, "fp32") || (of_product && is_of(entry, "tf32"));
    if (row.rate <= 0 || !wide) continue;
    if (best == nullptr || step_rate(entry, row) > step_rate(run.throughput[best->row], *best))
      best = &row;
  }
  return best;
}

// Times a row in turn with another one, and keeps that in the row under a name.
void hold_duel(Asker& asker, DeviceRun& run, const Measured& row, const Measured& against,
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
void hold_duels(Asker& asker, DeviceRun& run, const std::vector<Measured>& rows,
                const MeasuringSinks& sinks) {
  for (const Measured& row : rows) {
    const json& own = run.throughput[row.row];
    const Measured* rival = rival_of(run, rows, is_product(own));
    if (rival == nullptr || !is_of(own, "fp16") || own.at("operation") == "chain.convert" ||
        row.name.starts_with(kAutocast))
      continue;
    if (step_rate(own, row) <= step_rate(run.throughput[rival->row], *rival)) continue;
    hold_duel(asker, run, row, *rival, "duel", sinks);
    if (asker.is_over()) return;
  }
}

const Measured* fastest_of(const DeviceRun& run, const std::vector<Measured>& rows,
                           const std::string& operation, std::string_view format) {
  const Measured* best = nullptr;
  for (const Measured& row : rows) {
    const json& entry = run.throughput[row.row];
    if (row.rate <= 0 || entry.at("operation") != operation || !is_of(entry, format)) continue;
    if (best == nullptr || row.rate > best->rate) best = &row;
  }
  return best;
}

// The same product in fp32; null if none counts.
const Measured* same_in_fp32(const DeviceRun& run, const std::vector<Measured>& rows,
                             const Measured& own) {
  const json& wanted = run.throughput[own.row];
  const auto found = std::ranges::find_if(rows, [&](const Measured& row) {
    const json& entry = run.throughput[row.row];
    const auto is_same = [&](const char* key) { return entry.at(key) == wanted.at(key); };
    return row.rate > 0 && is_of(entry, "fp32") && is_same("operation") && is_same("provider") &&
           is_same("shape") && is_same("fill");
  });
  return found == rows.end() ? nullptr : &*found;
}

// Times the fastest fp16 chain of each operation, and the fastest product, in turn with the same in
// fp32: what fp16 gains is then known, whatever clocks do between the rows.
void time_beside_fp32(Asker& asker, DeviceRun& run, const std::vector<Measured>& rows,
                      const MeasuringSinks& sinks) {
  for (const char* operation : {"chain.add", "chain.mul", "chain.fma", "chain.muladd", "gemm"}) {
    const Measured* own = fastest_of(run, rows, operation, "fp16");
    if (own == nullptr) continue;
    const Measured* other = operation == std::string_view("gemm")
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
std::optional<Measured> measure_one(Asker& asker, DeviceRun& run, const Timed& timed, bool again,
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
  return Measured{.name = timed.name, .row = run.throughput.size() - 1, .rate = rate_of(row)};
}

// Times the fastest fp32 chain of each operation again at the end, which shows changes of clocks
// and load.
void time_again(Asker& asker, DeviceRun& run, const std::vector<Timed>& list,
                const std::vector<Measured>& rows, const MeasuringSinks& sinks) {
  std::map<std::string, const Measured*> fastest;  // by operation
  for (const Measured& row : rows) {
    const json& entry = run.throughput[row.row];
    const std::string operation = entry.at("operation");
    if (row.rate <= 0 || !is_of(entry, "fp32") || !operation.starts_with("chain.")) continue;
    const Measured*& best = fastest[operation];
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
  const json plan = worker.request({{"op", "throughput-list"}, {"passed", passed(run)}});
  const std::vector<Timed> list = sized(asker, plan.value("names", std::vector<std::string>()));
  sinks.stage("throughput");
  std::vector<Measured> rows;
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
