// SPDX-License-Identifier: Apache-2.0
// The long test of narrow formats against the naive twin, in every environment: every pair of 8-bit
// operands, and conversions of every encoding of sixteen bits and fewer to every format (ci/test
// checks each in a share of the environments that rotates with the operands); and a third of all
// triples of 8-bit operands (one in 53 in ci/test), in random environments.
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/cores.hpp"
#include "reference/slow/effort.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

using slow::on_every_core;

const Bits kTripleStride = slow::effort<Bits>(3, 53);
// Coprime to the number of environments and to every power of two.
const std::size_t kEvery = slow::effort<std::size_t>(1, 7);

class FullNarrow : public testing::TestWithParam<Format> {};

// Only rounded results depend on the direction and the overflow policy.
bool is_rounded(const slow::Binary& row) { return &row - slow::kBinary.data() < 4; }

void check_pairs(const Format& f, unsigned index, unsigned count) {
  for (const slow::Binary& row : slow::kBinary) {
    slow::Checker checker(row.name);
    const auto& policies = slow::all_policies();
    for (std::size_t number = 0; number < policies.size(); ++number) {
      const Environment& env = policies[number];
      if (!is_rounded(row) && env != Environment{.subnormals = env.subnormals}) continue;
      for (Bits a = index; a <= f.mask(); a += count) {
        for (Bits b = (a + number) % kEvery; b <= f.mask(); b += kEvery) {
          checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
        }
      }
    }
  }
}

TEST_P(FullNarrow, Pairs) {
  const Format& f = GetParam();
  on_every_core([&](unsigned index, unsigned count) { check_pairs(f, index, count); });
}

void check_triples(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("fma");
  slow::Operands operands(400 + index);
  for (Bits a = index; a <= f.mask(); a += count) {
    for (Bits b = 0; b <= f.mask(); ++b) {
      for (Bits c = (a + b) % kTripleStride; c <= f.mask(); c += kTripleStride) {
        const Environment env = operands.environment(f);
        checker.expect(slow::fma(f, a, b, f, c, env), soft::fma(f, a, b, c, env), f, env,
                       {a, b, c});
      }
    }
  }
}

TEST_P(FullNarrow, Triples) {
  const Format& f = GetParam();
  on_every_core([&](unsigned index, unsigned count) { check_triples(f, index, count); });
}

INSTANTIATE_TEST_SUITE_P(Formats, FullNarrow,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits <= 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

void check_conversions(const Format& f, unsigned index, unsigned count) {
  slow::Checker checker("convert from " + std::string(f.name));
  const auto& policies = slow::all_policies();
  for (std::size_t number = 0; number < policies.size(); ++number) {
    const Environment& env = policies[number];
    for (Bits a = index; a <= f.mask(); a += count) {
      if ((a + number) % kEvery != 0) continue;
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

}  // namespace
}  // namespace halfmark::soft
