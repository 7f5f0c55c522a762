// SPDX-License-Identifier: Apache-2.0
// Which cases grow, to which cases, and what is verified at the new size.
#include "suites/throughput/sizes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "suites/registry.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {
namespace {

const std::string kProduct = "gemm.fp16.acc-fp32.out-fp16.portable.nn.m64n64k64.plain.normal.s1";
const std::string kChain = "rates.fp16.fma.portable.w2.n64r8.periodic.s1";
const std::string kStream = "rates.fp32.copy.portable.w4.n16384r1.periodic.s1";

Case named(const std::string& name) { return parse_case(name); }

TEST(MayGrow, ChainsStreamsAndSquareProductsOnRandomData) {
  for (const std::string& name : {kProduct, kChain, kStream}) EXPECT_TRUE(may_grow(named(name)));
  for (const char* name : {"gemm.fp16.acc-fp32.out-fp16.portable.nn.m64n64k128.plain.normal.s1",
                           "gemm.fp16.acc-fp32.out-fp16.portable.nn.m63n63k63.plain.normal.s1",
                           "gemm.fp16.acc-fp32.out-fp16.library.nt.m128n128k128.plain.integer.s1",
                           "gemm.fp16.acc-fp32.out-fp16.portable.nn.m64n64k64.ab.normal.s1",
                           "arithmetic.fp16.add.portable.n262144.near.s1"})
    EXPECT_FALSE(may_grow(named(name))) << name;
}

TEST(Grown, ProductsTakeTheNextSideOfTheLadder) {
  EXPECT_EQ("gemm.fp16.acc-fp32.out-fp16.portable.nn.m512n512k512.plain.normal.s1",
            print(grown(named(kProduct), 400)));
  EXPECT_EQ(print(named(kProduct)), print(grown(named(kProduct), 0.5)));
}

// The reference must finish, and fp16 sums of more than 2048 terms may overflow.
TEST(Grown, ProductsStopWhereTheyCannotBeVerifiedOrDoNotExist) {
  const Case most = grown(named(kProduct), 1e12);
  EXPECT_LE(elements_of_work(most),
            kMostProductsPerThread * std::max(1u, std::thread::hardware_concurrency()));
  EXPECT_EQ(print(most), print(grown(most, 64)));
  const Case half = named("gemm.fp16.acc-fp16.out-fp16.library.nn.m64n64k64.plain.normal.s1");
  EXPECT_LE(grown(half, 1e12).number("shape", 'k'), 2048u);
  const Case far = named("gemm.fp16.acc-fp32.out-fp16.library.nn.m4096n4096k4096.plain.normal.s1");
  EXPECT_EQ(print(half), print(as_large_as(half, far)));
}

TEST(Grown, ChainsGetLongerFirstAndThenMore) {
  EXPECT_EQ("rates.fp16.fma.portable.w2.n64r32.periodic.s1", print(grown(named(kChain), 4)));
  EXPECT_EQ("rates.fp16.fma.portable.w2.n640r512.periodic.s1", print(grown(named(kChain), 640)));
}

TEST(Grown, StreamsGetMoreItemsAndStopAtTheMostThereMayBe) {
  EXPECT_EQ("rates.fp32.copy.portable.w4.n65536r1.periodic.s1", print(grown(named(kStream), 4)));
  const Case most = grown(named(kStream), 1e12);
  EXPECT_EQ(print(most), print(grown(most, 64)));
  EXPECT_GT(elements_of_work(most), std::uint64_t{1} << 25);
}

TEST(Grown, IsACaseOfItsSuiteAndNeverSmaller) {
  for (const std::string& name : {kProduct, kChain, kStream}) {
    for (const double factor : {1.5, 7.0, 99.0, 12345.0}) {
      const Case larger = grown(named(name), factor);
      EXPECT_EQ(larger, parse_case(print(larger)));
      EXPECT_GE(elements_of_work(larger), elements_of_work(named(name)));
    }
  }
}

TEST(Grown, RowsOfSoftmaxAndNormalisationsGetMore) {
  EXPECT_EQ("softmax.forward.fp16.out-fp16.portable.r160n1000.normal.s1",
            print(grown(named("softmax.forward.fp16.out-fp16.portable.r16n1000.normal.s1"), 10)));
  EXPECT_FALSE(may_grow(named("softmax.forward.fp16.out-fp16.portable.r16n1000.tail.s1")));
  const Case most = grown(named("layernorm.forward.fp16.portable.r16n1000.eps1e-5.normal.s1"), 1e9);
  EXPECT_LE(elements_of_work(most), kMostInRowsOnGpu);
}

// They exist on whole numbers alone, and bound what wider units may reach.
TEST(Grown, ProductsInTf32GrowOnWholeNumbers) {
  const Case c = named("gemm.tf32.acc-fp32.out-fp32.library.nt.m128n128k128.plain.integer.s1");
  EXPECT_TRUE(may_grow(c));
  EXPECT_FALSE(
      may_grow(named("gemm.fp16.acc-fp32.out-fp16.library.nt.m128n128k128.plain.integer.s1")));
  for (const Case& witness : witnesses_of(grown(c, 64)))
    EXPECT_NO_THROW(static_cast<void>(find_suite("gemm").bind(witness))) << print(witness);
}

TEST(Grown, RowsThatWouldPassTheLimitReachIt) {
  const Case c = named("softmax.forward.fp32.out-fp32.portable.r280n1000.normal.s1");
  EXPECT_EQ("softmax.forward.fp32.out-fp32.portable.r1048n1000.normal.s1",
            print(grown(c, 6.25, kMostInRows)));
  const Case most = grown(c, 6.25, kMostInRows);
  EXPECT_EQ(print(most), print(grown(most, 2, kMostInRows)));
}

TEST(AsLargeAs, TakesTheSizesAlone) {
  EXPECT_EQ(
      "softmax.forward.fp32.out-fp32.portable.r160n1000.normal.s1",
      print(as_large_as(named("softmax.forward.fp32.out-fp32.portable.r16n1000.normal.s1"),
                        named("softmax.forward.fp16.out-fp16.portable.r160n1000.normal.s1"))));
}

TEST(HalfTheSteps, AreOfChainsAlone) {
  EXPECT_EQ("rates.fp16.fma.portable.w2.n64r4.periodic.s1",
            print(*with_half_the_steps(named(kChain))));
  EXPECT_FALSE(with_half_the_steps(named(kStream)));
  EXPECT_FALSE(with_half_the_steps(named(kProduct)));
}

std::vector<std::string> fills_of(const std::string& name) {
  std::vector<std::string> fills;
  for (const Case& c : witnesses_of(named(name))) fills.emplace_back(c.word("fill"));
  return fills;
}

TEST(Witnesses, ShowNarrowOperandsAndNarrowSums) {
  using Fills = std::vector<std::string>;
  EXPECT_EQ((Fills{"normal", "permutation", "wide"}), fills_of(kProduct));
  EXPECT_EQ((Fills{"normal", "permutation"}),
            fills_of("gemm.fp16.acc-fp16.out-fp16.portable.nn.m64n64k64.plain.normal.s1"));
  EXPECT_EQ(Fills{"normal"},
            fills_of("gemm.fp32.acc-fp32.out-fp32.portable.nn.m64n64k64.plain.normal.s1"));
  EXPECT_EQ(Fills{"periodic"}, fills_of(kChain));
}

TEST(SpeakingSize, IsLongEnoughOrAsLongAsTheHostWaits) {
  Session session(backends::Device::open("host"));
  const Case c = speaking_size(session, named("rates.fp32.add.portable.w8.n64r8.periodic.s1"));
  EXPECT_GT(elements_of_work(c),
            elements_of_work(named("rates.fp32.add.portable.w8.n64r8.periodic.s1")));
  EXPECT_EQ(print(named("arithmetic.fp16.add.portable.n4096.near.s1")),
            print(speaking_size(session, named("arithmetic.fp16.add.portable.n4096.near.s1"))));
}

TEST(SpeakingSize, OfAStreamIsTwiceTheCachesOfAProcessor) {
  Session session(backends::Device::open("cpu:0"));
  const backends::DeviceInfo& device = session.device().info();
  const Case c = speaking_size(session, named(kStream));
  const std::uint64_t bytes = traffic_bytes(find_suite(c.suite).bind(c)->plan(device));
  EXPECT_GE(bytes, 2 * cache_bytes(device)) << print(c);
  EXPECT_LT(bytes, 64 * std::max(cache_bytes(device), std::uint64_t{1} << 24)) << print(c);
}

}  // namespace
}  // namespace halfmark::suites::throughput
