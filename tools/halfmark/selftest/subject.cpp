// SPDX-License-Identifier: Apache-2.0
// The default subject of the self-test: the reference of this binary.
#include "reference/models/arithmetic.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/soft/numeral.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

soft::Result exact_sum(const SumProblem& p, const soft::Environment& env) {
  models::ExactSum sum;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    sum.add_product(*p.a_format, p.a[k], *p.b_format, p.b[k]);
  }
  return sum.round(*p.to, env);
}

models::Encoded dot(std::string_view name, const SumProblem& p) {
  return models::dot(*models::parse_arithmetic(name), {p.a_format, p.a.data()},
                     {p.b_format, p.b.data()}, p.a.size(), std::nullopt, *p.to);
}

models::Encoded unit_dot(const models::Unit& unit, const SumProblem& p, const models::Encoded& c) {
  const models::Scales scales{{unit.scale, p.a_scales.data()}, {unit.scale, p.b_scales.data()}};
  return models::unit_dot(unit, {p.a_format, p.a.data()}, {p.b_format, p.b.data()}, p.a.size(), c,
                          unit.scale == nullptr ? nullptr : &scales);
}

soft::Result read(const formats::Format& f, std::string_view text, const soft::Environment& env) {
  const auto numeral = soft::parse_numeral(text);
  return numeral ? soft::round(f, *numeral, env) : soft::Result{~formats::Bits{0}, 0};
}

}  // namespace

Subject this_reference() {
  return {.operations = ref_operations,
          .exact_sum = exact_sum,
          .dot = dot,
          .unit_dot = unit_dot,
          .functions = soft::kFunctions,
          .binary_functions = soft::kBinaryFunctions,
          .read = read,
          .gemm = fast::gemm,
          .rows = {.softmax_forward = fast::softmax_forward,
                   .softmax_log_forward = fast::softmax_log_forward,
                   .softmax_backward = fast::softmax_backward,
                   .layernorm_forward = fast::layernorm_forward,
                   .layernorm_backward = fast::layernorm_backward,
                   .loss_scaled_backward = fast::loss_scaled_backward}};
}

}  // namespace halfmark::tools
