// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/measure.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <sstream>

#include "suites/registry.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSampleNs = 20'000'000;
constexpr std::uint64_t kBudgetNs = 1'000'000'000;
constexpr int kRepetitions = 9;
// Fewer cannot bound a median with 95 %; a slow kernel gets these though they take longer than the
// budget.
constexpr int kFewestRepetitions = 6;
constexpr std::uint64_t kSlowestForThemNs = kBudgetNs / 2;
// What a launch may cost the host beyond the kernel: queues, wake-ups, and a machine that is busy
// elsewhere.
constexpr std::uint64_t kLaunchOverheadNs = 5'000'000;
// A driver's own work between the two events of a launch takes a few microseconds; below this it
// would be more than a tenth of what is told, and the same for every format.
constexpr std::uint64_t kShortestLaunchNs = 20'000;
// Buffers of a timed run start with this where no input fills them; any value would do.
constexpr std::byte kPoison{0xa5};

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// Captures samples and stays silent; aggregates are the report's business.
class SampleReporter : public benchmark::BenchmarkReporter {
 public:
  SampleReporter() {
    SetOutputStream(&discarded_);
    SetErrorStream(&discarded_);
  }
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        error = run.error_message;
      } else {
        samples_ns.push_back(static_cast<std::uint64_t>(std::llround(run.GetAdjustedRealTime())));
      }
    }
  }

  std::vector<std::uint64_t> samples_ns;
  std::string error;

 private:
  std::ostringstream discarded_;
};

// The first launch pays for first touch of memory and for clocks ramping up; the second is what
// calibrates.
Clocks warm_up(PreparedPlan& prepared) {
  Clocks seen;
  for (int i = 0; i < 2; ++i) {
    const auto start = Clock::now();
    seen.event_ns = prepared.launch();
    seen.host_ns = nanoseconds_since(start);
  }
  return seen;
}

std::vector<Clocks> run_benchmark(PreparedPlan& prepared, const std::string& name,
                                  SampleReporter& reporter) {
  const Clocks seen = warm_up(prepared);
  const Sampling sampling = sampling_for(seen.event_ns, seen.host_ns);
  std::vector<Clocks> clocks;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(
      name.c_str(),
      [&](benchmark::State& state) { clocks.push_back(time_launches(state, prepared)); })
      ->UseManualTime()
      ->Unit(benchmark::kNanosecond)
      ->Iterations(sampling.iterations)
      ->Repetitions(sampling.repetitions);
  benchmark::RunSpecifiedBenchmarks(&reporter, ".*");
  benchmark::ClearRegisteredBenchmarks();
  return clocks;
}

std::uint64_t least_host_ns(std::span<const Clocks> samples) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Clocks& sample : samples) {
    if (sample.launches > 0)
      least = std::min(least, sample.host_ns / static_cast<std::uint64_t>(sample.launches));
  }
  return samples.empty() ? 0 : least;
}

std::string first_of(std::initializer_list<std::string> doubts) {
  for (const std::string& doubt : doubts) {
    if (!doubt.empty()) return doubt;
  }
  return {};
}

}  // namespace

Sampling sampling_for(std::uint64_t event_ns, std::uint64_t host_ns) {
  const std::uint64_t host = std::max<std::uint64_t>(host_ns, 1);
  const std::uint64_t wanted = event_ns == 0 ? 1 : (kSampleNs + event_ns - 1) / event_ns;
  const std::uint64_t affordable = kBudgetNs / kRepetitions / host;
  const std::uint64_t iterations = std::max<std::uint64_t>(1, std::min(wanted, affordable));
  const int fewest = host <= kSlowestForThemNs ? kFewestRepetitions : 1;
  const auto repetitions =
      static_cast<int>(std::min<std::uint64_t>(kRepetitions, kBudgetNs / (iterations * host)));
  return {.iterations = static_cast<std::int64_t>(iterations),
          .repetitions = std::max(fewest, repetitions)};
}

std::string clock_doubt(std::span<const Clocks> samples) {
  for (const Clocks& sample : samples) {
    if (sample.launches == 0) continue;
    if (sample.event_ns > sample.host_ns) {
      return fmt::format(
          "the device's clock is wrong: its events sum to {} ns in {} ns of the host's clock",
          sample.event_ns, sample.host_ns);
    }
    // The other way, the host's own delays must be allowed for.
    const auto launches = static_cast<std::uint64_t>(sample.launches);
    if (sample.host_ns > 2 * sample.event_ns + launches * kLaunchOverheadNs) {
      return fmt::format(
          "the device's clock is doubtful: its events sum to {} ns while the host waited {} ns for "
          "{} "
          "launches",
          sample.event_ns, sample.host_ns, launches);
    }
  }
  return {};
}

std::string shortness_doubt(std::span<const Clocks> samples) {
  std::uint64_t event_ns = 0;
  std::uint64_t launches = 0;
  for (const Clocks& sample : samples) {
    event_ns += sample.event_ns;
    launches += static_cast<std::uint64_t>(sample.launches);
  }
  if (launches == 0 || event_ns >= launches * kShortestLaunchNs) return {};
  return fmt::format(
      "too short: a launch takes {} ns, much of it the launching itself; a higher level has larger "
      "sizes",
      event_ns / launches);
}

Clocks time_launches(benchmark::State& state, PreparedPlan& plan) {
  Clocks clocks;
  for ([[maybe_unused]] auto _ : state) {
    try {
      const auto start = Clock::now();
      const std::uint64_t event_ns = plan.launch();
      clocks.host_ns += nanoseconds_since(start);
      clocks.event_ns += event_ns;
      ++clocks.launches;
      state.SetIterationTime(static_cast<double>(event_ns) * 1e-9);
    } catch (const backends::BackendError& e) {
      state.SkipWithError(e.what());
      break;
    }
  }
  return clocks;
}

nlohmann::json measure(Session& session, const Case& c) {
  const Suite& suite = find_suite(c.suite);
  const Target* target = find_target(c);
  const Labels labels = labels_of(c);
  SampleReporter reporter;
  std::vector<Clocks> clocks;
  const Plan plan = suite.plan(c, session.device().info());
  if (plan.needs) {
    reporter.error = fmt::format("the device does not offer {}", *plan.needs);
  } else {
    try {
      PreparedPlan prepared(session, plan, suite.inputs(c), kPoison);
      clocks = run_benchmark(prepared, print(c), reporter);
    } catch (const backends::BackendError& e) {
      reporter.error = e.what();
    }
  }
  return {{"name", print_seedless(c)},
          {"provider", labels.provider},
          {"operation", target == nullptr ? c.suite : std::string(target->operation)},
          {"formats", labels.formats},
          {"shape", labels.shape},
          {"fill", labels.fill},
          {"samples_ns", reporter.samples_ns},
          {"flops", target == nullptr || target->flops == nullptr ? 0 : target->flops(c)},
          {"bytes", traffic_bytes(plan)},
          {"passed_case", print(c)},
          {"host_ns", least_host_ns(clocks)},
          {"doubt", first_of({reporter.error, clock_doubt(clocks), shortness_doubt(clocks)})}};
}

}  // namespace halfmark::suites::throughput
