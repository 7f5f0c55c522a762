// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>

#include "backends/foreign_text.hpp"
#include "backends/plugin.hpp"
#include "reference/text/utf8.hpp"
#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/runner/child.hpp"
#include "suites/runner/worker.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Inquiry {
  BackendReport report;
  std::unique_ptr<Child> child;
};

Inquiry inquire(BackendReport report) {
  auto child = std::make_unique<Child>(worker_command());
  const bool built_in = report.plugin.empty();
  child->post({{"op", "enumerate"},
               {built_in ? "backend" : "plugin", built_in ? report.backend : report.plugin}});
  return {std::move(report), std::move(child)};
}

// Calls no driver: a failure here is Halfmark's own.
std::vector<std::string> built_in_names(std::chrono::milliseconds limit) {
  Child child(worker_command());
  const Answer answer = child.ask({{"op", "backends"}}, limit);
  if (answer.kind != AnswerKind::kAnswered) {
    throw EnvironmentError(fmt::format("a worker process could not be used: {}", answer.how));
  }
  return answer.message.at("names").get<std::vector<std::string>>();
}

std::string canonical(const std::string& file) {
  std::error_code ignored;
  const auto path = std::filesystem::weakly_canonical(file, ignored);
  return path.empty() ? file : path.string();
}

// Each file once, whether it is named by hand, by the environment or by both.
std::vector<BackendReport> plugin_reports(const InventoryOptions& options) {
  std::vector<BackendReport> reports;
  std::set<std::string> seen;
  const auto add = [&](const std::string& file, bool asked) {
    const std::string name = canonical(file);
    if (!seen.insert(name).second) return;
    BackendReport& report = reports.emplace_back();
    report.backend = report.plugin = name;
    report.asked = asked;
  };
  for (const std::string& file : options.plugins) add(file, true);
  for (const auto& file : backends::plugins_on_path(std::getenv("HALFMARK_PLUGIN_PATH")))
    add(file.string(), false);
  return reports;
}

void read_answer(const json& message, BackendReport& report) {
  if (const auto error = message.find("error"); error != message.end()) {
    report.status = *error;
    report.broken = true;
    return;
  }
  if (const auto fault = message.find("environment"); fault != message.end()) {
    report.status = *fault;
    return;
  }
  report.backend = message.at("backend");
  report.status = message.at("status");
  for (const json& device : message.at("devices")) {
    report.devices.push_back(backends::device_info_from_json(device));
    report.devices.back().plugin = report.plugin;
  }
  report.broken = message.at("broken");
}

void conclude(Inquiry& inquiry, std::chrono::milliseconds left, std::chrono::milliseconds limit) {
  const Answer answer = inquiry.child->await(left);
  BackendReport& report = inquiry.report;
  if (answer.kind == AnswerKind::kAnswered) return read_answer(answer.message, report);
  report.broken = true;
  const std::string what =
      answer.kind == AnswerKind::kTimedOut || answer.kind == AnswerKind::kFrozen
          ? fmt::format("no answer in {:.3g} s", std::chrono::duration<double>(limit).count())
          : fmt::format("its process died: {}", answer.how);
  const std::string text = fmt::format("{} while its devices were listed", what);
  report.status = report.plugin.empty() ? backends::one_line("the driver failed: " + text)
                                        : backends::refusal_line(report.plugin, text);
}

void refuse(BackendReport& report, const std::string& reason) {
  report.status = backends::refusal_line(report.plugin, reason);
  report.backend = report.plugin = text::visible_line(report.plugin);
  report.broken = true;
}

// Two plug-ins with the same name: selectors could not distinguish them, so only the first stays.
// `names` are those of backends that were not asked.
void refuse_clashes(std::vector<BackendReport>& reports, std::set<std::string> names) {
  for (BackendReport& report : reports) {
    if (names.insert(report.backend).second) continue;
    refuse(report, fmt::format("there is a backend named '{}' already", report.backend));
    report.devices.clear();
  }
}

}  // namespace

std::vector<BackendReport> take_inventory(const InventoryOptions& options) {
  const auto deadline = Clock::now() + options.limit;
  std::vector<Inquiry> inquiries;
  const std::vector<std::string> built_in = built_in_names(options.limit);
  const auto is_among = [](const std::string& name, const std::vector<std::string>& all) {
    return std::ranges::find(all, name) != all.end();
  };
  const bool asks_all =
      options.backends.empty() || !std::ranges::all_of(options.backends, [&](const auto& name) {
        return is_among(name, built_in);
      });
  std::set<std::string> unasked;
  for (const std::string& name : built_in) {
    if (!asks_all && !is_among(name, options.backends)) {
      unasked.insert(name);
      continue;
    }
    BackendReport report;
    report.backend = name;
    inquiries.push_back(inquire(std::move(report)));
  }
  std::vector<BackendReport> reports, refused;
  for (BackendReport& report : plugin_reports(options)) {
    // Neither a worker's request nor a scorecard could contain such a name.
    if (const std::string fault = text::utf8_fault(report.plugin); !fault.empty()) {
      refuse(report, "its name is not UTF-8: " + fault);
      refused.push_back(std::move(report));
    } else {
      inquiries.push_back(inquire(std::move(report)));
    }
  }
  for (Inquiry& inquiry : inquiries) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    conclude(inquiry, left, options.limit);
    reports.push_back(std::move(inquiry.report));
  }
  std::ranges::move(refused, std::back_inserter(reports));
  refuse_clashes(reports, std::move(unasked));
  return reports;
}

}  // namespace halfmark::suites
