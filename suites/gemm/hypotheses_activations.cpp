// SPDX-License-Identifier: Apache-2.0
// Hypotheses about the steps after the bias: the activation omitted, misplaced, replaced by another
// one, computed with a constant of few digits, or applied to a number that was rounded before.
// Hypotheses that only change the activation hold in any order of the sum, by an enclosure of their
// own.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "reference/fast/floating_point.hpp"
#include "reference/soft/soft.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

struct Other {
  Activation activation;
  std::string_view words;
};
constexpr Other kOthers[] = {{Activation::kRelu, "max(0, x)"},
                             {Activation::kGelu, "GELU by erf"},
                             {Activation::kGeluTanh, "GELU by tanh"},
                             {Activation::kSilu, "x / (1 + exp(-x))"},
                             {Activation::kGeluSigmoid, "x / (1 + exp(-1.702 x))"}};

Variant with(const Binding& bound, Activation activation) {
  Variant changed = *bound.variant;
  changed.activation = activation;
  return changed;
}

// `change` makes the variant with another step after the bias from the right one.
template <typename Change>
void add_changed(std::vector<Hypothesis>& list, Entry entry, Change change) {
  add(list, std::move(entry), [change](Evaluation& e) {
    const Variant changed = change(e.bound);
    e.bound.variant = &changed;
    return e.whole();
  });
  list.back().evaluate = [change, middle = list.back().evaluate](
                             const Case& c, const TensorSet& inputs) -> Expectation {
    Binding bound = bind(c);
    const Variant changed = change(bound);
    bound.variant = &changed;
    return {middle(c, inputs).middle, enclose(bound, inputs)};
  };
}

void add_other(std::vector<Hypothesis>& list, Entry entry, Activation activation) {
  add_changed(list, std::move(entry),
              [activation](const Binding& bound) { return with(bound, activation); });
}

// 0.044715, the factor of the cube in GELU by tanh, cut or rounded to fewer digits or to a format.
void add_cubics(std::vector<Hypothesis>& list, const std::string& word) {
  struct Cubic {
    std::string text;
    double value;
  };
  std::vector<Cubic> cubics;
  for (const auto& [digits, places] :
       {std::pair{4, 2}, {44, 3}, {45, 3}, {447, 4}, {4471, 5}, {4472, 5}}) {
    const double unit(places == 2 ? 100 : places == 3 ? 1000 : places == 4 ? 10000 : 100000);
    cubics.push_back({fmt::format("0.{:0{}}", digits, places), digits / unit});
  }
  const double right = 0.044715;
  for (const formats::Format* f : {&formats::kFp16, &formats::kBf16})
    cubics.push_back({std::string(f->name), suites::through(f, right)});
  for (const Cubic& cubic : cubics) {
    const auto departure =
        std::make_shared<const GeluDeparture>(GeluDeparture{.cubic = cubic.value});
    const bool is_number = cubic.text.starts_with("0.");
    add_changed(
        list,
        {fmt::format("{}-cubic-{}{}", word, is_number ? "" : "in-", cubic.text), "scalar_precision",
         is_number ? fmt::format("the factor 0.044715 is {}", cubic.text)
                   : fmt::format("the factor 0.044715 is rounded to {}", cubic.text)},
        [departure](const Binding& bound) {
          Variant changed = *bound.variant;
          changed.departure = departure.get();
          return changed;
        });
  }
}

// Processors have instructions for tanh whose result is off by up to 2^-11 of itself (PTX ISA,
// tanh.approx.f32): where GELU is the difference of numbers near 1, that is many last places even
// of fp16.
const GeluDeparture& fast_tanh() {
  static const GeluDeparture kFastTanh{.tanh_error = 0x1p-11};
  return kFastTanh;
}

void add_fast_tanh(std::vector<Hypothesis>& list, const std::string& word) {
  list.push_back(
      {.name = word + "-by-fast-tanh",
       .finding_class = "low_precision",
       .sentence = "tanh is off by up to 2^-11 of itself, as fast instructions for it are",
       .evaluate = [](const Case& c, const TensorSet& inputs) -> Expectation {
         Binding bound = bind(c);
         Variant changed = *bound.variant;
         changed.departure = &fast_tanh();
         bound.variant = &changed;
         Enclosure around = enclose(bound, inputs);
         return {around.low, std::move(around)};  // as planted: off by the most
       },
       .tier = 1});  // constants of few digits may lie within it
}

// The bias, if there is one, and GELU of finished products, each of which may be any number that
// the bound allows, so that it holds in any order of the sum.
Expectation after_rounded_sums(const Case& c, const TensorSet& inputs,
                               const GeluDeparture& departure) {
  const fast::FloatingPointScope scope;
  Binding bound = bind(c);
  Variant plain = with(bound, Activation::kNone);
  const bool has_bias = plain.bias;
  plain.bias = false;
  bound.variant = &plain;
  Enclosure around = enclose(bound, inputs);
  const formats::Format& f = *bound.output;
  Tensor& low = around.low.at("d");
  Tensor& high = around.high.at("d");
  for (std::size_t i = 0; i < low.count(); ++i) {
    double shift = 0;
    if (has_bias) {
      const Tensor& bias = inputs.at("bias");
      shift = value_of(*bias.format, bias.at(i % bias.count()));
    }
    const Interval image = gelu_tanh_with(
        departure, {value_of(f, low.at(i)) + shift, value_of(f, high.at(i)) + shift});
    low.set(i, nearest(f, image.low));
    high.set(i, nearest(f, image.high));
  }
  return {around.low, std::move(around)};
}

void add_rounded_sums(std::vector<Hypothesis>& list, const std::string& word, bool has_bias) {
  static const GeluDeparture kShortTanh{.tanh_error = 0x1p-20};
  const auto add = [&](const std::string& name, const std::string& words, const GeluDeparture& how,
                       int tier) {
    list.push_back(
        {.name = (has_bias ? "rounded-before-bias-and-" : "rounded-before-") + name,
         .finding_class = "double_round",
         .sentence = "the sum is rounded to the output format, " +
                     std::string(has_bias ? "the bias is added, " : "") +
                     "and GELU is taken with a tanh " + words,
         .evaluate = [&how](const Case& c,
                            const TensorSet& inputs) { return after_rounded_sums(c, inputs, how); },
         .freedoms = {"internal_precision", "accuracy"},
         .tier = tier});
  };
  if (has_bias) add(word, "of 20 bits", kShortTanh, 1);
  add(word + "-by-fast-tanh", "that is off by up to 2^-11 of itself", fast_tanh(), 2);
}

void add_others(std::vector<Hypothesis>& list, const Binding& bound, const std::string& word) {
  const Activation meant = bound.variant->activation;
  add_other(list, {word + "-left-out", "formula", "the activation is left out"}, Activation::kNone);
  for (const Other& other : kOthers) {
    if (other.activation == meant) continue;
    add_other(list,
              {fmt::format("{}-as-{}", word, word_of(other.activation)), "formula",
               fmt::format("the activation is {}", other.words)},
              other.activation);
  }
}

// Every sum, in the accumulator's format.
void activate(Tensor& sums, Activation activation) {
  const formats::Format& f = *sums.format;
  change_each(sums, [&](Bits x) {
    const Bits wide = soft::convert(f, kFp32, x).bits;
    return soft::convert(kFp32, f, activated(activation, wide)).bits;
  });
}

}  // namespace

void add_activations(std::vector<Hypothesis>& list, const Binding& bound) {
  const Activation meant = bound.variant->activation;
  if (meant == Activation::kNone) return;
  const std::string word(word_of(meant));
  if (bound.variant->bias) {
    add(list, {word + "-before-bias", "formula", "the bias is added behind the activation"},
        [](Evaluation& e) {
          Tensor sums = e.sums();
          activate(sums, e.bound.variant->activation);
          const Variant without = with(e.bound, Activation::kNone);
          e.bound.variant = &without;
          return e.finished(sums);
        });
  }
  if (is_smooth(meant) && bound.output->precision() < kFp32.precision()) {
    add(list,
        {"rounded-before-" + word,
         "double_round",
         "the result is rounded to the output format before the activation, and again behind it",
         {"internal_precision"}},
        [](Evaluation& e) {
          const Variant without = with(e.bound, Activation::kNone);
          const Activation activation = e.bound.variant->activation;
          e.bound.variant = &without;
          Tensor d = e.whole();
          activate(d, activation);
          return d;
        });
  }
  add_others(list, bound, word);
  if (meant == Activation::kGeluTanh) add_cubics(list, word);
  if (meant == Activation::kGeluTanh) add_fast_tanh(list, word);
  if (meant == Activation::kGeluTanh && bound.output->precision() < kFp32.precision())
    add_rounded_sums(list, word, bound.variant->bias);
}

}  // namespace halfmark::suites::gemm
