// SPDX-License-Identifier: Apache-2.0
// Comparisons and extrema against the naive twin, and known answers for the named rules.
#include "reference/soft/compare.hpp"

#include <gtest/gtest.h>

#include <span>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/operations.hpp"

namespace halfmark::soft {
namespace {

using formats::kFp16;

// minimum of a NaN is a NaN, minimumNumber prefers the number; -0 is below +0.
static_assert(minimum(kFp16, 0x7e01, 0x3c00) == Result{0x7e00, 0});
static_assert(minimum_number(kFp16, 0x7e01, 0x3c00) == Result{0x3c00, 0});
static_assert(minimum_number(kFp16, 0x7d01, 0x3c00) == Result{0x3c00, kInvalid});
static_assert(minimum(kFp16, 0x0000, 0x8000).bits == 0x8000);
static_assert(maximum(kFp16, 0x8000, 0x0000).bits == 0x0000);
static_assert(eq(kFp16, 0x0000, 0x8000) == Result{1, 0});
static_assert(eq(kFp16, 0x7e00, 0x7e00) == Result{0, 0});
static_assert(lt(kFp16, 0x7e00, 0x3c00) == Result{0, kInvalid});

// The rows after the first four, which are the arithmetic ones.
std::span<const slow::Binary> comparisons() { return std::span(slow::kBinary).subspan(4); }

class Compare : public testing::TestWithParam<Format> {};

TEST_P(Compare, PairsOfCorners) {
  const Format& f = GetParam();
  for (const slow::Binary& row : comparisons()) {
    slow::Checker checker(row.name);
    std::size_t turn = 0;
    for (const Bits a : slow::corners(f)) {
      for (const Bits b : slow::corners(f)) {
        // Rounding has no effect here; the subnormal policy does.
        const Environment env{Rounding::kNearEven, kSubnormalPolicies[turn++ / 3 % 4].value};
        checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
      }
    }
  }
}

TEST_P(Compare, RandomPairs) {
  const Format& f = GetParam();
  for (const slow::Binary& row : comparisons()) {
    slow::Checker checker(row.name);
    slow::Operands operands(6);
    for (int i = 0; i < 100000; ++i) {
      const Bits a = operands.any(f);
      const Bits b = i % 2 == 0 ? operands.close_to(f, a) : operands.any(f);
      const Environment& env = operands.environment();
      checker.expect(row.twin(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Compare,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits > 8 && f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
