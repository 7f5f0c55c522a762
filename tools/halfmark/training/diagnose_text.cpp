// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/diagnose_text.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <string>

#include "reference/text/visible.hpp"

namespace halfmark::tools {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string("-");
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.3g} %", 100 * *share) : std::string("-");
}

std::string power(const std::optional<double>& log2) {
  return log2 ? fmt::format("2^{:.6g}", *log2) : std::string("-");
}

std::string death_text(const Death& death) {
  std::string text = fmt::format("died of {} at step {}", death.of, death.step);
  if (!death.layer.empty()) {
    text += fmt::format(", first in layer {}", text::visible_line(death.layer));
  }
  return text;
}

std::string range(const char* what, const std::optional<double>& least,
                  const std::optional<double>& largest) {
  if (!least) return {};
  return fmt::format("; {} {} to {}", what, number(least), number(largest));
}

// What the log has of the steps in which most trainings that fail begin to.
void print_early(const TrainingLog& log, std::ostream& out) {
  if (log.steps.empty()) return;
  const Figures early = figures_of(early_steps(log));
  if (early.steps == 0) {
    fmt::print(out, "  first {} steps: the log begins at step {}\n", kEarlySteps,
               log.steps.front().step);
    return;
  }
  fmt::print(out, "  first {} steps: {} in the log, {} skipped{}{}\n", kEarlySteps, early.steps,
             early.skipped, range("norm", early.least_norm, early.largest_norm),
             range("scale", early.least_scale, early.largest_scale));
}

std::string place_of(const Hit& hit) {
  if (!hit.step) return {};
  const std::string more = hit.times == 1 ? "" : fmt::format(" and {} more", hit.times - 1);
  return fmt::format(" at step {}{}", *hit.step, more);
}

void print_rule(const Applied& each, std::ostream& out) {
  const Rule& rule = *each.rule;
  fmt::print(out, "  {:<8} {}: {}{}\n           {}\n           advice: {}\n", word_of(rule.gravity),
             rule.id, text::visible_line(each.hit.what, text::kMostOfMessage), place_of(each.hit),
             rule.says, rule.advice);
}

void print_layers(const StepRecord& step, std::ostream& out) {
  fmt::print(out, "\nlayers at step {}\n  {:<24} {:>12} {:>15} {:>8}\n", step.step, "layer",
             "gradient norm", "parameter norm", "lost");
  for (const LayerRecord& layer : step.layers) {
    fmt::print(out, "  {:<24} {:>13} {:>15} {:>8}\n", text::visible_line(layer.name),
               number(layer.norm), number(layer.parameter_norm), percent(layer.lost_share));
  }
}

// Of numbers other than zero.
void print_zones(const StepRecord& step, std::ostream& out) {
  if (std::ranges::none_of(step.layers, [](const auto& layer) { return layer.zones.has_value(); }))
    return;
  fmt::print(out,
             "\nwhere fp16 has them, with the step's scale\n  {:<24} {:>8} {:>8} {:>10} {:>8} "
             "{:>9} {:>10}\n",
             "layer", "zero", "normal", "subnormal", "lost", "overflow", "suggested");
  for (const LayerRecord& layer : step.layers) {
    const std::optional<Zones>& zones = layer.zones;
    const auto share = [&](double Zones::* zone) {
      return percent(zones ? std::optional((*zones).*zone) : std::nullopt);
    };
    fmt::print(out, "  {:<24} {:>8} {:>8} {:>10} {:>8} {:>9} {:>10}\n",
               text::visible_line(layer.name), percent(layer.zero_share), share(&Zones::normal),
               share(&Zones::subnormal), share(&Zones::lost), share(&Zones::overflow),
               power(layer.suggested_scale_log2));
  }
}

}  // namespace

void print_figures(const TrainingLog& log, std::ostream& out) {
  const Figures figures = figures_of(log.steps);
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

void print_stages(const TrainingLog& log, const std::vector<Applied>& applied, std::ostream& out) {
  for (const Stage stage : kAllStages) {
    const bool has_steps = stage == Stage::kSteps && !log.steps.empty();
    const bool is_hit = std::ranges::any_of(
        applied, [&](const Applied& each) { return each.rule->stage == stage; });
    if (has_steps || is_hit) fmt::print(out, "\n{}\n", word_of(stage));
    if (has_steps) print_early(log, out);
    for (const Applied& each : applied) {
      if (each.rule->stage == stage) print_rule(each, out);
    }
  }
  if (applied.empty()) fmt::print(out, "no rule applies\n");
  const StepRecord* step = last_with_layers(log);
  if (step == nullptr) return;
  print_layers(*step, out);
  print_zones(*step, out);
}

}  // namespace halfmark::tools
