// SPDX-License-Identifier: Apache-2.0
// Which rows are a roof, and how an operation is compared with it.
#include "reports/roofs.hpp"

#include <gtest/gtest.h>

#include "reports/testing/sample_record.hpp"
#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

constexpr const char* kFma = "rates.fma.fp32.portable.w2.n65536.chain";
constexpr const char* kAdd = "rates.add.fp32.portable.w2.n65536.chain";

Roofs roofs_of(const RunRecord& record) { return tally(record).roofs; }

const Roof& roof_named(const Roofs& roofs, const char* operation, const char* format) {
  return *std::ranges::find_if(roofs.operations, [&](const Roof& roof) {
    return roof.operation == operation && roof.formats == format;
  });
}

TEST(Roofs, AreTheBestWidthOfEachChain) {
  const Roofs roofs = roofs_of(fp16_record());
  ASSERT_EQ(9u, roofs.operations.size());  // four of fp32, five of fp16
  const Roof& fma = roof_named(roofs, "fma", "fp32");
  EXPECT_EQ("w2", fma.best.width);
  EXPECT_NEAR(536'870'912 / 2.6e6, fma.best.gflops, 0.5);
  EXPECT_LT(fma.best.low, fma.best.gflops);
  EXPECT_GT(fma.best.high, fma.best.gflops);
  ASSERT_EQ(2u, fma.widths.size());
  EXPECT_EQ("w1", fma.widths[0].width);
}

TEST(Roofs, WidthsAreInOrderOfTheirNumber) {
  RunRecord record = fp16_record();
  add_chain(record, "add", "fp32", "w16", 2'700'000);
  record.expected_cases = record.results.size();
  std::vector<std::string> widths;
  const Roofs roofs = roofs_of(record);
  for (const WidthRate& rate : roof_named(roofs, "add", "fp32").widths)
    widths.push_back(rate.width);
  EXPECT_EQ((std::vector<std::string>{"w1", "w2", "w16"}), widths);
}

TEST(Roofs, OfMemoryAreByTheSizeOfAWord) {
  const Roofs roofs = roofs_of(fp16_record());
  ASSERT_EQ(4u, roofs.memory.size());
  EXPECT_EQ("copy", roofs.memory[0].operation);
  EXPECT_EQ(4u, roofs.memory[0].word_bytes);
  EXPECT_NEAR(33.554432 / 1.4, roofs.memory[0].gbytes_per_s, 0.1);
  EXPECT_EQ(2u, roofs.memory[1].word_bytes);
}

// The fastest sample of all counted rows: makes one row after the other the fastest.
TEST(Roofs, Fp32AtBestIsTheFastestSampleOfAnyRow) {
  RunRecord record = fp16_record();
  EXPECT_EQ(kFma, roofs_of(record).fp32_best.row);
  EXPECT_NEAR(536'870'912 / (2.6e6 * 0.995), roofs_of(record).fp32_best.gflops, 0.01);
  ThroughputRun& product = run_named(record,
                                     "gemm.fp32.acc-fp32.out-fp32.library.nn."
                                     "m2048n2048k2048.plain.normal");
  product.samples_ns[4] = 80'000'000;  // one sample suffices
  EXPECT_EQ(product.name, roofs_of(record).fp32_best.row);
  product.doubt = "the clock stood still";
  EXPECT_EQ(kFma, roofs_of(record).fp32_best.row) << "an excluded row is none";
  record.throughput.back().duel->pairs[3].against_ns = 1'300'000;
  EXPECT_NEAR(536'870'912 / 1.3e6, roofs_of(record).fp32_best.gflops, 0.01) << "a turn of a duel";
}

TEST(Roofs, ProductsInTf32BoundProductsAlone) {
  RunRecord record = fp16_record();
  ThroughputRun& product = run_named(record,
                                     "gemm.fp32.acc-fp32.out-fp32.library.nn."
                                     "m2048n2048k2048.plain.normal");
  product.formats = "tf32.acc-fp32.out-fp32";
  for (std::uint64_t& ns : product.samples_ns) ns /= 8;
  const Roofs roofs = roofs_of(record);
  EXPECT_EQ(kFma, roofs.fp32_best.row);
  EXPECT_EQ(product.name, roofs.wide_product_best.row);
  ThroughputRun row;
  row.operation = "gemm";
  EXPECT_EQ(product.name, wide_roof(roofs, row).row);
  row.operation = "chain.fma";
  EXPECT_NE(product.name, wide_roof(roofs, row).row);
}

TEST(Roofs, AdditionsAreHeldAgainstStepsAndNotAgainstFlops) {
  const Roofs roofs = roofs_of(fp16_record());
  EXPECT_NEAR(roofs.fp32_best.gflops / 2, roofs.fp32_step_best.gflops, 0.01);
  ThroughputRun row;
  for (const char* operation : {"chain.add", "chain.mul", "chain.muladd"}) {
    row.operation = operation;
    EXPECT_EQ(roofs.fp32_step_best.gflops, wide_roof(roofs, row).gflops) << operation;
  }
  row.operation = "chain.fma";
  EXPECT_EQ(2 * roofs.fp32_step_best.gflops, wide_roof(roofs, row).gflops);
}

// A slow library does not lower what the units could do for a product: two flops a step.
TEST(Roofs, OfProductsAreAtLeastTwoFlopsForEveryStep) {
  RunRecord record = fp16_record();
  std::erase_if(record.throughput,
                [](const ThroughputRun& run) { return run.operation == "chain.fma"; });
  for (ThroughputRun& run : record.throughput) run.duel.reset();
  ThroughputRun& product = run_named(record,
                                     "gemm.fp32.acc-fp32.out-fp32.library.nn."
                                     "m2048n2048k2048.plain.normal");
  for (std::uint64_t& ns : product.samples_ns) ns *= 4;
  const double steps = (1u << 28) / (2.6e6 * 0.995);
  ThroughputRun row;
  row.operation = "gemm";
  EXPECT_NEAR(2 * steps, wide_roof(roofs_of(record), row).gflops, 0.01);
  for (std::uint64_t& ns : product.samples_ns) ns /= 8;
  EXPECT_EQ(product.name, wide_roof(roofs_of(record), row).row) << "the library is faster";
  std::erase_if(record.results, [](const suites::CaseResult& result) {
    return result.name.starts_with("gemm.tf32.");
  });
  EXPECT_EQ(0, wide_roof(roofs_of(record), row).gflops) << "tf32 may be faster still";
}

TEST(Roofs, FlopsOfAKernelThatNobodyKnowsAreSteps) {
  ThroughputRun add, fma, gemm;
  add.operation = "chain.add";
  fma.operation = "chain.fma";
  gemm.operation = "gemm";
  EXPECT_EQ(100, as_row_counts(nullptr, 100, add));
  EXPECT_EQ(200, as_row_counts(nullptr, 100, fma));
  EXPECT_EQ(100, as_row_counts(nullptr, 100, gemm));
  EXPECT_EQ(50, as_row_counts(&fma, 100, add));
  EXPECT_EQ(50, as_row_counts(&gemm, 100, add));
  EXPECT_EQ(100, as_row_counts(&gemm, 100, fma));
  EXPECT_EQ(200, as_row_counts(&add, 100, fma));
}

TEST(Roofs, MemoryBoundsWhatMovesMoreThanItComputes) {
  const Roofs roofs = roofs_of(fp16_record());  // 24 GB/s, 208 GFLOP/s
  ThroughputRun row;
  row.operation = "gemm";
  row.flops = 1'000'000;
  row.bytes = 100'000;
  EXPECT_FALSE(is_bound_by_memory(roofs, row));
  row.bytes = 130'000;
  EXPECT_TRUE(is_bound_by_memory(roofs, row));
  EXPECT_FALSE(is_bound_by_memory(Roofs{}, row)) << "no stream was timed";
}

TEST(Roofs, ADataSheetIsAFractionAndNoRoof) {
  RunRecord record = fp16_record();
  run_named(record, kAdd).declared_gflops = 1000;
  const Roofs roofs = roofs_of(record);
  EXPECT_NEAR(0.103, roof_named(roofs, "add", "fp32").best.of_declared, 0.001);
  EXPECT_EQ(kFma, roofs.fp32_best.row);
}

// A single disturbed sample is no unrest; two are, in an fp32 chain or on the fp32 side of a duel.
TEST(Roofs, UnrestIsTheWidestIntervalOfFp32) {
  RunRecord record = fp16_record();
  EXPECT_NEAR(1.006, roofs_of(record).unrest, 0.001);  // 1003 / 997 thousandths
  ThroughputRun& add = run_named(record, kAdd);
  add.samples_ns[0] *= 2;
  EXPECT_LT(roofs_of(record).unrest, 1.01);
  add.samples_ns[1] *= 2;
  EXPECT_NEAR(2, roofs_of(record).unrest, 0.01);
  record = fp16_record();
  for (std::size_t i = 0; i < 5; ++i) record.throughput.back().duel->pairs[i].against_ns *= 3;
  EXPECT_NEAR(3, roofs_of(record).unrest, 0.01);
  record = fp16_record();
  ThroughputRun& half = run_named(record, "rates.add.fp16.portable.w2.n65536.chain");
  half.samples_ns[0] *= 2;
  half.samples_ns[1] *= 2;
  EXPECT_LT(roofs_of(record).unrest, 1.01) << "no fp32";
  for (ThroughputRun& run : record.throughput) {
    if (!is_again(run)) continue;
    run.half_work_ns /= 2;
    for (std::uint64_t& ns : run.samples_ns) ns /= 2;
  }
  EXPECT_NEAR(2, roofs_of(record).unrest, 0.01) << "twice as fast when it was timed again";
}

TEST(Roofs, OfARunWithoutTimesAreNone) {
  RunRecord record = fp16_record();
  record.throughput.clear();
  const Roofs roofs = roofs_of(record);
  EXPECT_TRUE(roofs.operations.empty());
  EXPECT_EQ(0, roofs.fp32_best.gflops);
  EXPECT_EQ("", roofs.fp32_best.row);
}

}  // namespace
}  // namespace halfmark::reports
