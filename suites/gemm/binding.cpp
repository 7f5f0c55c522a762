// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/binding.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "suites/core/errors.hpp"

namespace halfmark::suites::gemm {
namespace {

// Scalars that no narrow format holds: 1/3, -0.7, 70000, -70001/1024.
constexpr formats::Bits kThird = 0x3eaaaaab;
constexpr formats::Bits kMinusSevenTenths = 0xbf333333;
constexpr formats::Bits kSeventyThousand = 0x4788b800;
constexpr formats::Bits kMinusSixtyEight = 0xc288b880;
constexpr formats::Bits kOne = 0x3f800000;
constexpr formats::Bits kEighth = 0x3e000000;

constexpr Variant kVariants[] = {
    {.name = "plain", .help = "D = AB"},
    {.name = "ab",
     .help = "alpha 1/3, beta -0.7",
     .scaled = true,
     .alpha = kThird,
     .beta = kMinusSevenTenths},
    {.name = "abwide",
     .help = "alpha 70000, beta -70001/1024: beyond the range and the precision of a half",
     .scaled = true,
     .alpha = kSeventyThousand,
     .beta = kMinusSixtyEight},
    {.name = "eighth",
     .help = "alpha 1/8, beta 0, C full of NaN",
     .scaled = true,
     .alpha = kEighth},
    {.name = "beta0nan", .help = "alpha 1, beta 0, C full of NaN", .scaled = true, .alpha = kOne},
    {.name = "batch3", .help = "three products in one launch", .batch = 3},
    {.name = "ldpad",
     .help = "alpha 1, beta 1; rows of all matrices apart, NaN between those that are read",
     .scaled = true,
     .alpha = kOne,
     .beta = kOne,
     .padded = true},
};

template <std::size_t kCount>
std::vector<std::string_view> names_of(const Variant (&rows)[kCount]) {
  std::vector<std::string_view> names;
  for (const Variant& row : rows) names.push_back(row.name);
  return names;
}

const Variant& find_variant(std::string_view name) {
  for (const Variant& variant : kVariants) {
    if (variant.name == name) return variant;
  }
  throw std::logic_error(fmt::format("gemm has no variant '{}'", name));
}

// "acc-fp32" and "out-fp16" hold the name of a format after the hyphen.
const formats::Format& format_of(std::string_view token) {
  const formats::Format* format = formats::find_format(token.substr(token.find('-') + 1));
  if (format == nullptr) throw std::logic_error(fmt::format("'{}' names no format", token));
  return *format;
}

// Distances that are no multiple of a vector's width, all different.
void pad(operators::GemmProblem& problem) {
  problem.lda = problem.a_columns() + 5;
  problem.ldb = problem.b_columns() + 3;
  problem.ldc = problem.n + 7;
}

// What the grammar of names lets through and the kernel cannot do.
void refuse_impossible(const Binding& bound, const Case& c) {
  const operators::GemmProblem& p = bound.problem;
  constexpr std::size_t kMostOffsets = std::size_t{1} << 31;
  if (p.m == 0 || p.n == 0 || p.m >= kMostOffsets || p.n >= kMostOffsets || p.k >= kMostOffsets) {
    throw UsageError(
        fmt::format("case '{}' has no output; m and n must be from 1 to 2^31 - 1", print(c)));
  }
  if (p.a_count() >= kMostOffsets || p.b_count() >= kMostOffsets ||
      bound.d_stored_count() >= kMostOffsets) {
    throw UsageError(fmt::format(
        "case '{}' is too large; each matrix must have less than 2^31 elements", print(c)));
  }
  if (*bound.accumulator != formats::kFp32 && bound.operands != bound.accumulator) {
    throw UsageError(
        fmt::format("case '{}' does not exist; {} accumulates only operands of its own format",
                    print(c), bound.accumulator->name));
  }
}

}  // namespace

std::span<const Variant> variants() { return kVariants; }

std::span<const Axis> axes() {
  static const Axis kAxes[] = {
      {.name = "format",
       .help = "format of A and B",
       .words = {"fp16", "bf16", "fp32"},
       .letters = {}},
      {.name = "accumulator",
       .help = "format of the running sum",
       .words = {"acc-fp32", "acc-fp16"},
       .letters = {}},
      {.name = "output",
       .help = "format of C and D",
       .words = {"out-fp16", "out-bf16", "out-fp32"},
       .letters = {}},
      {.name = "provider", .help = "whose code runs", .words = {"portable"}, .letters = {}},
      {.name = "layout",
       .help = "transposition of A, then of B: n as it is, t transposed",
       .words = {"nn", "nt", "tn", "tt"},
       .letters = {},
       .simplest = "nn"},
      {.name = "shape", .help = "D is m x n, the sum has k terms", .words = {}, .letters = "mnk"},
      {.name = "variant",
       .help = "scaling, batch and padding",
       .words = names_of(kVariants),
       .letters = {},
       .simplest = "plain"},
      {.name = "fill",
       .help = "data of A and B",
       .words = {fill_names().begin(), fill_names().end()},
       .letters = {}},
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const std::string_view layout = c.word("layout");
  Binding bound{.operands = &format_of(c.word("format")),
                .accumulator = &format_of(c.word("accumulator")),
                .output = &format_of(c.word("output")),
                .variant = &find_variant(c.word("variant")),
                .fill = std::string(c.word("fill")),
                .problem = {},
                .d_stride = 0};
  operators::GemmProblem& problem = bound.problem;
  problem.m = c.number("shape", 'm');
  problem.n = c.number("shape", 'n');
  problem.k = c.number("shape", 'k');
  problem.batch = bound.variant->batch;
  problem.transpose_a = layout[0] == 't';
  problem.transpose_b = layout[1] == 't';
  problem.d_format = bound.output;
  if (bound.variant->scaled) {
    problem.alpha = bound.variant->alpha;
    problem.beta = bound.variant->beta;
  }
  if (bound.variant->padded) pad(problem);
  bound.d_stride = bound.variant->padded ? problem.n + 1 : problem.n;
  refuse_impossible(bound, c);
  return bound;
}

TensorSet stored_output(const Binding& bound, const TensorSet& inputs,
                        const formats::Tensor& dense) {
  if (!bound.variant->padded) return {{"d", dense}};
  formats::Tensor stored = inputs.at("d");
  for (std::size_t i = 0; i < dense.count(); ++i) stored.set(bound.d_stored_index(i), dense.at(i));
  return {{"d", std::move(stored)}};
}

}  // namespace halfmark::suites::gemm
