// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/bench/bench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/device_info.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/performance.hpp"
#include "reports/scorecard.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/runner/arithmetics.hpp"
#include "suites/runner/child.hpp"
#include "suites/runner/limits.hpp"
#include "suites/runner/worker.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/targets.hpp"
#include "tools/halfmark/command_line.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {
namespace {

using suites::Case;
using suites::UsageError;
using suites::Verdict;
namespace throughput = suites::throughput;

constexpr const char* kProgram = "halfmark bench";

// A case, or its product with the casts that autocast puts before it.
struct Timed {
  Case c;
  bool cast = false;

  [[nodiscard]] std::string name() const { return (cast ? "autocast." : "") + print(c); }
  /// The name in requests to workers.
  [[nodiscard]] std::string request() const {
    return (cast ? std::string(throughput::kAutocast) : "") + print(c);
  }
};

// One device and its worker. A device that loses several benchmarks in a row is given up.
struct Station {
  static constexpr int kMostLost = 2;  // in a row

  backends::DeviceInfo device;
  std::unique_ptr<suites::Worker> worker;
  suites::Limits limits;
  suites::Arithmetics arithmetics = {};  // that library products were found to have
  int lost = 0;                          // in a row

  [[nodiscard]] bool given_up() const { return lost == kMostLost; }
};

enum class End {
  kTimed,  // or not supported
  kFailed,
  kLost,  // no answer: the driver hung, its process died, or the user interrupted it
};

struct Refusal {
  End end;
  std::string reason;  // one line
};

// One case on one device, verified and with its buffers allocated. Google Benchmark calls a
// benchmark several times, so the caller keeps the last object.
class Bench {
 public:
  Bench(Station& station, Timed timed) : station_(station), timed_(std::move(timed)) {}

  [[nodiscard]] End run(benchmark::State& state) {
    if (!prepared_) prepare();
    prepared_ = true;
    throughput::Clocks clocks;
    while (!refusal_ && state.KeepRunningBatch(state.max_iterations)) {
      const auto launched = launch(state.max_iterations);
      if (!launched) break;
      clocks = *launched;
      state.SetIterationTime(static_cast<double>(clocks.event_ns) * 1e-9);
      samples_.push_back(clocks);
    }
    std::string doubt = refusal_ ? "" : clock_doubt();
    if (refusal_) {
      state.SkipWithError(refusal_->reason.c_str());
      return refusal_->end;
    }
    station_.lost = 0;
    if (doubt.empty()) doubt = rate_doubt(clocks);
    if (!doubt.empty()) state.SkipWithError(doubt.c_str());
    count(state, clocks);
    return doubt.empty() ? End::kTimed : End::kFailed;
  }

 private:
  static constexpr int kWarmUps = 3;
  static constexpr int kSecondLooks = 9;

  // A benchmark may consist of a single launch. Other load on the machine disturbs single
  // launches, whereas a wrong clock is wrong in all of them, so a doubt only stands if more
  // launches confirm it.
  [[nodiscard]] std::string clock_doubt() {
    if (throughput::has_modelled_clock(station_.device)) return {};
    std::string doubt = throughput::clock_doubt(samples_);
    for (int i = 0; i < kSecondLooks && !doubt.empty(); ++i) {
      const auto launched = launch(1);
      if (!launched) return {};
      samples_.push_back(*launched);
      doubt = throughput::clock_doubt(samples_);
    }
    return doubt;
  }

  // Applies the same rule as a run; never doubts a rate without a data sheet.
  [[nodiscard]] std::string rate_doubt(const throughput::Clocks& clocks) const {
    reports::ThroughputRun run;
    run.flops = flops();
    run.declared_gflops = declared();
    const auto fault = reports::implausible(run, nanoseconds_of(clocks));
    return fault ? fmt::format("{}: {}", fault->name, fault->sentence) : "";
  }

  void refuse(End end, const std::string& why) {
    refusal_ = {.end = end, .reason = "not timed: " + why.substr(0, why.find('\n'))};
  }

  // Reports a loss immediately, as Google Benchmark may be writing to a file. Once the device is
  // given up, later benchmarks only get a row.
  void lose(const std::string& why) {
    refuse(End::kLost, why);
    ++station_.lost;
    fmt::print(std::cerr, "halfmark: {}: {}{}\n", timed_.name(), refusal_->reason,
               station_.given_up() ? "; nothing more is timed on " + station_.device.selector : "");
  }

  // Empty if the benchmark was refused. A single launch has the time limit of a case; the total has
  // no limit, since Google Benchmark determines it.
  [[nodiscard]] std::optional<throughput::Clocks> launch(std::int64_t launches) {
    constexpr std::chrono::hours kWithoutEnd(24 * 365);
    suites::Patience patience = station_.limits.patience(print(timed_.c));
    patience.total = kWithoutEnd;
    const nlohmann::json answer = station_.worker->request(
        {{"op", "launch"}, {"name", timed_.request()}, {"launches", launches}}, patience);
    if (suites::interrupted()) {
      refuse(End::kLost, "interrupted");
    } else if (const auto error = answer.find("error"); error != answer.end()) {
      if (answer.contains("lost")) {
        lose(*error);
      } else {
        refuse(End::kFailed, *error);
      }
    } else if (answer.at("launched").is_null()) {
      refuse(End::kTimed,
             fmt::format("{}: no library of the device converts", name_of(Verdict::kNotSupported)));
    } else {
      bytes_ = answer.at("bytes").get<std::uint64_t>();
      return throughput::clocks_from_json(answer.at("launched"));
    }
    return std::nullopt;
  }

  void prepare() {
    if (suites::interrupted()) return refuse(End::kLost, "interrupted");
    if (station_.given_up())
      return refuse(End::kLost, fmt::format("{} lost {} benchmarks in a row",
                                            station_.device.selector, Station::kMostLost));
    const suites::CaseResult result =
        station_.worker->run(timed_.c, station_.limits.patience(print(timed_.c)),
                             station_.arithmetics.of(timed_.c, *station_.worker));
    if (suites::interrupted()) return refuse(End::kLost, "interrupted");
    const std::string why = fmt::format("{}: {}", name_of(result.verdict), result.reason);
    // An error leaves the worker alive.
    if (result.verdict == Verdict::kHang || result.verdict == Verdict::kCrash ||
        result.verdict == Verdict::kDeviceLost)
      return lose(why);
    if (result.verdict == Verdict::kNotSupported) return refuse(End::kTimed, why);
    if (result.verdict != Verdict::kPass) return refuse(End::kFailed, why);
    // Covers the first touch of memory and the ramp-up of clocks.
    for (int i = 0; i < kWarmUps && !refusal_; ++i) {
      if (const auto launched = launch(1)) samples_.push_back(*launched);
    }
  }

  [[nodiscard]] static double nanoseconds_of(const throughput::Clocks& clocks) {
    if (clocks.launches == 0) return 0;
    return static_cast<double>(clocks.event_ns) / static_cast<double>(clocks.launches);
  }

  // Of one launch; 0 where there is no agreed count.
  [[nodiscard]] std::uint64_t flops() const {
    const auto* target = throughput::find_target(timed_.c);
    return target->flops == nullptr ? 0 : target->flops(timed_.c);
  }

  // 1e9 flops per second; 0 without a data sheet.
  [[nodiscard]] double declared() const {
    return throughput::declared_gflops(station_.device, throughput::labels_of(timed_.c).formats);
  }

  void count(benchmark::State& state, const throughput::Clocks& clocks) const {
    if (flops() > 0) {
      const auto work = static_cast<double>(flops());
      state.counters["flops_per_second"] =
          benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
      if (declared() > 0 && clocks.event_ns > 0)
        state.counters["of_declared"] = work / nanoseconds_of(clocks) / declared();
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes_));
  }

  Station& station_;
  Timed timed_;
  bool prepared_ = false;
  std::optional<Refusal> refusal_;
  std::uint64_t bytes_ = 0;                  // that one launch must move
  std::vector<throughput::Clocks> samples_;  // of the warm-ups, then of each call of run
};

// Without a filter, the largest case of each target, as `run` would time; with one, every case of a
// target that matches it, so that a filter can sweep over sizes. Products to which autocast applies
// are also timed with their casts.
std::vector<Timed> timed_of(const BenchOptions& options) {
  std::vector<Timed> timed;
  std::vector<std::string> names;
  for (Case& c : suites::select_cases(selection_of(options.cases))) {
    if (throughput::find_target(c) == nullptr) continue;
    names.push_back(print(c));
    const bool may_be_cast = throughput::may_be_cast(c);
    timed.push_back({.c = std::move(c)});
    if (may_be_cast) timed.push_back({.c = timed.back().c, .cast = true});
  }
  if (timed.empty()) {
    throw UsageError(
        "none of the selected cases can be timed; throughput is measured for plain gemm, add, mul, "
        "fma, conversions, softmax and layernorm, on the fills uniform, normal, near and bits, and "
        "for large products also on integer and zeros");
  }
  if (!options.cases.filters.empty()) return timed;
  timed.clear();
  for (const std::string& name : throughput::choose(names)) {
    const bool cast = name.starts_with(throughput::kAutocast);
    timed.push_back(
        {.c = suites::parse_case(cast ? name.substr(throughput::kAutocast.size()) : name),
         .cast = cast});
  }
  return timed;
}

// Google Benchmark keeps pointers into these strings, so they must outlive it.
void hand_over_arguments(const std::vector<std::string>& arguments) {
  static std::vector<std::string> words;
  words = {kProgram, "--benchmark_color=false"};  // all its output passes the console
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  auto count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) {
    throw UsageError(fmt::format(
        "'{}' is neither an option of bench nor one of Google Benchmark; `halfmark bench "
        "--help` shows what is accepted",
        text::visible_line(pointers[1])));
  }
}

struct Outcome {
  bool failed = false, incomplete = false, unusable = false;

  // "Does not conform" outranks "incomplete": it is already an answer.
  [[nodiscard]] int code() const {
    if (failed) return reports::kExitDoesNotConform;
    if (incomplete) return reports::kExitIncomplete;
    return unusable ? reports::kExitNoAnswer : reports::kExitConforms;
  }
};

// Reports a device that cannot be opened, and times the others.
std::vector<Station> open_devices(const BenchOptions& options,
                                  const std::vector<backends::DeviceInfo>& chosen,
                                  Outcome& outcome) {
  std::vector<Station> stations;
  for (const backends::DeviceInfo& device : chosen) {
    const suites::WorkerOptions worker = worker_options(options.devices, device);
    Station station{.device = {},
                    .worker = std::make_unique<suites::Worker>(worker),
                    .limits = suites::Limits(worker.case_limit)};
    try {
      station.device = station.worker->open(device.selector);
    } catch (const suites::DeviceUnusable& e) {
      (suites::interrupted() ? outcome.incomplete : outcome.unusable) = true;
      if (!suites::interrupted()) fmt::print(std::cerr, "halfmark: {}\n", e.what());
      continue;
    }
    benchmark::AddCustomContext(device.selector, device.name);
    stations.push_back(std::move(station));
  }
  return stations;
}

// At most one case of a device holds buffers at a time.
struct Current {
  std::string name;
  std::unique_ptr<Bench> bench;
};

void register_case(const Timed& timed, const std::string& name, Station& station, Current& current,
                   Outcome& outcome) {
  const auto body = [&current, &outcome, &station, timed, name](benchmark::State& state) {
    if (current.name != name) {
      current.bench = std::make_unique<Bench>(station, timed);
      current.name = name;
    }
    const End end = current.bench->run(state);
    if (end == End::kFailed) outcome.failed = true;
    if (end == End::kLost) outcome.incomplete = true;
  };
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime();
}

int time_cases(const BenchOptions& options, const std::vector<Timed>& cases,
               const std::vector<backends::DeviceInfo>& devices) {
  Outcome outcome;
  std::vector<Station> stations = open_devices(options, devices, outcome);
  if (stations.empty()) return outcome.code();
  Current current;
  for (Station& station : stations) {
    for (const Timed& timed : cases) {
      const std::string name = devices.size() == 1
                                   ? timed.name()
                                   : fmt::format("{}@{}", timed.name(), station.device.selector);
      register_case(timed, name, station, current, outcome);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return outcome.code();
}

void add_bench_options(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  add_device_options(app, options->devices);
  add_case_options(app, options->cases);
  app.footer(
      "\nOptions of Google Benchmark are passed through: --benchmark_filter=REGEX,\n"
      "--benchmark_repetitions=N, --benchmark_format=json, --benchmark_out=FILE and the rest.\n"
      "Without --filter, the largest case of each operator and format is timed; with it, every\n"
      "matching case. Rows autocast.* time products together with the casts of their operands.\n"
      "Times are those of device events. of_declared is the fraction of the rate in the device's\n"
      "data sheet, if there is one; a rate above it is refused.\n");
  app.allow_extras();
  app.callback([&action, options, &app] {
    options->benchmark_arguments = app.remaining();
    action = [options] { return verb_bench(*options); };
  });
}

}  // namespace

int verb_bench(const BenchOptions& options) {
  const std::vector<Timed> cases = timed_of(options);
  hand_over_arguments(options.benchmark_arguments);
  const std::vector<backends::DeviceInfo> devices = choose_devices(options.devices).devices;
  suites::install_interrupt_handler();
  return time_cases(options, cases, devices);
}

int run_bench_program(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], suites::kWorkerArgument) == 0) return suites::serve_worker();
  CLI::App app{kBenchDescription, "halfmark bench"};
  Action action;
  add_bench_options(app, action);
  return run_command_line(app, argc, argv, action);
}

}  // namespace halfmark::tools
