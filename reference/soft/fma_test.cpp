// SPDX-License-Identifier: Apache-2.0
// Fused multiply-add and mixed-format products against the naive twin. A third of the random
// addends cancel the product down to its last places, where a second rounding would show.
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/add_multiply.hpp"

namespace halfmark::soft {
namespace {

constexpr int kRandom = 60000;
constexpr int kAddendsPerPair = 4;  // drawn from the corners: all of them take minutes

struct Formats {
  Format in;
  Format out;
};

class Fma : public testing::TestWithParam<Formats> {};

TEST_P(Fma, TriplesOfCorners) {
  const auto& [in, out] = GetParam();
  const auto corners = slow::corners(in);
  const auto addends = slow::corners(out);
  slow::Checker checker("fma");
  slow::Operands operands(2);
  for (const Bits a : corners) {
    for (const Bits b : corners) {
      for (int i = 0; i < kAddendsPerPair; ++i) {
        const Bits c = addends[operands.word() % addends.size()];
        const Environment env = operands.environment(out);
        checker.expect(slow::fma(in, a, b, out, c, env), soft::fma(in, a, b, out, c, env), out, env,
                       {a, b, c});
      }
    }
  }
}

TEST_P(Fma, RandomTriples) {
  const auto& [in, out] = GetParam();
  slow::Checker fused("fma");
  slow::Checker product("mul");
  slow::Operands operands(3);
  for (int i = 0; i < kRandom; ++i) {
    const Bits a = operands.any(in);
    const Bits b = operands.any(in);
    const Environment env = operands.environment(out);
    const Result p = soft::mul(in, a, b, out, env);
    const Bits c = i % 3 == 0 ? operands.close_to(out, p.bits) : operands.any(out);
    fused.expect(slow::fma(in, a, b, out, c, env), soft::fma(in, a, b, out, c, env), out, env,
                 {a, b, c});
    product.expect(slow::mul(in, a, b, out, env), p, out, env, {a, b});
  }
}

INSTANTIATE_TEST_SUITE_P(
    Mixed, Fma,
    testing::Values(
        Formats{formats::kFp16, formats::kFp16}, Formats{formats::kBf16, formats::kBf16},
        Formats{formats::kFp32, formats::kFp32}, Formats{formats::kFp16, formats::kFp32},
        Formats{formats::kBf16, formats::kFp32}, Formats{formats::kFp32, formats::kFp16},
        Formats{formats::kTf32, formats::kTf32}, Formats{formats::kTf32, formats::kFp32},
        Formats{formats::kFp64, formats::kFp64}, Formats{formats::kFp32, formats::kFp64},
        Formats{formats::kFp64, formats::kFp32}),
    [](const auto& row) {
      return std::string(row.param.in.name) + "_" + std::string(row.param.out.name);
    });

}  // namespace
}  // namespace halfmark::soft
