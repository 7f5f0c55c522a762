// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "reference/formats/format.hpp"
#include "reference/text/json.hpp"
#include "reference/text/visible.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 40;

std::string shown(const json& value) { return text::visible_line(value.dump(), kMostShown); }

void refuse_unknown(const json& object, std::string_view where,
                    std::initializer_list<std::string_view> known) {
  if (!object.is_object()) throw LogError(fmt::format("{} is no object", where));
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    throw LogError(fmt::format("'{}' is not a field of {}; known: {}",
                               text::visible_line(item.key(), kMostShown), where,
                               fmt::join(known, ", ")));
  }
}

std::optional<double> number(const json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return std::nullopt;
  if (found->is_number()) return found->get<double>();
  if (*found == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (*found == "inf") return std::numeric_limits<double>::infinity();
  if (*found == "-inf") return -std::numeric_limits<double>::infinity();
  throw LogError(
      fmt::format(R"('{}' is {}; write a number, "nan", "inf" or "-inf")", field, shown(*found)));
}

// A norm, a scale or a share cannot be negative; a NaN passes.
std::optional<double> magnitude(const json& object, const char* field) {
  const std::optional<double> value = number(object, field);
  if (value && *value < 0) {
    throw LogError(fmt::format("'{}' is {}; it cannot be negative", field, *value));
  }
  return value;
}

std::optional<double> share(const json& object, const char* field) {
  const std::optional<double> value = magnitude(object, field);
  if (value && !(*value <= 1)) {
    throw LogError(fmt::format("'{}' is {}; a share lies between 0 and 1", field, *value));
  }
  return value;
}

std::optional<double> scale(const json& object) {
  const std::optional<double> value = magnitude(object, "scale");
  if (value && !std::isfinite(*value)) {
    throw LogError(fmt::format("'scale' is {}; a scale is a finite number", *value));
  }
  return value;
}

bool flag(const json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return false;
  if (found->is_boolean()) return found->get<bool>();
  throw LogError(fmt::format("'{}' is {}; write true or false", field, shown(*found)));
}

std::string word(const json& object, const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  throw LogError(fmt::format("'{}' is {}; write text", field, shown(*found)));
}

// The name of a format, as the table of formats spells it.
std::string format(const json& object, const char* field) {
  const std::string name = word(object, field);
  if (name.empty()) return {};
  if (const formats::Format* known = formats::find_format(name)) return std::string(known->name);
  throw LogError(
      fmt::format("'{}' is \"{}\", which is no format; `halfmark ref formats` lists them", field,
                  text::visible_line(name, kMostShown)));
}

const json& list(const json& object, const char* field) {
  static const json kNone = json::array();
  const auto found = object.find(field);
  if (found == object.end()) return kNone;
  if (found->is_array()) return *found;
  throw LogError(fmt::format("'{}' is {}; write a list", field, shown(*found)));
}

std::string name_of(const json& object, const char* field, std::string_view where) {
  const std::string name = word(object, field);
  if (name.empty()) throw LogError(fmt::format("{} lacks '{}'", where, field));
  return name;
}

OperatorUse operator_of(const json& object) {
  refuse_unknown(object, "an operator", {"op", "format"});
  OperatorUse use{.name = name_of(object, "op", "an operator"), .format = format(object, "format")};
  if (is_known_operator(use.name)) return use;
  throw LogError(fmt::format(
      "'op' is \"{}\", which is no operator on any list; `halfmark ref autocast` lists them",
      text::visible_line(use.name, kMostShown)));
}

Setup setup_of(const json& object) {
  refuse_unknown(object, "setup",
                 {"format", "inference_format", "state_format", "clip", "data_largest", "epsilon",
                  "device_has_bf16", "halved_by_hand", "reinforcement", "operators"});
  Setup setup{.format = format(object, "format"),
              .inference_format = format(object, "inference_format"),
              .state_format = format(object, "state_format"),
              .clip = magnitude(object, "clip"),
              .data_largest = magnitude(object, "data_largest"),
              .epsilon = magnitude(object, "epsilon"),
              .device_has_bf16 = flag(object, "device_has_bf16"),
              .halved_by_hand = flag(object, "halved_by_hand"),
              .reinforcement = flag(object, "reinforcement")};
  for (const json& use : list(object, "operators")) setup.operators.push_back(operator_of(use));
  return setup;
}

constexpr int kLeastExponent = -149, kLargestExponent = 127;  // of fp32

int exponent_of(const std::string& word) {
  int exponent = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), exponent);
  const bool is_whole = error == std::errc() && end == word.data() + word.size();
  if (is_whole && exponent >= kLeastExponent && exponent <= kLargestExponent) return exponent;
  throw LogError(fmt::format("'exponents' has \"{}\"; write whole numbers from {} to {}",
                             text::visible_line(word, kMostShown), kLeastExponent,
                             kLargestExponent));
}

std::map<int, std::uint64_t> exponents(const json& object) {
  std::map<int, std::uint64_t> counts;
  const auto found = object.find("exponents");
  if (found == object.end()) return counts;
  if (!found->is_object())
    throw LogError(fmt::format("'exponents' is {}; write an object", shown(*found)));
  for (const auto& [word, count] : found->items()) {
    const int exponent = exponent_of(word);
    if (!count.is_number_unsigned())
      throw LogError(
          fmt::format("'exponents' has {} at {}; write a whole number", shown(count), exponent));
    counts[exponent] += count.get<std::uint64_t>();
  }
  return counts;
}

LayerRecord layer_of(const json& object) {
  refuse_unknown(object, "a layer", {"name", "norm", "parameter_norm", "lost_share", "exponents"});
  return {.name = name_of(object, "name", "a layer"),
          .norm = magnitude(object, "norm"),
          .parameter_norm = magnitude(object, "parameter_norm"),
          .lost_share = share(object, "lost_share"),
          .zones = zones_of(exponents(object))};
}

StepRecord step_of(const json& object) {
  refuse_unknown(object, "a step",
                 {"step", "loss", "norm", "scale", "skipped", "mismatch", "layers"});
  const auto found = object.find("step");
  if (found == object.end()) throw LogError("a step lacks 'step', its number");
  if (!found->is_number_unsigned()) {
    throw LogError(fmt::format("'step' is {}; write a whole number", shown(*found)));
  }
  StepRecord step{.step = found->get<std::uint64_t>(),
                  .loss = number(object, "loss"),
                  .norm = magnitude(object, "norm"),
                  .scale = scale(object),
                  .skipped = flag(object, "skipped"),
                  .mismatch = magnitude(object, "mismatch")};
  for (const json& layer : list(object, "layers")) step.layers.push_back(layer_of(layer));
  return step;
}

void add_line(TrainingLog& log, std::string_view line) {
  const json object = text::read_json(line);
  if (object.is_object() && object.contains("setup")) {
    refuse_unknown(object, "the first line", {"setup"});
    if (log.setup || !log.steps.empty()) throw LogError("'setup' belongs on the first line, once");
    log.setup = setup_of(object["setup"]);
    return;
  }
  StepRecord step = step_of(object);
  if (!log.steps.empty() && step.step <= log.steps.back().step) {
    throw LogError(
        fmt::format("'step' is {} after {}; steps ascend", step.step, log.steps.back().step));
  }
  log.steps.push_back(std::move(step));
}

}  // namespace

std::optional<Zones> zones_of(const std::map<int, std::uint64_t>& exponents) {
  constexpr int kLargest = formats::kFp16.max_exponent();
  constexpr int kNormalFrom = formats::kFp16.min_exponent();
  constexpr int kSubnormalFrom = formats::kFp16.min_place() - 1;  // may round to the least number
  Zones zones;
  double all = 0;
  for (const auto& [exponent, count] : exponents) {
    double& zone = exponent > kLargest          ? zones.overflow
                   : exponent >= kNormalFrom    ? zones.normal
                   : exponent >= kSubnormalFrom ? zones.subnormal
                                                : zones.lost;
    zone += static_cast<double>(count);
    all += static_cast<double>(count);
  }
  if (all == 0) return std::nullopt;
  return Zones{.normal = zones.normal / all,
               .subnormal = zones.subnormal / all,
               .lost = zones.lost / all,
               .overflow = zones.overflow / all};
}

TrainingLog parse_training_log(std::string_view text) {
  TrainingLog log;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      add_line(log, line);
    } catch (const text::JsonError& error) {
      throw LogError(
          fmt::format("line {}: {}; a log has one JSON object per line", number, error.what()));
    } catch (const LogError& error) {
      throw LogError(fmt::format("line {}: {}", number, error.what()));
    }
  }
  if (!log.setup && log.steps.empty()) throw LogError("the log is empty; record a setup or a step");
  return log;
}

}  // namespace halfmark::tools
