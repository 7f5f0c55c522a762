// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/worker.hpp"

#include <fmt/format.h>

#include "suites/core/errors.hpp"
#include "suites/core/line.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {

using nlohmann::json;

std::vector<std::string> worker_command() { return {"/proc/self/exe", kWorkerArgument}; }

Answer Worker::ask(const json& message) {
  if (child_ == nullptr) child_ = std::make_unique<Child>(worker_command());
  Answer answer = child_->ask(message, options_.case_limit);
  if (answer.kind != AnswerKind::kAnswered) child_.reset();
  return answer;
}

std::string Worker::reopen() {
  const Answer answer = ask({{"op", "open"}, {"device", selector_}, {"plugin", options_.plugin}});
  if (answer.kind != AnswerKind::kAnswered) return fmt::format("the worker died: {}", answer.how);
  if (const auto error = answer.message.find("error"); error != answer.message.end()) return *error;
  device_ = backends::device_info_from_json(answer.message.at("device"));
  return {};
}

backends::DeviceInfo Worker::open(const std::string& selector) {
  selector_ = selector;
  const std::string error = reopen();
  if (!error.empty()) {
    throw DeviceUnusable(fmt::format(
        "device {} cannot be opened: {}; `halfmark devices` shows what works", selector, error));
  }
  return device_;
}

CaseResult Worker::run(const Case& c) {
  CaseResult result = describe_case(find_suite(c.suite), c, device_);
  if (child_ == nullptr) {
    const std::string error = reopen();
    if (!error.empty()) {
      result.verdict = Verdict::kDeviceLost;
      result.reason = fmt::format("the device could not be opened again: {}", error);
      return result;
    }
  }
  const Answer answer = ask({{"op", "case"}, {"name", print(c)}});
  switch (answer.kind) {
    case AnswerKind::kAnswered:
      if (const auto error = answer.message.find("error"); error != answer.message.end()) {
        result.verdict = Verdict::kError;
        result.reason = *error;
        return result;
      }
      return case_result_from_json(answer.message.at("result"));
    case AnswerKind::kTimedOut:
      result.verdict = Verdict::kHang;
      result.reason = fmt::format("no answer in {} s; raise --timeout if the device is only slow",
                                  options_.case_limit.count() / 1000);
      break;
    case AnswerKind::kDied:
      result.verdict = Verdict::kCrash;
      result.reason = fmt::format("the worker died: {}", answer.how);
      break;
    case AnswerKind::kInterrupted:
      result.verdict = Verdict::kSkipped;
      result.reason = "interrupted";
      break;
  }
  return result;
}

json Worker::request(const json& message) {
  if (child_ == nullptr) {
    const std::string error = reopen();
    if (!error.empty()) return {{"error", error}};
  }
  const Answer answer = ask(message);
  if (answer.kind == AnswerKind::kAnswered) return answer.message;
  return {{"error",
           answer.kind == AnswerKind::kTimedOut ? "no answer within the time limit" : answer.how}};
}

}  // namespace halfmark::suites
