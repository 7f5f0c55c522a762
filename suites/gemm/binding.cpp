// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/binding.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "reference/fast/gemm.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/gemm/refusals.hpp"

namespace halfmark::suites::gemm {
namespace {

// "acc-fp32" and "out-fp16" contain a format name after the hyphen, "e5m2-e4m3fn" that of B.
const formats::Format& format_of(std::string_view token) {
  const formats::Format* format = formats::find_format(token.substr(token.find('-') + 1));
  if (format == nullptr) throw std::logic_error(fmt::format("'{}' names no format", token));
  return *format;
}

// Gaps that make the row strides distinct and no multiple of a vector's width, and room after the
// last row for reads by sums rounded up to any tile.
constexpr std::size_t kGapA = 5, kGapB = 3, kGapC = 7, kGapD = 1, kRowsBehind = 32;

View view_of(const Variant& variant, std::size_t rows, std::size_t columns, bool transposed,
             std::size_t gap, bool shared = false) {
  if (transposed) std::swap(rows, columns);
  const std::size_t distance = columns + (variant.padded ? gap : 0);
  const std::size_t around = variant.start + (variant.padded ? kRowsBehind * distance : 0);
  return {.start = variant.start,
          .row = transposed ? 1 : distance,
          .column = transposed ? distance : 1,
          .batch = shared ? 0 : rows * distance,
          .count = (shared ? 1 : variant.batch) * rows * distance + around};
}

void lay_out(Binding& bound) {
  const operators::GemmProblem& p = bound.problem;
  const Variant& v = *bound.variant;
  bound.a = view_of(v, p.m, p.k, bound.transpose_a, kGapA, v.shared_a);
  bound.b = view_of(v, p.k, p.n, bound.transpose_b, kGapB, v.shared_b);
  bound.c = view_of(v, p.m, p.n, false, kGapC);
  bound.d = view_of(v, p.m, p.n, false, kGapD);
  if (!v.far.empty()) (v.far == "a" ? bound.a : v.far == "b" ? bound.b : bound.d).apart = kFarApart;
}

}  // namespace

std::span<const Axis> axes() {
  static const Axis kAxes[] = {
      axis_of_words("format", "format of A and B, or of A-B where they differ",
                    {"fp16", "bf16", "tf32", "fp32", "e4m3fn", "e5m2-e4m3fn", "e4m3fn-e5m2"}),
      axis_of_words("accumulator", "format of the running sum", {"acc-fp32", "acc-fp16"}),
      output_axis("format of C and D"),
      provider_axis(Providers::kUnits),
      {.name = "layout",
       .help = "transposition of A, then of B: n as it is, t transposed",
       .words = {"nn", "nt", "tn", "tt"},
       .letters = {},
       .simplest = "nn"},
      shape_axis("D is m x n, the sum has k terms", "mnk"),
      {.name = "variant",
       .help = "scaling, batch and padding",
       .words = variant_names(),
       .letters = {},
       .simplest = "plain"},
      fill_axis(fill_names(), "how the data of A and B is chosen"),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const std::string_view layout = c.word("layout"), operands = c.word("format");
  Binding bound{.operands = &format_of(operands.substr(0, operands.find('-'))),
                .operands_of_b = &format_of(operands),
                .accumulator = &format_of(c.word("accumulator")),
                .output = &format_of(c.word("output")),
                .variant = &find_variant(c.word("variant")),
                .provider = std::string(c.word("provider")),
                .fill = std::string(c.word("fill")),
                .transpose_a = layout[0] == 't',
                .transpose_b = layout[1] == 't',
                .problem = {},
                .a = {},
                .b = {},
                .c = {},
                .d = {}};
  operators::GemmProblem& problem = bound.problem;
  problem.m = c.number("shape", 'm');
  problem.n = c.number("shape", 'n');
  problem.k = c.number("shape", 'k');
  problem.batch = bound.variant->batch;
  problem.d_format = bound.output;
  if (bound.variant->scaled) {
    problem.alpha = bound.variant->alpha;
    problem.beta = bound.variant->beta;
  }
  lay_out(bound);
  refuse_impossible(bound, c);
  return bound;
}

Operands operands_of(const Binding& bound, const TensorSet& inputs) {
  const operators::GemmProblem& p = bound.problem;
  Operands dense{.a = gather(bound.a, inputs.at("a"), p.batch, p.m, p.k),
                 .b = gather(bound.b, inputs.at("b"), p.batch, p.k, p.n),
                 .c = {},
                 .bias = {}};
  if (bound.has_c()) dense.c = gather(bound.c, inputs.at("c"), p.batch, p.m, p.n);
  if (bound.variant->bias) dense.bias = inputs.at("bias");
  return dense;
}

formats::Tensor finish(const Binding& bound, const formats::Tensor& sums, const Operands& operands,
                       const models::Machine& machine, Scaling scaling) {
  const formats::Tensor* c = bound.has_c() ? &operands.c : nullptr;
  if (bound.variant->plain_epilogue()) {
    return scale_sums(bound.problem, sums, c, machine, scaling);
  }
  operators::GemmProblem unbiased = bound.problem;
  unbiased.d_format = &formats::kFp32;
  const formats::Tensor values = scale_sums(unbiased, sums, c, machine, scaling);
  formats::Tensor d = formats::Tensor::zeros(*bound.output, values.count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    formats::Bits x = values.at(i);
    if (bound.variant->bias) {
      const formats::Bits bias = operands.bias.at(i % bound.problem.n);
      const formats::Bits wide =
          soft::convert(*operands.bias.format, formats::kFp32, bias, machine.convert).bits;
      x = soft::add(formats::kFp32, x, wide, machine.add).bits;
    }
    const Variant& variant = *bound.variant;
    x = variant.departure != nullptr ? gelu_tanh_with(*variant.departure, x)
                                     : activated(variant.activation, x);
    d.set(i, soft::convert(formats::kFp32, *bound.output, x, machine.convert).bits);
  }
  return d;
}

formats::Tensor sums_of(const Binding& bound, const Operands& operands,
                        const models::Arithmetic& arithmetic, const models::Machine& machine) {
  // Unrounded sums are rounded to the epilogue's format.
  operators::GemmProblem problem = bound.problem;
  problem.d_format = &formats::kFp32;
  return operators::gemm_accumulators(problem, operands.a, operands.b, nullptr, arithmetic,
                                      machine);
}

formats::Tensor evaluate(const Binding& bound, const Operands& operands,
                         const models::Arithmetic& arithmetic, const models::Machine& machine,
                         Scaling scaling) {
  const bool narrow = is_narrow(scaling) && bound.problem.alpha;
  const bool as_specified = scaling == Scaling::kSpecified || (!narrow && !reads_c(bound.problem));
  if (bound.variant->plain_epilogue() && as_specified) {
    return fast::gemm(bound.problem, operands.a, operands.b, bound.has_c() ? &operands.c : nullptr,
                      arithmetic, machine);
  }
  return finish(bound, sums_of(bound, operands, arithmetic, machine), operands, machine, scaling);
}

TensorSet stored_output(const Binding& bound, const TensorSet& inputs,
                        const formats::Tensor& dense) {
  const auto around = inputs.find("d");
  if (around == inputs.end()) return {{"d", dense}};
  const operators::GemmProblem& p = bound.problem;
  formats::Tensor stored = around->second;
  std::size_t next = 0;
  for (std::size_t item = 0; item < p.batch; ++item) {
    for (std::size_t i = 0; i < p.m; ++i) {
      for (std::size_t j = 0; j < p.n; ++j) stored.set(bound.d.at(item, i, j), dense.at(next++));
    }
  }
  return {{"d", std::move(stored)}};
}

}  // namespace halfmark::suites::gemm
