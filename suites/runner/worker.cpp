// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>

#include "suites/core/case/errors.hpp"
#include "suites/core/experiment/experiment.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {

using nlohmann::json;

std::vector<std::string> worker_command() { return {"/proc/self/exe", kWorkerArgument}; }

namespace {

// After this many failures to open it in a row, a device counts as gone, and no further case waits
// for it.
constexpr int kMostFailedOpens = 3;
// The start-up time of a driver is unrelated to the case limit: the device is listed and then
// described, and either may wait 5 s for a management library that hangs.
constexpr std::chrono::seconds kLeastToOpen(15);

void set(CaseResult& result, Verdict verdict, std::string reason) {
  result.verdict = verdict;
  result.reason = std::move(reason);
}

std::string overdue_reason(const Answer& answer) {
  return fmt::format(
      "Halfmark's own work took too long on this machine (stage '{}'), which says nothing about "
      "the device; raise --timeout",
      answer.stage);
}

// Limits are learned, so their figures stay out of the reason, which must be the same in every run.
std::string hang_reason(const Answer& answer) {
  const std::string where =
      answer.stage.empty() ? "" : fmt::format("; the stage was '{}'", answer.stage);
  switch (answer.kind) {
    case AnswerKind::kStalled:
      return fmt::format(
          "one stage lasted far longer than whole cases like it{}; raise --timeout "
          "if the device is only slow",
          where);
    case AnswerKind::kFrozen:  // which beat was the last is random
      return "the worker process is frozen: it sends no heartbeat";
    case AnswerKind::kOverdue:
      return overdue_reason(answer);
    case AnswerKind::kTimedOut:
    case AnswerKind::kAnswered:
    case AnswerKind::kDied:
    case AnswerKind::kInterrupted:
      break;
  }
  return fmt::format("no answer within --timeout{}; raise it if the device is only slow", where);
}

// Of the case limit, after which the worker itself stops to shrink a case or to ask more; its
// stages are watched as in any case.
constexpr int kTimeShare = 4;

CaseResult answered(const json& message, std::uint64_t process) {
  CaseResult result = case_result_from_json(message);
  result.process = process;
  return result;
}

// A fault of a driver raises other signals: a guard of the memory, a limit, a scheduler that ends a
// job or a person sends these.
constexpr int kFromOutside[] = {SIGHUP,  SIGINT,  SIGKILL, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};

bool is_killed(const Answer& answer) {
  return answer.kind == AnswerKind::kDied &&
         std::ranges::find(kFromOutside, answer.signal) != std::end(kFromOutside);
}

// What an earlier case, or a driver that leaks, took from the machine ends with the process.
bool lacks_memory(const Answer& answer) {
  return answer.kind == AnswerKind::kAnswered && answer.message.value("machine", false);
}

void set_death(CaseResult& result, const Answer& answer) {
  if (!is_killed(answer) || answer.of_driver) {
    set(result, Verdict::kCrash, fmt::format("the worker died: {}", answer.how));
    return;
  }
  set(result, Verdict::kSkipped,
      fmt::format("the worker was killed during Halfmark's own work (stage '{}'), which says "
                  "nothing about the device; {}",
                  answer.stage,
                  answer.signal == SIGKILL ? "this machine may lack memory" : answer.how));
}

void set_error(CaseResult& result, const std::string& error, bool is_of_machine) {
  if (!is_of_machine) return set(result, Verdict::kError, error);
  set(result, Verdict::kSkipped,
      fmt::format(
          "this machine has no memory or no thread left for Halfmark's own work ({}), which "
          "says nothing about the device",
          error));
}

}  // namespace

Answer Worker::ask(const json& message, const Patience& patience) {
  if (child_ == nullptr) {
    child_ = std::make_unique<Child>(worker_command());
    ++processes_;
  }
  Answer answer = child_->ask(message, patience);
  // A stage that had all of --timeout says nothing about similar cases.
  if (answer.kind == AnswerKind::kStalled && patience.stage >= options_.case_limit)
    answer.kind = AnswerKind::kTimedOut;
  if (answer.kind != AnswerKind::kAnswered) child_.reset();
  if (const auto fault = answer.message.find("environment"); fault != answer.message.end())
    throw DeviceUnusable(
        fmt::format("device {} cannot be used: {}", selector_, fault->get<std::string>()));
  return answer;
}

std::string Worker::reopen() {
  if (failed_opens_ >= kMostFailedOpens) return "it could not be opened several times in a row";
  const Answer answer = ask(
      {{"op", "open"}, {"device", selector_}, {"plugin", options_.plugin}},
      Patience{.total = std::max<std::chrono::milliseconds>(options_.case_limit, kLeastToOpen)});
  ++failed_opens_;
  if (answer.kind != AnswerKind::kAnswered) return fmt::format("the worker died: {}", answer.how);
  if (const auto error = answer.message.find("error"); error != answer.message.end()) {
    child_.reset();  // the next attempt starts a new process
    return *error;
  }
  failed_opens_ = 0;
  device_ = backends::device_info_from_json(answer.message.at("device"));
  if (!identity_.is_null()) check_identity();
  return {};
}

const json& Worker::identity() {
  if (identity_.is_null())
    identity_ = device_identity(device_, files_.of(child_->pid(), options_.plugin));
  return identity_;
}

// A driver update during a run changes the device's identity.
void Worker::check_identity() {
  const json now = device_identity(device_, files_.of(child_->pid(), options_.plugin));
  const std::string changed = difference(identity_, now);
  if (changed.empty()) return;
  throw DeviceUnusable(fmt::format(
      "device {} has changed since the run began ({}); its verdicts cannot be combined: start "
      "again without --resume",
      selector_, changed));
}

backends::DeviceInfo Worker::open(const std::string& selector) {
  selector_ = selector;
  identity_ = nullptr;
  const std::string error = reopen();
  if (!error.empty()) {
    throw DeviceUnusable(fmt::format(
        "device {} cannot be opened: {}; `halfmark devices` shows what works", selector, error));
  }
  return device_;
}

Worker::Attempt Worker::attempt(const Case& c, const Patience& patience, const Identified* found,
                                const GoldenCheck* golden) {
  CaseResult result = describe_case(find_suite(c.suite), c, device_);
  if (child_ == nullptr) {
    const std::string error = reopen();
    result.process = options_.processes_before + processes_;
    if (!error.empty()) {
      set(result, Verdict::kDeviceLost, "the device could not be opened again: " + error);
      return {.result = std::move(result), .is_lost = true, .of_driver = true};
    }
  }
  json request{{"op", "case"}, {"name", print(c)}};
  if (found != nullptr) request["found"] = to_json(*found);
  if (golden != nullptr)
    request["golden"] = {{"digest", golden->expected.digest},
                         {"sum", golden->expected.sum},
                         {"recompute", golden->recompute}};
  const Answer answer = ask(request, patience);
  result.process = options_.processes_before + processes_;
  switch (answer.kind) {
    case AnswerKind::kAnswered:
      if (const auto error = answer.message.find("error"); error != answer.message.end()) {
        set_error(result, *error, lacks_memory(answer));
        break;
      }
      result = answered(answer.message.at("result"), result.process);
      break;
    case AnswerKind::kTimedOut:
    case AnswerKind::kStalled:
    case AnswerKind::kFrozen:
      set(result, Verdict::kHang, hang_reason(answer));
      break;
    case AnswerKind::kDied:
      set_death(result, answer);
      break;
    case AnswerKind::kOverdue:
      set(result, Verdict::kSkipped, overdue_reason(answer));
      break;
    case AnswerKind::kInterrupted:
      set(result, Verdict::kSkipped, "interrupted");
      break;
  }
  const bool lacks = lacks_memory(answer);
  const bool is_lost = result.verdict == Verdict::kDeviceLost || is_killed(answer) || lacks;
  return {.result = std::move(result),
          .is_lost = is_lost,
          .of_driver = !lacks && (!is_killed(answer) || answer.of_driver)};
}

CaseResult Worker::run(const Case& c, const Patience& patience, const Identified* found,
                       const GoldenCheck* golden) {
  Attempt first = attempt(c, patience, found, golden);
  if (!first.is_lost || interrupted()) return std::move(first.result);
  child_.reset();
  Attempt second = attempt(c, patience, found, golden);
  CaseResult& alone = second.result;
  alone.attempt = 2;
  if (second.is_lost) {
    child_.reset();
    alone.reason += alone.verdict == Verdict::kSkipped
                        ? "; it happened twice"
                        : "\nIt happened twice, the second time in a fresh process of its own.";
    return std::move(alone);
  }
  const std::string& reason = first.result.reason;
  incidents_.push_back({{"case", print(c)},
                        {"what", reason.substr(0, reason.find('\n'))},
                        {"then", name_of(alone.verdict)},
                        {"lost", first.of_driver}});
  return std::move(alone);
}

void Worker::experiment(const Case& c, const Patience& patience, CaseResult& failed) {
  if (!can_be_tested(failed)) return;
  const json answer = insist({{"op", "experiment"},
                              {"name", print(c)},
                              {"failed", to_json(failed, true)},
                              {"milliseconds", (options_.case_limit / kTimeShare).count()}},
                             fmt::format("more data for {}", print(c)), patience);
  if (const auto result = answer.find("result"); result != answer.end()) {
    const std::uint64_t process = failed.process;
    failed = answered(*result, process);
  } else {
    failed.experiments.emplace();
    failed.experiments->end =
        fmt::format("asking again gave no answer: {}", answer.value("error", std::string()));
  }
}

void Worker::shrink(const Case& c, const Patience& patience, CaseResult& failed) {
  const json answer = insist({{"op", "shrink"},
                              {"name", print(c)},
                              {"failure", to_json(failure_of(failed))},
                              {"milliseconds", (options_.case_limit / kTimeShare).count()}},
                             fmt::format("a smaller case for {}", print(c)), patience);
  const json reduction = answer.value("reduction", json());
  if (!reduction.is_null()) failed.reduction = reduction_from_json(reduction);
}

json Worker::insist(const json& message, const std::string& what, const Patience& patience) {
  constexpr int kRetries = 2;  // a process may be killed from outside, again and again
  json last = request(message, patience);
  for (int i = 0; i < kRetries; ++i) {
    if (!last.contains("error") || child_ != nullptr || interrupted()) return last;
    const bool lost = last.value("lost", true), is_loss = last.value("loss", lost);
    const json reason = last.at("error");
    if (lost) last = request(message, patience);
    incidents_.push_back({{"case", what},
                          {"what", reason},
                          {"then", last.contains("error") ? "no answer" : "answered"},
                          {"lost", is_loss}});
    if (!lost) return last;
  }
  return last;
}

std::vector<json> Worker::take_incidents() { return std::exchange(incidents_, {}); }

json Worker::request(const json& message, const Patience& patience) {
  if (child_ == nullptr) {
    const std::string error = reopen();
    if (!error.empty()) return {{"error", error}};
  }
  Answer answer = ask(message, patience);
  if (answer.kind == AnswerKind::kAnswered) {
    if (!answer.message.value("lost", false)) return std::move(answer.message);
    child_.reset();  // a lost device does not come back in the process that lost it
    answer.message["loss"] = true;
    return std::move(answer.message);
  }
  const bool ended = answer.kind == AnswerKind::kDied || answer.kind == AnswerKind::kInterrupted;
  return {{"error", ended ? answer.how : hang_reason(answer)},
          {"lost", answer.kind != AnswerKind::kOverdue},
          {"loss", answer.kind == AnswerKind::kDied && (answer.of_driver || !is_killed(answer))}};
}

}  // namespace halfmark::suites
