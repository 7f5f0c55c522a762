// SPDX-License-Identifier: Apache-2.0
// From a model to what the rules see of it: each layer as the use of an operator, and the rest as
// the setup of a training.
#include <algorithm>
#include <set>
#include <utility>

#include "tools/halfmark/lint/layer_formats.hpp"
#include "tools/halfmark/lint/lint.hpp"

namespace halfmark::tools::lint {
namespace {

using formats::kFp32;

constexpr const char* kCasts = "(casts)";

bool has_shape(const Layer& layer, ShapeRule rule) {
  return layer.row != nullptr && layer.row->shape == rule;
}

bool is_product(const Layer& layer) { return layer.row != nullptr && layer.row->suite == "gemm"; }

// With the letters of the suite's cases.
Extents extents_of(const Model& model, const Layer& layer) {
  const Shape& x = model.operand(layer, 0);
  const std::uint64_t count = count_of(x);
  if (has_shape(layer, ShapeRule::kLinear))
    return {{'m', count / x.back()}, {'n', layer.shape.back()}, {'k', x.back()}};
  if (has_shape(layer, ShapeRule::kProduct))
    return {{'m', x[x.size() - 2]}, {'n', layer.shape.back()}, {'k', x.back()}};
  if (layer.row == nullptr || is_product(layer) || x.empty()) return {};
  const std::string_view suite = layer.row->suite;
  if (suite == "elementary" || suite == "arithmetic" || suite == "activation" || suite == "convert")
    return {{'n', count}};
  return {{'r', count / x.back()}, {'n', x.back()}};
}

// A cross-entropy is the mean over rows, other losses that over elements.
std::uint64_t averaged_by(const Model& model, const Layer& layer) {
  if (!has_shape(layer, ShapeRule::kLoss)) return 0;
  const Shape& x = model.operand(layer, 0);
  const bool by_row = layer.row->name == "cross_entropy" || layer.row->name == "nll_loss";
  return by_row && !x.empty() ? count_of(x) / x.back() : count_of(x);
}

bool is_classifier(const Model& model, std::size_t index) {
  if (!has_shape(model.layers.back(), ShapeRule::kLoss)) return false;
  const auto is_linear = [](const Layer& layer) { return has_shape(layer, ShapeRule::kLinear); };
  return is_linear(model.layers[index]) &&
         std::none_of(model.layers.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                      model.layers.end(), is_linear);
}

// An operator that is refused has no format that would make it accepted.
OperatorUse use_of(const Model& model, std::size_t index, const LayerFormats& formats) {
  const Layer& layer = model.layers[index];
  const bool is_refused = formats.cast == Cast::kRefused && layer.by_hand == nullptr;
  return {.name = layer.op,
          .format = is_refused ? "" : std::string(formats.arithmetic->name),
          .layer = layer.name,
          .operands = std::string(formats.operands->name),
          .accumulator = is_product(layer) || has_shape(layer, ShapeRule::kReduce)
                             ? std::string(layer.accumulator->name)
                             : std::string(),
          .extents = extents_of(model, layer),
          .terms = layer.terms,
          .averaged = averaged_by(model, layer),
          .is_classifier = is_classifier(model, index)};
}

// Automatic casts are conversions, which the device computes, too: one use for each
// pair of formats.
std::vector<OperatorUse> casts_of(const Model& model, const std::vector<LayerFormats>& formats) {
  std::set<std::pair<std::string_view, std::string_view>> pairs;
  const auto note = [&](const formats::Format& from, const formats::Format& to) {
    if (&from != &to) pairs.emplace(from.name, to.name);
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const std::size_t input : model.layers[i].inputs)
      note(input == 0 ? *model.input_format : *formats[input - 1].result, *formats[i].operands);
    if (model.layers[i].weights > 0) note(*model.weights, *formats[i].operands);
  }
  std::vector<OperatorUse> uses;
  for (const auto& [from, to] : pairs)
    uses.push_back({.name = "to",
                    .format = std::string(from),
                    .layer = kCasts,
                    .operands = std::string(from),
                    .result = std::string(to)});
  return uses;
}

bool is_wide_everywhere(const Model& model) {
  return model.casts == nullptr && model.weights == &kFp32;
}

Setup setup_of(const Model& model) {
  const formats::Format& format = is_wide_everywhere(model) ? kFp32
                                  : model.casts != nullptr  ? *model.narrow
                                                            : *model.weights;
  Setup setup{.format = std::string(format.name),
              .data_largest = model.largest_input,
              .device_has_bf16 = model.device_has_bf16.value_or(false),
              .halved_by_hand = model.weights->bits < kFp32.bits && !model.has_master,
              .reinforcement = model.reinforcement,
              .is_scaled = model.scaler.has_value()};
  if (model.inference != nullptr) setup.inference_format = model.inference->name;
  if (model.scaler) setup.scale = model.scaler->scale;
  if (model.clip) {
    setup.clip = model.clip->norm;
    setup.clips_scaled = model.clip->of_scaled;
  }
  if (model.optimizer) {
    setup.state_format = model.optimizer->state_format->name;
    setup.epsilon = model.optimizer->epsilon;
    setup.squares_gradients = model.optimizer->state == 2;
  }
  return setup;
}

}  // namespace

std::vector<Found> findings_of(const Model& model, const std::vector<DeviceNote>& notes,
                               bool has_card) {
  std::vector<Found> found;
  const auto look = [&](Setup setup, const std::string& layer) {
    const TrainingLog log{.setup = std::move(setup)};
    Observed observed{.log = log, .notes = notes, .has_card = has_card};
    if (model.casts != nullptr) observed.casts = model.casts;
    for (Applied& applied : apply_rules(observed, norm_profiles().front())) {
      const auto place = std::ranges::upper_bound(found, applied.rule, {}, &Found::rule);
      found.insert(
          place, Found{.rule = applied.rule, .layer = layer, .what = std::move(applied.hit.what)});
    }
  };
  const std::vector<LayerFormats> formats = formats_of(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i)
    look({.operators = {use_of(model, i, formats[i])}}, model.layers[i].name);
  for (OperatorUse& use : casts_of(model, formats)) look({.operators = {std::move(use)}}, kCasts);
  look(setup_of(model), "");
  return found;
}

}  // namespace halfmark::tools::lint
