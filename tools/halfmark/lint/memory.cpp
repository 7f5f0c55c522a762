// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lint/memory.hpp"

#include <algorithm>
#include <set>
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

}  // namespace

std::optional<std::uint64_t> largest_batch(const Memory& row, std::uint64_t batch, double bytes) {
  if (row.activations == 0) return std::nullopt;
  const auto fixed = static_cast<double>(row.total() - row.activations);
  const double each = static_cast<double>(row.activations) / static_cast<double>(batch);
  constexpr double kMost = 0x1p62;
  return bytes <= fixed ? 0 : static_cast<std::uint64_t>(std::min((bytes - fixed) / each, kMost));
}

std::vector<Memory> memory_by_mode(const Model& model) {
  const std::uint64_t count = weights_of(model);
  const std::size_t moments = model.optimizer ? model.optimizer->state : 0;
  const Format& narrow = narrow_of(model);
  const std::uint64_t wide = bytes(count, kFp32), half = bytes(count, narrow);
  const std::vector<LayerFormats> casts = under_casts(model);
  const std::uint64_t half_kept = activations_of(model, all_in(model, narrow));
  const bool has_wide_weights = model.weights->bits >= kFp32.bits;
  return {{.mode = "fp32",
           .title = "everything in fp32",
           .weights = wide,
           .gradients = wide,
           .state = moments * wide,
           .activations = activations_of(model, all_in(model, kFp32)),
           .is_described = has_wide_weights && model.casts == nullptr},
          {.mode = "autocast",
           .title = "weights in fp32, cast for each step",
           .weights = wide,
           .copies = cast_weights(model, casts),
           .gradients = wide,
           .state = moments * wide,
           .activations = activations_of(model, casts),
           .is_described = model.casts != nullptr && has_wide_weights},
          {.mode = "master",
           .title = "weights in 16 bits, with masters in fp32",
           .weights = half,
           .copies = wide,
           .gradients = half,
           .state = moments * wide,
           .activations = half_kept,
           .is_described = !has_wide_weights && model.has_master},
          {.mode = "narrow",
           .title = "everything in 16 bits",
           .weights = half,
           .gradients = half,
           .state = moments * half,
           .activations = half_kept,
           .is_described = !has_wide_weights && !model.has_master}};
}

}  // namespace halfmark::tools::lint
