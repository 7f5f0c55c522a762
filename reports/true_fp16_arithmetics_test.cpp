// SPDX-License-Identifier: Apache-2.0
// What a product shows whose bits a named arithmetic explains: as much as its sums keep.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/scorecard.hpp"
#include "reports/testing/sample_record.hpp"

namespace halfmark::reports {
namespace {

constexpr const char* kWideSums = "fp16.acc-fp32.out-fp16";
constexpr const char* kHalfSums = "fp16.acc-fp16.out-fp16";
constexpr const char* kProduct =
    "gemm.fp16.acc-fp32.out-fp16.library.nn.m2048n2048k2048.plain.normal";

ArithmeticEntry found_for_product(const char* name, const std::string& formats) {
  return {.operation = "gemm",
          .provider = "library",
          .library = "ExampleBLAS 2.1",
          .formats = formats,
          .shapes = {"nn.m33n17k40", "nn.m128n128k128"},
          .outcome = "named",
          .arithmetic = name,
          .evidence = "every bit",
          .others = {},
          .observed = {},
          .contradicted_cases = {}};
}

// The product at the size of its passed case, with no other witness, and much faster than fp32.
RunRecord record_of(const std::string& formats) {
  RunRecord record = fp16_record();
  ThroughputRun& product = run_named(record, kProduct);
  product.formats = formats;
  product.name = fmt::format("gemm.{}.library.nn.m128n128k128.plain.normal", formats);
  product.passed_case = product.name + ".s7";
  product.verified.clear();
  if (formats == kWideSums) return record;
  suites::CaseResult passed = passing_case(product.passed_case);
  passed.tier = "modelled";
  record.results.push_back(passed);
  return record;
}

std::string verdict_in(const RunRecord& record) {
  const Scorecard card = tally(record);
  return std::ranges::find(card.fp16_operators, "gemm", &Fp16Operator::operation)->verdict;
}

std::string verdict_by(const char* arithmetic, const std::string& formats) {
  RunRecord record = record_of(formats);
  record.arithmetic.push_back(found_for_product(arithmetic, formats));
  return verdict_in(record);
}

// What agrees with sums that are narrower somewhere is no evidence against narrower sums.
TEST(Arithmetics, WithNarrowerSumsLeaveNarrowerSumsOpen) {
  for (const char* name :
       {"fp32.splitk-4.fma.parts-fp16", "fp32.splitk-4.fma.total-fp16",
        "fp32.sequential.fma.early-fp16", "fp32.sequential.mul.product-bf16", "fp16.sequential.fma",
        "unit.volta.mma.fp16.fp16", "unit.ampere.mma.fp16.fp32.splitk-2.parts-fp16",
        "fp32.blocked-8.fma.parts-fp16@fp32.sequential.fma.parts-fp16:r32c0-15"}) {
    const std::string verdict = verdict_by(name, kWideSums);
    EXPECT_TRUE(
        verdict.starts_with("undecided between native, bf16 substituted and fp16 accumulation:"))
        << name << ": " << verdict;
  }
}

TEST(Arithmetics, WithSumsAsWideAsAskedAreEveryBit) {
  for (const char* name :
       {"fp32.splitk-4.fma", "exact", "unit.volta.mma.fp16.fp32",
        "unit.hopper.mma.fp16.fp32.blocked-8", "fp32.sequential.fma.scaled-narrow",
        "fp64.sequential.fma", "fp32.sequential.fma@fp32.strided-16.fma:r32c0-15",
        "unit.ampere.mma.fp16.fp32.splitk-2@unit.ampere.mma.fp16.fp32:r32c0-15"})
    EXPECT_TRUE(verdict_by(name, kWideSums).starts_with("native:")) << name;
}

TEST(Arithmetics, OfProductsWithSumsInHalfMayBeHalf) {
  for (const char* name : {"fp16.sequential.fma", "unit.volta.mma.fp16.fp16"})
    EXPECT_TRUE(verdict_by(name, kHalfSums).starts_with("native:")) << name;
  EXPECT_TRUE(verdict_by("bf16.sequential.fma", kHalfSums)
                  .starts_with("undecided between native and bf16 substituted:"));
}

TEST(Arithmetics, ThatNobodyNamedShowNothing) {
  EXPECT_TRUE(verdict_in(record_of(kWideSums)).starts_with("undecided between native, bf16"));
  RunRecord record = record_of(kWideSums);
  record.arithmetic.push_back(found_for_product("none", kWideSums));
  record.arithmetic.back().outcome = "unexplained";
  EXPECT_TRUE(verdict_in(record).starts_with("undecided between native, bf16"));
  record.arithmetic.push_back(found_for_product("fp32.sequential.fma", kHalfSums));
  EXPECT_TRUE(verdict_in(record).starts_with("undecided between native, bf16"))
      << "of other formats";
}

// At the size that was timed, by the arithmetic that was found at the size of the passed case.
TEST(Arithmetics, HoldAtTheSizeThatWasTimed) {
  RunRecord record = fp16_record();
  ThroughputRun& product = run_named(record, kProduct);
  product.verified.resize(1);
  product.verified[0].tier = "modelled";
  EXPECT_TRUE(verdict_in(record).starts_with("undecided between native, bf16"));
  record.arithmetic.push_back(found_for_product("fp32.sequential.fma", kWideSums));
  EXPECT_TRUE(verdict_in(record).starts_with("native:"));
  record.arithmetic.back().arithmetic = "fp32.splitk-4.fma.parts-fp16";
  EXPECT_TRUE(verdict_in(record).starts_with("undecided between native, bf16"));
}

}  // namespace
}  // namespace halfmark::reports
