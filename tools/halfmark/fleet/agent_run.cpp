// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/fleet/agent_run.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <optional>
#include <thread>

#include "backends/select.hpp"
#include "fleet/launcher.hpp"
#include "fleet/roster.hpp"
#include "fleet/statistics.hpp"
#include "fleet/tiers.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/scorecard.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/registry.hpp"
#include "suites/runner/child.hpp"
#include "suites/runner/folder_lock.hpp"
#include "tools/halfmark/fleet/agent_file.hpp"
#include "tools/halfmark/fleet/device_job.hpp"
#include "tools/halfmark/fleet/gather.hpp"
#include "tools/halfmark/golden.hpp"
#include "tools/halfmark/outputs.hpp"
#include "tools/halfmark/record.hpp"

namespace halfmark::tools {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using suites::EnvironmentError;
using suites::UsageError;

constexpr const char* kStoppedEarly = "stopped while the devices of the node were listed";
constexpr milliseconds kTick{20};
constexpr milliseconds kPreempted{2000};  // from SIGTERM to the end

void check_name(const char* option, const std::string& name) {
  if (name.empty() || fleet::is_plain_name(name)) return;
  throw UsageError(fmt::format("{} '{}' may hold letters, digits, '.', '_' and '-' only", option,
                               text::visible_line(name)));
}

fleet::Task task_of(const FleetRunOptions& options) {
  check_name("--run", options.run);
  check_name("--node", options.node);
  const auto environment = [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  // Without a launcher nothing names a run, so each start is one.
  const std::string fresh = fmt::format("hand-{}-{}", std::time(nullptr), ::getpid());
  try {
    fleet::Task task = fleet::task_from(environment, host_name(), fresh);
    if (!options.run.empty()) task.run = options.run;
    if (!options.node.empty()) task.node = options.node;
    if (options.tasks > 0) task.size = options.tasks;
    return task;
  } catch (const fleet::LauncherError& error) {
    throw UsageError(error.what());
  }
}

template <typename Rows>
[[noreturn]] void refuse_name(const char* kind, const std::string& name, const Rows& rows) {
  std::string names;
  for (const auto& row : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  throw UsageError(
      fmt::format("there is no {} '{}'; choose from: {}", kind, text::visible_line(name), names));
}

const fleet::SoakMode& mode_of(const FleetRunOptions& options) {
  if (const fleet::SoakMode* mode = fleet::find_soak_mode(options.soak_mode)) return *mode;
  refuse_name("mode", options.soak_mode, fleet::kSoakModes);
}

fleet::Tier tier_of(const FleetRunOptions& options) {
  const fleet::Tier* found = fleet::find_tier(options.tier);
  if (found == nullptr) refuse_name("tier", options.tier, fleet::kTiers);
  fleet::Tier tier = *found;
  const fleet::SoakMode& mode = mode_of(options);
  const auto refuse_option = [&](const std::string& option) {
    if (!tier.repeats)
      throw UsageError(
          fmt::format("{} is of tier soak, and not of tier {}; leave it out", option, tier.name));
  };
  if (&mode != std::begin(fleet::kSoakModes)) refuse_option(fmt::format("--mode {}", mode.name));
  if (options.soak_seconds != FleetRunOptions().soak_seconds)
    refuse_option(fmt::format("--for {}", options.soak_seconds));
  // A share of a few named cases may be none.
  const bool is_restricted = !options.suites.empty() || !options.filters.empty();
  if (tier.repeats && !is_restricted) tier.shards = mode.shards;
  return tier;
}

CaseOptions cases_of(const FleetRunOptions& options, const fleet::Tier& tier, std::uint64_t seed) {
  return {.suites = options.suites,
          .filters = options.filters,
          .level = std::string(tier.level),
          .seed = seed,
          .shard = shard_of(tier, seed)};
}

// A name that does not exist is refused before a folder is made, and not once for each device.
void check_cases(const FleetRunOptions& options, const fleet::Tier& tier) {
  static_cast<void>(suites::select_cases(selection_of(cases_of(options, tier, options.seed))));
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw EnvironmentError(fmt::format("cannot create the folder {}: {}",
                                       text::visible_line(folder.string()), error.message()));
}

void add_option(std::vector<std::string>& words, const char* option, std::string value) {
  if (value.empty()) return;
  words.emplace_back(option);
  words.push_back(std::move(value));
}

std::vector<std::string> words_for(const FleetRunOptions& options, const fleet::Tier& tier,
                                   const backends::DeviceInfo& device, std::uint64_t seed,
                                   const fs::path& out, milliseconds budget) {
  const double limit =
      std::min(options.devices.timeout_seconds, std::chrono::duration<double>(budget).count());
  std::vector<std::string> words{"run", "--self-test"};
  add_option(words, "--device", device.selector);
  add_option(words, "--out", out.string());
  add_option(words, "--level", std::string(tier.level));
  add_option(words, "--seed", std::to_string(seed));
  add_option(words, "--timeout", fmt::format("{:.3f}", limit));
  add_option(words, "--golden", options.golden.string());
  add_option(words, "--shard", shard_of(tier, seed));
  if (!tier.throughput) words.emplace_back("--no-throughput");
  for (const std::string& suite : options.suites) add_option(words, "--suite", suite);
  for (const std::string& filter : options.filters) add_option(words, "--filter", filter);
  add_option(words, "--plugin", device.plugin);
  add_option(words, "--standin", options.devices.stand_in);
  add_option(words, "--fault", options.devices.fault);
  return words;
}

std::string misses_of(const fleet::Rollup& rollup) {
  return fmt::format("{} {}", rollup.total_misses, rollup.total_misses == 1 ? "miss" : "misses");
}

// The jobs of all devices of the node, until the budget ends or the agent is to stop.
class Node {
 public:
  // `golden`: SHA-256 of the golden store; empty: none.
  Node(const FleetRunOptions& options, const fleet::Tier& tier, std::string golden, fs::path home,
       fleet::Origin origin, Clock::time_point started, std::ostream& out, std::ostream& err)
      : options_(options),
        tier_(tier),
        golden_(std::move(golden)),
        home_(std::move(home)),
        origin_(std::move(origin)),
        rest_(tier.repeats ? mode_of(options).rest : 0),
        budget_(tier.repeats ? milliseconds(static_cast<std::int64_t>(options.soak_seconds * 1000))
                             : milliseconds(tier.budget)),
        stop_at_(started + budget_ - fleet::grace_of(budget_)),
        end_at_(started + budget_),
        out_(out),
        err_(err) {}

  [[nodiscard]] milliseconds budget() const { return budget_; }

  int run(const std::vector<backends::DeviceInfo>& devices) {
    for (const auto& device : devices) lanes_.push_back(std::make_unique<Lane>(device));
    for (const auto& lane : lanes_) begin(*lane, options_.seed);
    while (std::ranges::any_of(lanes_, [](const auto& lane) { return lane->is_busy(); })) {
      std::this_thread::sleep_for(kTick);
      enforce();
      for (const auto& lane : lanes_) look_after(*lane);
    }
    for (const auto& lane : lanes_) tell_bound(*lane);
    return code_;
  }

 private:
  struct Lane {
    explicit Lane(const backends::DeviceInfo& device_) : device(device_) {}
    [[nodiscard]] bool is_busy() const { return job != nullptr || goes_on_at; }
    backends::DeviceInfo device;
    std::unique_ptr<DeviceJob> job;  // null: this device rests, or is done
    std::optional<Clock::time_point> goes_on_at;
    std::uint64_t seed = 0, slots = 0, trials = 0, misses = 0;
    Clock::duration longest{};
  };

  void begin(Lane& lane, std::uint64_t seed) {
    lane.seed = seed;
    const fs::path out = home_ / fmt::format("{}-s{}", tier_.name, seed);
    const CaseOptions cases = cases_of(options_, tier_, seed);
    lane.job = std::make_unique<DeviceJob>(lane.device, origin_,
                                           identity_of(selection_of(cases), cases.shard, golden_),
                                           out / folder_name(lane.device.selector));
    if (const auto before = lane.job->earlier_answer(files_)) {
      take_earlier(lane, *before);
      return;
    }
    try {
      lane.job->start(words_for(options_, tier_, lane.device, seed, out, budget_));
    } catch (const EnvironmentError& error) {
      give_up(lane, error);
    }
  }

  // The run knows better than the agent which journals belong to its device.
  bool begins_anew(Lane& lane) {
    try {
      return lane.job->starts_anew();
    } catch (const EnvironmentError& error) {
      give_up(lane, error);
      return true;
    }
  }

  void give_up(Lane& lane, const EnvironmentError& error) {
    fmt::print(err_, "halfmark: {}: {}\n", lane.device.selector, error.what());
    code_ = reports::worse(code_, reports::kExitNoAnswer);
    lane.job.reset();
  }

  void take_earlier(Lane& lane, const fleet::Rollup& rollup) {
    fmt::print(out_, "{}: seed {}: an earlier start of this task has its answer, {}\n",
               text::visible_line(lane.device.selector), lane.seed, misses_of(rollup));
    count(lane, rollup);
    if (breaks_a_promise(rollup)) code_ = reports::worse(code_, reports::kExitDoesNotConform);
    lane.job.reset();
    if (tier_.repeats) lane.goes_on_at = Clock::now();
  }

  static void count(Lane& lane, const fleet::Rollup& rollup) {
    ++lane.slots;
    lane.trials += trials(rollup);
    lane.misses += rollup.total_misses;
  }

  void enforce() {
    const auto now = Clock::now();
    if (suites::interrupted() && !preempted_) {
      preempted_ = true;
      stop_at_ = std::min(stop_at_, now);
      end_at_ = std::min(end_at_, now + kPreempted);
    }
    for (const auto& lane : lanes_) {
      if (!lane->job) continue;
      if (now >= end_at_) lane->job->kill();
      if (now >= stop_at_) lane->job->ask_to_stop();
    }
  }

  void look_after(Lane& lane) {
    if (lane.goes_on_at && Clock::now() >= std::min(*lane.goes_on_at, stop_at_)) {
      lane.goes_on_at.reset();
      if (would_fit(lane)) begin(lane, lane.seed + 1);
    }
    if (!lane.job || !lane.job->has_ended() || begins_anew(lane)) return;
    finish(lane);
    const auto took = std::chrono::duration_cast<Clock::duration>(lane.job->took());
    lane.longest = std::max(lane.longest, took);
    lane.job.reset();
    if (would_fit(lane)) lane.goes_on_at = Clock::now() + took * rest_;
  }

  // Whether the tier takes another seed, and its run would still end in time.
  [[nodiscard]] bool would_fit(const Lane& lane) const {
    return tier_.repeats && Clock::now() + lane.longest * 5 / 4 < stop_at_;
  }

  void tell_bound(const Lane& lane) {
    if (!tier_.repeats || lane.trials == 0) return;
    const std::string bound = lane.misses > 0
                                  ? ""
                                  : fmt::format("; fewer than {:.2g} per trial are wrong (95 %)",
                                                fleet::rule_of_three(lane.trials));
    fmt::print(out_, "{}: {} slots, {} trials, {} misses{}\n",
               text::visible_line(lane.device.selector), lane.slots, lane.trials, lane.misses,
               bound);
  }

  void finish(Lane& lane) {
    try {
      const fleet::Rollup rollup = lane.job->roll_up(budget_);
      int code = lane.job->exit_code();
      const bool cut_short =
          rollup.completeness == fleet::Completeness::kPartial ||
          (lane.job->was_stopped() && rollup.completeness != fleet::Completeness::kComplete);
      if (cut_short && code != reports::kExitDoesNotConform) code = reports::kExitIncomplete;
      code_ = reports::worse(code_, code);
      count(lane, rollup);
      fmt::print(out_, "{}: seed {}: {} of {} cases in {:.1f} s, {}{}{}\n",
                 text::visible_line(lane.device.selector), lane.seed, rollup.reported,
                 rollup.expected, lane.job->took().count(), misses_of(rollup),
                 rollup.reason.empty() ? "" : "; ", text::visible_line(rollup.reason));
    } catch (const std::exception& error) {
      fmt::print(err_, "halfmark: {}: {}\n", lane.device.selector,
                 text::visible_line(error.what(), text::kMostOfMessage));
      code_ = reports::worse(code_, reports::kExitNoAnswer);
    }
    out_.flush();
  }

  const FleetRunOptions& options_;
  const fleet::Tier& tier_;
  std::string golden_;
  fs::path home_;
  fleet::Origin origin_;
  int rest_;
  milliseconds budget_;
  Clock::time_point stop_at_, end_at_;
  std::ostream& out_;
  std::ostream& err_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  FilesNow files_;
  bool preempted_ = false;
  int code_ = reports::kExitConforms;
};

// Drivers that hang while they list their devices must leave time for the others.
ChosenDevices devices_or_record(DeviceOptions options, milliseconds budget, AgentFile& record) {
  options.timeout_seconds =
      std::min(options.timeout_seconds, std::chrono::duration<double>(budget).count() / 2);
  try {
    return choose_devices(options);
  } catch (const std::exception& error) {
    record.fail(suites::interrupted() ? kStoppedEarly : error.what());
    throw;
  }
}

int test_devices(const FleetRunOptions& options, Node& node, AgentFile& record, std::ostream& err) {
  ChosenDevices chosen;
  try {
    chosen = devices_or_record(options.devices, node.budget(), record);
  } catch (const std::exception&) {
    if (!suites::interrupted()) throw;
    fmt::print(err, "halfmark: {}\n", kStoppedEarly);
    return reports::kExitIncomplete;
  }
  record.name_devices(chosen.devices);
  const int code = node.run(chosen.devices);
  record.finish();
  return chosen.asked_in_vain ? reports::worse(code, reports::kExitNoAnswer) : code;
}

}  // namespace

int fleet_run(const FleetRunOptions& options, std::ostream& out, std::ostream& err) {
  const auto started = Clock::now();
  const fleet::Tier tier = tier_of(options);
  const fleet::Task task = task_of(options);
  check_cases(options, tier);
  const auto golden = read_golden(options.golden);  // refused before a folder is made
  suites::install_interrupt_handler();
  const fs::path home = options.folder / task.run / fmt::format("{}.{}", task.node, task.task);
  make_folder(home);
  const suites::FolderLock lock(home);
  AgentFile record(task, tier, home / kAgentFile);
  Node node(options, tier, golden ? golden->sha256 : "", home, record.origin(), started, out, err);
  fmt::print(out, "tier {}: {:g} s; task {}{} of run {} ({}), node {}; level {}{}{}, seed {}\n",
             tier.name, std::chrono::duration<double>(node.budget()).count(), task.task,
             task.size == 0 ? "" : fmt::format(" of {}", task.size), task.run, task.launcher,
             task.node, tier.level, tier.shards == 1 ? "" : ", shard ",
             shard_of(tier, options.seed), options.seed);
  out.flush();
  const int code = test_devices(options, node, record, err);
  fmt::print(out, "{:.1f} s in all; `halfmark fleet merge {}` makes one answer of all nodes\n",
             std::chrono::duration<double>(Clock::now() - started).count(),
             text::visible_line(options.folder.string()));
  return code;
}

}  // namespace halfmark::tools
