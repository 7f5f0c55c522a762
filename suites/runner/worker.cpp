// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/worker.hpp"

#include <fmt/format.h>

#include "suites/core/errors.hpp"
#include "suites/core/line.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {

using nlohmann::json;

void Worker::start() {
  child_ = std::make_unique<Child>(std::vector<std::string>{"/proc/self/exe", kWorkerArgument});
  for (const std::string& file : options_.plugins) {
    static_cast<void>(child_->ask({{"op", "plugin"}, {"file", file}}, options_.case_limit));
  }
}

Answer Worker::ask(const json& message) {
  if (child_ == nullptr) start();
  Answer answer = child_->ask(message, options_.case_limit);
  if (answer.kind != AnswerKind::kAnswered) child_.reset();
  return answer;
}

std::vector<BackendReport> Worker::enumerate() {
  const Answer answer = ask({{"op", "enumerate"}});
  if (answer.kind != AnswerKind::kAnswered) {
    throw EnvironmentError(
        fmt::format("a driver failed while devices were listed: {}", answer.how));
  }
  std::vector<BackendReport> reports;
  for (const json& backend : answer.message.at("backends")) {
    BackendReport report{
        .backend = backend.at("backend"), .status = backend.at("status"), .devices = {}};
    for (const json& device : backend.at("devices")) {
      report.devices.push_back(backends::device_info_from_json(device));
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string Worker::reopen() {
  const Answer answer = ask({{"op", "open"}, {"device", selector_}});
  if (answer.kind != AnswerKind::kAnswered) return fmt::format("the worker died: {}", answer.how);
  if (const auto error = answer.message.find("error"); error != answer.message.end()) return *error;
  device_ = backends::device_info_from_json(answer.message.at("device"));
  return {};
}

backends::DeviceInfo Worker::open(const std::string& selector) {
  selector_ = selector;
  const std::string error = reopen();
  if (!error.empty()) {
    throw EnvironmentError(fmt::format(
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
