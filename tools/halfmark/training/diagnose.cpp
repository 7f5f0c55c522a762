// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reference/text/json.hpp"
#include "reference/text/visible.hpp"
#include "reports/exit_codes.hpp"
#include "reports/files.hpp"
#include "reports/lab_page.hpp"
#include "reports/validate.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/card_log.hpp"
#include "tools/halfmark/training/diagnose_text.hpp"
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

// What was asked about.
struct Subject {
  std::vector<ModeLog> logs;  // one without a name if it is no experiment
  std::vector<std::string> head = {};
  std::vector<DeviceNote> notes = {};
  bool is_card = false, fails = false;
};

Subject read_card(const std::filesystem::path& path) {
  try {
    CardLog card = log_of(reports::read_scorecard(path));
    return {.logs = {{.log = std::move(card.log)}},
            .head = std::move(card.head),
            .notes = std::move(card.notes),
            .is_card = true,
            .fails = card.loop_is_wrong};
  } catch (const reports::CardError& error) {
    throw UsageError(error.what());
  }
}

Subject read_subject(const std::filesystem::path& path) {
  try {
    if (std::error_code unknown; std::filesystem::is_directory(path, unknown))
      return read_card(path);
    const std::string content = reports::read_file(path, kMostOfLog);
    if (is_scorecard(content)) return read_card(path);
    if (content.find(reports::kLabSchemaName) != std::string::npos)
      return {.logs = read_experiment(content)};
    return {.logs = {{.log = parse_training_log(content)}}};
  } catch (const LogError& error) {
    throw UsageError(
        fmt::format("{}: {}", text::visible_line(path.string()), text::visible_line(error.what())));
  } catch (const reports::FileError& error) {
    throw UsageError(error.what());
  }
}

void choose_mode(const DiagnoseOptions& options, std::vector<ModeLog>& logs) {
  if (options.mode.empty()) return;
  std::vector<std::string> names;
  for (const ModeLog& each : logs) names.push_back(each.name);
  std::erase_if(logs, [&](const ModeLog& each) { return each.name != options.mode; });
  if (!logs.empty()) return;
  throw UsageError(fmt::format("{} has no mode '{}'; {}", text::visible_line(options.log.string()),
                               text::visible_line(options.mode),
                               names.size() == 1 && names[0].empty()
                                   ? "it is no report of `halfmark lab`"
                                   : fmt::format("choose from: '{}'", fmt::join(names, "', '"))));
}

Subject subject_of(const DiagnoseOptions& options) {
  Subject subject = read_subject(options.log);
  choose_mode(options, subject.logs);
  if (!options.card) return subject;
  if (subject.is_card)
    throw UsageError(fmt::format("--card: {} is a scorecard itself; leave out --card",
                                 text::visible_line(options.log.string())));
  subject.notes = read_device_notes(*options.card);
  return subject;
}

std::string_view checked_profile(const std::string& name) {
  const auto known = norm_profiles();
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return *found;
  throw UsageError(fmt::format("there is no profile '{}'; choose from: {}",
                               text::visible_line(name), fmt::join(known, ", ")));
}

// JSON has no infinities; logs write them so, too.
json number(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (std::isnan(*value)) return "nan";
  if (std::isinf(*value)) return *value > 0 ? "inf" : "-inf";
  return *value;
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

json early_json(const TrainingLog& log) {
  const Figures early = figures_of(early_steps(log));
  if (early.steps == 0) return nullptr;
  return {{"steps", early.steps},
          {"skipped", early.skipped},
          {"norm", {number(early.least_norm), number(early.largest_norm)}},
          {"scale", {number(early.least_scale), number(early.largest_scale)}}};
}

// Of the last step that has layers.
json layers_json(const TrainingLog& log) {
  json list = json::array();
  const StepRecord* step = last_with_layers(log);
  if (step == nullptr) return list;
  for (const LayerRecord& layer : step->layers) {
    const std::optional<Zones>& zones = layer.zones;
    list.push_back({{"name", layer.name},
                    {"step", step->step},
                    {"norm", number(layer.norm)},
                    {"lost_share", number(layer.lost_share)},
                    {"zero_share", number(layer.zero_share)},
                    {"suggested_scale_log2", number(layer.suggested_scale_log2)},
                    {"zones", zones ? json{{"normal", zones->normal},
                                           {"subnormal", zones->subnormal},
                                           {"lost", zones->lost},
                                           {"overflow", zones->overflow}}
                                    : json()}});
  }
  return list;
}

json report_json(const ModeLog& mode, const std::vector<Applied>& applied) {
  const TrainingLog& log = mode.log;
  const Figures figures = figures_of(log.steps);
  const Death death = death_of(log);
  const json course = death.of.empty()
                          ? json()
                          : json{{"of", death.of}, {"step", death.step}, {"layer", death.layer}};
  json report = {{"steps", figures.steps},
                 {"skipped", figures.skipped},
                 {"success_rate", figures.steps == 0 ? json() : json(figures.success_rate())},
                 {"death", course},
                 {"early", early_json(log)},
                 {"layers", layers_json(log)},
                 {"rules", rules_json(applied)}};
  if (!mode.name.empty()) report["mode"] = mode.name;
  return report;
}

// A card says nothing of the model that someone will train: of its operators what the device does,
// and nothing of formats that nobody has chosen.
std::vector<Applied> applied_to(const Subject& subject, const ModeLog& mode, bool has_card,
                                std::string_view profile) {
  std::vector<Applied> applied =
      apply_rules({.log = mode.log, .notes = subject.notes, .has_card = has_card}, profile);
  if (!subject.is_card) return applied;
  std::erase_if(applied, [](const Applied& each) {
    return each.rule->stage == Stage::kModel && !each.rule->of_device;
  });
  return applied;
}

void print_subject(const Subject& subject, const ModeLog& mode, const std::vector<Applied>& applied,
                   std::ostream& out) {
  if (!mode.name.empty()) {
    const bool is_first = &mode == &subject.logs.front();
    fmt::print(out, "{}== {}: {}\n", is_first ? "" : "\n", text::visible_line(mode.name),
               text::visible_line(mode.title));
  }
  for (const std::string& line : subject.head) fmt::print(out, "{}\n", line);
  if (!subject.is_card) print_figures(mode.log, out);
  print_stages(mode.log, applied, out);
}

bool is_failure(const Applied& each) { return each.rule->gravity == Gravity::kFailure; }

}  // namespace

int diagnose_training(const DiagnoseOptions& options, std::ostream& out) {
  const std::string_view profile = checked_profile(options.profile);
  const Subject subject = subject_of(options);
  bool fails = subject.fails;
  json reports = json::array();
  for (const ModeLog& each : subject.logs) {
    const std::vector<Applied> applied =
        applied_to(subject, each, options.card.has_value(), profile);
    fails = fails || std::ranges::any_of(applied, is_failure);
    if (options.as_json)
      reports.push_back(report_json(each, applied));
    else
      print_subject(subject, each, applied, out);
  }
  if (options.as_json) {
    const bool is_one = subject.logs.size() == 1 && subject.logs.front().name.empty();
    out << text::visible_json((is_one ? reports[0] : reports).dump(2)) << '\n';
  }
  return fails ? reports::kExitDoesNotConform : reports::kExitConforms;
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
