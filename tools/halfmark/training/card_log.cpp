// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/card_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reference/text/visible.hpp"
#include "reports/writers/text.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::string_view kFormats[] = {"fp16", "bf16", "fp32"};
// Suites of what no operator of a model is, and every training has.
constexpr std::string_view kLoop[] = {"loss_scaled_backward", "loss_scaling", "optimizer"};

// "dw1" of "09_dw1"; empty for other tensors.
std::string gradient_in(const std::string& tensor) {
  const std::string name = tensor.substr(std::min(tensor.find('_') + 1, tensor.size()));
  return name.starts_with("dw") || name.starts_with("db") ? name : std::string();
}

// Cards of before these figures lack the norm; it is that of finite elements.
std::optional<double> norm_of(const json& tensor) {
  if (tensor.at("not_finite") != 0) return std::numeric_limits<double>::infinity();
  if (!tensor.contains("norm")) return std::nullopt;
  return tensor.at("norm").get<double>();
}

LayerRecord layer_of(const json& tensor) {
  LayerRecord layer{
      .name = gradient_in(tensor.at("name")),
      .norm = norm_of(tensor),
      .zero_share = tensor.at("zeros").get<double>() / tensor.at("elements").get<double>()};
  for (const json& scale : tensor.at("scales")) {
    if (scale.at("scale_log2") != 0 || tensor.at("amax") == 0) continue;
    layer.zones = Zones{
        .normal = scale.at("normal"), .subnormal = scale.at("subnormal"), .lost = scale.at("lost")};
  }
  const json& suggested = tensor.at("suggested_scale_log2");
  if (!suggested.is_null()) layer.suggested_scale_log2 = suggested.get<double>();
  return layer;
}

// The backward pass comes to the first layer last.
StepRecord step_of(const json& counted) {
  StepRecord step;
  double squares = 0;
  for (const json& tensor : counted.at("tensors")) {
    if (gradient_in(tensor.at("name")).empty()) continue;
    step.layers.insert(step.layers.begin(), layer_of(tensor));
    const std::optional<double>& norm = step.layers.front().norm;
    squares += norm ? *norm * *norm : std::numeric_limits<double>::quiet_NaN();
  }
  if (!std::isnan(squares) && !step.layers.empty()) step.norm = std::sqrt(squares);
  step.skipped = std::isinf(squares);  // the case passed, so that the step was skipped
  return step;
}

// One name for each operation of a suite, in each format that a note is about.
std::vector<OperatorUse> operators_in(const std::vector<DeviceNote>& notes) {
  std::vector<OperatorUse> uses;
  std::vector<std::pair<std::string_view, std::string_view>> seen;
  for (const OperatorRow& row : operator_rows()) {
    const std::pair operation(row.suite, row.operation);
    if (row.suite.empty() || std::ranges::find(seen, operation) != seen.end()) continue;
    seen.push_back(operation);
    for (const std::string_view format : kFormats) {
      const OperatorUse use{.name = std::string(row.name), .format = std::string(format)};
      if (std::ranges::any_of(notes, [&](const DeviceNote& note) { return concerns(note, use); }))
        uses.push_back(use);
    }
  }
  return uses;
}

std::string suites_of(const reports::Scorecard& card) {
  std::map<std::string, std::uint64_t> counts;
  for (const reports::Finding& finding : card.findings)
    ++counts[finding.result.name.substr(0, finding.result.name.find('.'))];
  std::vector<std::string> parts;
  for (const auto& [suite, count] : counts) parts.push_back(fmt::format("{} {}", suite, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string findings_of(const reports::Scorecard& card) {
  if (card.findings.empty()) return "none";
  return fmt::format(
      "{}, {}: {}",
      reports::plural(count_findings(card, suites::Standing::kViolation), "violation"),
      reports::plural(count_findings(card, suites::Standing::kDeviation), "deviation"),
      text::visible_line(suites_of(card)));
}

// The violations of the loop, graver ones first.
std::vector<const reports::Finding*> wrong_loops(const reports::Scorecard& card) {
  std::vector<const reports::Finding*> list;
  for (const reports::Finding& finding : card.findings) {
    const std::string& name = finding.result.name;
    const bool is_violation = finding.result.standing == suites::Standing::kViolation;
    if (is_violation && std::ranges::find(kLoop, name.substr(0, name.find('.'))) != std::end(kLoop))
      list.push_back(&finding);
  }
  return list;
}

std::string loop_line(const std::vector<const reports::Finding*>& wrong) {
  const reports::Finding& first = *wrong.front();
  return fmt::format("{} of the scaler, the optimizer or a whole step, the first is {} {}",
                     reports::plural(wrong.size(), "violation"), text::visible_line(first.id),
                     text::visible_line(first.result.name));
}

std::string step_line(const json& counted) {
  if (counted.is_null())
    return "none: the card has no `training_step`, which a run counts from level standard on, "
           "where a step without a loss scale passed";
  return fmt::format(
      "{}: one step without a loss scale, made to have gradients at the lower end of fp16",
      text::visible_line(counted.at("case").get<std::string>()));
}

}  // namespace

bool is_scorecard(std::string_view content) {
  return content.find("\"halfmark-scorecard/") != std::string_view::npos;
}

CardLog log_of(const reports::Scorecard& card) {
  CardLog made{.head = {fmt::format("card     {} ({}), driver {}; level {}, {}",
                                    text::visible_line(device_text(card, "name")),
                                    text::visible_line(device_text(card, "selector")),
                                    text::visible_line(device_text(card, "driver_version")),
                                    text::visible_line(card.suite.level),
                                    card.complete ? "complete" : "incomplete"),
                        fmt::format("findings {}", findings_of(card)),
                        fmt::format("step     {}", step_line(card.training_step))},
               .log = {},
               .notes = notes_of(card)};
  if (const auto wrong = wrong_loops(card); !wrong.empty()) {
    made.loop_is_wrong = true;
    made.head.push_back(fmt::format("loop     {}", loop_line(wrong)));
  }
  made.log.setup = Setup{.operators = operators_in(made.notes)};
  if (!card.training_step.is_null()) made.log.steps.push_back(step_of(card.training_step));
  return made;
}

}  // namespace halfmark::tools
