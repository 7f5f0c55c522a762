// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/layer_formats.hpp"

#include <algorithm>

namespace halfmark::tools::lint {
namespace {

using formats::Format;
using formats::kFp32;

const Format& result_of(const Model& model, const std::vector<LayerFormats>& before,
                        std::size_t input) {
  return input == 0 ? *model.input_format : *before[input - 1].result;
}

// Of fp16 and bf16 the widest is neither, but fp32.
const Format& widest(const Model& model, const std::vector<LayerFormats>& before,
                     const Layer& layer) {
  const Format* most = &result_of(model, before, layer.inputs.front());
  for (const std::size_t input : layer.inputs) {
    const Format& other = result_of(model, before, input);
    if (other.bits > most->bits) most = &other;
    if (other.bits == most->bits && &other != most) most = &kFp32;
  }
  return *most;
}

bool is_normalisation(const Layer& layer) {
  return layer.row != nullptr && (layer.row->shape == ShapeRule::kNormalise ||
                                  layer.row->shape == ShapeRule::kNormaliseChannels);
}

// Unlisted normalisations take 16-bit operands with fp32 weights, and have fp32 statistics.
LayerFormats as_operands(const Model& model, const Layer& layer, const Format& operands) {
  const bool has_wide_weights = is_normalisation(layer) && model.weights == &kFp32;
  return {.operands = &operands,
          .arithmetic = has_wide_weights ? &kFp32 : &operands,
          .result = &operands};
}

LayerFormats by_class(const Model& model, const Layer& layer, Cast cast, const Format& operands) {
  const bool is_table = layer.row != nullptr && layer.row->shape == ShapeRule::kEmbedding;
  if (is_table && !is_wide(cast) && cast != Cast::kNarrow)
    return {&operands, model.weights, model.weights, cast};
  switch (cast) {
    case Cast::kNarrow:
      return {model.narrow, model.narrow, model.narrow, cast};
    case Cast::kWide:
    case Cast::kUntouched:
      return {&kFp32, &kFp32, &kFp32, cast};
    case Cast::kWideResult:
      return {&operands, &kFp32, &kFp32, cast};
    case Cast::kWidest:
    case Cast::kAsOperands:
    case Cast::kRefused:
    case Cast::kFollows:
    case Cast::kNeutral: {
      LayerFormats formats = as_operands(model, layer, operands);
      formats.cast = cast;
      return formats;
    }
  }
  return {&operands, &operands, &operands, cast};
}

// How a rewriter of graphs paints its nodes.
class Painter {
 public:
  explicit Painter(const Model& model) : model_(model), casts_(model.layers.size()) {
    for (std::size_t i = 0; i < casts_.size(); ++i)
      casts_[i] = cast_in(*model.casts, model.layers[i].op);
  }

  // Which layers are narrow.
  [[nodiscard]] std::vector<bool> painted() const {
    const std::vector<bool> allowed = of_class(Cast::kNarrow), denied = denied_ones();
    const auto may_follow = [&](std::size_t i) { return is_painted(i) && !denied[i]; };
    const std::vector<bool> after = reached(allowed, kForward, may_follow);
    const std::vector<bool> before = reached(allowed, kBackward, may_follow);
    std::vector<bool> narrow = allowed;
    for (std::size_t i = 0; i < narrow.size(); ++i)
      narrow[i] = narrow[i] || (after[i] && before[i]);
    const auto is_clear = [&](std::size_t i) { return casts_[i] == Cast::kNeutral && !denied[i]; };
    const std::vector<bool> down = reached(narrow, kForward, is_clear);
    const std::vector<bool> up = reached(narrow, kBackward, is_clear);
    for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] = narrow[i] || down[i] || up[i];
    return narrow;
  }

 private:
  enum Direction { kForward, kBackward };

  [[nodiscard]] std::vector<bool> of_class(Cast cast) const {
    std::vector<bool> list(casts_.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = casts_[i] == cast;
    return list;
  }
  [[nodiscard]] bool is_painted(std::size_t i) const {
    return casts_[i] == Cast::kFollows || casts_[i] == Cast::kNeutral;
  }
  // Clear nodes are denied only on the way from a denied one to one that infers.
  [[nodiscard]] std::vector<bool> denied_ones() const {
    const std::vector<bool> wide = of_class(Cast::kWide);
    std::vector<bool> ends = of_class(Cast::kFollows);
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = ends[i] || wide[i];
    const std::vector<bool> leads_there =
        reached(ends, kBackward, [&](std::size_t i) { return casts_[i] == Cast::kNeutral; });
    return reached(wide, kForward, [&](std::size_t i) {
      return casts_[i] == Cast::kFollows || (casts_[i] == Cast::kNeutral && leads_there[i]);
    });
  }
  // What can be reached from `roots` through layers for which `enters` holds.
  template <typename Enters>
  [[nodiscard]] std::vector<bool> reached(std::vector<bool> roots, Direction direction,
                                          const Enters& enters) const {
    const std::size_t count = model_.layers.size();
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t i = direction == kForward ? step : count - 1 - step;
      for (const std::size_t input : model_.layers[i].inputs) {
        if (input == 0) continue;
        const std::size_t from = direction == kForward ? input - 1 : i;
        const std::size_t to = direction == kForward ? i : input - 1;
        if (roots[from] && enters(to)) roots[to] = true;
      }
    }
    return roots;
  }

  const Model& model_;
  std::vector<Cast> casts_;
};

bool rewrites_graphs(const Model& model) {
  return model.casts != nullptr && model.casts->framework == "tensorflow";
}

LayerFormats without_casts(const Model& model, const Layer& layer, const Format& operands) {
  return layer.weights > 0 ? LayerFormats{model.weights, model.weights, model.weights}
                           : as_operands(model, layer, operands);
}

}  // namespace

std::vector<LayerFormats> formats_of(const Model& model) {
  const std::vector<bool> painted =
      rewrites_graphs(model) ? Painter(model).painted() : std::vector<bool>();
  std::vector<LayerFormats> list;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const Format& operands = widest(model, list, layer);
    if (layer.by_hand != nullptr) {
      list.push_back({layer.by_hand, layer.by_hand, layer.by_hand});
    } else if (model.casts == nullptr) {
      list.push_back(without_casts(model, layer, operands));
    } else if (!painted.empty()) {
      const Format* format = painted[i] ? model.narrow : &kFp32;
      list.push_back({format, format, format, cast_in(*model.casts, layer.op)});
    } else {
      list.push_back(by_class(model, layer, cast_in(*model.casts, layer.op), operands));
    }
  }
  return list;
}

std::vector<LayerFormats> all_in(const Model& model, const Format& format) {
  return std::vector<LayerFormats>(model.layers.size(), {&format, &format, &format});
}

}  // namespace halfmark::tools::lint
