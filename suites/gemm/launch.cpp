// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/launch.hpp"

#include <bit>

#include "suites/core/execute/plan_builder.hpp"

namespace halfmark::suites::gemm {
namespace {

PlanArgument scalar(std::optional<formats::Bits> bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
}

}  // namespace

Launch launch_of(const Product& p) {
  Launch step{.family = "gemm",
              .defines = {{"HM_A_FORMAT", kernel_word(*p.operands)},
                          {"HM_D_FORMAT", kernel_word(*p.output)},
                          {"HM_ACC_FORMAT", kernel_word(*p.accumulator)}},
              .entry = "gemm",
              .groups = {groups_of(p.n, kTile) * static_cast<std::uint32_t>(p.batch),
                         groups_of(p.m, kTileRows), 1},
              .items = {kTile, kTile, 1},
              .arguments = {}};
  if (p.operands_of_b != nullptr)
    step.defines.emplace_back("HM_B_FORMAT", kernel_word(*p.operands_of_b));
  // Without C the kernel still takes a pointer, which it does not dereference.
  step.arguments = {TensorRef{p.a_name}, TensorRef{p.b_name},
                    TensorRef{p.c_name.empty() ? p.d_name : p.c_name}, TensorRef{p.d_name}};
  const std::size_t sizes[] = {p.m,       p.n,     p.k,        p.a.row,          p.a.column,
                               p.a.batch, p.b.row, p.b.column, p.b.batch,        p.c.row,
                               p.c.batch, p.d.row, p.d.batch,  p.alpha ? 1u : 0u};
  for (const std::size_t size : sizes) step.arguments.push_back(whole(size));
  step.arguments.push_back(scalar(p.alpha));
  step.arguments.push_back(scalar(p.beta));
  for (const std::size_t start : {p.a.start, p.b.start, p.c.start, p.d.start}) {
    step.arguments.push_back(whole(start));
  }
  return step;
}

}  // namespace halfmark::suites::gemm
