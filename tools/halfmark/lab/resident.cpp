// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/resident.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace halfmark::tools::lab {
namespace {

using formats::Format;
using formats::kFp16;
using formats::kFp32;

constexpr MemoryMode kModes[] = {{.name = "fp32",
                                  .title = "everything in fp32",
                                  .lint = "fp32",
                                  .weights = &kFp32,
                                  .computes = &kFp32},
                                 {.name = "autocast",
                                  .title = "weights in fp32, cast for each step",
                                  .lint = "autocast",
                                  .weights = &kFp32,
                                  .computes = &kFp16},
                                 {.name = "master",
                                  .title = "weights in 16 bits, with masters in fp32",
                                  .lint = "master",
                                  .weights = &kFp16,
                                  .computes = &kFp16,
                                  .has_masters = true},
                                 {.name = "narrow",
                                  .title = "everything in 16 bits",
                                  .lint = "narrow",
                                  .weights = &kFp16,
                                  .computes = &kFp16,
                                  .state = &kFp16},
                                 {.name = "fp32-again",
                                  .title = "fp32, activations inside of layers computed again",
                                  .lint = "",
                                  .weights = &kFp32,
                                  .computes = &kFp32,
                                  .recomputes = true},
                                 {.name = "autocast-again",
                                  .title = "autocast, activations inside of layers computed again",
                                  .lint = "",
                                  .weights = &kFp32,
                                  .computes = &kFp16,
                                  .recomputes = true}};

constexpr std::uint64_t kMaskBytes = 1;   // of an element
constexpr std::uint64_t kLabelBytes = 4;  // of a sample

// The inside of a layer that its gradient needs: GELU's operand, or ReLU's result and a mask.
struct Inside {
  std::optional<std::size_t> sums, activated, mask;
};

class Builder {
 public:
  Builder(const Design& design, const Size& size, const MemoryMode& mode)
      : design_(design), size_(size), mode_(mode) {}

  Schedule build() && {
    prepare();
    mark(Mark::kPrepared);
    forward();
    mark(Mark::kForward);
    backward();
    for (const std::size_t tensor : of_step_) go(tensor);
    mark(Mark::kUpdated);
    return std::move(schedule_);
  }

 private:
  [[nodiscard]] std::size_t layers() const { return design_.layers.size(); }
  [[nodiscard]] std::uint64_t rows_of(std::size_t width) const {
    return size_.batch * size_.widths[width];
  }
  [[nodiscard]] std::uint64_t parameters(std::size_t layer) const {
    return (size_.widths[layer] + 1) * size_.widths[layer + 1];
  }
  std::size_t come(std::string name, Holds holds, std::uint64_t elements, const Format& format) {
    return come_bytes(std::move(name), holds,
                      elements * static_cast<std::uint64_t>(format.storage_bytes()));
  }
  std::size_t come_bytes(std::string name, Holds holds, std::uint64_t bytes) {
    schedule_.tensors.push_back({std::move(name), holds, bytes});
    schedule_.events.push_back({.tensor = schedule_.tensors.size() - 1, .comes = true});
    return schedule_.tensors.size() - 1;
  }
  void go(std::size_t tensor) { schedule_.events.push_back({.tensor = tensor, .comes = false}); }
  void go(std::optional<std::size_t>& tensor) {
    if (tensor) go(*tensor);
    tensor.reset();
  }
  void mark(Mark mark) { schedule_.events.push_back({.mark = mark}); }

  // Weights and bias of each layer as two tensors.
  void for_parameters(std::size_t layer, Holds holds, std::string_view prefix, const Format& format,
                      std::vector<std::size_t>* kept = nullptr) {
    const std::uint64_t outputs = size_.widths[layer + 1];
    const std::size_t w =
        come(fmt::format("{}W{}", prefix, layer + 1), holds, parameters(layer) - outputs, format);
    const std::size_t b = come(fmt::format("{}b{}", prefix, layer + 1), holds, outputs, format);
    if (kept != nullptr) kept->insert(kept->end(), {w, b});
  }

  void prepare();
  void forward();
  Inside inside_of(std::size_t layer, std::optional<std::size_t>& result);
  void recompute(std::size_t layer);
  void backward();
  void through_activation(std::size_t layer, std::size_t& gradient);
  void through_product(std::size_t layer, std::size_t& gradient);

  const Design& design_;
  const Size& size_;
  const MemoryMode& mode_;
  Schedule schedule_;
  std::vector<std::size_t> of_step_;             // goes when the weights have moved
  std::vector<std::size_t> operands_;            // of each layer's product
  std::vector<std::vector<std::size_t>> casts_;  // of each layer's weights
  std::vector<Inside> insides_;
  std::optional<std::size_t> outputs_, logits_;  // of the network; the loss takes fp32
};

void Builder::prepare() {
  for (std::size_t i = 0; i < layers(); ++i) {
    for_parameters(i, Holds::kWeights, "", *mode_.weights);
    if (mode_.has_masters) for_parameters(i, Holds::kCopies, "master ", kFp32);
    if (design_.adam == nullptr) continue;
    for_parameters(i, Holds::kState, "m ", *mode_.state);
    for_parameters(i, Holds::kState, "v ", *mode_.state);
  }
}

Inside Builder::inside_of(std::size_t layer, std::optional<std::size_t>& result) {
  const std::uint64_t elements = rows_of(layer + 1);
  const Layer& names = design_.layers[layer];
  const Format& format = *mode_.computes;
  Inside inside;
  inside.sums = come(std::string(names.sums), Holds::kActivations, elements, format);
  if (design_.activation == Activation::kGelu) {
    result = come(std::string(names.activated), Holds::kActivations, elements, format);
    return inside;
  }
  inside.activated = come(std::string(names.activated), Holds::kActivations, elements, format);
  go(inside.sums);
  inside.mask =
      come_bytes(fmt::format("mask {}", names.dropped), Holds::kActivations, elements * kMaskBytes);
  result = come(std::string(names.dropped), Holds::kActivations, elements, format);
  return inside;
}

void Builder::forward() {
  const bool casts = mode_.computes != &kFp32;
  casts_.resize(layers());
  const std::size_t x = come("x", casts ? Holds::kPassing : Holds::kActivations, rows_of(0), kFp32);
  of_step_.push_back(x);
  operands_.push_back(casts ? come("cast x", Holds::kActivations, rows_of(0), *mode_.computes) : x);
  if (casts) of_step_.push_back(operands_[0]);
  for (std::size_t i = 0; i < layers(); ++i) {
    if (casts && mode_.weights == &kFp32)
      for_parameters(i, Holds::kCopies, "cast ", *mode_.computes, &casts_[i]);
    if (i + 1 == layers()) break;
    std::optional<std::size_t> result;
    Inside inside = inside_of(i, result);
    operands_.push_back(*result);
    if (mode_.recomputes) {
      go(inside.sums);
      go(inside.activated);
      go(inside.mask);
    }
    insides_.push_back(inside);
  }
  outputs_ = come("y", Holds::kActivations, rows_of(layers()), *mode_.computes);
  of_step_.push_back(design_.loss == Loss::kCrossEntropy
                         ? come_bytes("labels", Holds::kPassing, size_.batch * kLabelBytes)
                         : come("t", Holds::kPassing, rows_of(layers()), kFp32));
  if (!casts) return;
  logits_ = come("y in fp32", Holds::kActivations, rows_of(layers()), kFp32);
  go(outputs_);
}

// What was let go in the forward pass, again; the layer's result is still there.
void Builder::recompute(std::size_t layer) {
  std::optional<std::size_t> result;
  insides_[layer] = inside_of(layer, result);
  go(result);
}

void Builder::through_activation(std::size_t layer, std::size_t& gradient) {
  if (mode_.recomputes) recompute(layer);
  const std::size_t inner = come(fmt::format("d{}", design_.layers[layer].sums), Holds::kPassing,
                                 rows_of(layer + 1), *mode_.computes);
  go(gradient);
  gradient = inner;
  go(insides_[layer].sums);
  go(insides_[layer].activated);
  go(insides_[layer].mask);
}

// The gradients of its weights and its operand; then its operands go, and what is
// narrow is widened.
void Builder::through_product(std::size_t layer, std::size_t& gradient) {
  std::vector<std::size_t> narrow;
  const bool widens = mode_.weights == &kFp32 && mode_.computes != &kFp32;
  const auto of_weights = [&] {
    for_parameters(layer, Holds::kGradients, "d", *mode_.weights, &of_step_);
  };
  if (widens) for_parameters(layer, Holds::kPassing, "narrow d", *mode_.computes, &narrow);
  if (!widens) of_weights();
  if (layer > 0) {
    const std::size_t before =
        come(fmt::format("d of layer {}", layer), Holds::kPassing, rows_of(layer), *mode_.computes);
    go(gradient);
    gradient = before;
    go(operands_[layer]);
  }
  for (const std::size_t tensor : casts_[layer]) go(tensor);
  if (widens) of_weights();
  for (const std::size_t tensor : narrow) go(tensor);
}

void Builder::backward() {
  std::size_t gradient = come("dy", Holds::kPassing, rows_of(layers()), *mode_.computes);
  go(logits_);
  go(outputs_);
  for (std::size_t i = layers(); i-- > 0;) {
    if (i + 1 != layers()) through_activation(i, gradient);
    through_product(i, gradient);
  }
  go(gradient);
}

constexpr MemoryNetwork kNetworks[] = {
    {"fragile", fragile_design, {"full", 64, {4096, 4096, 1024}}},
    {"mlp", mlp_design, {"full", 64, {784, 512, 256, 10}}},
    {"mlp", mlp_design, {"full", 8192, {784, 512, 256, 10}}}};

}  // namespace

std::span<const MemoryNetwork> memory_networks() { return kNetworks; }

std::span<const MemoryMode> memory_modes() { return kModes; }

Schedule schedule_of(const Design& design, const Size& size, const MemoryMode& mode) {
  return Builder(design, size, mode).build();
}

Asked asked_of(const Schedule& schedule) {
  Asked asked;
  std::uint64_t now = 0;
  std::array<std::uint64_t, kHolds> held = {};
  for (const Event& event : schedule.events) {
    if (event.mark == Mark::kPrepared) asked.prepared = now;
    if (event.mark == Mark::kForward) {
      asked.forward = now;
      asked.kept = held[static_cast<std::size_t>(Holds::kActivations)];
    }
    if (event.mark != Mark::kNone) continue;
    const Resident& tensor = schedule.tensors[event.tensor];
    std::uint64_t& of_kind = held[static_cast<std::size_t>(tensor.holds)];
    now = event.comes ? now + tensor.bytes : now - tensor.bytes;
    of_kind = event.comes ? of_kind + tensor.bytes : of_kind - tensor.bytes;
    asked.peak = std::max(asked.peak, now);
    std::uint64_t& most = asked.most[static_cast<std::size_t>(tensor.holds)];
    most = std::max(most, of_kind);
  }
  return asked;
}

std::optional<std::uint64_t> step_bytes(const Design& design, const Size& size, const Mode& mode) {
  if (mode.fp8 != nullptr) return std::nullopt;
  const MemoryMode held{.name = mode.name,
                        .title = mode.title,
                        .lint = "",
                        .weights = mode.narrow_weights ? mode.format : &kFp32,
                        .computes = mode.format,
                        .recomputes = mode.recomputes};
  return asked_of(schedule_of(design, size, held)).peak;
}

}  // namespace halfmark::tools::lab
