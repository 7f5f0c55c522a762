// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/selftest.hpp"

#include <fmt/format.h>

#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <thread>

#include "reference/operators/splitmix.hpp"
#include "reports/exit_codes.hpp"

namespace halfmark::tools {
namespace {

struct Check {
  std::string name;
  std::string against;
  double share;  // of the time, before all shares are scaled to one
  std::function<void(Session&)> run;
};

struct Outcome {
  std::uint64_t compared = 0;
  std::uint64_t failures = 0;
  std::string first_failure;
};

void add_operations(std::vector<Check>& checks, const Subject& subject) {
  for (const formats::Format& f : formats::all_formats()) {
    const double share = f.use == formats::Use::kStorage ? 0.5 : 1;
    checks.push_back({fmt::format("operations.{}", f.name), "naive twin", share,
                      [&](Session& s) { check_operations(s, subject, f); }});
  }
}

std::vector<Check> all_checks(const Subject& subject) {
  std::vector<Check> checks;
  const auto add = [&](std::string name, std::string against, double share, auto check) {
    checks.push_back({std::move(name), std::move(against), share,
                      [&subject, check](Session& s) { check(s, subject); }});
  };
  add("known_answers", "worked out by hand", 0, check_known_answers);
  add("units", "digests of the naive twin", 0, check_units);
  add_operations(checks, subject);
  add("functions", "enclosures", 3, check_functions);
  add("numerals", "naive twin", 1, check_numerals);
  add("exact_sums", "naive twin", 1, check_exact_sums);
  add("arithmetics", "naive twin", 2, check_arithmetics);
  for (const fast::Target target : fast::host_targets()) {
    add(fmt::format("fast.{}", fast::to_string(target)), "soft-float, hostile hosts", 1,
        [target](Session& s, const Subject& x) { check_fast(s, x, target); });
    add(fmt::format("fast_rows.{}", fast::to_string(target)), "soft-float, hostile hosts", 1,
        [target](Session& s, const Subject& x) { check_fast_rows(s, x, target); });
  }
  return checks;
}

// Every check has its own random stream, independent of the others and of those of other seeds.
std::uint64_t stream_of(std::uint64_t seed, std::size_t index) {
  return operators::SplitMix64(operators::SplitMix64(seed).next() + index).next();
}

// An exception counts as a failure of the check that threw it.
Outcome run(const Check& check, std::uint64_t seed, std::chrono::duration<double> time) {
  const auto span = std::chrono::duration_cast<SelftestClock::duration>(time);
  Session session(seed, SelftestClock::now() + span);
  try {
    check.run(session);
  } catch (const std::exception& error) {
    session.compare(false, [&] { return std::string(error.what()); });
  }
  return {session.compared(), session.failures(), session.first_failure()};
}

std::string line(const Check& check, const Outcome& outcome) {
  const bool passed = outcome.failures == 0 && outcome.compared > 0;
  std::string text = fmt::format("{:<5}{:<20} {:>9} comparisons with {}\n", passed ? "ok" : "FAIL",
                                 check.name, outcome.compared, check.against);
  if (!passed) {
    text += fmt::format("     {} wrong; the first: {}\n", outcome.failures, outcome.first_failure);
  }
  return text;
}

// Runs the checks on threads, and prints their lines in order as soon as possible.
class Run {
 public:
  Run(const std::vector<Check>& checks, const SelftestOptions& options, std::ostream& out)
      : checks_(checks), options_(options), out_(out), outcomes_(checks.size()) {}

  [[nodiscard]] const std::vector<std::optional<Outcome>>& finish() {
    const unsigned host = std::max(1U, std::thread::hardware_concurrency());
    const unsigned count = options_.threads == 0 ? host : options_.threads;
    const double shares = std::accumulate(checks_.begin(), checks_.end(), 0.0,
                                          [](double sum, const Check& c) { return sum + c.share; });
    // Leaves time for the last check to finish.
    seconds_per_share_ = 0.9 * options_.seconds * count / shares;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    threads.clear();
    return outcomes_;
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < checks_.size(); i = next_++) {
      const std::chrono::duration<double> time(checks_[i].share * seconds_per_share_);
      Outcome outcome = run(checks_[i], stream_of(options_.seed, i), time);
      const std::scoped_lock lock(mutex_);
      outcomes_[i] = std::move(outcome);
      if (!options_.json) print_ready();
    }
  }

  void print_ready() {
    for (; printed_ < outcomes_.size() && outcomes_[printed_]; ++printed_) {
      out_ << line(checks_[printed_], *outcomes_[printed_]) << std::flush;
    }
  }

  const std::vector<Check>& checks_;
  const SelftestOptions& options_;
  std::ostream& out_;
  std::vector<std::optional<Outcome>> outcomes_;
  double seconds_per_share_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::size_t printed_ = 0;
  std::mutex mutex_;
};

nlohmann::json to_json(const std::vector<Check>& checks,
                       const std::vector<std::optional<Outcome>>& outcomes, std::uint64_t seed,
                       bool passed) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::size_t i = 0; i < checks.size(); ++i) {
    nlohmann::json row{{"name", checks[i].name},
                       {"against", checks[i].against},
                       {"compared", outcomes[i]->compared},
                       {"failures", outcomes[i]->failures}};
    if (outcomes[i]->failures != 0) row["first_failure"] = outcomes[i]->first_failure;
    rows.push_back(std::move(row));
  }
  return {{"seed", seed}, {"passed", passed}, {"checks", std::move(rows)}};
}

}  // namespace

int selftest(std::ostream& out, const SelftestOptions& options, const Subject& subject) {
  const std::vector<Check> checks = all_checks(subject);
  const auto start = SelftestClock::now();
  Run run(checks, options, out);
  const auto& outcomes = run.finish();
  std::uint64_t compared = 0;
  std::size_t failed = 0;
  for (const auto& outcome : outcomes) {
    compared += outcome->compared;
    if (outcome->failures != 0 || outcome->compared == 0) ++failed;
  }
  if (options.json) {
    out << to_json(checks, outcomes, options.seed, failed == 0).dump(2) << '\n';
  } else {
    const std::chrono::duration<double> time = SelftestClock::now() - start;
    out << fmt::format("{}: {} of {} checks, {} comparisons in {:.1f} s, seed {}\n",
                       failed == 0 ? "passed" : "FAILED", checks.size() - failed, checks.size(),
                       compared, time.count(), options.seed);
  }
  out.flush();
  return failed == 0 ? reports::kExitConforms : reports::kExitDoesNotConform;
}

std::string selftest_help() {
  return "Compares, on random operands weighted towards what breaks arithmetic, every operation of "
         "every\nformat with a second implementation that shares no code with it and works from "
         "the definitions,\nand the fast engine, on every instruction set of this host and under "
         "hostile floating-point\nstates, with the reference. Exit code 0 when everything agrees, "
         "1 when something differs; the\nfirst difference of each check is printed with its "
         "operands.\n\nExamples:\n  halfmark ref selftest\n  halfmark ref selftest --seconds 60 "
         "--seed 7\n  halfmark ref selftest --json\n";
}

}  // namespace halfmark::tools
