// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/text/json.hpp"
#include "reference/text/visible.hpp"
#include "reports/files.hpp"
#include "reports/lab_page.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/experiment_log.hpp"
#include "tools/halfmark/training/rules.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;
using suites::UsageError;

constexpr std::size_t kMostOfLog = std::size_t{200} << 20;  // a million steps

// Throws LogError if it is no report of an experiment.
std::vector<ModeLog> read_experiment(const std::string& content) {
  try {
    const json report = text::read_json(content, {.bytes = kMostOfLog});
    const std::vector<std::string> problems = reports::check_lab_schema(report);
    if (!problems.empty()) throw LogError(problems.front());
    return logs_of_experiment(report);
  } catch (const text::JsonError& error) {
    throw LogError(error.what());
  } catch (const json::exception& error) {
    throw LogError(fmt::format("no report of this version's `halfmark lab`: {}", error.what()));
  }
}

// One without a name if it is a log.
std::vector<ModeLog> read_logs(const std::filesystem::path& path) {
  try {
    const std::string content = reports::read_file(path, kMostOfLog);
    if (content.find(reports::kLabSchemaName) != std::string::npos) return read_experiment(content);
    return {{.log = parse_training_log(content)}};
  } catch (const LogError& error) {
    throw UsageError(
        fmt::format("{}: {}", text::visible_line(path.string()), text::visible_line(error.what())));
  } catch (const reports::FileError& error) {
    throw UsageError(error.what());
  }
}

std::vector<ModeLog> chosen_logs(const DiagnoseOptions& options) {
  std::vector<ModeLog> logs = read_logs(options.log);
  if (options.mode.empty()) return logs;
  std::vector<std::string> names;
  for (const ModeLog& each : logs) names.push_back(each.name);
  std::erase_if(logs, [&](const ModeLog& each) { return each.name != options.mode; });
  if (!logs.empty()) return logs;
  throw UsageError(fmt::format("{} has no mode '{}'; {}", text::visible_line(options.log.string()),
                               text::visible_line(options.mode),
                               names.size() == 1 && names[0].empty()
                                   ? "it is the log of one training"
                                   : fmt::format("choose from: '{}'", fmt::join(names, "', '"))));
}

std::string_view checked_profile(const std::string& name) {
  const auto known = norm_profiles();
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return *found;
  throw UsageError(fmt::format("there is no profile '{}'; choose from: {}",
                               text::visible_line(name), fmt::join(known, ", ")));
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string("-");
}

std::string death_text(const Death& death) {
  std::string text = fmt::format("died of {} at step {}", death.of, death.step);
  if (!death.layer.empty()) {
    text += fmt::format(", first in layer {}", text::visible_line(death.layer));
  }
  return text;
}

void print_figures(const TrainingLog& log, std::ostream& out) {
  const Figures figures = figures_of(log);
  if (figures.steps == 0) return;
  fmt::print(out, "steps    {}, {} skipped: {:.4g} % were made\n", figures.steps, figures.skipped,
             100 * figures.success_rate());
  if (figures.first_loss) {
    fmt::print(out, "loss     {} to {}\n", number(figures.first_loss), number(figures.last_loss));
  }
  if (figures.last_scale) {
    fmt::print(out, "scale    {} at the end, between {} and {}\n", number(figures.last_scale),
               number(figures.least_scale), number(figures.largest_scale));
  }
  const Death death = death_of(log);
  fmt::print(out, "course   {}\n",
             death.of.empty() ? "it reached its last step" : death_text(death));
}

std::string place_of(const Hit& hit) {
  if (!hit.step) return {};
  const std::string more = hit.times == 1 ? "" : fmt::format(" and {} more", hit.times - 1);
  return fmt::format(" at step {}{}", *hit.step, more);
}

void print_rules(const std::vector<Applied>& applied, std::ostream& out) {
  std::optional<Stage> stage;
  for (const Applied& each : applied) {
    const Rule& rule = *each.rule;
    if (stage != rule.stage) fmt::print(out, "\n{}\n", word_of(rule.stage));
    stage = rule.stage;
    fmt::print(out, "  {:<8} {}: {}{}\n           {}\n           advice: {}\n",
               word_of(rule.gravity), rule.id, text::visible_line(each.hit.what),
               place_of(each.hit), rule.says, rule.advice);
  }
  if (applied.empty()) fmt::print(out, "no rule applies\n");
}

const StepRecord* last_with_layers(const TrainingLog& log) {
  const auto found = std::find_if(log.steps.rbegin(), log.steps.rend(),
                                  [](const StepRecord& step) { return !step.layers.empty(); });
  return found == log.steps.rend() ? nullptr : &*found;
}

void print_layers(const TrainingLog& log, std::ostream& out) {
  const StepRecord* step = last_with_layers(log);
  if (step == nullptr) return;
  fmt::print(out, "\nlayers at step {}\n  {:<24} {:>12} {:>15} {:>8}\n", step->step, "layer",
             "gradient norm", "parameter norm", "lost");
  for (const LayerRecord& layer : step->layers) {
    fmt::print(out, "  {:<24} {:>13} {:>15} {:>8}\n", text::visible_line(layer.name),
               number(layer.norm), number(layer.parameter_norm),
               layer.lost_share ? fmt::format("{:.3g} %", 100 * *layer.lost_share) : "-");
  }
}

json rules_json(const std::vector<Applied>& applied) {
  json list = json::array();
  for (const auto& [rule, hit] : applied) {
    list.push_back({{"id", rule->id},
                    {"stage", word_of(rule->stage)},
                    {"gravity", word_of(rule->gravity)},
                    {"threshold", rule->threshold},
                    {"rows", rule->rows},
                    {"step", hit.step ? json(*hit.step) : json()},
                    {"times", hit.times},
                    {"what", hit.what},
                    {"says", rule->says},
                    {"advice", rule->advice}});
  }
  return list;
}

json report_json(const ModeLog& mode, const std::vector<Applied>& applied) {
  const TrainingLog& log = mode.log;
  const Figures figures = figures_of(log);
  const Death death = death_of(log);
  const json course = death.of.empty()
                          ? json()
                          : json{{"of", death.of}, {"step", death.step}, {"layer", death.layer}};
  json report = {{"steps", figures.steps},
                 {"skipped", figures.skipped},
                 {"success_rate", figures.steps == 0 ? json() : json(figures.success_rate())},
                 {"death", course},
                 {"rules", rules_json(applied)}};
  if (!mode.name.empty()) report["mode"] = mode.name;
  return report;
}

void print_log(const ModeLog& mode, const std::vector<Applied>& applied, bool is_first,
               std::ostream& out) {
  if (!mode.name.empty()) {
    fmt::print(out, "{}== {}: {}\n", is_first ? "" : "\n", text::visible_line(mode.name),
               text::visible_line(mode.title));
  }
  print_figures(mode.log, out);
  print_rules(applied, out);
  print_layers(mode.log, out);
}

}  // namespace

int diagnose_training(const DiagnoseOptions& options, std::ostream& out) {
  const std::string_view profile = checked_profile(options.profile);
  const std::vector<ModeLog> logs = chosen_logs(options);
  const std::vector<DeviceNote> notes =
      options.card ? read_device_notes(*options.card) : std::vector<DeviceNote>{};
  bool fails = false;
  json reports = json::array();
  for (const ModeLog& each : logs) {
    const std::vector<Applied> applied = apply_rules(
        {.log = each.log, .notes = notes, .has_card = options.card.has_value()}, profile);
    fails = fails || std::ranges::any_of(applied, [](const Applied& a) {
              return a.rule->gravity == Gravity::kFailure;
            });
    if (options.as_json)
      reports.push_back(report_json(each, applied));
    else
      print_log(each, applied, &each == &logs.front(), out);
  }
  if (options.as_json) {
    const bool is_one = logs.size() == 1 && logs.front().name.empty();
    out << text::visible_json((is_one ? reports[0] : reports).dump(2)) << '\n';
  }
  return fails ? 1 : 0;
}

void list_training_rules(std::ostream& out) {
  fmt::print(out, "{:<27} {:<9} {:<8} {:<7} {:>10}  {}\n", "rule", "stage", "gravity", "profile",
             "threshold", "says");
  for (const Rule& rule : training_rules()) {
    fmt::print(out, "{:<27} {:<9} {:<8} {:<7} {:>10}  {}\n", rule.id, word_of(rule.stage),
               word_of(rule.gravity), rule.profile.empty() ? "all" : rule.profile,
               rule.threshold == 0 ? "-" : fmt::format("{:.6g}", rule.threshold), rule.says);
  }
}

}  // namespace halfmark::tools
