// SPDX-License-Identifier: Apache-2.0
// The log of a training, as values: what was set up, and what each step recorded. Decides what a
// log may contain; a log that breaks a rule is refused whole, with the line and the field.
//
// A log is JSON, one object per line. The first line may be {"setup":{...}}, every other line is a
// step:
// clang-format off
//   setup  "format": fp16, bf16 or fp32; "inference_format"; "clip": the largest norm; "data_largest": of
//          |x|; "device_has_bf16", "halved_by_hand", "reinforcement": true or false; "epsilon" and
//          "state_format" of an optimizer like Adam; "operators": [{"op","format"},...]
//   step   "step": a whole number, ascending; "loss"; "norm": of all gradients, unscaled; "scale";
//          "skipped"; "mismatch": the Kullback-Leibler divergence of the probabilities of training
//          and of inference; "layers": [{"name","norm","parameter_norm","lost_share","exponents"},...]
//          in the order of the network, where "exponents" says how many of the layer's gradients, as
//          scaled, have each floor(log2 |x|): {"-14":3,"-13":5}
// clang-format on
// Everything but "step" may be missing. A number is written as one, or as "nan", "inf", "-inf".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halfmark::tools {

/// The extents of an operator, each with the letter that names of cases have: m, n, k; r, n; n.
using Extents = std::vector<std::pair<char, std::uint64_t>>;

struct OperatorUse {
  std::string name = {}, format = {};  // in which it computes
  // Only the description of a model says more (tools/halfmark/lint).
  std::string layer = {}, operands = {}, accumulator = {};  // the latter are formats
  std::string result = {};                                  // the same, of a cast
  Extents extents = {};
  std::uint64_t terms = 0;     // of each of its sums
  std::uint64_t averaged = 0;  // elements that a loss is the mean of
  bool is_classifier = false;  // the product before the loss
};

struct Setup {
  std::string format = {}, inference_format = {}, state_format = {};  // empty: unknown
  std::optional<double> clip = {}, data_largest = {}, epsilon = {};
  bool device_has_bf16 = false, halved_by_hand = false, reinforcement = false;
  // Only the description of a model says these.
  std::optional<bool> is_scaled = {};  // has a loss scaler, or a constant scale
  std::optional<double> scale = {};    // at the start
  bool clips_scaled = false;           // before the gradients are unscaled
  bool squares_gradients = false;      // the optimizer has a second moment
  std::vector<OperatorUse> operators = {};
};

/// Where numbers other than zero lie in fp16, as shares of them.
struct Zones {
  double normal = 0, subnormal = 0, lost = 0, overflow = 0;
};
/// From how many numbers have each floor(log2 |x|); nothing if there is no number.
[[nodiscard]] std::optional<Zones> zones_of(const std::map<int, std::uint64_t>& exponents);

struct LayerRecord {
  std::string name = {};
  std::optional<double> norm = {}, parameter_norm = {};
  std::optional<double> lost_share =
      {};  // of gradients that became zero, as `ref gradients` counts
  std::optional<double> zero_share = {};            // whatever made them zero
  std::optional<Zones> zones = {};                  // of the gradients as they were scaled
  std::optional<double> suggested_scale_log2 = {};  // two binades below the largest of fp16
};

struct StepRecord {
  std::uint64_t step = 0;
  std::optional<double> loss = {}, norm = {}, scale = {};
  bool skipped = false;
  std::optional<double> mismatch = {};
  std::vector<LayerRecord> layers = {};
};

struct TrainingLog {
  std::optional<Setup> setup = {};
  std::vector<StepRecord> steps = {};
};

/// Names the line, the field and the remedy.
struct LogError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws LogError.
[[nodiscard]] TrainingLog parse_training_log(std::string_view text);

}  // namespace halfmark::tools
