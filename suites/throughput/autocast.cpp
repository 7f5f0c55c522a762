// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/autocast.hpp"

#include <algorithm>

#include "reference/formats/format.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites::throughput {
namespace {

// Every fp16 number is also an fp32 number, so the cast restores the operand's bits.
formats::Tensor widened(const formats::Tensor& half) {
  formats::Tensor wide = formats::Tensor::zeros(formats::kFp32, half.count());
  for (std::size_t i = 0; i < half.count(); ++i)
    wide.set(i, soft::convert(formats::kFp16, formats::kFp32, half.at(i)).bits);
  return wide;
}

OperatorStep cast(const std::string& library, const TensorSpec& operand) {
  const auto slice = [&](const char* role, std::string tensor) {
    return TensorSlice{.role = role,
                       .tensor = std::move(tensor),
                       .sizes = {static_cast<std::int64_t>(operand.count)},
                       .strides = {1}};
  };
  return {.library = library,
          .name = "convert",
          .compute = "fp32",
          .tensors = {slice("x", operand.name + ".fp32"), slice("y", operand.name)},
          .scalars = {},
          .options = {{"overflow", "infinity"}}};
}

bool is_operand(const TensorSpec& spec) {
  return spec.role == Role::kInput && spec.format == &formats::kFp16;
}

}  // namespace

bool may_be_cast(const Case& c) {
  return c.suite == "gemm" && c.word("provider") != kPortable &&
         print_seedless(c).starts_with("gemm.fp16.acc-fp32.out-fp16.");
}

std::optional<Autocast> with_casts(const Case& c, const backends::DeviceInfo& device) {
  const backends::Library* caster = device.library("library", "convert");
  const Suite& suite = find_suite(c.suite);
  if (!may_be_cast(c) || caster == nullptr) return std::nullopt;
  const auto problem = suite.bind(c);
  Autocast made{.plan = problem->plan(device), .inputs = problem->inputs()};
  if (made.plan.needs || made.plan.no_provider || made.plan.operators.empty()) return std::nullopt;
  std::vector<OperatorStep> casts;
  std::vector<TensorSpec> sources;
  for (TensorSpec& spec : made.plan.tensors) {
    if (!is_operand(spec)) continue;
    casts.push_back(cast(caster->name, spec));
    sources.push_back({.name = spec.name + ".fp32",
                       .format = &formats::kFp32,
                       .count = spec.count,
                       .role = Role::kInput});
    made.inputs.emplace(sources.back().name, widened(made.inputs.at(spec.name)));
    made.inputs.erase(spec.name);
    spec.role = Role::kScratch;
  }
  made.plan.tensors.insert(made.plan.tensors.end(), sources.begin(), sources.end());
  made.plan.operators.insert(made.plan.operators.begin(), casts.begin(), casts.end());
  return made;
}

}  // namespace halfmark::suites::throughput
