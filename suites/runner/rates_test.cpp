// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/rates.hpp"

#include <gtest/gtest.h>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

constexpr const char* kLargest =
    "gemm.fp32.acc-fp32.out-fp32.library.nn.m8192n8192k8192.plain.integer.s1";

Case product(const std::string& size, const std::string& formats = "fp32.acc-fp32.out-fp32") {
  return parse_case("gemm." + formats + ".library.nn.m" + size + "n" + size + "k" + size +
                    ".plain.normal.s1");
}

void learn(Rates& rates, const Case& c, std::uint64_t device_ns, double execute_seconds = 1,
           Verdict verdict = Verdict::kPass) {
  CaseResult result;
  result.name = print(c);
  result.verdict = verdict;
  result.device_ns = device_ns;
  result.execute_seconds = execute_seconds;
  rates.learn(c, result);
}

TEST(Rates, GrowWithTheProductOfTheSizes) {
  Rates rates(false);
  learn(rates, product("1024"), 2'000'000);
  const auto foreseen = rates.foresee(parse_case(kLargest));
  ASSERT_TRUE(foreseen);
  EXPECT_DOUBLE_EQ(27 * 512 * 0.002, foreseen->seconds);
  EXPECT_EQ(print(product("1024")), foreseen->like);
}

TEST(Rates, AreOfTheLargestThatPassedAndOfEqualOnesTheFastest) {
  Rates rates(false);
  learn(rates, product("1024"), 4'000'000);
  learn(rates, product("1024"), 2'000'000);
  learn(rates, product("1024"), 3'000'000);
  learn(rates, product("128"), 1'000'000);
  learn(rates, product("2048"), 1, 1, Verdict::kFail);
  EXPECT_DOUBLE_EQ(27 * 512 * 0.002, rates.foresee(parse_case(kLargest))->seconds);
}

TEST(Rates, TellNothingOfSmallCasesAndOtherFormats) {
  Rates rates(false);
  learn(rates, product("1024", "fp16.acc-fp32.out-fp16"), 2'000'000);
  EXPECT_FALSE(rates.foresee(parse_case(kLargest)));
  learn(rates, product("1024"), 2'000'000);
  EXPECT_FALSE(rates.foresee(product("2048")));
}

TEST(Rates, OfAModelledClockAreTheHosts) {
  Rates rates(true);
  learn(rates, product("1024"), 1, 4);
  EXPECT_DOUBLE_EQ(27 * 512 * 2.0, rates.foresee(parse_case(kLargest))->seconds);
}

TEST(Rates, AShortLimitIsRunInto) {
  EXPECT_DOUBLE_EQ(120, longest_foreseen_s(std::chrono::seconds(1)));
  EXPECT_DOUBLE_EQ(120, longest_foreseen_s(kCaseLimit));
  EXPECT_DOUBLE_EQ(600, longest_foreseen_s(std::chrono::seconds(600)));
}

}  // namespace
}  // namespace halfmark::suites
