// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "reference/fast/hostile.hpp"
#include "reference/formats/classify.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;
using formats::Tensor;

struct Case {
  std::string_view arithmetic;
  const Format& in;
  const Format& out;
};

constexpr Case kCases[] = {
    {"fp32.sequential.fma", formats::kFp32, formats::kFp32},
    {"fp32.sequential.fma", formats::kFp16, formats::kFp32},
    {"fp32.pairwise.fma", formats::kBf16, formats::kBf16},
    {"fp32.sequential.mul", formats::kFp32, formats::kFp16},
    {"fp16.sequential.fma", formats::kFp16, formats::kFp16},
    {"exact", formats::kFp16, formats::kFp32},
    {"unit.hopper.mma.fp16.fp32", formats::kFp16, formats::kFp32},
    {"unit.ampere.mma.bf16.fp32", formats::kBf16, formats::kFp32},
};

Tensor filled(slow::Operands& operands, const Format& f, std::size_t count) {
  Tensor tensor = Tensor::zeros(f, count);
  const bool finite = operands.word() % 4 != 0;
  for (std::size_t i = 0; i < count; ++i) {
    formats::Bits bits = operands.any(f) & f.mask();
    while (finite && !formats::is_finite(f, bits)) bits = operands.any(f) & f.mask();
    tensor.set(i, bits);
  }
  return tensor;
}

void compare_gemm(Session& session, const Subject& subject, fast::Target target, const Case& c,
                  std::uint64_t state) {
  slow::Operands& operands = session.operands();
  const operators::GemmProblem problem{.m = 1 + operands.word() % 5,
                                       .n = 1 + operands.word() % 35,
                                       .k = operands.word() % 40,
                                       .d_format = &c.out};
  const Tensor a = filled(operands, c.in, problem.a_count());
  const Tensor b = filled(operands, c.in, problem.b_count());
  const models::Arithmetic arithmetic = *models::parse_arithmetic(c.arithmetic);
  const Tensor expected = operators::gemm(problem, a, b, nullptr, arithmetic, models::Machine{});
  Tensor actual;
  {
    const fast::HostileHost host(state);
    actual = subject.gemm(problem, a, b, nullptr, arithmetic, models::Machine{},
                          {.threads = 1, .target = target});
  }
  for (std::size_t i = 0; i < expected.count(); ++i) {
    session.compare({expected.at(i), 0}, {actual.at(i), 0}, c.out, [&] {
      return fmt::format("gemm {} {} on {}, control register {:x}, m{}n{}k{}, element {}",
                         c.in.name, c.arithmetic, fast::to_string(target), state, problem.m,
                         problem.n, problem.k, i);
    });
  }
}

}  // namespace

void check_fast(Session& session, const Subject& subject, fast::Target target) {
  do {
    for (const Case& c : kCases) {
      const std::uint64_t state =
          fast::kHostStates[session.operands().word() % std::size(fast::kHostStates)];
      compare_gemm(session, subject, target, c, state);
    }
  } while (session.goes_on());
}

}  // namespace halfmark::tools
