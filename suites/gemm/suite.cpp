// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/suite.hpp"

#include <fmt/format.h>

#include "reference/fast/gemm.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/launch.hpp"

namespace halfmark::suites::gemm {
namespace {

Product product(const Binding& bound) {
  return {.problem = bound.problem,
          .operands = bound.operands,
          .accumulator = bound.accumulator,
          .d_stride = bound.d_stride,
          .a = "a",
          .b = "b",
          .c = bound.has_c() ? "c" : "",
          .d = "d"};
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding bound = bind(c);
  Plan made;
  if (*bound.accumulator != formats::kFp32 && !device.offers("fp16.arithmetic")) {
    made.needs = "fp16.arithmetic";
    return made;
  }
  if (device.max_group_items != 0 && device.max_group_items < kTile * kTile) {
    made.needs = "group.256_items";
    return made;
  }
  made.tensors = {{"a", bound.operands, bound.problem.a_count(), Role::kInput},
                  {"b", bound.operands, bound.problem.b_count(), Role::kInput},
                  {"d", bound.output, bound.d_stored_count(),
                   bound.variant->padded ? Role::kInOut : Role::kOutput}};
  if (bound.has_c())
    made.tensors.push_back({"c", bound.output, bound.problem.c_count(), Role::kInput});
  made.launches.push_back(launch_of(product(bound)));
  return made;
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding bound = bind(c);
  const formats::Tensor* addend = bound.has_c() ? &inputs.at("c") : nullptr;
  return stored_output(bound, inputs,
                       fast::gemm(bound.problem, inputs.at("a"), inputs.at("b"), addend,
                                  operators::specified_arithmetic(*bound.accumulator), machine));
}

// The row and the column behind one output: the first few terms that are not plain zeros, and C.
std::vector<Operand> operands(const Case& c, const TensorSet& inputs, std::string_view,
                              std::size_t index) {
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
    shown.push_back(
        {fmt::format("c[{},{}]", i, j), bound.output, inputs.at("c").at(p.c_index(item, i, j))});
  }
  return shown;
}

Extent extent(const Case& c, std::string_view) {
  const Binding bound = bind(c);
  return {.rows = bound.problem.batch * bound.problem.m, .columns = bound.d_stride};
}

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "gemm",
      .summary = "matrix multiplication: order, width and rounding of every sum",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .row = contract_row,
      .plan = plan,
      .inputs = make_inputs,
      .refer = refer,
      .hypotheses = hypotheses,
      .operands = operands,
      .extent = extent};
  return kSuite;
}

}  // namespace halfmark::suites::gemm
