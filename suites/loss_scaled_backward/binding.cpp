// SPDX-License-Identifier: Apache-2.0
#include "suites/loss_scaled_backward/binding.hpp"

#include <fmt/format.h>

#include "reference/fast/backward.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp32;
using formats::Tensor;

constexpr formats::Bits kRate = 0x3c23d70a;  // 0.01

// One clean step before the growth interval ends, where a clean step is expected: growth is
// then visible.
constexpr Scale kScales[] = {
    {"scale1", "1: nothing lifts small gradients", 0x3f800000, 7},
    {"scale1000", "1000: no power of two, so unscaling rounds", 0x447a0000, 1999},
    {"scale65536", "2^16: where training starts", 0x47800000, 1999},
    {"scale2p24", "2^24: gradients overflow, the step must be skipped", 0x4b800000, 1999},
    {"scale2m12", "2^-12: gradients underflow", 0x39800000, 1998},
    {"scale2p120", "2^120: gradients overflow in bf16 too, and unscaled ones are normal",
     0x7b800000, 1999},
    {"scale2p127", "2^127: the scale must not grow to infinity", 0x7f000000, 1999},
};

std::vector<std::string_view> scale_names() {
  std::vector<std::string_view> names;
  for (const Scale& scale : kScales) names.push_back(scale.name);
  return names;
}

constexpr std::string_view kEightBits = "fp8";

Tensor one_word(formats::Bits bits) {
  return Tensor::from_bits(kFp32, std::array<formats::Bits, 1>{bits});
}

}  // namespace

std::span<const Axis> axes() {
  static const Axis kAxes[] = {
      axis_of_words(
          "format",
          "format of activations and gradients, if it is not fp16; fp8: bf16, and products "
          "of operands in 8 bits, e4m3fn forward and e5m2 of gradients, each with a scale",
          {"", "bf16", kEightBits}),
      axis_of_words("biases", "whether both layers have biases", {"", "biases"}),
      provider_axis(),
      shape_axis("b samples, i inputs, h hidden units, o outputs", "biho"),
      {.name = "scale",
       .help = "the loss scale before the step",
       .words = scale_names(),
       .letters = {}},
      fill_axis(fill_names()),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  Binding bound{.problem = {.batch = c.number("shape", 'b'),
                            .in = c.number("shape", 'i'),
                            .hidden = c.number("shape", 'h'),
                            .out = c.number("shape", 'o'),
                            .rate = kRate,
                            .format = c.word("format").empty() ? &formats::kFp16 : &formats::kBf16,
                            .has_biases = c.word("biases") == "biases",
                            .has_scaled_products = c.word("format") == kEightBits},
                .scale = nullptr,
                .provider = std::string(c.word("provider")),
                .fill = std::string(c.word("fill"))};
  for (const Scale& scale : kScales) {
    if (scale.name == c.word("scale")) bound.scale = &scale;
  }
  const operators::TrainingProblem& p = bound.problem;
  constexpr std::uint64_t kMost = 1u << 15;  // products of two stay below 2^31
  for (const std::size_t size : {p.batch, p.in, p.hidden, p.out}) {
    if (size == 0 || size > kMost) {
      throw UsageError(fmt::format("case '{}': every number of the shape must be from 1 to {}",
                                   print(c), kMost));
    }
  }
  const bool is_about_8_bits = bound.fill == "spread" || bound.fill == "faint";
  if (is_about_8_bits && (!p.has_scaled_products || p.has_biases)) {
    throw UsageError(fmt::format(
        "case '{}': the fill {} is about gradients in 8 bits, beside which biases would be large; "
        "name fp8, without biases",
        print(c), bound.fill));
  }
  if (bound.fill == "lonebias" && !p.has_biases) {
    throw UsageError(fmt::format(
        "case '{}': the fill lonebias is about biases, which this case does not have", print(c)));
  }
  return bound;
}

bool Binding::is_portable() const { return provider == kPortable; }

operators::TrainingStep evaluate(const Case& c, const TensorSet& inputs,
                                 const models::Machine& machine,
                                 const operators::TrainingVariant& variant,
                                 const operators::TrainingProducts* products) {
  const operators::TrainingProblem problem = bind(c).problem;
  operators::TrainingState state{
      .x = inputs.at("x"),
      .t = inputs.at("t"),
      .w1 = inputs.at("12_w1"),
      .w2 = inputs.at("13_w2"),
      .scale = inputs.at("14_scale").at(0),
      .growth = static_cast<std::uint32_t>(inputs.at("15_growth").at(0))};
  if (problem.has_biases) {
    state.b1 = inputs.at("12_b1");
    state.b2 = inputs.at("13_b2");
  }
  if (products != nullptr)
    return operators::loss_scaled_backward(problem, state, machine, variant, products);
  return fast::loss_scaled_backward(problem, state, machine, variant);
}

// Numbered, so that the first wrong tensor of a report is the first computed wrongly.
TensorSet outputs_of(const Binding& b, const operators::TrainingStep& s) {
  TensorSet all = {{"00_w1h", s.w1h},
                   {"00_w2h", s.w2h},
                   {"01_h", s.h},
                   {"02_g", s.g},
                   {"03_y", s.y},
                   {"04_loss", s.loss},
                   {"05_dy", s.dy},
                   {"06_dw2", s.dw2},
                   {"07_dg", s.dg},
                   {"08_dh", s.dh},
                   {"09_dw1", s.dw1},
                   {"10_found_inf", one_word(s.found_inf ? 0x3f800000u : 0u)},
                   {"11_g1", s.g1},
                   {"11_g2", s.g2},
                   {"12_w1", s.w1},
                   {"13_w2", s.w2},
                   {"14_scale", one_word(s.scale)},
                   {"15_growth", one_word(s.growth)}};
  add_scaled_outputs(b, s, all);
  if (s.b1.format == nullptr) return all;
  all.merge(TensorSet{{"00_b1h", s.b1h},
                      {"00_b2h", s.b2h},
                      {"01_acc", s.s1},
                      {"03_acc", s.s2},
                      {"06_db2", s.db2},
                      {"09_db1", s.db1},
                      {"11_gb1", s.gb1},
                      {"11_gb2", s.gb2},
                      {"12_b1", s.b1},
                      {"13_b2", s.b2}});
  return all;
}

}  // namespace halfmark::suites::loss_scaled_backward
