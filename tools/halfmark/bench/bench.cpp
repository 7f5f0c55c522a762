// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/bench/bench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "reports/performance.hpp"
#include "suites/core/errors.hpp"
#include "suites/core/line.hpp"
#include "suites/runner/in_child.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/measure.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::tools {
namespace {

using suites::Case;
using suites::UsageError;
using suites::Verdict;
namespace throughput = suites::throughput;

constexpr const char* kProgram = "halfmark bench";

// A case, or the product of one with the casts that autocast puts before it.
struct Timed {
  Case c;
  bool cast = false;

  [[nodiscard]] std::string name() const { return (cast ? "autocast." : "") + print(c); }
};

// One case on one device, verified and with its buffers in place. Google Benchmark calls a
// benchmark several times over, so the last one is kept.
class Bench {
 public:
  Bench(suites::Session& session, Timed timed)
      : session_(session), case_(std::move(timed.c)), cast_(timed.cast) {}

  /// False when a case did not pass that should have.
  [[nodiscard]] bool run(benchmark::State& state) {
    if (!result_) prepare();
    if (rotation_ == nullptr) {
      state.SkipWithError(refusal().c_str());
      return result_->verdict == Verdict::kNotSupported;
    }
    throughput::Clocks clocks;
    for ([[maybe_unused]] auto _ : state) {
      const throughput::Clocks launch = throughput::time_launches(*rotation_, 1);
      state.SetIterationTime(static_cast<double>(launch.event_ns) * 1e-9);
      clocks += launch;
    }
    samples_.push_back(clocks);
    std::string doubt = clock_doubt();
    if (doubt.empty()) doubt = rate_doubt(clocks);
    if (!doubt.empty()) state.SkipWithError(doubt.c_str());
    count(state, clocks);
    return doubt.empty();
  }

 private:
  static constexpr int kWarmUps = 3;
  static constexpr int kSecondLooks = 9;

  // A benchmark may consist of one launch. Others on the machine disturb launches one by one, and a
  // wrong clock is wrong in all, so a doubt is kept only if it outlasts some more of them.
  [[nodiscard]] std::string clock_doubt() {
    if (throughput::has_modelled_clock(session_.device().info())) return {};
    std::string doubt = throughput::clock_doubt(samples_);
    for (int i = 0; i < kSecondLooks && !doubt.empty(); ++i) {
      samples_.push_back(throughput::time_launches(*rotation_, 1));
      doubt = throughput::clock_doubt(samples_);
    }
    return doubt;
  }

  // By the rule of a run; without a data sheet there is none.
  [[nodiscard]] std::string rate_doubt(const throughput::Clocks& clocks) const {
    reports::ThroughputRun run;
    run.flops = flops();
    run.declared_gflops = declared();
    const auto fault = reports::implausible(run, nanoseconds_of(clocks));
    return fault ? fmt::format("{}: {}", fault->name, fault->sentence) : "";
  }

  void prepare() {
    const suites::Suite& suite = suites::find_suite(case_.suite);
    result_ = suites::run_case(session_, suite, case_);
    if (result_->verdict != Verdict::kPass) return;
    const backends::DeviceInfo& device = session_.device().info();
    auto around = cast_ ? throughput::with_casts(case_, device) : std::nullopt;
    if (cast_ && !around) {
      result_->verdict = Verdict::kNotSupported;
      result_->reason = "no library of the device converts";
      return;
    }
    plan_ = around ? std::move(around->plan) : suite.plan(case_, device);
    rotation_ = std::make_unique<throughput::Rotation>(
        session_, plan_, around ? around->inputs : suite.inputs(case_));
    // Pays for first touch of memory and for clocks ramping up.
    for (int i = 0; i < kWarmUps; ++i) samples_.push_back(throughput::time_launches(*rotation_, 1));
  }

  [[nodiscard]] std::string refusal() const {
    const std::string& reason = result_->reason;
    return fmt::format("not timed: {}: {}", name_of(result_->verdict),
                       reason.substr(0, reason.find('\n')));
  }

  [[nodiscard]] static double nanoseconds_of(const throughput::Clocks& clocks) {
    if (clocks.launches == 0) return 0;
    return static_cast<double>(clocks.event_ns) / static_cast<double>(clocks.launches);
  }

  // Of one launch; 0 where nobody agrees how to count them.
  [[nodiscard]] std::uint64_t flops() const {
    const auto* target = throughput::find_target(case_);
    return target->flops == nullptr ? 0 : target->flops(case_);
  }

  // 1e9 operations a second; 0 without a data sheet.
  [[nodiscard]] double declared() const {
    return throughput::declared_gflops(session_.device().info(),
                                       throughput::labels_of(case_).formats);
  }

  void count(benchmark::State& state, const throughput::Clocks& clocks) const {
    if (flops() > 0) {
      const auto work = static_cast<double>(flops());
      state.counters["flops_per_second"] =
          benchmark::Counter(work, benchmark::Counter::kIsIterationInvariantRate);
      if (declared() > 0 && clocks.event_ns > 0)
        state.counters["of_declared"] = work / nanoseconds_of(clocks) / declared();
    }
    state.SetBytesProcessed(state.iterations() *
                            static_cast<std::int64_t>(throughput::traffic_bytes(plan_)));
  }

  suites::Session& session_;
  Case case_;
  bool cast_;
  std::optional<suites::CaseResult> result_;
  suites::Plan plan_;
  std::unique_ptr<throughput::Rotation> rotation_;
  std::vector<throughput::Clocks> samples_;  // warm-ups, then each call of run
};

// Without a filter the largest case of each target, as `run` would time; with one, every case of a
// target that it lets through: a sweep over sizes is a filter. Products that autocast casts for are
// timed with their casts too.
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
        "none of the selected cases is timed; throughput is taken of plain gemm, add, mul, fma, "
        "conversions, softmax and layernorm, on the fills uniform, normal, near and bits, of large "
        "products on integer and zeros too");
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

// Strings must outlive Google Benchmark, which keeps pointers into them.
void hand_over_arguments(const std::vector<std::string>& arguments) {
  static std::vector<std::string> words;
  words.assign(1, kProgram);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  auto count = static_cast<int>(pointers.size());
  benchmark::Initialize(&count, pointers.data());
  if (count > 1) {
    throw UsageError(fmt::format(
        "'{}' is neither an option of bench nor one of Google Benchmark; `halfmark bench "
        "--help` shows what is accepted",
        pointers[1]));
  }
}

using Sessions = std::vector<std::pair<std::string, std::unique_ptr<suites::Session>>>;

Sessions open_devices(const std::vector<backends::DeviceInfo>& chosen) {
  Sessions sessions;
  for (const backends::DeviceInfo& device : chosen) {
    try {
      if (!device.plugin.empty()) static_cast<void>(backends::load_plugin(device.plugin));
      sessions.emplace_back(device.selector, std::make_unique<suites::Session>(
                                                 backends::Device::open(device.selector)));
    } catch (const backends::BackendError& e) {
      throw suites::EnvironmentError(
          fmt::format("device {} cannot be opened: {}; `halfmark devices` shows what works",
                      device.selector, e.what()));
    }
    benchmark::AddCustomContext(device.selector, device.name);
  }
  return sessions;
}

// At most one case holds buffers at a time.
struct Current {
  std::string name;
  std::unique_ptr<Bench> bench;
  bool all_good = true;
};

void register_case(const Timed& timed, const std::string& name, suites::Session& session,
                   Current& current) {
  const auto body = [&current, &session, timed, name](benchmark::State& state) {
    if (current.name != name) {
      current.bench = std::make_unique<Bench>(session, timed);
      current.name = name;
    }
    try {
      current.all_good = current.bench->run(state) && current.all_good;
    } catch (const backends::BackendError& e) {
      state.SkipWithError(e.what());
      current.all_good = false;
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime();
}

int time_cases(const std::vector<Timed>& cases, const std::vector<backends::DeviceInfo>& devices) {
  const Sessions sessions = open_devices(devices);
  Current current;
  for (const auto& [selector, session] : sessions) {
    for (const Timed& timed : cases) {
      const std::string name =
          sessions.size() == 1 ? timed.name() : fmt::format("{}@{}", timed.name(), selector);
      register_case(timed, name, *session, current);
    }
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return current.all_good ? 0 : 1;
}

}  // namespace

int verb_bench(const BenchOptions& options) {
  const std::vector<Timed> cases = timed_of(options);
  hand_over_arguments(options.benchmark_arguments);
  const std::vector<backends::DeviceInfo> devices = choose_devices(options.devices).devices;
  return suites::in_child([&] { return time_cases(cases, devices); });
}

void add_bench_options(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  add_device_options(app, options->devices);
  add_case_options(app, options->cases);
  app.footer(
      "\nOptions of Google Benchmark go through: --benchmark_filter=REGEX, "
      "--benchmark_repetitions=N,\n"
      "--benchmark_format=json, --benchmark_out=FILE and the rest. Without --filter the largest "
      "case of each\n"
      "operator and format is timed, with it every one that it lets through. Rows autocast.* time "
      "products\n"
      "together with the casts of their operands. Times are of device events. of_declared is the "
      "part of "
      "the\n"
      "rate that the device's data sheet declares, where there is one; more than all of it is "
      "refused.\n");
  app.allow_extras();
  app.callback([&action, options, &app] {
    options->benchmark_arguments = app.remaining();
    action = [options] { return verb_bench(*options); };
  });
}

}  // namespace halfmark::tools
