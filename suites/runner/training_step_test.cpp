// SPDX-License-Identifier: Apache-2.0
// Which step is counted, the shares of zones by hand, and what the software device counts, with and
// without a fault.
#include "suites/runner/training_step.hpp"

#include <gtest/gtest.h>

#include "suites/core/bounds/interval.hpp"
#include "suites/registry.hpp"
#include "suites/statistics/counted.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

constexpr const char* kStep = "loss_scaled_backward.portable.b17i33h40o9.scale1.fragile.s1";

CaseResult result_of(const char* name, Verdict verdict) {
  CaseResult result;
  result.name = name;
  result.verdict = verdict;
  return result;
}

TEST(StepToCount, IsTheLargestThatPassed) {
  const std::vector<CaseResult> results = {
      result_of("loss_scaled_backward.portable.b64i100h120o10.scale1.fragile.s1", Verdict::kPass),
      result_of(kStep, Verdict::kPass),
      result_of("loss_scaled_backward.portable.b64i256h512o64.scale1.fragile.s1", Verdict::kFail),
      result_of("loss_scaled_backward.portable.b64i256h512o64.scale65536.fragile.s1",
                Verdict::kPass),
      result_of("loss_scaled_backward.bf16.portable.b64i256h512o64.scale1.fragile.s1",
                Verdict::kPass),
      result_of("loss_scaled_backward.library.b64i256h512o64.scale1.fragile.s1", Verdict::kPass),
      result_of("gemm.fp16.acc-fp32.out-fp16.library.nn.m64n64k64.plain.normal.s1",
                Verdict::kPass)};
  EXPECT_EQ(results[0].name, step_to_count(results));
  EXPECT_EQ("", step_to_count({}));
  EXPECT_EQ("", step_to_count({results.begin() + 2, results.end()}));
}

TEST(ZonesOf, HaveTheBordersOfFp16AtEachScale) {
  std::vector<std::uint64_t> histogram(statistics::kPlaces, 0);
  const auto place = [](int binade) {
    return static_cast<std::size_t>(binade - statistics::kFirstBinade) + statistics::kBelow + 1;
  };
  histogram[statistics::kZero] = 1000;       // none of the zones
  histogram[statistics::kNotFinite] = 1000;  // the same
  histogram[place(-14)] = 1;
  histogram[place(-15)] = 2;
  histogram[place(-25)] = 4;
  histogram[place(-26)] = 8;
  histogram[statistics::kBelow] = 1;
  const ZoneShares at_1 = zones_of(histogram, 0);
  EXPECT_DOUBLE_EQ(1.0 / 16, at_1.normal);
  EXPECT_DOUBLE_EQ(6.0 / 16, at_1.subnormal);
  EXPECT_DOUBLE_EQ(9.0 / 16, at_1.lost);
  const ZoneShares higher = zones_of(histogram, 1);
  EXPECT_DOUBLE_EQ(3.0 / 16, higher.normal);
  EXPECT_DOUBLE_EQ(12.0 / 16, higher.subnormal);
  EXPECT_DOUBLE_EQ(1.0 / 16, higher.lost);
  EXPECT_EQ(0, zones_of(std::vector<std::uint64_t>(statistics::kPlaces, 0), 0).lost);
}

TEST(TrainingStep, CountsEveryNumberOfEveryTensor) {
  Session session(backends::Device::open("host"));
  const json step = training_step(session, kStep);
  EXPECT_EQ(kStep, step.at("case"));
  EXPECT_EQ(0U, step.at("different"));
  EXPECT_GT(step.at("step_ns"), 0U);
  EXPECT_GT(step.at("counting_ns"), 0U);
  bool has_subnormal = false;
  for (const json& tensor : step.at("tensors")) {
    std::uint64_t sum = 0;
    for (const json& count : tensor.at("histogram")) sum += count.get<std::uint64_t>();
    EXPECT_EQ(tensor.at("elements"), sum) << tensor.at("name");
    EXPECT_TRUE(tensor.at("first_not_finite").is_null());
    if (tensor.at("format") == "fp16")
      has_subnormal = has_subnormal || tensor.at("scales")[0].at("subnormal") > 0.2;
    // Between one greatest element among zeros and all elements as great.
    const double amax = tensor.at("amax"), norm = tensor.at("norm");
    EXPECT_GE(norm, amax) << tensor.at("name");
    EXPECT_LE(norm, amax * std::sqrt(tensor.at("elements").get<double>()) * (1 + 1e-12));
    if (tensor.at("amax") == 0) continue;
    // Multiplied by it, the greatest number lies two binades below the last one.
    const double scaled =
        std::ldexp(tensor.at("amax").get<double>(), tensor.at("suggested_scale_log2").get<int>());
    EXPECT_GE(scaled, 8192);
    EXPECT_LT(scaled, 16384);
  }
  EXPECT_GE(step.at("tensors").size(), 8U);
  EXPECT_TRUE(has_subnormal) << "the gradients of this case are at the lower end of fp16";
}

// The norm by another order of the same numbers, and weights that a step cannot move.
TEST(TrainingStep, HasNormsAndWhatTheStepLeftAsItWas) {
  constexpr const char* kOverflows = "loss_scaled_backward.portable.b5i7h19o3.scale2p24.normal.s1";
  Session session(backends::Device::open("host"));
  const json moved = training_step(session, kStep), kept = training_step(session, kOverflows);
  const Case c = parse_case(kStep);
  const auto problem = find_suite(c.suite).bind(c);
  const TensorSet right = problem->expect(problem->inputs(), {}).middle;
  std::size_t weights = 0;
  for (const json& tensor : moved.at("tensors")) {
    const formats::Tensor& own = right.at(tensor.at("name"));
    double squares = 0;
    for (std::size_t i = own.count(); i-- > 0;) {
      const long double value = value_of(*own.format, own.at(i));
      squares += static_cast<double>(value * value);
    }
    EXPECT_NEAR(std::sqrt(squares), tensor.at("norm").get<double>(), 1e-12 * std::sqrt(squares));
    if (!tensor.at("unchanged").is_null()) ++weights;
  }
  EXPECT_EQ(2U, weights) << "master weights of two layers";
  for (const json& tensor : kept.at("tensors")) {
    if (tensor.at("unchanged").is_null()) continue;
    EXPECT_EQ(tensor.at("elements"), tensor.at("unchanged")) << "an overflow skips the step";
  }
  for (const json& tensor : moved.at("tensors")) {
    if (tensor.at("name") != "13_w2") continue;
    EXPECT_LT(tensor.at("unchanged"), tensor.at("elements"));
  }
}

// A count may be wrong in any way: what a card holds of it must be numbers all the same.
TEST(TensorFigures, AreTheHostsWhereTheDeviceCountsWrongly) {
  formats::Tensor tensor = formats::Tensor::zeros(formats::kFp16, 3);
  tensor.set(1, 0x4000);  // 2
  const statistics::Counted right = statistics::counted(tensor);
  const json counted = tensor_figures("t", tensor, right, {});
  EXPECT_FALSE(counted.contains("counted_by_host"));
  EXPECT_EQ(2, counted.at("amax"));
  for (const formats::Bits amax : {0x7fc00000U, 0x7f800000U, 0x3f800000U}) {
    statistics::Counted wrong = right;
    wrong.summary.set(0, amax);
    json figures = tensor_figures("t", tensor, wrong, {});
    EXPECT_EQ(true, figures.at("counted_by_host"));
    figures.erase("counted_by_host");
    EXPECT_EQ(counted, figures);
  }
  statistics::Counted wrong = right;
  wrong.histogram.set(statistics::kZero, 3);
  EXPECT_TRUE(tensor_figures("t", tensor, wrong, {}).contains("counted_by_host"));
}

// Uploads of 64 KiB and more lose their last bytes, so that the device counts other numbers.
TEST(TrainingStep, SaysWhichCountsAreNotTheHosts) {
  Session session(backends::Device::open("host", {{"fault", "T01"}}));
  const json step =
      training_step(session, "loss_scaled_backward.portable.b64i256h512o64.scale1.fragile.s1");
  std::uint64_t by_host = 0;
  for (const json& tensor : step.at("tensors"))
    by_host += tensor.contains("counted_by_host") ? 1U : 0U;
  EXPECT_GT(by_host, 0U);
  EXPECT_EQ(by_host, step.at("different"));
}

}  // namespace
}  // namespace halfmark::suites
