// SPDX-License-Identifier: Apache-2.0
// Each fault of time on both sides of its limit.
#include "reports/performance.hpp"

#include <gtest/gtest.h>

namespace halfmark::reports {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

ThroughputRow row_of(const char* operation, const char* shape, double ratio) {
  ThroughputRow row;
  row.run = {.name = "row",
             .provider = "library",
             .operation = operation,
             .formats = "fp16.acc-fp32",
             .shape = shape,
             .fill = "normal",
             .shape_class = std::string(shape) == "m8n7k8" ? "ragged" : "aligned",
             .samples_ns = {},
             .flops = 32'000'000,
             .bytes = 1'000'000,
             .passed_case = {}};
  row.median_ns = kMillisecond;
  row.gain = Gain{
      .fp32_formats = "fp32.acc-fp32", .ratio = ratio, .apart = true, .band = "", .sentence = ""};
  return row;
}

std::vector<std::string> classes_of(std::vector<ThroughputRow> rows) {
  find_slow_paths(rows);
  std::vector<std::string> classes;
  for (const ThroughputRow& row : rows) classes.push_back(row.fault ? row.fault->name : "");
  return classes;
}

using Classes = std::vector<std::string>;

TEST(SlowPaths, AreFp16ThatIsSlowerThanFp32) {
  EXPECT_EQ(Classes{""}, classes_of({row_of("gemm", "m8n8k8", 0.91)}));
  EXPECT_EQ(Classes{"slow_fp16"}, classes_of({row_of("gemm", "m8n8k8", 0.90)}));
  EXPECT_EQ(Classes{"slow_fp16"}, classes_of({row_of("softmax", "m8n8k8", 0.001)}));
  auto unclear = row_of("gemm", "m8n8k8", 0.5);
  unclear.gain->apart = false;
  EXPECT_EQ(Classes{""}, classes_of({unclear})) << "their intervals overlap";
  auto alone = row_of("gemm", "m8n8k8", 0.5);
  alone.gain.reset();
  EXPECT_EQ(Classes{""}, classes_of({alone}));
  std::vector<ThroughputRow> rows = {row_of("chain.fma", "w2", 0.19)};
  find_slow_paths(rows);
  EXPECT_EQ("fp16 runs at 0.19 x of fp32", rows[0].fault->sentence);
}

TEST(SlowPaths, OfSomeShapes) {
  EXPECT_EQ((Classes{"", "slow_shape"}),
            classes_of({row_of("gemm", "m8n8k8", 3), row_of("gemm", "m8n7k8", 0.8)}));
  EXPECT_EQ((Classes{"", "slow_fp16"}),
            classes_of({row_of("gemm", "m8n8k8", 1.4), row_of("gemm", "m8n7k8", 0.8)}));
}

TEST(SlowPaths, OfCasts) {
  EXPECT_EQ((Classes{"", "cast_traffic"}),
            classes_of({row_of("gemm", "m8n8k8", 3), row_of("autocast_gemm", "m8n8k8", 1.1)}));
  EXPECT_EQ((Classes{"", ""}),
            classes_of({row_of("gemm", "m8n8k8", 3), row_of("autocast_gemm", "m8n8k8", 1.3)}));
  EXPECT_EQ((Classes{"", ""}),
            classes_of({row_of("gemm", "m8n8k8", 1.4), row_of("autocast_gemm", "m8n8k8", 1.1)}));
}

TEST(SlowPaths, OfCastsThatAreMostTraffic) {
  auto cast = row_of("autocast_gemm", "m8n8k8", 1.1);
  cast.run.bytes = cast.run.flops;
  EXPECT_EQ((Classes{"", "cast_traffic"}), classes_of({row_of("gemm", "m8n8k8", 3), cast}));
  auto alone = row_of("gemm", "m8n8k8", 3);
  alone.run.bytes = alone.run.flops;
  EXPECT_EQ((Classes{"", ""}), classes_of({alone, cast}));
}

TEST(CastCosts, AreWhatTheRowWithoutCastsDoesNotTake) {
  auto cast = row_of("autocast_gemm", "m8n8k8", 2);
  cast.median_ns = 1.5 * kMillisecond;
  cast.run.bytes = 4'000'000;
  auto elsewhere = cast;
  elsewhere.run.shape = "m9n8k8";
  std::vector<ThroughputRow> rows = {row_of("gemm", "m8n8k8", 3), cast, elsewhere};
  find_cast_costs(rows);
  EXPECT_FALSE(rows[0].casts);
  ASSERT_TRUE(rows[1].casts);
  EXPECT_EQ(0.5 * kMillisecond, rows[1].casts->ns);
  EXPECT_EQ(3'000'000u, rows[1].casts->bytes);
  EXPECT_FALSE(rows[2].casts) << "the product alone was not timed at this shape";
  rows[0].excluded = "too short";
  rows[1].casts.reset();
  find_cast_costs(rows);
  EXPECT_FALSE(rows[1].casts);
}

TEST(Folded, IsATimeThatDoesNotFollowTheSteps) {
  ThroughputRun run;
  EXPECT_FALSE(folded(run, kMillisecond)) << "not tried";
  run.half_work_ns = 10 * kMillisecond;
  EXPECT_FALSE(folded(run, 11.0 * kMillisecond));
  ASSERT_TRUE(folded(run, 10.9 * kMillisecond));
  EXPECT_EQ("folded", folded(run, 10.0 * kMillisecond)->name);
  run.whole_work_ns = 20 * kMillisecond;
  EXPECT_FALSE(folded(run, 10.0 * kMillisecond)) << "launches in turn count more than the row";
  run.whole_work_ns = 10 * kMillisecond;
  EXPECT_TRUE(folded(run, 20.0 * kMillisecond));
}

TEST(Implausible, IsAboveTheDeclaredRate) {
  ThroughputRun run = row_of("gemm", "m8n8k8", 1).run;  // 32 Gflop/s in a millisecond
  EXPECT_FALSE(implausible(run, kMillisecond));
  run.declared_gflops = 32;
  EXPECT_FALSE(implausible(run, kMillisecond));
  run.declared_gflops = 31;
  ASSERT_TRUE(implausible(run, kMillisecond));
  EXPECT_EQ("implausible", implausible(run, kMillisecond)->name);
}

TEST(Memoised, IsMuchFasterThanForFreshInputs) {
  ThroughputRun run;
  EXPECT_FALSE(memoised(run, 1000));
  run.fresh_ns = 4 * kMillisecond;
  EXPECT_TRUE(memoised(run, kMillisecond));
  EXPECT_FALSE(memoised(run, kMillisecond + 1));
}

TEST(Throttling, IsAFallOfTheRateAndNotNoise) {
  ThroughputRun run;
  run.samples_ns = {100, 101, 102, 105, 108, 109, 112, 113, 114};
  ASSERT_TRUE(throttling(run));
  EXPECT_EQ("throttling", throttling(run)->name);
  run.samples_ns = {100, 101, 102, 105, 106, 106, 108, 109, 110};  // 8 %
  EXPECT_FALSE(throttling(run));
  run.samples_ns = {100, 101, 120, 105, 108, 109, 112, 113, 114};  // not in order
  EXPECT_FALSE(throttling(run));
  run.samples_ns = {100, 101, 150, 160};
  EXPECT_FALSE(throttling(run));
}

}  // namespace
}  // namespace halfmark::reports
