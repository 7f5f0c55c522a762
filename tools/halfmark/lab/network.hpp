// SPDX-License-Identifier: Apache-2.0
// The networks of the experiments as values, their data and first weights. Decides shapes, names of
// tensors and data; training.hpp decides the order of the operators.
//
//   fragile  a perceptron whose gradients are at the lower end of fp16: 4096 -> 4096 -> GELU ->
//            1024, mean squared error, gradient descent. x is normal with a deviation of 10,
//            t normal. GELU has its tanh form, which has a specified evaluation.
//   mlp      a classifier: 784 -> 512 -> 256 -> 10, ReLU and dropout after the hidden layers,
//            cross-entropy, gradients clipped to a norm of 1, Adam. A sample is half of the normal
//            vector of its class plus a normal vector of its own; 8 batches take turns.
//
// Every layer has a bias. Weights and biases begin uniform within 1 / sqrt(inputs), as
// in frameworks.
//
// Sizes other than `full` have narrower layers. Where the loss is a mean over the outputs, this
// makes gradients larger; `attenuation` divides the scale by a power of two so that gradients in 16
// bits have the magnitudes that they have at size `full`. Unscaling takes it out again.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/tensor.hpp"
#include "reference/operators/optimizer.hpp"

namespace halfmark::tools::lab {

struct Size {
  std::string_view name;
  std::size_t batch;
  std::array<std::size_t, 4> widths;  // of the inputs and of each layer; 0: there is no such layer
  int attenuation = 0;                // log2
};

/// The names of what a layer gives; "" where it lacks that.
struct Layer {
  std::string_view sums, activated, dropped;
};

enum class Activation : std::uint8_t { kGelu, kRelu };
enum class Loss : std::uint8_t { kSquaredError, kCrossEntropy };

struct Design {
  std::span<const Size> sizes;
  std::span<const Layer> layers;
  Activation activation;
  Loss loss;
  const operators::OptimizerSettings* adam = nullptr;  // null: gradient descent
  formats::Bits clip_limit = 0;                        // fp32; 0: nothing is clipped
  std::size_t batches = 1;
};
[[nodiscard]] const Design& fragile_design();
[[nodiscard]] const Design& mlp_design();

struct Batch {
  formats::Tensor x;  // fp32
  formats::Tensor t;  // fp32; labels of classes are 32-bit words
};

struct Network {
  std::vector<Batch> batches;
  std::vector<formats::Tensor> weights, biases;  // fp32, one of each for a layer
};
[[nodiscard]] Network initial_network(const Design& design, const Size& size, std::uint64_t seed);

/// One element in five is zero, the others are 5/4: what dropout multiplies by. Element i of the
/// mask is decided by word i of a counter-based generator (suites/core/case/fills.hpp) whose key is
/// made of seed, step and layer.
[[nodiscard]] formats::Tensor dropout_mask(std::size_t count, std::uint64_t seed, std::size_t step,
                                           std::size_t layer);

/// "64 x 256 -> 256 -> GELU -> 64"
[[nodiscard]] std::string shape_text(const Design& design, const Size& size);
/// "squared error, gradient descent at 0.01"; the rate is that of plain descent, in fp32.
[[nodiscard]] std::string training_text(const Design& design, formats::Bits rate);

}  // namespace halfmark::tools::lab
