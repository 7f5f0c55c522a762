// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/experiment_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 2> kRunBy = {"device", "reference"};
constexpr std::string_view kWide = "fp32";

std::optional<double> number(const json& object, const char* field) {
  const json value = object.value(field, json());
  if (value.is_null()) return std::nullopt;
  if (value.is_number()) return value.get<double>();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "inf") return kInfinity;
  return value == "-inf" ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
}

// Of weights and of biases: "dW1", "db1".
bool is_gradient_of_a_layer(const std::string& tensor) {
  return tensor.starts_with("dW") || tensor.starts_with("db");
}

template <typename Condition>
const json* first_that(const json& list, const Condition& condition) {
  const auto found = std::ranges::find_if(list, condition);
  return found == list.end() ? nullptr : &*found;
}

// `wide`: the same step in fp32, or null.
std::optional<double> lost_share(const json& tensor, const json* wide) {
  if (wide == nullptr || !wide->contains("tensors")) return std::nullopt;
  const json* twin = first_that(
      wide->at("tensors"), [&](const json& each) { return each.at("name") == tensor.at("name"); });
  if (twin == nullptr) return std::nullopt;
  const double lost = tensor.at("zeros").get<double>() - twin->at("zeros").get<double>();
  return std::max(0.0, lost) / tensor.at("count").get<double>();
}

std::map<int, std::uint64_t> exponents_of(const json& tensor) {
  std::map<int, std::uint64_t> counts;
  const json exponents = tensor.value("exponents", json::object());
  for (const auto& [exponent, count] : exponents.items())
    counts[std::stoi(exponent)] = count.get<std::uint64_t>();
  return counts;
}

LayerRecord layer_of(const json& tensor, const json* wide, int scale_log2) {
  const std::optional<double> norm = number(tensor, "norm");
  const auto count = tensor.at("count").get<double>();
  return {.name = tensor.at("name"),
          .norm = norm ? std::optional(std::ldexp(*norm, -scale_log2)) : std::nullopt,
          .lost_share = lost_share(tensor, wide),
          .zero_share =
              count == 0 ? std::nullopt : std::optional(tensor.at("zeros").get<double>() / count),
          .zones = zones_of(exponents_of(tensor)),
          .suggested_scale_log2 = number(tensor, "suggested_scale_log2")};
}

StepRecord step_of(const json& step, const json* wide) {
  const int scale_log2 = step.value("scale_log2", 0);
  StepRecord record{.step = step.at("step"),
                    .loss = number(step, "loss"),
                    .norm = number(step, "norm"),
                    .scale = {},
                    .skipped = step.value("skipped", false),
                    .layers = {}};
  for (const json& tensor : step.value("tensors", json::array())) {
    if (!is_gradient_of_a_layer(tensor.at("name"))) continue;
    record.layers.push_back(layer_of(tensor, wide, scale_log2));
  }
  return record;
}

// A scale that is 1 in every step is none.
bool has_a_scale(const json& steps) {
  return std::ranges::any_of(steps,
                             [](const json& step) { return step.value("scale_log2", 0) != 0; });
}

// Whatever the experiment calls it.
bool is_in_fp32_alone(const json& mode) {
  return mode.value("format", "") == kWide && !has_a_scale(mode.at("steps"));
}

// The norm to which steps were clipped, or one that no step exceeded; nothing if none is clipped.
std::optional<double> clip_of(const json& steps) {
  std::optional<double> clip;
  for (const json& step : steps) {
    const std::optional<double> factor = number(step, "clip_factor"), norm = number(step, "norm");
    if (factor && norm && std::isfinite(*norm)) clip = std::max(clip.value_or(0), *factor * *norm);
  }
  return clip;
}

ModeLog log_of(const json& mode, std::string_view run_by, const json* wide) {
  const std::string format = mode.value("format", "");
  ModeLog made{.name = fmt::format("{}, {}", run_by, mode.at("name").get<std::string>()),
               .title = mode.at("title"),
               .log = {}};
  const json& steps = mode.at("steps");
  if (format == "fp16" || format == "bf16" || format == kWide)
    made.log.setup = Setup{.format = format, .clip = clip_of(steps)};
  const bool is_scaled = has_a_scale(steps);
  const bool is_wide = wide == &mode;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool has_twin = wide != nullptr && !is_wide && i < wide->at("steps").size();
    made.log.steps.push_back(step_of(steps[i], has_twin ? &wide->at("steps")[i] : nullptr));
    if (is_scaled) made.log.steps.back().scale = std::ldexp(1.0, steps[i].value("scale_log2", 0));
  }
  return made;
}

}  // namespace

std::vector<ModeLog> logs_of_experiment(const json& report) {
  std::vector<ModeLog> logs;
  for (const std::string_view run_by : kRunBy) {
    const auto run = report.find(run_by);
    if (run == report.end() || !run->is_object() || !run->contains("modes")) continue;
    const json& modes = run->at("modes");
    const json* wide = first_that(modes, is_in_fp32_alone);
    for (const json& mode : modes) logs.push_back(log_of(mode, run_by, wide));
  }
  return logs;
}

}  // namespace halfmark::tools
