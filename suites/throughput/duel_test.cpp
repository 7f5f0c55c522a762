// SPDX-License-Identifier: Apache-2.0
// Duels on the software device, and measurements of a case that has grown.
#include "suites/throughput/duel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "suites/throughput/measure.hpp"

namespace halfmark::suites::throughput {
namespace {

const std::string kFma = "rates.fp32.fma.portable.w8.n64r64.periodic.s1";
const std::string kAdd = "rates.fp32.add.portable.w8.n64r64.periodic.s1";
const std::string kSmall = "gemm.fp16.acc-fp32.out-fp16.library.nn.m64n64k64.plain.normal.s1";
const std::string kLarger = "gemm.fp16.acc-fp32.out-fp16.library.nn.m128n128k128.plain.normal.s1";

TEST(Duel, TakesEveryPair) {
  Session session(backends::Device::open("host"));
  const nlohmann::json held = duel(session, kAdd, kFma);
  EXPECT_EQ("rates.fp32.fma.portable.w8.n64r64.periodic", held.at("against"));
  // 64 items of 8 chains of packs of 8, 15 steps a round, two operations a step.
  EXPECT_EQ(64u * 8 * 8 * 15 * 64 * 2, held.at("against_flops"));
  ASSERT_EQ(15u, held.at("pairs_ns").size());
  for (const nlohmann::json& pair : held.at("pairs_ns")) {
    ASSERT_EQ(2u, pair.size());
    EXPECT_GT(pair.at(0).get<std::uint64_t>(), 0u);
    EXPECT_GT(pair.at(1).get<std::uint64_t>(), 0u);
  }
}

TEST(Measure, VerifiesACaseThatHasGrown) {
  Session session(backends::Device::open("host"));
  const nlohmann::json row = measure(session, kLarger, kSmall);
  EXPECT_EQ("", row.at("doubt"));
  EXPECT_EQ(kSmall, row.at("passed_case"));
  EXPECT_EQ("nn.m128n128k128.plain", row.at("shape"));
  ASSERT_EQ(3u, row.at("verified").size());
  EXPECT_EQ(kLarger.substr(0, kLarger.rfind(".s")), row.at("verified").at(0).at("name"));
  for (const nlohmann::json& witness : row.at("verified")) EXPECT_EQ("pass", witness.at("verdict"));
  EXPECT_EQ(0u, row.at("half_work_ns"));
  EXPECT_TRUE(measure(session, kSmall).at("verified").empty());
}

// With operands reduced to bf16, random data stays within the bound; the permutation reveals them.
TEST(Measure, TimesNothingThatIsWrongAtItsSize) {
  Session session(backends::Device::open("host", {{"fault", "G07"}}));
  const nlohmann::json row = measure(session, kLarger, kSmall);
  EXPECT_NE(std::string::npos, row.at("doubt").get<std::string>().find("does not pass"));
  EXPECT_TRUE(row.at("samples_ns").empty());
  EXPECT_EQ("fail", row.at("verified").back().at("verdict"));
}

nlohmann::json chain_row(Session& session) {
  return measure(session, "rates.fp32.mul.portable.w1.n64r512.periodic.s1",
                 "rates.fp32.mul.portable.w1.n64r8.periodic.s1");
}

TEST(Measure, LaunchesChainsWithHalfOfTheirSteps) {
  Session session(backends::Device::open("host"));
  const nlohmann::json row = chain_row(session);
  EXPECT_EQ("chain.mul", row.at("operation"));
  EXPECT_EQ("fp32", row.at("formats"));
  EXPECT_EQ("w1", row.at("shape"));
  EXPECT_EQ("chain", row.at("shape_class"));
  EXPECT_EQ(64u * 8 * 15 * 512, row.at("flops"));
  EXPECT_LT(0, row.at("half_work_ns").get<double>());
}

// The least of several times, since other work on the machine only adds to them.
TEST(Measure, TakesLessTimeForHalfOfTheSteps) {
  Session session(backends::Device::open("host"));
  double whole = std::numeric_limits<double>::infinity();
  double half = whole;
  for (int i = 0; i < 8; ++i) {
    const nlohmann::json row = chain_row(session);
    whole = std::min(whole, row.at("whole_work_ns").get<double>());
    half = std::min(half, row.at("half_work_ns").get<double>());
  }
  EXPECT_GT(whole, 1.3 * half);
}

}  // namespace
}  // namespace halfmark::suites::throughput
