// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/memory.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace halfmark::tools::lint {
namespace {

using formats::Format;
using formats::kFp32;

constexpr std::uint64_t kMaskBytes = 1;         // an element of a mask of dropout
constexpr std::uint64_t kStatisticsOfARow = 2;  // its mean and the reciprocal of its deviation

std::uint64_t bytes(std::uint64_t elements, const Format& format) {
  return elements * format.storage_bytes();
}

std::uint64_t statistics_of(const Model& model, const Layer& layer) {
  if (layer.row == nullptr) return 0;
  const Shape& x = model.operand(layer, 0);
  if (layer.row->shape == ShapeRule::kNormalise)
    return bytes(kStatisticsOfARow * (count_of(x) / x.back()), kFp32);
  if (layer.row->shape == ShapeRule::kNormaliseChannels)
    return bytes(kStatisticsOfARow * x[1], kFp32);
  return 0;
}

std::uint64_t activations_of(const Model& model, const std::vector<LayerFormats>& formats) {
  // A tensor, by who made it, and its format; 0 is the model's input.
  std::set<std::pair<std::size_t, const Format*>> kept;
  std::uint64_t sum = 0;
  const auto keep = [&](std::size_t tensor, const Shape& shape, const Format& format) {
    if (kept.emplace(tensor, &format).second) sum += bytes(count_of(shape), format);
  };
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Layer& layer = model.layers[i];
    const Keeps keeps = layer.row == nullptr ? Keeps::kOperands : layer.row->keeps;
    sum += statistics_of(model, layer);
    if (keeps == Keeps::kMask) sum += count_of(layer.shape) * kMaskBytes;
    if (keeps == Keeps::kResult) keep(i + 1, layer.shape, *formats[i].result);
    if (keeps != Keeps::kOperands) continue;
    for (std::size_t k = 0; k < layer.inputs.size(); ++k)
      keep(layer.inputs[k], model.operand(layer, k), *formats[i].operands);
  }
  return sum;
}

// What autocast casts once in a step and keeps: the weights of operators that run narrow.
std::uint64_t cast_weights(const Model& model, const std::vector<LayerFormats>& formats) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const Format& format = *formats[i].operands;
    if (formats[i].cast == Cast::kNarrow && format.bits < kFp32.bits)
      sum += bytes(model.layers[i].weights, format);
  }
  return sum;
}

const Format& narrow_of(const Model& model) {
  if (model.narrow != nullptr) return *model.narrow;
  return model.weights->bits < kFp32.bits ? *model.weights : formats::kFp16;
}

// The formats under the list of casts of the model, or under the first if it has none.
std::vector<LayerFormats> under_casts(const Model& model) {
  Model cast = model;
  cast.weights = &kFp32;
  cast.narrow = &narrow_of(model);
  if (cast.casts == nullptr) cast.casts = &cast_profiles().front();
  return formats_of(cast);
}

bool has_narrow_weights(const Model& model) { return model.weights->bits < kFp32.bits; }

// The mode that is nearest to the description.
std::string_view mode_of(const Model& model) {
  if (has_narrow_weights(model)) return model.has_master ? "master" : "narrow";
  return model.casts == nullptr ? "fp32" : "autocast";
}

// Every tensor in the format that the description gives it.
Memory as_described(const Model& model) {
  const std::vector<LayerFormats> formats = formats_of(model);
  const std::uint64_t count = weights_of(model), own = bytes(count, *model.weights);
  Memory row{.mode = "described",
             .title = "every tensor as described",
             .weights = own,
             .gradients = own,
             .activations = activations_of(model, formats)};
  if (model.optimizer)
    row.state = model.optimizer->state * bytes(count, *model.optimizer->state_format);
  if (mode_of(model) == "master") row.copies = bytes(count, kFp32);
  if (mode_of(model) == "autocast") row.copies = cast_weights(model, formats);
  return row;
}

bool need_the_same(const Memory& a, const Memory& b) {
  const auto figures = [](const Memory& m) {
    return std::tuple(m.weights, m.copies, m.gradients, m.state, m.activations);
  };
  return figures(a) == figures(b);
}

// A mode is the description's if no tensor is in another format there.
void add_described(const Model& model, std::vector<Memory>& rows) {
  const Memory described = as_described(model);
  const auto mode = std::ranges::find(rows, mode_of(model), &Memory::mode);
  const bool is_a_mode = mode != rows.end() && need_the_same(*mode, described);
  Memory& row = is_a_mode ? *mode : rows.emplace_back(described);
  row.is_described = true;
}

}  // namespace

std::optional<std::uint64_t> largest_batch(const Memory& row, std::uint64_t batch, double bytes) {
  const auto fixed = static_cast<double>(row.total() - row.activations);
  if (bytes < fixed) return 0;
  if (row.activations == 0) return std::nullopt;
  const double each = static_cast<double>(row.activations) / static_cast<double>(batch);
  constexpr double kMost = 0x1p62;
  return static_cast<std::uint64_t>(std::min((bytes - fixed) / each, kMost));
}

std::vector<Memory> memory_by_mode(const Model& model) {
  const std::uint64_t count = weights_of(model);
  const std::size_t moments = model.optimizer ? model.optimizer->state : 0;
  const Format& narrow = narrow_of(model);
  const std::uint64_t wide = bytes(count, kFp32), half = bytes(count, narrow);
  const std::vector<LayerFormats> casts = under_casts(model);
  const std::uint64_t half_kept = activations_of(model, all_in(model, narrow));
  std::vector<Memory> rows = {{.mode = "fp32",
                               .title = "everything in fp32",
                               .weights = wide,
                               .gradients = wide,
                               .state = moments * wide,
                               .activations = activations_of(model, all_in(model, kFp32))},
                              {.mode = "autocast",
                               .title = "weights in fp32, cast for each step",
                               .weights = wide,
                               .copies = cast_weights(model, casts),
                               .gradients = wide,
                               .state = moments * wide,
                               .activations = activations_of(model, casts)},
                              {.mode = "master",
                               .title = "weights in 16 bits, with masters in fp32",
                               .weights = half,
                               .copies = wide,
                               .gradients = half,
                               .state = moments * wide,
                               .activations = half_kept},
                              {.mode = "narrow",
                               .title = "everything in 16 bits",
                               .weights = half,
                               .gradients = half,
                               .state = moments * half,
                               .activations = half_kept}};
  add_described(model, rows);
  return rows;
}

}  // namespace halfmark::tools::lint
