// SPDX-License-Identifier: Apache-2.0
// What is verified before it is timed, in the memory in which it is timed afterwards.
#include "suites/throughput/verify.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "suites/registry.hpp"

namespace halfmark::suites::throughput {
namespace {

const std::string kStream = "rates.fp32.triad.portable.w1.n1600r1.periodic.s1";
const std::string kProduct = "gemm.fp16.acc-fp32.out-fp16.library.nn.m128n128k128.plain.";

Verified verified(const std::string& name, const std::string& fault,
                  std::unique_ptr<KeptRun>* kept) {
  Session session(backends::Device::open("host", {{"fault", fault}}));
  return verify(session, parse_case(name), nullptr, kept);
}

TEST(Verify, LeavesTheMemoryOfACaseThatPasses) {
  Session session(backends::Device::open("host"));
  for (const std::string& name : {kStream, kProduct + "normal.s1"}) {
    std::unique_ptr<KeptRun> kept;
    const Verified result = verify(session, parse_case(name), nullptr, &kept);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.reason;
    EXPECT_EQ(result.results, result.elements);
    ASSERT_TRUE(kept);
    const TensorSpec& output = kept->plan.tensors.back();
    const auto [before, intact] = kept->run->read(output);
    EXPECT_TRUE(intact);
    kept->run->restore({});
    EXPECT_FALSE(kept->run->holds(output, before)) << "poison is back";
    static_cast<void>(kept->run->launch());
    EXPECT_TRUE(kept->run->holds(output, before)) << name;
  }
}

// Results that are right do not excuse what else a kernel did.
TEST(Verify, SeesWritesOutsideOfResults) {
  std::unique_ptr<KeptRun> kept;
  const Verified result =
      verified("gemm.fp16.acc-fp32.out-fp16.library.nt.m9n17k33.plain.integer.s1", "T07", &kept);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("out_of_bounds", result.reason);
  EXPECT_FALSE(kept);
}

TEST(Verify, SeesResultsThatDoNotRepeat) {
  std::unique_ptr<KeptRun> kept;
  const Verified result = verified(kProduct + "integer.s1", "G28:every=2", &kept);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("race", result.reason);
  EXPECT_FALSE(kept);
}

TEST(Verify, CountsWhatDiffers) {
  std::unique_ptr<KeptRun> kept;
  const Verified result = verified(kProduct + "permutation.s1", "G07", &kept);
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find(" of 16384 elements differ")) << result.reason;
  EXPECT_FALSE(kept);
}

}  // namespace
}  // namespace halfmark::suites::throughput
