// SPDX-License-Identifier: Apache-2.0
// The long test of the elementary functions. Every operand of the 16-bit formats and of tf32 in
// every direction and subnormal policy against MPFR (in ci/test each operand in a quarter of these,
// and every seventh of tf32). Thirty million fp32 operands per function (half a million in
// ci/test), of which double precision decides all but a few and MPFR the rest.
#include <gtest/gtest.h>

#include <atomic>

#include "reference/slow/check_functions.hpp"
#include "reference/slow/cores.hpp"
#include "reference/slow/effort.hpp"
#include "reference/slow/libm_functions.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::soft {
namespace {

using slow::on_every_core;

// Per function, shared by the cores.
const auto kRandom = slow::effort<std::uint64_t>(30000000, 500000);
constexpr Bits kBlock = 4096;

class FullFunctions : public testing::TestWithParam<Function> {};

// Each thread has its own checker. Threads take blocks dynamically, because operands take very
// different times. Each operand a of `every` is checked in `share` of the 20 environments,
// beginning with number a.
void check_all(const Function& function, const Format& f, std::size_t share, Bits every = 1) {
  const auto& all = slow::all_environments();
  std::atomic<Bits> next = 0;
  on_every_core([&](unsigned /*index*/, unsigned /*count*/) {
    slow::FunctionChecker checker(function, f);
    checker.expect(0, all);
    for (Bits start = next.fetch_add(kBlock); start <= f.mask(); start = next.fetch_add(kBlock)) {
      for (Bits a = start; a < start + kBlock && a <= f.mask(); ++a) {
        if (a % every != 0) continue;
        const slow::mpfr::FunctionValue value = slow::mpfr::value_of(checker.id(), f, a);
        for (std::size_t i = a; i < a + share; ++i) checker.expect(a, value, all[i % all.size()]);
      }
    }
  });
}

const auto kShare = slow::effort<std::size_t>(20, 5);
TEST_P(FullFunctions, OfEveryFp16) { check_all(GetParam(), formats::kFp16, kShare); }
TEST_P(FullFunctions, OfEveryBf16) { check_all(GetParam(), formats::kBf16, kShare); }
TEST_P(FullFunctions, OfTf32) {
  check_all(GetParam(), formats::kTf32, 4, slow::effort<Bits>(1, 7));
}

// Where a function is defined, and how large its operands may be.
struct Domain {
  bool positive = false;
  bool below_one = false;  // in magnitude
};

Domain domain_of(std::string_view name) {
  if (name == "log1p") return {};
  if (name == "asin" || name == "acos") return {.below_one = true};
  return {.positive = name.starts_with("log") || name == "rsqrt"};
}

// For 99 operands of a hundred, exponents at which the functions are neither tiny nor saturated.
Bits random_operand(slow::Operands& operands, const Function& function) {
  const Domain domain = domain_of(function.name);
  const std::uint64_t word = operands.word();
  Bits a = word & 0xffffffff;
  if (domain.below_one || (word >> 32) % 100 != 0) {
    a = (a & 0x807fffff) | (127 - 18 + (word >> 40) % (domain.below_one ? 18 : 22)) << 23;
  }
  if (function.name == "log1p" && a > 0xbf800000) a &= 0x7fffffff;
  return domain.positive ? a & 0x7fffffff : a;
}

TEST_P(FullFunctions, OfRandomFp32) {
  const Function& function = GetParam();
  std::atomic<std::uint64_t> undecided = 0;
  on_every_core([&](unsigned index, unsigned count) {
    const Format& f = formats::kFp32;
    slow::FunctionChecker checker(function, f);
    slow::Operands operands(1000 + index);
    std::uint64_t left = 0;
    for (std::uint64_t i = 0; i < kRandom / count; ++i) {
      const Bits a = random_operand(operands, function);
      const Environment env{.rounding = kRoundings[i % 5].value};
      if (const auto expected = slow::libm_function(checker.id(), a, env.rounding)) {
        checker.expect(a, *expected, env);
      } else {
        checker.expect(a, {&env, 1});
        ++left;
      }
    }
    undecided += left;
  });
  // Otherwise the libm was useless, and the test did not check its answers.
  EXPECT_LT(undecided, kRandom / 200);
  std::printf("%s: %.2f %% by MPFR\n", std::string(function.name).c_str(),
              100.0 * static_cast<double>(undecided) / static_cast<double>(kRandom));
}

INSTANTIATE_TEST_SUITE_P(All, FullFunctions, testing::ValuesIn(kFunctions),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
