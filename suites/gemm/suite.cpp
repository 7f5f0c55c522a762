// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::uint32_t kTile = 16;  // GEMM_TILE of kernels/gemm.hk

std::uint32_t tiles(std::size_t count) { return static_cast<std::uint32_t>((count + kTile - 1) / kTile); }

PlanArgument whole(std::size_t value) { return static_cast<std::int32_t>(value); }

PlanArgument scalar(std::optional<formats::Bits> bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
}

// HM_FP16 for fp16: the dialect names formats in capitals.
std::string format_word(const formats::Format& format) {
  std::string word = "HM_";
  for (const char letter : format.name) word += letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return word;
}

Launch launch(const Binding& bound) {
  const operators::GemmProblem& p = bound.problem;
  Launch step{.family = "gemm",
              .defines = {{"HM_A_FORMAT", format_word(*bound.operands)},
                          {"HM_D_FORMAT", format_word(*bound.output)},
                          {"HM_ACC_FORMAT", format_word(*bound.accumulator)}},
              .entry = "gemm",
              .groups = {tiles(p.n), tiles(p.m), static_cast<std::uint32_t>(p.batch)},
              .items = {kTile, kTile, 1},
              .arguments = {}};
  // Without C the kernel still takes a pointer, which it does not follow.
  step.arguments = {TensorRef{"a"}, TensorRef{"b"}, TensorRef{bound.has_c() ? "c" : "d"}, TensorRef{"d"}};
  const std::size_t sizes[] = {p.m,
                               p.n,
                               p.k,
                               p.transpose_a ? 1 : p.a_stride(),
                               p.transpose_a ? p.a_stride() : 1,
                               p.a_rows() * p.a_stride(),
                               p.transpose_b ? 1 : p.b_stride(),
                               p.transpose_b ? p.b_stride() : 1,
                               p.b_rows() * p.b_stride(),
                               p.c_stride(),
                               p.m * p.c_stride(),
                               bound.d_stride,
                               p.m * bound.d_stride,
                               p.alpha ? std::size_t{1} : std::size_t{0}};
  for (const std::size_t size : sizes) step.arguments.push_back(whole(size));
  step.arguments.push_back(scalar(p.alpha));
  step.arguments.push_back(scalar(p.beta));
  return step;
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding bound = bind(c);
  Plan made;
  if (*bound.accumulator != formats::kFp32 && !device.offers("fp16.arithmetic")) {
    made.needs = "fp16.arithmetic";
    return made;
  }
  made.tensors = {{"a", bound.operands, bound.problem.a_count(), Role::kInput},
                  {"b", bound.operands, bound.problem.b_count(), Role::kInput},
                  {"d", bound.output, bound.d_stored_count(), bound.variant->padded ? Role::kInOut : Role::kOutput}};
  if (bound.has_c()) made.tensors.push_back({"c", bound.output, bound.problem.c_count(), Role::kInput});
  made.launches.push_back(launch(bound));
  return made;
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding bound = bind(c);
  const formats::Tensor* addend = bound.has_c() ? &inputs.at("c") : nullptr;
  return stored_output(bound, inputs,
                       operators::gemm(bound.problem, inputs.at("a"), inputs.at("b"), addend,
                                       operators::specified_arithmetic(*bound.accumulator), machine));
}

// The row and the column behind one output: the first few terms that are not plain zeros, and C.
std::vector<Operand> operands(const Case& c, const TensorSet& inputs, std::string_view, std::size_t index) {
  constexpr std::size_t kTerms = 4;
  const Binding bound = bind(c);
  const operators::GemmProblem& p = bound.problem;
  const std::size_t row = index / bound.d_stride;
  const std::size_t j = index % bound.d_stride;
  const std::size_t item = row / p.m;
  const std::size_t i = row % p.m;
  std::vector<Operand> shown;
  if (j >= p.n) return shown;  // between rows: nothing should have been written here
  for (std::size_t x = 0; x < p.k && shown.size() < 2 * kTerms; ++x) {
    const formats::Bits a = inputs.at("a").at(p.a_index(item, i, x));
    const formats::Bits b = inputs.at("b").at(p.b_index(item, x, j));
    if (a == 0 || b == 0) continue;
    shown.push_back({fmt::format("a[{},{}]", i, x), bound.operands, a});
    shown.push_back({fmt::format("b[{},{}]", x, j), bound.operands, b});
  }
  if (bound.has_c()) {
    shown.push_back({fmt::format("c[{},{}]", i, j), bound.output, inputs.at("c").at(p.c_index(item, i, j))});
  }
  return shown;
}

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "gemm",
                            .summary = "matrix multiplication: order, width and rounding of every sum",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .row = contract_row,
                            .plan = plan,
                            .inputs = make_inputs,
                            .refer = refer,
                            .hypotheses = hypotheses,
                            .operands = operands};
  return kSuite;
}

}  // namespace halfmark::suites::gemm
