// SPDX-License-Identifier: Apache-2.0
// Formats of eight bits and fewer, exhaustively: all pairs of operands of every binary operation
// and all operands of the others, each in one environment after the other, against the naive twin.
// (The long test checks every pair in every environment, and triples.)
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

constexpr int kTriples = 150000;

class Narrow : public testing::TestWithParam<Format> {};

TEST_P(Narrow, EveryPairOfOperands) {
  const Format& f = GetParam();
  const auto& environments = slow::all_policies();
  std::size_t turn = 0;
  for (const slow::Binary& row : slow::kBinary) {
    slow::Checker checker(row.name);
    for (Bits a = 0; a <= f.mask(); ++a) {
      for (Bits b = 0; b <= f.mask(); ++b) {
        const Environment& env = environments[turn++ % environments.size()];
        checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
      }
      turn += 7;  // coprime to the number of environments, so that they do not keep step with b
    }
  }
}

TEST_P(Narrow, EveryOperandInEveryEnvironment) {
  const Format& f = GetParam();
  for (const slow::Unary& row : slow::kUnary) {
    slow::Checker checker(row.name);
    for (const Environment& env : slow::all_policies()) {
      for (Bits a = 0; a <= f.mask(); ++a) {
        checker.expect(row.twin(f, a, env), row.soft(f, a, env), f, env, {a});
      }
    }
  }
  slow::Checker scaled("ldexp");
  for (const Environment& env : slow::all_policies()) {
    for (Bits a = 0; a <= f.mask(); ++a) {
      for (int n = -40; n <= 40; n += 1 + static_cast<int>(a & 3)) {
        scaled.expect(slow::ldexp(f, a, n, env), soft::ldexp(f, a, n, env), f, env, {a, Bits(n)});
      }
    }
  }
}

TEST_P(Narrow, Triples) {
  const Format& f = GetParam();
  slow::Operands operands(20);
  slow::Checker same("fma");
  slow::Checker wider("fma into fp16 or fp32");
  for (int i = 0; i < kTriples; ++i) {
    const Bits a = operands.any(f);
    const Bits b = operands.any(f);
    const Bits c = operands.any(f);
    const Environment env = operands.environment(f);
    same.expect(slow::fma(f, a, b, f, c, env), soft::fma(f, a, b, c, env), f, env, {a, b, c});
    const Format& out = i % 2 == 0 ? formats::kFp16 : formats::kFp32;
    const Bits addend = operands.close_to(out, soft::mul(f, a, b, out, {}).bits);
    wider.expect(slow::fma(f, a, b, out, addend, env), soft::fma(f, a, b, out, addend, env), out,
                 env, {a, b, addend});
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Narrow,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits <= 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
