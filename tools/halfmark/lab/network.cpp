// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/fast/parallel.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;
using suites::Random;

constexpr Size kFragileSizes[] = {{"full", 64, {4096, 4096, 1024}, 0},
                                  {"small", 64, {256, 256, 64}, 4}};
constexpr Layer kFragileLayers[] = {{"h", "g", ""}, {"y", "", ""}};

constexpr Size kMlpSizes[] = {{"full", 64, {784, 512, 256, 10}}, {"small", 32, {96, 64, 32, 10}}};
constexpr Layer kMlpLayers[] = {{"h1", "a1", "r1"}, {"h2", "a2", "r2"}, {"y", "", ""}};
constexpr std::size_t kClasses = 10;

constexpr Bits kHalf = 0x3f000000, kOne = 0x3f800000, kTen = 0x41200000;
constexpr Bits kFiveQuarters = 0x3fa00000;

// The defaults of PyTorch.
const operators::OptimizerSettings kAdam{.kind = operators::OptimizerKind::kAdam,
                                         .rate = std::bit_cast<Bits>(0.001),
                                         .beta1 = std::bit_cast<Bits>(0.9),
                                         .beta2 = std::bit_cast<Bits>(0.999),
                                         .epsilon = std::bit_cast<Bits>(1e-8)};

Random random_of(std::uint64_t seed) { return Random(seed * 0x9e3779b97f4a7c15U + 19); }

// Uniform within 1 / sqrt(inputs).
Tensor uniform(std::size_t count, std::size_t inputs, const Random& random) {
  Tensor tensor = Tensor::zeros(kFp32, count);
  const Bits whole = soft::from_int(kFp32, static_cast<std::int64_t>(inputs)).bits;
  const Bits bound = soft::div(kFp32, kOne, soft::sqrt(kFp32, whole).bits).bits;
  constexpr std::size_t kPart = 1 << 16;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          const auto n = static_cast<std::int64_t>(random.at(i) >> 40);
          const Bits share = suites::scaled(kFp32, n - (1 << 23), -23);
          tensor.set(i, soft::mul(kFp32, share, bound).bits);
        }
      });
  return tensor;
}

Tensor normal(std::size_t count, Bits deviation, const Random& random) {
  Tensor tensor = suites::fill(kFp32, count, "normal", random);
  for (std::size_t i = 0; i < count; ++i)
    tensor.set(i, soft::mul(kFp32, tensor.at(i), deviation).bits);
  return tensor;
}

Batch regression(const Size& s, std::size_t outputs, const Random& random) {
  return {.x = normal(s.batch * s.widths[0], kTen, random.derived(1)),
          .t = normal(s.batch * outputs, kOne, random.derived(2))};
}

// `centres` are those of the classes.
Batch classification(const Size& s, const Tensor& centres, const Random& random) {
  const std::size_t inputs = s.widths[0];
  Batch batch{.x = normal(s.batch * inputs, kOne, random.derived(1)),
              .t = Tensor::zeros(kFp32, s.batch)};
  const Random labels = random.derived(2);
  for (std::size_t row = 0; row < s.batch; ++row) {
    const std::size_t label = labels.below(row, kClasses);
    batch.t.set(row, label);
    for (std::size_t i = 0; i < inputs; ++i) {
      const std::size_t at = row * inputs + i;
      batch.x.set(at, soft::add(kFp32, batch.x.at(at), centres.at(label * inputs + i)).bits);
    }
  }
  return batch;
}

std::vector<Batch> batches_of(const Design& design, const Size& s, const Random& random) {
  if (design.loss == Loss::kSquaredError)
    return {regression(s, s.widths[design.layers.size()], random)};
  const Tensor centres = normal(kClasses * s.widths[0], kHalf, random.derived(100));
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < design.batches; ++i)
    batches.push_back(classification(s, centres, random.derived(101 + i)));
  return batches;
}

std::string_view activation_text(const Design& design) {
  return design.activation == Activation::kGelu ? "GELU" : "ReLU";
}

}  // namespace

const Design& fragile_design() {
  static const Design kDesign{.sizes = kFragileSizes,
                              .layers = kFragileLayers,
                              .activation = Activation::kGelu,
                              .loss = Loss::kSquaredError};
  return kDesign;
}

const Design& mlp_design() {
  static const Design kDesign{.sizes = kMlpSizes,
                              .layers = kMlpLayers,
                              .activation = Activation::kRelu,
                              .loss = Loss::kCrossEntropy,
                              .adam = &kAdam,
                              .clip_limit = kOne,
                              .batches = 8};
  return kDesign;
}

Network initial_network(const Design& design, const Size& size, std::uint64_t seed) {
  const Random random = random_of(seed);
  Network network{.batches = batches_of(design, size, random), .weights = {}, .biases = {}};
  for (std::size_t i = 0; i < design.layers.size(); ++i) {
    const std::size_t in = size.widths[i];
    const std::size_t out = size.widths[i + 1];
    network.weights.push_back(uniform(out * in, in, random.derived(3 + 2 * i)));
    network.biases.push_back(uniform(out, in, random.derived(4 + 2 * i)));
  }
  return network;
}

Tensor dropout_mask(std::size_t count, std::uint64_t seed, std::size_t step, std::size_t layer) {
  const Random random = random_of(seed).derived(1000 + layer).derived(step);
  Tensor mask = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i) mask.set(i, random.below(i, 5) == 0 ? 0 : kFiveQuarters);
  return mask;
}

std::string shape_text(const Design& design, const Size& size) {
  std::string text = fmt::format("{} x {}", size.batch, size.widths[0]);
  for (std::size_t i = 0; i < design.layers.size(); ++i) {
    text += fmt::format(" -> {}", size.widths[i + 1]);
    if (!design.layers[i].activated.empty()) text += fmt::format(" -> {}", activation_text(design));
    if (!design.layers[i].dropped.empty()) text += " -> dropout";
  }
  return text;
}

std::string training_text(const Design& design, Bits rate) {
  std::string text = design.loss == Loss::kSquaredError ? "squared error, " : "cross-entropy, ";
  if (design.clip_limit != 0)
    text += fmt::format("norm clipped to {:.4g}, ",
                        std::bit_cast<float>(static_cast<std::uint32_t>(design.clip_limit)));
  if (design.adam != nullptr)
    return text + fmt::format("Adam at {:.4g}", std::bit_cast<double>(design.adam->rate));
  return text + fmt::format("gradient descent at {:.4g}",
                            std::bit_cast<float>(static_cast<std::uint32_t>(rate)));
}

}  // namespace halfmark::tools::lab
