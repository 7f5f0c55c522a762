// SPDX-License-Identifier: Apache-2.0
// The description of a model that is to be trained, as values: its layers with their shapes, what
// casts automatically, the loss scaler, the optimizer. Decides what a description may contain; its
// form is reports/schema/model.schema.json. A description that breaks a rule is refused whole, with
// the field.
//
// Assumption: shapes have the batch first; layers are in the order of the forward pass, and the
// last one is the loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools::lint {

using Shape = std::vector<std::uint64_t>;

/// The number of elements; 1 of a number.
[[nodiscard]] std::uint64_t count_of(const Shape& shape);
/// "64 x 4096"; "1" of a number.
[[nodiscard]] std::string text_of(const Shape& shape);

struct Layer {
  std::string name = {}, op = {};
  const OperatorRow* row = nullptr;      // null: only its class is known
  std::vector<std::size_t> inputs = {};  // layers before it, counted from 1; 0: the model's input
  Shape shape = {};                      // of the result
  std::uint64_t weights = 0;             // parameters
  std::uint64_t terms = 0;               // of each of its sums
  const formats::Format* by_hand = nullptr;  // null: as the casts decide
  const formats::Format* accumulator = &formats::kFp32;
};

struct Optimizer {
  std::string rule = {};  // sgd, momentum, adam, adamw
  std::size_t state = 0;  // numbers for each weight
  const formats::Format* state_format = &formats::kFp32;
  std::optional<double> epsilon = {};
};

struct Scaler {
  std::string profile = {};  // of the reference's, or "constant"
  double scale = 0;          // at the start
};

struct Clip {
  double norm = 0;
  bool of_scaled = false;  // before the gradients are unscaled
};

struct Model {
  std::string name = {};
  Shape input = {};
  const formats::Format* input_format = &formats::kFp32;
  std::optional<double> largest_input = {};  // magnitude
  std::vector<Layer> layers = {};
  const CastProfile* casts = nullptr;  // null: nothing is cast automatically
  const formats::Format* narrow = nullptr;
  const formats::Format* weights = &formats::kFp32;
  bool has_master = false;  // copies of the weights in fp32
  std::optional<Scaler> scaler = {};
  std::optional<Optimizer> optimizer = {};
  std::optional<Clip> clip = {};
  std::optional<bool> device_has_bf16 = {};
  bool reinforcement = false;
  const formats::Format* inference = nullptr;

  /// The shape of operand 0, 1, ... of a layer.
  [[nodiscard]] const Shape& operand(const Layer& layer, std::size_t i) const;
};

/// The number of parameters of all layers.
[[nodiscard]] std::uint64_t weights_of(const Model& model);

/// Names the field and the remedy.
struct ModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws ModelError. `profile` replaces that of the description, if it is not empty.
[[nodiscard]] Model parse_model(std::string_view text, const std::string& profile = {});

}  // namespace halfmark::tools::lint
