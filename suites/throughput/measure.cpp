// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "suites/core/execute/progress.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/kept_inputs.hpp"
#include "suites/throughput/queued.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"
#include "suites/throughput/verify.hpp"

namespace halfmark::suites::throughput {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::uint64_t kBudgetNs = 1'000'000'000;
constexpr int kRepetitions = 9;
// Fewer samples cannot bound a median with 95 % confidence; a slow kernel gets this many even if
// they exceed the budget.
constexpr int kFewestRepetitions = 6;
constexpr std::uint64_t kSlowestForSeveralSamplesNs = kBudgetNs / 2;
// Larger buffers take seconds to refill, and no implementation caches results of their size.
constexpr std::uint64_t kMostFreshBytes = std::uint64_t{1} << 27;
constexpr int kHalvings = 3;

// What is spent on a row: the least device time of a sample, and the launches over fresh buffers.
struct Effort {
  std::uint64_t sample_ns;
  int fresh_launches;
};
constexpr Effort kUsual{.sample_ns = kSampleNs, .fresh_launches = 3};
// There are many chains, each with a long enough launch: shorter samples suffice to bound
// their median.
constexpr Effort kOfChains{.sample_ns = 2'000'000, .fresh_launches = 1};

// The device's clocks settle within a few launches, or within a quarter of a second.
constexpr int kWarmUps = 5;
constexpr std::uint64_t kWarmUpNs = kBudgetNs / 4;
constexpr int kFewestWarmUps = 2;
// Time for heat and queues of the previous row to subside.
constexpr std::uint64_t kSettleMs = 20;

std::uint64_t nanoseconds_since(Clock::time_point start) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

// Warms up. The first launch includes first-touch page faults and clock ramp-up; the
// shortest of the others serves for calibration, since a busy host lengthens some.
// `launches` counts all of them.
Clocks warm_up(Rotation& rotation) {
  Clocks shortest = time_launches(rotation, 1);
  std::int64_t launches = 1;
  const auto begin = Clock::now();
  while (launches < kFewestWarmUps ||
         (launches < kWarmUps && nanoseconds_since(begin) < kWarmUpNs)) {
    const Clocks next = time_launches(rotation, 1);
    if (launches == 1 || next.event_ns < shortest.event_ns) shortest = next;
    ++launches;
  }
  shortest.launches = launches;
  return shortest;
}

// A case, and whether its casts are timed with it.
std::pair<Case, bool> case_of(const std::string& name) {
  const bool cast = name.starts_with(kAutocast);
  return {parse_case(cast ? name.substr(kAutocast.size()) : name), cast};
}

std::uint64_t least_host_ns(std::span<const Clocks> samples) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (const Clocks& sample : samples) {
    if (sample.launches > 0)
      least = std::min(least, sample.host_ns / static_cast<std::uint64_t>(sample.launches));
  }
  return samples.empty() ? 0 : least;
}

// The outcome of timing one plan. After an error the earlier samples remain.
struct Measured {
  std::vector<Clocks> samples;
  std::string error;
  std::uint64_t fresh_ns = 0;
  // Launches with all steps and with half of them, in alternation: the least time of each; 0:
  // not tried.
  std::uint64_t whole_work_ns = 0, half_work_ns = 0;
  json verified = json::array();
};

// Device time of one launch in each sample, rounded to nanoseconds.
std::vector<std::uint64_t> launch_times(std::span<const Clocks> samples) {
  std::vector<std::uint64_t> times;
  for (const Clocks& sample : samples) {
    const auto launches = static_cast<std::uint64_t>(sample.launches);
    times.push_back((sample.event_ns + launches / 2) / launches);
  }
  return times;
}

std::string doubt_of(const backends::DeviceInfo& device, const Measured& measured) {
  if (!measured.error.empty()) return measured.error;
  // A modelled device time is not part of the host's time, and the same in every launch.
  return has_modelled_clock(device) ? shortness_doubt(measured.samples)
                                    : doubt_of(measured.samples);
}

// Adds clocks, power, temperature and throttling reasons, if the vendor reports them.
void add_telemetry(Session& session, const char* key, json& conditions) {
  if (!session.device().info().extra.contains("telemetry")) return;
  const json now = session.device().describe_now().extra;
  if (const auto found = now.find("telemetry"); found != now.end() && found->is_object())
    conditions[key] = *found;
}

// After the samples, since some drivers must compile more than the launches need before they show
// an image. If a driver refuses to show one, the times remain valid.
void read_instructions(Session& session, const Plan& plan, json& conditions) {
  try {
    add_instructions(
        plan, [&](const Launch& launch) { return session.program(launch).image(); }, conditions);
  } catch (const backends::BackendError& e) {
    conditions["instructions_unread"] = e.what();
  }
}

// After the samples: calls that were not waited for must leave what a call alone does.
std::string queue_doubt(Queue& queue) {
  const std::string changed = queue.changed_output();
  if (changed.empty()) return {};
  return fmt::format(
      "of {} calls between two events, some left another '{}' than a call alone does",
      queue.calls(), changed);
}

void measure_plan(Session& session, const Plan& plan, const TensorSet& inputs,
                  std::unique_ptr<PreparedPlan> first, const Effort& effort, Measured& measured,
                  json& conditions) {
  std::this_thread::sleep_for(std::chrono::milliseconds(kSettleMs));
  Rotation rotation(session, plan, inputs, std::move(first));
  const Clocks seen = warm_up(rotation);
  measured.error = rotation.not_supported().value_or("");
  if (!measured.error.empty()) return;
  // A modelled time is as accurate after one launch as after many, however long the host waits.
  const bool modelled = has_modelled_clock(session.device().info());
  const std::unique_ptr<Queue> queue =
      modelled ? nullptr : queue_for(session, plan, inputs, rotation.copies(), seen.event_ns);
  const auto sample = [&](std::int64_t iterations) {
    return queue ? queue->time_groups(iterations) : time_launches(rotation, iterations);
  };
  const Clocks once = queue ? sample(1) : seen;
  const Sampling sampling = modelled ? Sampling{.iterations = 1, .repetitions = kRepetitions}
                                     : sampling_for(once.event_ns, once.host_ns, effort.sample_ns);
  conditions = {{"copies", rotation.copies()},
                {"copied_bytes", rotation.bytes()},
                {"cache_bytes", cache_bytes(session.device().info())},
                {"warm_up", seen.launches},
                {"calls_between_events", queue ? queue->calls() : 1},
                {"settle_ms", kSettleMs}};
  add_telemetry(session, "telemetry_before", conditions);
  for (int i = 0; i < sampling.repetitions; ++i)
    measured.samples.push_back(sample(sampling.iterations));
  add_telemetry(session, "telemetry_after", conditions);
  if (queue) measured.error = queue_doubt(*queue);
  if (rotation.bytes() <= kMostFreshBytes)
    measured.fresh_ns = fresh_launch_ns(session, plan, inputs, rotation, effort.fresh_launches);
  read_instructions(session, plan, conditions);
  // A device whose events failed in the meantime has switched to the host's clock, and now
  // reports that.
  conditions["clock"] = clock_of(session.device().describe_now());
}

// Verifies the witnesses of this size, each like any other case. The first that does not pass is
// the reason for timing nothing. A single witness is the case itself, which leaves its buffers;
// where there are more, the next one may need the memory.
std::unique_ptr<KeptRun> verify_all(Session& session, const std::vector<Case>& witnesses,
                                    const Identified* found, Measured& measured) {
  std::unique_ptr<KeptRun> kept;
  for (const Case& witness : witnesses) {
    const Verified result =
        verify(session, witness, found, witnesses.size() == 1 ? &kept : nullptr);
    measured.verified.push_back({{"name", result.name},
                                 {"tier", result.tier},
                                 {"verdict", name_of(result.verdict)},
                                 {"elements", result.elements},
                                 {"results", result.results}});
    if (result.verdict == Verdict::kPass) continue;
    measured.error = fmt::format("{}, at the size that would be timed, does not pass: {}: {}",
                                 result.name, name_of(result.verdict), result.reason);
    break;
  }
  return kept;
}

// Whether the time of chains follows their steps.
void halve_the_work(Session& session, const Case& c, Measured& measured) {
  const std::optional<Case> halved = with_half_the_steps(c);
  if (!halved) return;
  const Suite& suite = find_suite(c.suite);
  const backends::DeviceInfo& device = session.device().info();
  const auto long_one = suite.bind(c), short_one = suite.bind(*halved);
  const Plan all = long_one->plan(device);
  const Plan some = short_one->plan(device);
  PreparedPlan whole(session, all, kept_inputs(*long_one), Unset{});
  PreparedPlan half(session, some, short_one->inputs(), Unset{});
  measured.whole_work_ns = measured.half_work_ns = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kHalvings; ++i) {
    measured.whole_work_ns = std::min(measured.whole_work_ns, whole.launch());
    measured.half_work_ns = std::min(measured.half_work_ns, half.launch());
  }
}

// Returns the bytes that a launch must move; stores a driver's error in `measured`. `kept`: what
// the case was verified in, or null.
std::uint64_t measure_case(Session& session, const Case& c, bool cast,
                           const std::unique_ptr<KeptRun>& kept, Measured& measured,
                           json& conditions) {
  const auto problem = find_suite(c.suite).bind(c);
  const backends::DeviceInfo& device = session.device().info();
  const std::optional<Autocast> around = cast ? with_casts(c, device) : std::nullopt;
  const Plan plan = around ? around->plan : problem->plan(device);
  const std::uint64_t bytes = traffic_bytes(plan);
  if (cast && !around) {
    measured.error = "no library of the device converts";
  } else if (plan.needs) {
    measured.error = fmt::format("the device does not offer {}", *plan.needs);
  } else if (measured.error.empty()) {
    try {
      measure_plan(session, plan, around ? around->inputs : kept_inputs(*problem),
                   kept ? std::move(kept->run) : nullptr,
                   with_half_the_steps(c) ? kOfChains : kUsual, measured, conditions);
      halve_the_work(session, c, measured);
    } catch (const backends::BackendError& e) {
      measured.error = e.what();
    }
  }
  return bytes;
}

}  // namespace

Sampling sampling_for(std::uint64_t event_ns, std::uint64_t host_ns, std::uint64_t sample_ns) {
  const std::uint64_t host = std::max<std::uint64_t>(host_ns, 1);
  const std::uint64_t wanted = event_ns == 0 ? 1 : (sample_ns + event_ns - 1) / event_ns;
  const std::uint64_t affordable = kBudgetNs / kRepetitions / host;
  const std::uint64_t iterations = std::max<std::uint64_t>(1, std::min(wanted, affordable));
  const int fewest = host <= kSlowestForSeveralSamplesNs ? kFewestRepetitions : 1;
  const auto repetitions =
      static_cast<int>(std::min<std::uint64_t>(kRepetitions, kBudgetNs / (iterations * host)));
  return {.iterations = static_cast<std::int64_t>(iterations),
          .repetitions = std::max(fewest, repetitions)};
}

Clocks time_launches(Rotation& rotation, std::int64_t launches) {
  Clocks clocks;
  clocks.steps = rotation.steps();
  while (clocks.launches < launches) {
    const auto start = Clock::now();
    clocks.read(rotation.launch());
    clocks.host_ns += nanoseconds_since(start);
  }
  return clocks;
}

json to_json(const Clocks& clocks) {
  return {{"event_ns", clocks.event_ns},
          {"host_ns", clocks.host_ns},
          {"launches", clocks.launches},
          {"steps", clocks.steps}};
}

Clocks clocks_from_json(const json& value) {
  return {.event_ns = value.at("event_ns").get<std::uint64_t>(),
          .host_ns = value.at("host_ns").get<std::uint64_t>(),
          .launches = value.at("launches").get<std::int64_t>(),
          .steps = value.at("steps").get<std::int64_t>()};
}

Launcher::Launcher(Session& session, std::string name, Plan plan, const TensorSet& inputs)
    : name_(std::move(name)), plan_(std::move(plan)), rotation_(session, plan_, inputs) {}

std::unique_ptr<Launcher> launcher_for(Session& session, const std::string& name) {
  const auto [c, cast] = case_of(name);
  const auto problem = find_suite(c.suite).bind(c);
  const backends::DeviceInfo& device = session.device().info();
  enter_stage("reference", false);
  std::optional<Autocast> around = cast ? with_casts(c, device) : std::nullopt;
  if (cast && !around) return nullptr;
  Plan plan = around ? std::move(around->plan) : problem->plan(device);
  const TensorSet inputs = around ? std::move(around->inputs) : problem->inputs();
  enter_stage("allocate", true);
  return std::make_unique<Launcher>(session, name, std::move(plan), inputs);
}

json measure(Session& session, const std::string& name, const std::string& passed_case,
             const Identified* found) {
  const auto [c, cast] = case_of(name);
  const Target* target = find_target(c);
  const Labels labels = labels_of(c);
  const std::string operation = target == nullptr ? c.suite : std::string(target->operation);
  Measured measured;
  json conditions = json::object();
  const std::string passed = passed_case.empty() ? print(c) : passed_case;
  const auto begin = Clock::now();
  std::unique_ptr<KeptRun> kept;
  if (print(c) != passed)
    kept = verify_all(session, cast ? std::vector{c} : witnesses_of(c), found, measured);
  if (cast) kept.reset();  // casts have a plan of their own
  const std::uint64_t verified_ns = nanoseconds_since(begin);
  const std::uint64_t bytes = measure_case(session, c, cast, kept, measured, conditions);
  // What the row costs the host, beside the device's own time.
  conditions["verifying_seconds"] = static_cast<double>(verified_ns) / 1e9;
  conditions["timing_seconds"] = static_cast<double>(nanoseconds_since(begin) - verified_ns) / 1e9;
  return {{"name", std::string(cast ? kAutocastRow : "") + print_seedless(c)},
          {"provider", labels.provider},
          {"operation", (cast ? "autocast_" : "") + operation},
          {"formats", labels.formats},
          {"shape", labels.shape},
          {"shape_class", labels.shape_class},
          {"fill", labels.fill},
          {"samples_ns", launch_times(measured.samples)},
          {"flops", target == nullptr || target->flops == nullptr ? 0 : target->flops(c)},
          {"bytes", bytes},
          {"declared_gflops", declared_gflops(session.device().info(), labels.formats)},
          {"fresh_ns", measured.fresh_ns},
          {"conditions", std::move(conditions)},
          {"passed_case", passed},
          {"verified", std::move(measured.verified)},
          {"whole_work_ns", measured.whole_work_ns},
          {"half_work_ns", measured.half_work_ns},
          {"host_ns", least_host_ns(measured.samples)},
          {"doubt", doubt_of(session.device().info(), measured)}};
}

}  // namespace halfmark::suites::throughput
