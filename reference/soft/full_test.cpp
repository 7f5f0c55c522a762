// SPDX-License-Identifier: Apache-2.0
// The long comparison with the naive twin: a stride through all pairs of 16-bit operands, a stride
// through all fp32 encodings, and tens of millions of fused operations, on every core.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::soft {
namespace {

// Primes, so that a stride meets every residue of the fields that it walks through.
constexpr std::uint64_t kPairStride = 1031;
constexpr std::uint64_t kEncodingStride = 1021;
constexpr unsigned kFused = 6000000;  // per format, shared by the cores

void on_every_core(const std::function<void(unsigned index, unsigned count)>& body) {
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < count; ++i) threads.emplace_back(body, i, count);
}

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
    const Environment& env = operands.environment();
    sum.expect(slow::add(f, a, b, env), soft::add(f, a, b, env), f, env, {a, b});
    product.expect(slow::mul(f, a, b, f, env), soft::mul(f, a, b, env), f, env, {a, b});
    quotient.expect(slow::div(f, a, b, env), soft::div(f, a, b, env), f, env, {a, b});
  }
}

TEST_P(Full, PairsOfSixteenBitOperands) {
  const Format& f = GetParam();
  if (f.bits > 16) return;
  on_every_core([&](unsigned index, unsigned count) { check_pairs(f, index, count); });
}

void check_encodings(unsigned index, unsigned count) {
  const Format& f = formats::kFp32;
  slow::Checker root("sqrt");
  slow::Checker integer("rint");
  slow::Checker half("convert to fp16");
  slow::Checker brain("convert to bf16");
  slow::Operands operands(200 + index);
  for (Bits a = index * kEncodingStride; a <= f.mask(); a += count * kEncodingStride) {
    const Environment& env = operands.environment();
    root.expect(slow::sqrt(f, a, env), soft::sqrt(f, a, env), f, env, {a});
    integer.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
    for (const auto& [to, checker] :
         {std::pair{&formats::kFp16, &half}, {&formats::kBf16, &brain}}) {
      checker->expect(slow::convert(f, *to, a, env), soft::convert(f, *to, a, env), *to, env, {a});
    }
  }
}

TEST(FullEncodings, OfFp32) { on_every_core(check_encodings); }

void check_fused(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("fma");
  slow::Operands operands(300 + index);
  for (unsigned i = 0; i < kFused / count; ++i) {
    const Bits a = operands.any(f);
    const Bits b = operands.any(f);
    const Environment& env = operands.environment();
    const Bits product = soft::mul(f, a, b, env).bits;
    const Bits c = i % 2 == 0 ? operands.close_to(f, product) : operands.any(f);
    checker.expect(slow::fma(f, a, b, f, c, env), soft::fma(f, a, b, c, env), f, env, {a, b, c});
  }
}

TEST_P(Full, FusedOperations) {
  const Format& f = GetParam();
  on_every_core([&](unsigned index, unsigned count) { check_fused(f, index, count); });
}

INSTANTIATE_TEST_SUITE_P(Formats, Full,
                         testing::Values(formats::kFp16, formats::kBf16, formats::kFp32),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
