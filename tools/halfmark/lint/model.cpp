// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "reference/operators/loss_scaler.hpp"
#include "reference/text/json.hpp"
#include "reference/text/visible.hpp"
#include "reports/schema_check.hpp"
#include "tools/halfmark/lint/shapes.hpp"

namespace halfmark::tools::lint {
namespace {

using nlohmann::json;

constexpr std::size_t kMostShown = 60, kMostOfProblem = 300;
constexpr std::string_view kConstant = "constant";

std::string shown(std::string_view text) { return text::visible_line(text, kMostShown); }

// Runs `body` and puts the place before what it throws.
template <typename Body>
auto at(const std::string& place, const Body& body) {
  try {
    return body();
  } catch (const ModelError& error) {
    throw ModelError(place + "." + error.what());
  }
}

// A number, or one of the words for numbers that JSON lacks: whoever uses it says whether it fits.
double number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return value == "inf" ? kInfinity : -kInfinity;
}

std::optional<double> positive(const json& object, const char* field) {
  if (!object.contains(field)) return std::nullopt;
  const double value = number(object[field]);
  if (value > 0 && std::isfinite(value)) return value;
  throw ModelError(fmt::format("{}: {}; it must be a positive number", field, value));
}

const formats::Format& format_named(const json& object, const char* field) {
  const auto name = object[field].get<std::string>();
  if (const formats::Format* format = formats::find_format(name)) return *format;
  throw ModelError(fmt::format("{}: \"{}\" is no format; `halfmark ref formats` lists them", field,
                               shown(name)));
}

const formats::Format* format_or(const json& object, const char* field,
                                 const formats::Format* otherwise) {
  return object.contains(field) ? &format_named(object, field) : otherwise;
}

const CastProfile* profile_named(const std::string& name) {
  if (const CastProfile* profile = find_cast_profile(name)) return profile;
  throw ModelError(fmt::format("profile: \"{}\" is no list of casts; choose from: {}", shown(name),
                               names_of_cast_profiles()));
}

void read_casts(Model& model, const json& object, const std::string& instead) {
  model.casts = profile_named(instead.empty() ? object["profile"].get<std::string>() : instead);
  const auto& narrow = model.casts->narrow;
  const auto word = object.value("format", std::string(narrow.front()));
  model.narrow = &format_named({{"format", word}}, "format");
  if (std::find(narrow.begin(), narrow.end(), model.narrow->name) == narrow.end())
    throw ModelError(fmt::format("format: \"{}\", but {} narrows to {}", shown(word),
                                 model.casts->name, fmt::join(narrow, " or ")));
}

// "'scale' is -1; it must be ..." of the reference as "scale: -1; it must be ...".
std::string with_field_first(std::string_view message) {
  const std::size_t end = message.find("' is ");
  if (!message.starts_with('\'') || end == std::string_view::npos) return std::string(message);
  return fmt::format("{}: {}", message.substr(1, end - 1), message.substr(end + 5));
}

formats::Bits bits_of(double value) { return std::bit_cast<std::uint64_t>(value); }

// What a scaler of the reference refuses, this refuses with the same words.
Scaler scaler_of(const json& object) {
  const auto name = object["profile"].get<std::string>();
  if (name == kConstant) {
    const std::optional<double> scale = positive(object, "scale");
    if (!scale) throw ModelError("scale: it is missing; a constant scale has no default");
    return {.profile = name, .scale = *scale};
  }
  const operators::LossScalerProfile* profile = operators::find_loss_scaler_profile(name);
  if (profile == nullptr) {
    std::vector<std::string_view> names = {kConstant};
    for (const operators::LossScalerProfile& row : operators::loss_scaler_profiles())
      names.push_back(row.name);
    throw ModelError(fmt::format("profile: \"{}\" is no scaler; choose from: {}", shown(name),
                                 fmt::join(names, ", ")));
  }
  operators::LossScaler scaler{.profile = profile, .settings = profile->defaults};
  const auto take = [&](const char* field, formats::Bits& setting) {
    if (object.contains(field)) setting = bits_of(number(object[field]));
  };
  take("scale", scaler.settings.scale);
  take("growth_factor", scaler.settings.growth_factor);
  take("backoff_factor", scaler.settings.backoff_factor);
  take("floor", scaler.settings.floor);
  take("ceiling", scaler.settings.ceiling);
  scaler.settings.growth_interval =
      object.value("growth_interval", scaler.settings.growth_interval);
  try {
    operators::require_workable(scaler);
  } catch (const std::invalid_argument& error) {
    throw ModelError(with_field_first(error.what()));
  }
  return {.profile = name, .scale = std::bit_cast<double>(scaler.settings.scale)};
}

Optimizer optimizer_of(const json& object) {
  static const std::map<std::string, std::size_t> kState = {
      {"sgd", 0}, {"momentum", 1}, {"adam", 2}, {"adamw", 2}};
  const auto rule = object["rule"].get<std::string>();
  return {.rule = rule,
          .state = kState.at(rule),
          .state_format = format_or(object, "state_format", &formats::kFp32),
          .epsilon = positive(object, "epsilon")};
}

std::vector<std::size_t> inputs_of(const Model& model, const json& fields) {
  if (!fields.contains("inputs")) return {model.layers.size()};
  std::vector<std::size_t> inputs;
  for (const json& word : fields["inputs"]) {
    const auto name = word.get<std::string>();
    const auto found = std::find_if(model.layers.begin(), model.layers.end(),
                                    [&](const Layer& layer) { return layer.name == name; });
    if (name != "input" && found == model.layers.end())
      throw ModelError(fmt::format("inputs: no layer before it is called \"{}\"", shown(name)));
    inputs.push_back(name == "input" ? 0
                                     : static_cast<std::size_t>(found - model.layers.begin()) + 1);
  }
  return inputs;
}

Layer layer_of(const Model& model, const json& fields) {
  Layer layer{.name = fields["name"], .op = fields["op"]};
  const auto taken = std::find_if(model.layers.begin(), model.layers.end(),
                                  [&](const Layer& other) { return other.name == layer.name; });
  if (taken != model.layers.end() || layer.name == "input")
    throw ModelError(fmt::format("name: \"{}\" is taken", shown(layer.name)));
  if (!is_known_operator(layer.op))
    throw ModelError(
        fmt::format("op: \"{}\" is no operator on any list; `halfmark ref autocast` lists them",
                    shown(layer.op)));
  layer.row = find_operator(layer.op);
  layer.inputs = inputs_of(model, fields);
  std::vector<const Shape*> operands;
  for (std::size_t i = 0; i < layer.inputs.size(); ++i)
    operands.push_back(&model.operand(layer, i));
  Sized result =
      sized(layer.row == nullptr ? ShapeRule::kStated : layer.row->shape, fields, operands);
  layer.shape = std::move(result.shape);
  layer.weights = result.weights;
  layer.terms = result.terms;
  layer.by_hand = format_or(fields, "format", nullptr);
  layer.accumulator = format_or(fields, "accumulator", &formats::kFp32);
  return layer;
}

void read_rest(Model& model, const json& description) {
  if (description.contains("scaler"))
    model.scaler = at("scaler", [&] { return scaler_of(description["scaler"]); });
  if (description.contains("optimizer"))
    model.optimizer = at("optimizer", [&] { return optimizer_of(description["optimizer"]); });
  if (description.contains("clip")) {
    const json& clip = description["clip"];
    model.clip = at("clip", [&] {
      return Clip{.norm = *positive(clip, "norm"), .of_scaled = clip.value("of", "") == "scaled"};
    });
  }
  if (description.contains("weights")) {
    const json& weights = description["weights"];
    model.weights = at("weights", [&] { return &format_named(weights, "format"); });
    model.has_master = weights.value("master", false);
  }
  if (description.contains("training")) {
    const json& training = description["training"];
    if (training.contains("device_has_bf16")) model.device_has_bf16 = training["device_has_bf16"];
    model.reinforcement = training.value("reinforcement", false);
    model.inference =
        at("training", [&] { return format_or(training, "inference_format", nullptr); });
  }
}

// What the schema's check says, in fewer words.
std::string in_words(std::string_view description) {
  constexpr std::string_view kUnknown = "Object contains a property", kType = "Value type not";
  if (description.starts_with(kUnknown)) {
    const std::size_t name = description.rfind(": ");
    return fmt::format("it has no field{}", name == std::string_view::npos
                                                ? std::string_view()
                                                : description.substr(name + 1));
  }
  if (description.starts_with(kType)) return "it is of another type";
  return std::string(description);
}

// "card[layers][0]: ..." of that check as "layers[0]: ...".
std::string as_field(std::string_view problem) {
  std::string field;
  problem.remove_prefix(std::min(problem.find_first_of("[:"), problem.size()));
  for (std::size_t end = problem.find(']'); problem.starts_with('[') && end != problem.npos;
       end = problem.find(']')) {
    const std::string_view step = problem.substr(1, end - 1);
    const bool is_index = step.find_first_not_of("0123456789") == std::string_view::npos;
    field +=
        is_index ? fmt::format("[{}]", step) : fmt::format("{}{}", field.empty() ? "" : ".", step);
    problem.remove_prefix(end + 1);
  }
  if (problem.starts_with(": ")) problem.remove_prefix(2);
  return fmt::format("{}{}{}; reports/schema/model.schema.json has every field", field,
                     field.empty() ? "" : ": ", in_words(problem));
}

// The name of the last field before the place of "... (at byte 517)"; empty if there is none.
std::string field_before(std::string_view text, std::string_view message) {
  constexpr std::string_view kAt = "at byte ";
  const std::size_t at = message.rfind(kAt);
  if (at == std::string_view::npos) return {};
  std::size_t place = 0;
  std::from_chars(message.data() + at + kAt.size(), message.data() + message.size(), place);
  const std::string_view before = text.substr(0, std::min(place, text.size()));
  const std::size_t colon = before.rfind("\":");
  const std::size_t quote = colon == 0 || colon == std::string_view::npos
                                ? std::string_view::npos
                                : before.rfind('"', colon - 1);
  if (quote == std::string_view::npos) return {};
  return fmt::format(", in or after \"{}\"", shown(before.substr(quote + 1, colon - quote - 1)));
}

json checked(std::string_view text) {
  try {
    json description = text::read_json(text);
    const std::vector<std::string> problems = reports::check_model_schema(description);
    if (!problems.empty())
      throw ModelError(as_field(text::visible_line(problems.front(), kMostOfProblem)));
    return description;
  } catch (const text::JsonError& error) {
    throw ModelError(fmt::format("{}{}", error.what(), field_before(text, error.what())));
  }
}

}  // namespace

std::uint64_t count_of(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) count *= extent;
  return count;
}

std::string text_of(const Shape& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, " x "));
}

const Shape& Model::operand(const Layer& layer, std::size_t i) const {
  const std::size_t from = layer.inputs[i];
  return from == 0 ? input : layers[from - 1].shape;
}

std::uint64_t weights_of(const Model& model) {
  std::uint64_t count = 0;
  for (const Layer& layer : model.layers) count += layer.weights;
  return count;
}

Model parse_model(std::string_view text, const std::string& profile) {
  const json description = checked(text);
  Model model{.name = description.value("name", std::string("model"))};
  const json& input = description["input"];
  model.input = input["shape"].get<Shape>();
  at("input", [&] { return require_possible(model.input), 0; });
  model.input_format = at("input", [&] { return format_or(input, "format", &formats::kFp32); });
  model.largest_input = at("input", [&] { return positive(input, "largest"); });
  if (description.contains("autocast") || !profile.empty()) {
    const json& casts = description.value("autocast", json::object());
    at("autocast", [&] { return read_casts(model, casts, profile), 0; });
  }
  const json& layers = description["layers"];
  for (std::size_t i = 0; i < layers.size(); ++i)
    model.layers.push_back(
        at(fmt::format("layers[{}]", i), [&] { return layer_of(model, layers[i]); }));
  read_rest(model, description);
  return model;
}

}  // namespace halfmark::tools::lint
