// SPDX-License-Identifier: Apache-2.0
// Simulates whole runs whose true kind is known, on machines that are quiet, noisy, busy or change
// their clock; every draw goes through rows, roofs and the judge as a real run does. A wrong kind
// may be announced in fewer than one in a thousand draws of any scenario; undecided is not wrong.
// Every scenario gets 100,000 draws with HALFMARK_LONG=1, and 300 otherwise. Of 100,000 draws at
// most 26 were wrong: emulation at the full rate of fp32, and a clock that moved within the duel.
//
// Assumes:
// 1. A busy machine slows down whatever runs at that moment, to a half or a third of its speed.
// 2. The seed determines the order of a run's rows; the duel and the rows that are timed again come
//    last, when the fastest kernel on fp32 data is known.
// 3. Several fp32 kernels come within a tenth of the fastest, as sums, products and fused
//    multiply-adds do on the same units. Where one kernel is much faster than the others, all fp32
//    kernels are timed again at the end of the run. Without that, load in stretches of several rows
//    misleads in 3 of 1,000 runs, where emulation is as fast as that one kernel.
// 4. Emulation reaches at most the rate of the fastest fp32 kernel.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <thread>

#include "reports/roofs.hpp"
#include "reports/testing/sample_record.hpp"
#include "reports/throughput.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

enum class Noise {
  kQuiet,  // 1 %
  kFive,   // log-normal
  kTen,
  kTwenty,
  kBursts,      // load comes and goes in stretches of any length
  kLongBursts,  // in stretches of several rows each
  kBusyFp32,    // busy while fp32 is timed, idle afterwards
  kDrift,       // the clock moves by 30 % once
};

constexpr Noise kNoises[] = {Noise::kQuiet,  Noise::kFive,       Noise::kTen,      Noise::kTwenty,
                             Noise::kBursts, Noise::kLongBursts, Noise::kBusyFp32, Noise::kDrift};

struct Scenario {
  bool native = false;
  double ratio = 1;  // rate of fp16 over that of the fastest fp32 kernel, in steps
  Noise noise = Noise::kQuiet;
  bool image = false;  // the instructions of its kernel were read
  bool alone = false;  // one kernel on fp32 data is much faster than all others
};

void add_scenarios(Scenario like, std::vector<Scenario>& scenarios) {
  for (const double ratio : {0.05, 0.19, 0.5, 0.9, 1.0, 1.05, 1.2, 1.5, 2.0, 4.0, 12.0}) {
    like.native = true;
    like.ratio = ratio;
    scenarios.push_back(like);
  }
  for (const double ratio : {0.05, 0.19, 0.5, 0.8, 0.9, 1.0}) {
    like.native = false;
    like.ratio = ratio;
    scenarios.push_back(like);
  }
}

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> scenarios;
  for (const Noise noise : kNoises) {
    for (const bool image : {false, true})
      add_scenarios({.noise = noise, .image = image}, scenarios);
  }
  for (const Noise noise : {Noise::kBursts, Noise::kLongBursts, Noise::kBusyFp32, Noise::kDrift})
    add_scenarios({.noise = noise, .alone = true}, scenarios);
  return scenarios;
}

constexpr double kSampleNs = 2e7;
constexpr std::uint64_t kSteps = 1u << 24;
constexpr double kLaunchNs = 200'000;  // of the fastest fp32 kernel, on an idle machine

// The factor by which everything is slower at a moment of the run.
class Machine {
 public:
  Machine(Noise noise, std::mt19937_64& random) : noise_(noise), random_(random) {
    const double end = 2e9 + draw() * 3e9;  // somewhere in a run of about 4 s
    drift_at_ = draw() * end;
    rises_ = draw() < 0.5;
    busy_ = 1.2 + 1.8 * draw();
    next_ = stretch();
  }

  // Returns the slowdown of one sample, and advances the clock by the sample's time.
  double slowdown(bool while_fp32_is_timed) {
    const double load = load_of(while_fp32_is_timed);
    const double factor = load * std::exp(spread() * normal_(random_));
    now_ += kSampleNs * factor;
    return factor;
  }

 private:
  double draw() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  double spread() const {
    if (noise_ == Noise::kFive) return 0.05;
    if (noise_ == Noise::kTen) return 0.1;
    return noise_ == Noise::kTwenty ? 0.2 : 0.01;
  }

  // Idle and busy stretches alternate; they are as long as one sample to ten rows.
  double stretch() {
    const double mean = noise_ == Noise::kLongBursts ? 1.5e9 : 2e7 * std::pow(50.0, draw());
    return now_ - mean * std::log(1 - draw());
  }

  double load_of(bool while_fp32_is_timed) {
    if (noise_ == Noise::kBusyFp32) return while_fp32_is_timed ? busy_ : 1;
    if (noise_ == Noise::kDrift) return (now_ < drift_at_) == rises_ ? 1.3 : 1;
    if (noise_ != Noise::kBursts && noise_ != Noise::kLongBursts) return 1;
    while (now_ >= next_) {
      burst_ = burst_ > 1 ? 1 : draw() < 0.5 ? 2 : 3;
      next_ = stretch();
    }
    return burst_;
  }

  Noise noise_;
  std::mt19937_64& random_;
  std::normal_distribution<double> normal_;
  double now_ = 0, drift_at_ = 0, busy_ = 1, burst_ = 1, next_ = 0;
  bool rises_ = false;
};

struct Kernel {
  const char* link;
  const char* width;
  double efficiency, alone;  // relative to the fastest; `alone` where one kernel is much faster
};

// The steps of all three operations run on the same units; widths differ.
constexpr Kernel kFp32[] = {
    {"fma", "w1", 0.8, 0.6},  {"fma", "w2", 1.0, 1.0},   {"fma", "w4", 0.97, 0.7},
    {"add", "w1", 0.8, 0.6},  {"add", "w2", 0.99, 0.7},  {"add", "w4", 0.95, 0.7},
    {"mul", "w1", 0.78, 0.6}, {"mul", "w2", 0.985, 0.7}, {"mul", "w4", 0.95, 0.7}};
constexpr std::size_t kKernels = std::size(kFp32);

// The rows of a run, made once: a draw changes only their times. The row on fp16 data follows the
// kernels on fp32 data, and the rows that are timed again at the end come last: all fp32 kernels
// where one is much faster, else one that is about as fast as others.
class Run {
 public:
  Run(const char* link, bool alone) : alone_(alone) {
    record_.device = {{"promises", {{{"capability", "fp16.arithmetic"}, {"offered", true}}}}};
    for (const Kernel& kernel : kFp32) add_chain(record_, kernel.link, "fp32", kernel.width, 1);
    add_chain(record_, link, "fp16", "w4", 1);
    for (ThroughputRun& run : record_.throughput) {
      run.flops = std::string_view(run.operation) == "chain.fma" ? 2 * kSteps : kSteps;
      run.half_work_ns = 0;
    }
    for (std::size_t i = 0; i < kKernels; ++i) {
      if (!alone && i != 1) continue;
      ThroughputRun again = record_.throughput[i];
      again.conditions["again"] = true;
      record_.throughput.push_back(again);
      again_.push_back(i);
    }
    std::ranges::sort(record_.results, {}, &suites::CaseResult::name);
  }

  std::string judge(const Scenario& scenario, std::mt19937_64& random) {
    Machine machine(scenario.noise, random);
    time_rows(scenario, random, machine);
    duel(scenario, machine);
    for (std::size_t i = 0; i < again_.size(); ++i)
      time_row(record_.throughput[kKernels + 1 + i], efficiency(again_[i]), true, machine);
    const auto rows = make_throughput(record_.throughput, record_.results);
    return judge_fp16_operators(record_.device, record_.results, record_.arithmetic, rows,
                                find_roofs(rows, record_.results))
        .at(0)
        .kind;
  }

 private:
  ThroughputRun& own() { return record_.throughput[kKernels]; }

  double efficiency(std::size_t i) const { return alone_ ? kFp32[i].alone : kFp32[i].efficiency; }

  static std::uint64_t launch(double rate, bool fp32_row, Machine& machine) {
    return static_cast<std::uint64_t>(kLaunchNs / rate * machine.slowdown(fp32_row));
  }

  static void time_row(ThroughputRun& run, double rate, bool fp32_row, Machine& machine) {
    run.samples_ns.resize(9);
    for (std::uint64_t& ns : run.samples_ns) ns = launch(rate, fp32_row, machine);
  }

  void time_rows(const Scenario& scenario, std::mt19937_64& random, Machine& machine) {
    std::vector<std::size_t> order(kKernels + 1);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      const bool fp32_row = i < kKernels;
      time_row(record_.throughput[i], fp32_row ? efficiency(i) : scenario.ratio, fp32_row, machine);
    }
    own().conditions = nlohmann::json::object();
    if (!scenario.image) return;
    own().conditions["instructions"] = {{"fp16", scenario.native ? 8 : 0},
                                        {"bf16", 0},
                                        {"fp32", scenario.native ? 0 : 8},
                                        {"conversions", scenario.native ? 0 : 24}};
  }

  // The opponent of the duel: the kernel measured as fastest, where fused steps count two
  // flops each.
  std::size_t fastest() const {
    std::size_t best = 0;
    double most = 0;
    for (std::size_t i = 0; i < kKernels; ++i) {
      const ThroughputRun& run = record_.throughput[i];
      const double rate = static_cast<double>(run.flops) / median_of(run.samples_ns);
      if (rate > most) {
        most = rate;
        best = i;
      }
    }
    return best;
  }

  // In the order A B B A, with one sample per side and turn.
  void duel(const Scenario& scenario, Machine& machine) {
    const std::size_t i = fastest();
    const ThroughputRun& against = record_.throughput[i];
    own().duel = Duel{.against = against.name, .against_flops = against.flops, .pairs = {}};
    for (int turn = 0; turn < 15; ++turn) {
      Duel::Pair pair;
      if (turn % 2 == 0) pair.against_ns = launch(efficiency(i), false, machine);
      pair.own_ns = launch(scenario.ratio, false, machine);
      if (turn % 2 != 0) pair.against_ns = launch(efficiency(i), false, machine);
      own().duel->pairs.push_back(pair);
    }
  }

  RunRecord record_;
  std::vector<std::size_t> again_;
  bool alone_;
};

bool long_run() {
  const char* wanted = std::getenv("HALFMARK_LONG");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

std::size_t draws_of_each() { return long_run() ? 100'000 : 300; }

using Counts = std::map<std::string, std::size_t>;

Counts draw_runs(const Scenario& scenario, std::size_t draws, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Run> runs;
  for (const char* link : {"add", "mul", "fma"}) runs.emplace_back(link, scenario.alone);
  Counts counts;
  for (std::size_t i = 0; i < draws; ++i) ++counts[runs[i % runs.size()].judge(scenario, random)];
  return counts;
}

std::string text_of(const Scenario& s) {
  return fmt::format("{} at {} x, noise {}, {}{}", s.native ? "native" : "emulated", s.ratio,
                     static_cast<int>(s.noise), s.image ? "image read" : "no image",
                     s.alone ? ", one kernel alone" : "");
}

// Draws every scenario, on all processors; each has a seed of its own, so that the order does
// not matter.
std::vector<Counts> draw_all(const std::vector<Scenario>& scenarios, std::size_t draws) {
  std::vector<Counts> counts(scenarios.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < scenarios.size(); i = next++)
        counts[i] = draw_runs(scenarios[i], draws, 1000 + i);
    });
  threads.clear();
  return counts;
}

std::size_t count_of(const Counts& counts, const std::string& kind) {
  const auto found = counts.find(kind);
  return found == counts.end() ? 0 : found->second;
}

TEST(Simulation, AnnouncesAWrongKindInFewerThanOneOfAThousandRuns) {
  const std::size_t draws = draws_of_each();
  const std::vector<Scenario> scenarios = all_scenarios();
  const std::vector<Counts> drawn = draw_all(scenarios, draws);
  std::size_t most_wrong = 0;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Scenario& s = scenarios[i];
    const std::size_t right = count_of(drawn[i], s.native ? "native" : "emulated");
    const std::size_t open = count_of(drawn[i], "undecided") + count_of(drawn[i], "disputed");
    const std::size_t wrong = draws - right - open;
    EXPECT_LT(wrong * 1000, draws) << text_of(s);
    most_wrong = std::max(most_wrong, wrong);
    std::string text;
    for (const auto& [kind, count] : drawn[i]) text += fmt::format(" {} {}", kind, count);
    if (long_run()) fmt::print("{}:{}\n", text_of(s), text);
  }
  fmt::print("{} scenarios, {} draws each, at most {} wrong\n", scenarios.size(), draws,
             most_wrong);
}

// A judge that never decides anything is never wrong either.
TEST(Simulation, AnnouncesWhatAQuietMachineShows) {
  const std::size_t draws = draws_of_each();
  for (const double ratio : {1.2, 1.5, 2.0, 4.0}) {
    const Scenario fast = {.native = true, .ratio = ratio, .noise = Noise::kQuiet};
    EXPECT_GT(100 * count_of(draw_runs(fast, draws, 5), "native"), 99 * draws) << ratio;
  }
  for (const bool native : {true, false}) {
    const Scenario read = {.native = native, .ratio = 0.19, .noise = Noise::kBursts, .image = true};
    EXPECT_EQ(draws, count_of(draw_runs(read, draws, 6), native ? "native" : "emulated"));
  }
}

}  // namespace
}  // namespace halfmark::reports
