// SPDX-License-Identifier: Apache-2.0
// `halfmark ref optimizer`: {"optimizer":"sgd"|"adam"|"adamw","rate","momentum"?,"dampening"?,
// "nesterov"?,"beta1"?,"beta2"?,"epsilon"?,"decay"?,"fused"?,"code"?,"mistake"?,"n","weights","steps"}
// runs an optimizer on fp32 master weights. rate and the others are fp64 encodings; beta1, beta2
// and epsilon are 0.9, 0.999 and 1e-8 by default, the others 0. A step is {"gradients":TENSOR} in
// fp32, or {"skipped":true}. The answer holds the state after each step: {"steps":[{"weights",
// "first","second","count","swallowed"}]}, where swallowed counts weights that did not move
// although their gradient is not zero. "code" is "processor", unless set to "gpu" or "gpu-foreach";
// "mistake" names a known mistake to make, both as in reference/operators/optimizer.hpp.
#include "reference/operators/optimizer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "tools/halfmark/ref/shown.hpp"
#include "tools/halfmark/ref_json/json_tensor.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::kFp64;
using formats::Tensor;
using nlohmann::json;
using operators::OptimizerKind;
using operators::OptimizerSettings;
using operators::OptimizerState;
using operators::OptimizerVariant;

constexpr std::size_t kMostSteps = 1 << 20;

constexpr std::array<std::string_view, 15> kFields = {
    "optimizer", "rate",  "momentum", "dampening", "nesterov", "beta1",   "beta2", "epsilon",
    "decay",     "fused", "code",     "mistake",   "n",        "weights", "steps"};

template <typename Row>
const Row& named(std::span<const Row> rows, const json& problem, std::string_view field) {
  const std::string name = parse_string(problem, field);
  std::vector<std::string_view> names;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw ProblemError(
      fmt::format("'{}' is \"{}\"; known: {}", field, shown(name), fmt::join(names, ", ")));
}

struct KindRow {
  std::string_view name;
  OptimizerKind kind;
};
constexpr KindRow kKinds[] = {
    {"sgd", OptimizerKind::kSgd}, {"adam", OptimizerKind::kAdam}, {"adamw", OptimizerKind::kAdamW}};

struct CodeRow {
  std::string_view name;
  operators::OptimizerCode code;
};
constexpr CodeRow kCodes[] = {{"processor", operators::OptimizerCode::kProcessor},
                              {"gpu", operators::OptimizerCode::kGpu},
                              {"gpu-foreach", operators::OptimizerCode::kGpuForeach}};

struct MistakeRow {
  std::string_view name;
  bool OptimizerVariant::* member;
};
constexpr MistakeRow kMistakes[] = {{"epsilon-inside-root", &OptimizerVariant::epsilon_inside_root},
                                    {"epsilon-in-half", &OptimizerVariant::epsilon_in_half},
                                    {"no-bias-correction", &OptimizerVariant::no_bias_correction},
                                    {"decay-coupled", &OptimizerVariant::decay_coupled},
                                    {"second-moment-in-half", &OptimizerVariant::second_in_half},
                                    {"weights-in-half", &OptimizerVariant::weights_in_half},
                                    {"skipped-steps-counted", &OptimizerVariant::counts_skipped}};

struct NumberRow {
  std::string_view name;
  Bits OptimizerSettings::* member;
  double fallback;
};
constexpr NumberRow kNumbers[] = {
    {"momentum", &OptimizerSettings::momentum, 0},  {"dampening", &OptimizerSettings::dampening, 0},
    {"beta1", &OptimizerSettings::beta1, 0.9},      {"beta2", &OptimizerSettings::beta2, 0.999},
    {"epsilon", &OptimizerSettings::epsilon, 1e-8}, {"decay", &OptimizerSettings::decay, 0}};

bool parse_flag(const json& problem, std::string_view field, bool fallback) {
  if (!has(problem, field)) return fallback;
  const json& value = member(problem, field);
  if (value.is_boolean()) return value.get<bool>();
  throw ProblemError(fmt::format("'{}' is {}; write true or false", field, shown(value.dump())));
}

OptimizerSettings parse_settings(const json& problem) {
  OptimizerSettings settings{
      .kind = named(std::span<const KindRow>(kKinds), problem, "optimizer").kind,
      .rate = parse_bits(problem, "rate", kFp64),
      .nesterov = parse_flag(problem, "nesterov", false),
      .fused = parse_flag(problem, "fused", true)};
  if (has(problem, "code"))
    settings.code = named(std::span<const CodeRow>(kCodes), problem, "code").code;
  for (const NumberRow& row : kNumbers) {
    settings.*row.member = has(problem, row.name) ? parse_bits(problem, row.name, kFp64)
                                                  : std::bit_cast<Bits>(row.fallback);
  }
  try {
    operators::require_workable(settings);
  } catch (const std::invalid_argument& error) {
    throw ProblemError(error.what());
  }
  return settings;
}

Tensor fp32_tensor(const json& problem, std::string_view field, std::size_t count) {
  Tensor tensor = parse_tensor(problem, field, count);
  if (*tensor.format == kFp32) return tensor;
  throw ProblemError(fmt::format("'{}' is {}; it takes fp32 there", field, tensor.format->name));
}

// The gradients of a step; of a skipped one, zeros.
Tensor parse_step(const json& step, std::size_t count) {
  static constexpr std::array<std::string_view, 2> kKnown = {"gradients", "skipped"};
  if (!step.is_object() || step.size() != 1)
    throw ProblemError("a step has one member: gradients or skipped");
  refuse_unknown(step, kKnown);
  if (has(step, "gradients")) return fp32_tensor(step, "gradients", count);
  if (!parse_flag(step, "skipped", false))
    throw ProblemError("'skipped' is false; give the gradients");
  return Tensor::zeros(kFp32, count);
}

json state_json(const OptimizerState& state, std::uint64_t swallowed) {
  return {{"weights", tensor_json(state.weights)},
          {"first", tensor_json(state.first)},
          {"second", tensor_json(state.second)},
          {"count", state.steps},
          {"swallowed", swallowed}};
}

json answer(const json& problem) {
  refuse_unknown(problem, kFields);
  const OptimizerSettings settings = parse_settings(problem);
  OptimizerVariant variant;
  if (has(problem, "mistake"))
    variant.*named(std::span<const MistakeRow>(kMistakes), problem, "mistake").member = true;
  const std::size_t count = parse_size(problem, "n");
  OptimizerState state = operators::initial_state(fp32_tensor(problem, "weights", count));
  const json& steps = member(problem, "steps");
  if (!steps.is_array() || steps.size() > kMostSteps)
    throw ProblemError(fmt::format("'steps' must be a list of at most {}", kMostSteps));
  json answers = json::array();
  for (const json& step : steps) {
    const Tensor gradients = parse_step(step, count);
    const OptimizerState next =
        operators::optimized(settings, state, gradients, has(step, "skipped"), {}, variant);
    answers.push_back(state_json(next, operators::swallowed_updates(state, next, gradients)));
    state = next;
  }
  return {{"steps", std::move(answers)}};
}

}  // namespace

int ref_optimizer(std::istream& in, std::ostream& out, std::ostream& err) {
  return each_problem("ref optimizer", in, out, err, answer);
}

}  // namespace halfmark::tools
