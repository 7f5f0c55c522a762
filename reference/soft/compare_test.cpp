// SPDX-License-Identifier: Apache-2.0
// Comparisons and extrema against the naive twin, and the rules that have names.
#include "reference/soft/compare.hpp"

#include <gtest/gtest.h>

#include <array>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::soft {
namespace {

using formats::kFp16;

// A NaN is contagious to minimum, loses against a number in minimumNumber; -0 is below +0.
static_assert(minimum(kFp16, 0x7e01, 0x3c00) == Result{0x7e00, 0});
static_assert(minimum_number(kFp16, 0x7e01, 0x3c00) == Result{0x3c00, 0});
static_assert(minimum_number(kFp16, 0x7d01, 0x3c00) == Result{0x3c00, kInvalid});
static_assert(minimum(kFp16, 0x0000, 0x8000).bits == 0x8000);
static_assert(maximum(kFp16, 0x8000, 0x0000).bits == 0x0000);
static_assert(eq(kFp16, 0x0000, 0x8000) == Result{1, 0});
static_assert(eq(kFp16, 0x7e00, 0x7e00) == Result{0, 0});
static_assert(lt(kFp16, 0x7e00, 0x3c00) == Result{0, kInvalid});

struct Row {
  const char* name;
  Result (*slow)(const Format&, Bits, Bits, const Environment&);
  Result (*soft)(const Format&, Bits, Bits, const Environment&);
};
const std::array<Row, 7> kRows{{
    {"minimum", slow::minimum, soft::minimum},
    {"maximum", slow::maximum, soft::maximum},
    {"minimum_number", slow::minimum_number, soft::minimum_number},
    {"maximum_number", slow::maximum_number, soft::maximum_number},
    {"eq", slow::eq, soft::eq},
    {"lt", slow::lt, soft::lt},
    {"le", slow::le, soft::le},
}};

class Compare : public testing::TestWithParam<Format> {};

TEST_P(Compare, PairsOfCorners) {
  const Format& f = GetParam();
  for (const Row& row : kRows) {
    slow::Checker checker(row.name);
    for (const Bits a : slow::corners(f)) {
      for (const Bits b : slow::corners(f)) {
        // Rounding means nothing here; the subnormal policy does.
        for (const auto& policy : kSubnormalPolicies) {
          const Environment env{Rounding::kNearEven, policy.value};
          checker.expect(row.slow(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
        }
      }
    }
  }
}

TEST_P(Compare, RandomPairs) {
  const Format& f = GetParam();
  for (const Row& row : kRows) {
    slow::Checker checker(row.name);
    slow::Operands operands(6);
    for (int i = 0; i < 340000; ++i) {
      const Bits a = operands.any(f);
      const Bits b = i % 2 == 0 ? operands.close_to(f, a) : operands.any(f);
      const Environment& env = operands.environment();
      checker.expect(row.slow(f, a, b, env), row.soft(f, a, b, env), f, env, {a, b});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Compare,
                         testing::Values(formats::kFp16, formats::kBf16, formats::kFp32),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
