// SPDX-License-Identifier: Apache-2.0
// The long test against the naive twin, on every core: a strided selection of all pairs of
// 16-bit operands and of all fp32 encodings, and three million fused operations per format (a
// tenth in ci/test).
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/cores.hpp"
#include "reference/slow/effort.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

// Primes, so that a stride meets every residue of the fields it steps through.
const auto kPairStride = slow::effort<std::uint64_t>(1031, 12289);
const auto kEncodingStride = slow::effort<std::uint64_t>(1021, 12281);
const unsigned kFused = slow::effort(3000000U, 300000U);  // per format, shared by the cores

using slow::on_every_core;

class Full : public testing::TestWithParam<Format> {};

void check_pairs(const Format& f, unsigned index, unsigned count) {
  slow::Checker sum("add");
  slow::Checker product("mul");
  slow::Checker quotient("div");
  slow::Operands operands(100 + index);
  const std::uint64_t pairs = std::uint64_t{1} << 32;
  for (std::uint64_t i = index * kPairStride; i < pairs; i += count * kPairStride) {
    const Bits a = i >> 16;
    const Bits b = i & 0xffff;
    const Environment env = operands.environment(f);
    sum.expect(slow::add(f, a, b, env), soft::add(f, a, b, env), f, env, {a, b});
    product.expect(slow::mul(f, a, b, f, env), soft::mul(f, a, b, env), f, env, {a, b});
    quotient.expect(slow::div(f, a, b, env), soft::div(f, a, b, env), f, env, {a, b});
  }
}

TEST_P(Full, PairsOfSixteenBitOperands) {
  const Format& f = GetParam();
  if (f.bits != 16) return;
  on_every_core([&](unsigned index, unsigned count) { check_pairs(f, index, count); });
}

void check_encodings(unsigned index, unsigned count) {
  const Format& f = formats::kFp32;
  slow::Checker root("sqrt");
  slow::Checker integer("rint");
  slow::Checker convert("convert");
  slow::Operands operands(200 + index);
  for (Bits a = index * kEncodingStride; a <= f.mask(); a += count * kEncodingStride) {
    const Environment env = operands.environment(f);
    root.expect(slow::sqrt(f, a, env), soft::sqrt(f, a, env), f, env, {a});
    integer.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
    const Format& to = formats::kFormats[operands.word() % formats::kFormats.size()];
    const Environment on = operands.environment(to);
    convert.expect(slow::convert(f, to, a, on), soft::convert(f, to, a, on), to, on, {a});
  }
}

TEST(FullEncodings, OfFp32) { on_every_core(check_encodings); }

void check_fused(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("fma");
  slow::Operands operands(300 + index);
  for (unsigned i = 0; i < kFused / count; ++i) {
    const Bits a = operands.any(f);
    const Bits b = operands.any(f);
    const Environment env = operands.environment(f);
    const Bits product = soft::mul(f, a, b, env).bits;
    const Bits c = i % 2 == 0 ? operands.close_to(f, product) : operands.any(f);
    checker.expect(slow::fma(f, a, b, f, c, env), soft::fma(f, a, b, c, env), f, env, {a, b, c});
  }
}

TEST_P(Full, FusedOperations) {
  const Format& f = GetParam();
  on_every_core([&](unsigned index, unsigned count) { check_fused(f, index, count); });
}

INSTANTIATE_TEST_SUITE_P(Formats, Full, testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits > 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
