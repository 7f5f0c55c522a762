// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tools/halfmark/selftest/checks.hpp"
#include "tools/halfmark/selftest/fast_comparison.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using formats::Tensor;

struct Case {
  std::string_view arithmetic;
  const Format& in;
  const Format& out;
};

// One case for every code path, and the scaled units, which have no path of their own but the same
// entry point.
constexpr Case kCases[] = {
    {"fp32.sequential.fma", formats::kFp32, formats::kFp32},
    {"fp32.sequential.fma", formats::kFp16, formats::kFp32},
    {"fp32.sequential.mul", formats::kFp32, formats::kFp16},
    {"fp32.pairwise.fma", formats::kBf16, formats::kBf16},
    {"fp16.sequential.fma", formats::kFp16, formats::kFp16},
    {"fp16.sequential.mul", formats::kFp16, formats::kFp32},
    {"fp16.reversed.fma", formats::kFp16, formats::kFp16},
    {"bf16.sequential.fma", formats::kBf16, formats::kBf16},
    {"bf16.sequential.mul", formats::kBf16, formats::kBf16},
    {"exact", formats::kFp16, formats::kFp32},
    {"exact", formats::kFp16, formats::kFp16},
    {"exact", formats::kBf16, formats::kBf16},
    {"exact", formats::kE4m3fn, formats::kFp32},
    {"unit.hopper.mma.fp16.fp32", formats::kFp16, formats::kFp32},
    {"unit.hopper.mma.fp16.fp16", formats::kFp16, formats::kFp16},
    {"unit.hopper.wgmma.e4m3fn.fp32", formats::kE4m3fn, formats::kFp32},
    {"unit.ampere.mma.bf16.fp32", formats::kBf16, formats::kFp32},
    {"unit.blackwell.tcgen05.mxfp8.fp32", formats::kE4m3fn, formats::kFp32},
    {"unit.blackwell.tcgen05.mxfp4.fp32", formats::kE2m1, formats::kFp32},
    {"unit.blackwell.tcgen05.nvfp4.fp32", formats::kE2m1, formats::kFp32},
};

struct ScaleTensors {
  Tensor a, b;
};

// The scales that the unit of the arithmetic needs; none for other arithmetics.
ScaleTensors random_scales(slow::Operands& operands, const models::Arithmetic& arithmetic,
                           const operators::GemmProblem& problem) {
  if (arithmetic.unit == nullptr || arithmetic.unit->scale == nullptr) return {};
  const auto block = static_cast<std::size_t>(arithmetic.unit->scale_block);
  const std::size_t blocks = (problem.k + block - 1) / block;
  const Format& f = *arithmetic.unit->scale;
  return {random_tensor(operands, f, problem.m * blocks, Spread::kPositive),
          random_tensor(operands, f, blocks * problem.n, Spread::kPositive)};
}

void compare_gemm(Session& session, const Subject& subject, fast::Target target, const Case& c) {
  slow::Operands& operands = session.operands();
  const std::uint64_t state = random_state(operands);
  operators::GemmProblem problem{.m = 1 + operands.word() % 5,
                                 .n = 1 + operands.word() % 35,
                                 .k = operands.word() % 70,
                                 .d_format = &c.out};
  const models::Arithmetic arithmetic = *models::parse_arithmetic(c.arithmetic);
  const Tensor a = random_tensor(operands, c.in, problem.a_count());
  const Tensor b = random_tensor(operands, c.in, problem.b_count());
  const ScaleTensors scales = random_scales(operands, arithmetic, problem);
  if (scales.a.format != nullptr) problem.a_scales = &scales.a;
  if (scales.b.format != nullptr) problem.b_scales = &scales.b;
  const Tensor addend = random_tensor(operands, c.out, problem.c_count());
  const Tensor* initial = operands.word() % 2 == 0 ? &addend : nullptr;
  const Tensor expected = operators::gemm(problem, a, b, initial, arithmetic, models::Machine{});
  Tensor actual;
  {
    const fast::HostileHost host(state);
    actual = subject.gemm(problem, a, b, initial, arithmetic, models::Machine{},
                          {.threads = 1, .target = target});
  }
  compare_tensors(session, expected, actual, [&] {
    return fmt::format("gemm {} {} on {}, control register {:x}, m{}n{}k{}{}", c.in.name,
                       c.arithmetic, fast::to_string(target), state, problem.m, problem.n,
                       problem.k, initial == nullptr ? "" : " with c");
  });
}

}  // namespace

void check_fast(Session& session, const Subject& subject, fast::Target target) {
  do {
    for (const Case& c : kCases) compare_gemm(session, subject, target, c);
  } while (session.goes_on());
}

}  // namespace halfmark::tools
