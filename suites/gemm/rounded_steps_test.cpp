// SPDX-License-Identifier: Apache-2.0
// A library that puts its running sum away in a narrow format every so many products, or that takes
// neighbours along k for each other, computed here with the machine's arithmetic: the diagnosis
// must name it from the bits.
#include <gtest/gtest.h>

#include <string>

#include "reference/fast/floating_point.hpp"
#include "suites/core/interval.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::size_t kM = 9, kN = 17, kK = 66;

std::string told(const formats::Format* narrow, std::size_t every, std::size_t apart = 0) {
  const Case c = parse_case("gemm", suite().axes,
                            "gemm.fp16.acc-fp32.out-fp16.library.nn.m9n17k66.plain.normal.s7");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected;
  {
    const fast::FloatingPointScope scope;
    const auto value = [&](const char* name, std::size_t i) {
      return value_of(formats::kFp16, prepared.inputs.at(name).at(i));
    };
    for (std::size_t i = 0; i < kM * kN; ++i) {
      double sum = 0;
      for (std::size_t x = 0; x < kK; ++x) {
        const std::size_t other = (x ^ apart) < kK && i / kN % 3 == 1 ? x ^ apart : x;
        sum = single(sum + value("a", i / kN * kK + other) * value("b", x * kN + i % kN));
        if ((x + 1) % every == 0) sum = through(narrow, sum);
      }
      actual.at("d").set(i, nearest(formats::kFp16, sum));
    }
  }
  const auto found = diagnose(suite(), c, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].finding_class;
}

TEST(GemmRoundedSteps, InFp32AreNotAccused) { EXPECT_EQ("", told(nullptr, 8)); }

TEST(GemmRoundedSteps, OfSomeProductsEachAreNamed) {
  for (const std::size_t every : {8u, 24u}) EXPECT_EQ("acc_narrow", told(&formats::kBf16, every));
  EXPECT_EQ("acc_narrow", told(&formats::kFp16, 32));
}

TEST(GemmRoundedSteps, NeighboursAlongKThatSomeRowsExchangeAreNamed) {
  EXPECT_EQ("layout", told(nullptr, 8, 1));
  EXPECT_EQ("layout", told(nullptr, 8, 4));
}

}  // namespace
}  // namespace halfmark::suites::gemm
