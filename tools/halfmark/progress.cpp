// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/progress.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cstdio>
#include <iostream>

#include "tools/halfmark/console.hpp"

namespace halfmark::tools {
namespace {

using suites::Verdict;

bool noteworthy(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
    case Verdict::kNotSupported:
    case Verdict::kSkipped:
      return false;
    case Verdict::kFail:
    case Verdict::kUntrusted:
    case Verdict::kError:
    case Verdict::kCrash:
    case Verdict::kHang:
    case Verdict::kDeviceLost:
      return true;
  }
  return true;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string standing_of(const suites::CaseResult& result) {
  if (result.standing == suites::Standing::kNone) return std::string(name_of(result.verdict));
  return std::string(name_of(result.standing));
}

}  // namespace

suites::RunProgress Progress::callbacks() {
  return {
      .on_case = [this](const suites::CaseResult& result, std::uint64_t done, std::uint64_t total,
                        bool resumed) { on_case(result, done, total, resumed); },
      .on_stage =
          [this](const std::string& what) {
            if (terminal_) live_line(fmt::format("{}  measuring {}", device_, what));
          },
      .on_incident =
          [this](const nlohmann::json& incident) {
            if (terminal_) live_line("");
            fmt::print(
                std::cerr, "incident  {}: {}; then: {}\n", incident.at("case").get<std::string>(),
                incident.at("what").get<std::string>(), incident.at("then").get<std::string>());
          }};
}

void Progress::live_line(const std::string& text) {
  erase_line();
  fmt::print(std::cerr, "{:.110}", text);
  std::cerr.flush();
}

void Progress::on_case(const suites::CaseResult& result, std::uint64_t done, std::uint64_t total,
                       bool resumed) {
  const auto now = std::chrono::steady_clock::now();
  const double elapsed = std::chrono::duration<double>(now - started_).count();
  if (noteworthy(result.verdict) && !resumed) {
    ++wrong_;
    if (terminal_) live_line("");
    fmt::print(std::cerr, "{}  {}: {}\n", standing_of(result), result.name,
               first_line(result.reason));
  }
  if (terminal_) {
    const double left = elapsed / static_cast<double>(done) * static_cast<double>(total - done);
    live_line(fmt::format("{}  {}/{}  findings or failures: {}  {:.0f} s left  {}", device_, done,
                          total, wrong_, left, result.name));
  } else if (now - last_line_ > std::chrono::seconds(10)) {
    last_line_ = now;
    fmt::print(std::cerr, "{}  {}/{} cases, findings or failures: {}, {:.0f} s\n", device_, done,
               total, wrong_, elapsed);
  }
}

void Progress::finish() {
  if (terminal_) live_line("");
}

}  // namespace halfmark::tools
