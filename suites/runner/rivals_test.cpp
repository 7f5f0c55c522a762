// SPDX-License-Identifier: Apache-2.0
// Who is timed against whom, by steps and not by flops: a product of a batch and an elementwise fma
// count two flops for each step, like any product.
#include "suites/runner/rivals.hpp"

#include <gtest/gtest.h>

#include <map>

#include "suites/throughput/autocast.hpp"

namespace halfmark::suites {
namespace {

// A run of rows, each named after its operation and format.
struct RunOfRows {
  DeviceRun run;
  std::vector<TimedRow> rows;

  void add(const std::string& operation, const std::string& formats, double rate,
           const std::string& prefix = {}) {
    rows.push_back(
        {.name = prefix + operation + " " + formats, .row = run.throughput.size(), .rate = rate});
    run.throughput.push_back({{"operation", operation}, {"formats", formats}});
  }
  [[nodiscard]] std::string rival(bool of_product) const {
    const TimedRow* found = rival_of(run, rows, of_product);
    return found == nullptr ? "" : found->name;
  }
  [[nodiscard]] std::map<std::string, std::string> claims() const {
    std::map<std::string, std::string> names;
    for (const Claim& claim : claims_of(run, rows)) names[claim.own->name] = claim.against->name;
    return names;
  }
};

using Names = std::map<std::string, std::string>;

constexpr const char* kWideSums = "fp32.acc-fp32.out-fp32";
constexpr const char* kHalfOperands = "fp16.acc-fp32.out-fp16";

TEST(Rivals, HaveTheMostStepsAndNotTheMostFlops) {
  for (const char* operation : {"gemm", "gemm_batched", "fma", "chain.fma"}) {
    RunOfRows timed;
    timed.add("chain.add", "fp32", 60);
    timed.add(operation, kWideSums, 100);
    EXPECT_EQ("chain.add fp32", timed.rival(false)) << operation;
    timed.rows[1].rate = 121;
    EXPECT_EQ(timed.rows[1].name, timed.rival(false)) << operation;
    timed.rows[1].rate = 0;
    EXPECT_EQ("chain.add fp32", timed.rival(true)) << "a row that does not count";
  }
}

TEST(Rivals, OfProductsAloneMultiplyInTf32) {
  RunOfRows timed;
  timed.add("gemm", kWideSums, 100);
  timed.add("gemm", "tf32.acc-fp32.out-fp32", 800);
  EXPECT_EQ(timed.rows[0].name, timed.rival(false));
  EXPECT_EQ(timed.rows[1].name, timed.rival(true));
}

TEST(Claims, AreOfMoreStepsThanAnyWiderUnit) {
  RunOfRows timed;
  timed.add("gemm_batched", kWideSums, 100);
  timed.add("fma", "fp32", 90);
  timed.add("chain.add", "fp32", 60);
  timed.add("chain.add", "fp16", 70);
  timed.add("chain.fma", "fp16", 119);
  EXPECT_EQ((Names{{"chain.add fp16", "chain.add fp32"}}), timed.claims());
  timed.rows[4].rate = 121;
  EXPECT_EQ(2U, timed.claims().size());
}

TEST(Claims, OfBatchedProductsAreHeldAgainstTf32AndAgainstSteps) {
  RunOfRows timed;
  timed.add("chain.fma", "fp32", 100);
  timed.add("gemm_batched", kHalfOperands, 99);
  EXPECT_EQ(Names{}, timed.claims()) << "as many flops, and no more steps";
  timed.rows[1].rate = 300;
  EXPECT_EQ((Names{{timed.rows[1].name, "chain.fma fp32"}}), timed.claims());
  timed.add("gemm", "tf32.acc-fp32.out-fp32", 400);
  EXPECT_EQ(Names{}, timed.claims());
}

TEST(Claims, AreNotMadeByConversionsAndCastsNorWithoutARival) {
  RunOfRows timed;
  timed.add("chain.add", "fp16", 500);
  EXPECT_EQ(Names{}, timed.claims());
  timed.add("chain.add", "fp32", 60);
  timed.add("chain.convert", "fp16", 500);
  timed.add("autocast_gemm", kHalfOperands, 500, std::string(throughput::kAutocast));
  timed.add("chain.add", "bf16", 500);
  EXPECT_EQ((Names{{"chain.add fp16", "chain.add fp32"}}), timed.claims());
}

}  // namespace
}  // namespace halfmark::suites
