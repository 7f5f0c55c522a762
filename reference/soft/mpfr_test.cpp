// SPDX-License-Identifier: Apache-2.0
// A second, independent check: MPFR, for the rounding directions that it has.
#include "reference/slow/mpfr.hpp"

#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::soft {
namespace {

using slow::mpfr::Operation;

constexpr int kRandom = 30000;

class Mpfr : public testing::TestWithParam<Format> {};

struct Witness {
  const Format& f;
  const Environment& env;
  slow::Checker& checker;

  void operator()(Operation operation, const Format& out, Bits a, Bits b, Bits c,
                  const Result& actual) const {
    const auto expected = slow::mpfr::evaluate(operation, f, a, b, c, out, env.rounding);
    if (expected) checker.expect(*expected, actual, out, env, {a, b, c});
  }
};

void check(const Witness& witness, Bits a, Bits b, Bits c) {
  const Format& f = witness.f;
  const Environment& env = witness.env;
  witness(Operation::kAdd, f, a, b, c, add(f, a, b, env));
  witness(Operation::kSub, f, a, b, c, sub(f, a, b, env));
  witness(Operation::kMul, f, a, b, c, mul(f, a, b, env));
  witness(Operation::kDiv, f, a, b, c, div(f, a, b, env));
  witness(Operation::kFma, f, a, b, c, fma(f, a, b, c, env));
  witness(Operation::kSqrt, f, a, b, c, sqrt(f, a, env));
  witness(Operation::kRint, f, a, b, c, rint(f, a, env));
  for (const Format& to : formats::kFormats) {
    witness(Operation::kConvert, to, a, b, c, convert(f, to, a, env));
  }
}

TEST_P(Mpfr, Agrees) {
  const Format& f = GetParam();
  slow::Operands operands(9);
  const auto corners = slow::corners(f);
  slow::Checker checker("all operations of " + std::string(f.name));
  for (int i = 0; i < kRandom; ++i) {
    Bits a = operands.any(f);
    Bits b = operands.any(f);
    if (i % 4 == 0) a = corners[operands.word() % corners.size()];
    if (i % 8 == 0) b = corners[operands.word() % corners.size()];
    Bits c = operands.any(f);
    if (i % 3 == 0) c = operands.close_to(f, mul(f, a, b).bits);
    const Environment env{kRoundings[operands.word() % 4].value, Subnormals::kKeep};
    ASSERT_TRUE(slow::mpfr::offers(env.rounding));
    check({f, env, checker}, a, b, c);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Mpfr, testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.use >= formats::Use::kArithmetic;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
