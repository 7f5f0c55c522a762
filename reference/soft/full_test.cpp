// SPDX-License-Identifier: Apache-2.0
// The long comparison with the naive twin: every environment for every pair of 8-bit operands and
// for every encoding of sixteen bits and fewer, every triple of 8-bit operands, a stride through
// all pairs of 16-bit operands and all fp32 encodings, and tens of millions of fused operations, on
// every core.
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

// Primes, so that a stride meets every residue of the fields that it walks through.
constexpr std::uint64_t kPairStride = 1031;
constexpr std::uint64_t kEncodingStride = 1021;
constexpr unsigned kFused = 4000000;  // per format, shared by the cores

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

void check_narrow(const Format& f, unsigned index, unsigned count) {
  for (const slow::Binary& row : slow::kBinary) {
    slow::Checker checker(row.name);
    for (Bits a = index; a <= f.mask(); a += count) {
      for (Bits b = 0; b <= f.mask(); ++b) {
        for (const Environment& env : slow::all_policies()) {
          checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
        }
      }
    }
  }
}

void check_triples(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("fma");
  slow::Operands operands(400 + index);
  for (Bits a = index; a <= f.mask(); a += count) {
    for (Bits b = 0; b <= f.mask(); ++b) {
      for (Bits c = 0; c <= f.mask(); ++c) {
        const Environment env = operands.environment(f);
        checker.expect(slow::fma(f, a, b, f, c, env), soft::fma(f, a, b, c, env), f, env,
                       {a, b, c});
      }
    }
  }
}

TEST_P(Full, EightBitOperands) {
  const Format& f = GetParam();
  if (f.bits > 8) return;
  on_every_core([&](unsigned index, unsigned count) { check_narrow(f, index, count); });
  on_every_core([&](unsigned index, unsigned count) { check_triples(f, index, count); });
}

void check_conversions(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("convert from " + std::string(f.name));
  for (const Environment& env : slow::all_policies()) {
    for (Bits a = index; a <= f.mask(); a += count) {
      for (const Format& to : formats::kFormats) {
        checker.expect(slow::convert(f, to, a, env), soft::convert(f, to, a, env), to, env, {a});
      }
    }
  }
}

TEST(FullConversions, OfSixteenBitsAndFewer) {
  for (const Format& f : formats::kFormats) {
    if (f.bits > 16) continue;
    on_every_core([&](unsigned index, unsigned count) { check_conversions(f, index, count); });
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Full, testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
