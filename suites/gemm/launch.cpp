// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/launch.hpp"

#include <bit>

namespace halfmark::suites::gemm {
namespace {

std::uint32_t tiles(std::size_t count) {
  return static_cast<std::uint32_t>((count + kTile - 1) / kTile);
}

PlanArgument whole(std::size_t value) { return static_cast<std::int32_t>(value); }

PlanArgument scalar(std::optional<formats::Bits> bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits.value_or(0)));
}

}  // namespace

std::string format_word(const formats::Format& format) {
  std::string word = "HM_";
  for (const char letter : format.name)
    word += letter >= 'a' ? static_cast<char>(letter - 'a' + 'A') : letter;
  return word;
}

Launch launch_of(const Product& product) {
  const operators::GemmProblem& p = product.problem;
  Launch step{.family = "gemm",
              .defines = {{"HM_A_FORMAT", format_word(*product.operands)},
                          {"HM_D_FORMAT", format_word(*p.d_format)},
                          {"HM_ACC_FORMAT", format_word(*product.accumulator)}},
              .entry = "gemm",
              .groups = {tiles(p.n), tiles(p.m), static_cast<std::uint32_t>(p.batch)},
              .items = {kTile, kTile, 1},
              .arguments = {}};
  // Without C the kernel still takes a pointer, which it does not follow.
  step.arguments = {TensorRef{product.a}, TensorRef{product.b},
                    TensorRef{product.c.empty() ? product.d : product.c}, TensorRef{product.d}};
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
                               product.d_stride,
                               p.m * product.d_stride,
                               p.alpha ? std::size_t{1} : std::size_t{0}};
  for (const std::size_t size : sizes) step.arguments.push_back(whole(size));
  step.arguments.push_back(scalar(p.alpha));
  step.arguments.push_back(scalar(p.beta));
  return step;
}

}  // namespace halfmark::suites::gemm
