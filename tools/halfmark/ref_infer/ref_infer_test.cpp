// SPDX-License-Identifier: Apache-2.0
// The verb on models, and on processes that are small shell scripts.
#include "tools/halfmark/ref_infer/ref_infer.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/ref_infer/gemm_process.hpp"

namespace halfmark::tools {
namespace {

using suites::EnvironmentError;
using suites::UsageError;

struct Outcome {
  int code;
  std::string out;
};

Outcome run(const InferOptions& options) {
  std::ostringstream out;
  const int code = ref_infer(options, out);
  return {code, out.str()};
}

// The message of what a call throws; empty when it does not throw.
template <typename Error>
std::string error_of(const InferOptions& options) {
  try {
    static_cast<void>(run(options));
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(RefInfer, NamesAModelAsText) {
  const Outcome got = run({.arithmetic = "fp32.blocked-4.fma.toward_zero", .k = 12});
  EXPECT_EQ(got.code, 0);
  EXPECT_TRUE(got.out.starts_with(
      "fp32.blocked-4.fma.toward_zero\n= fp32.blocked-4.mul.toward_zero (products"))
      << got.out;
  EXPECT_NE(got.out.find("3072 of 3072 sums, 98304 of 98304 bits"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("(((c+(((0+1)+2)+3))+(((4+5)+6)+7))+(((8+9)+10)+11))"), std::string::npos);
  EXPECT_NE(got.out.find("addition.direction           toward_zero"), std::string::npos) << got.out;
}

// Sums of 4-bit numbers are exact in fp32 and in fp64: neither an order nor a tree is claimed.
TEST(RefInfer, ClaimsNoMoreThanTheDataShow) {
  const Outcome got =
      run({.arithmetic = "fp32.sequential.fma", .a = "e2m1", .c = "none", .d = "bf16"});
  EXPECT_EQ(got.code, 0);
  EXPECT_TRUE(got.out.starts_with("fp64.sequential.fma\n")) << got.out;
  EXPECT_NE(got.out.find("= fp32.sequential.fma (none of the data tried distinguishes them)\n"),
            std::string::npos)
      << got.out;
  EXPECT_NE(got.out.find("not looked for"), std::string::npos) << got.out;
  for (const char* claim : {"the same tree", "the same sums", "fp16.sequential"})
    EXPECT_EQ(got.out.find(claim), std::string::npos) << got.out;
  EXPECT_NE(ref_infer_help().find("that none of the data tried distinguishes"), std::string::npos);
}

TEST(RefInfer, ChoosesFormatsAndLengthForAUnit) {
  const Outcome got = run({.arithmetic = "unit.ampere.mma.bf16.fp32", .json = true});
  const auto document = nlohmann::json::parse(got.out);
  EXPECT_EQ(document["outcome"], "named");
  EXPECT_EQ(document["arithmetic"], "unit.ampere.mma.bf16.fp32");
  EXPECT_EQ(document["k"], 32);
  EXPECT_EQ(document["formats"]["a"], "bf16");
  EXPECT_EQ(document["formats"]["c"], "fp32");
  EXPECT_EQ(document["explained"]["sums"], document["explained"]["of_sums"]);
  EXPECT_LT(document["calls"], 60);
}

TEST(RefInfer, WrongUsageSaysWhatToWrite) {
  EXPECT_NE(error_of<UsageError>({}).find("give `-- COMMAND...` or --arithmetic NAME"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>({.arithmetic = "fp32.sideways.fma"})
                .find("at character 6: expected an order"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>({.arithmetic = "exact", .a = "fp17"}).find("--a is 'fp17'"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>({.arithmetic = "exact", .k = 2})
                .find("--k is 2; write a length from 3 to 128"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>({.arithmetic = "fp32.tree-(0+(1+2)).fma", .k = 5})
                .find("the tree is over 3 products"),
            std::string::npos);
  EXPECT_NE(error_of<UsageError>({.arithmetic = "unit.ampere.mma.bf16.fp32", .a = "fp16"})
                .find("unit.ampere"),
            std::string::npos);
}

InferOptions process(std::vector<std::string> command) {
  return {.command = std::move(command), .limit_seconds = 2};
}

TEST(RefInfer, ProcessesThatFailSayHow) {
  EXPECT_NE(error_of<EnvironmentError>(process({"/no/such/program"}))
                .find("cannot start /no/such/program: No such file"),
            std::string::npos);
  EXPECT_NE(error_of<EnvironmentError>(process({"true"})).find("true: call 1: it ended"),
            std::string::npos);
  EXPECT_NE(
      error_of<EnvironmentError>(process({"sleep", "60"})).find("call 1: no answer within 2 s"),
      std::string::npos);
  EXPECT_NE(error_of<EnvironmentError>(process({"cat"})).find("'d' is missing"), std::string::npos);
  EXPECT_NE(error_of<EnvironmentError>(process({"sh", "-c", "read x; echo hello; read x"}))
                .find("it is not JSON"),
            std::string::npos);
  EXPECT_NE(
      error_of<EnvironmentError>(
          process({"sh", "-c", R"(read x; echo '{"d":{"format":"fp32","bits":["0"]}}'; read x)"}))
          .find("'d.bits' has 1 elements"),
      std::string::npos);
}

// A process that answers zeros to everything is uniform, repeatable, and explained by nothing.
TEST(RefInfer, AnUnexplainedProcessEndsWithOne) {
  const std::string zeros = R"(
import json, sys
for line in sys.stdin:
    p = json.loads(line)
    print(json.dumps({"d": {"format": p["d_format"], "bits": ["0"] * (p["m"] * p["n"])}}), flush=True)
)";
  InferOptions options{.command = {"python3", "-c", zeros}, .k = 8};
  const Outcome got = run(options);
  EXPECT_EQ(got.code, 1);
  EXPECT_TRUE(got.out.starts_with("no named arithmetic explains it; the best is ")) << got.out;
}

}  // namespace
}  // namespace halfmark::tools
