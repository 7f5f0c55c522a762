// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is earned, mistakes are named, the kernels give the reference's
// counts, and these are those of the fast engine, which counts in another way.
#include "suites/statistics/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "reference/fast/statistics.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/describe.hpp"
#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/statistics/counted.hpp"

namespace halfmark::suites::statistics {
namespace {

TEST(StatisticsSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(StatisticsSuite, EveryPassIsEarned) { expect_earned(suite(), Level::kSmoke); }

TEST(StatisticsSuite, EveryMistakeShowsAndIsNamed) {
  EXPECT_EQ(6U, expect_hypotheses_show(suite(), "portable"));
  expect_hypotheses_are_named(suite(), "portable");
}

TEST(StatisticsSuite, SubnormalOperandsAreCounted) {
  for (const char* format : {"fp16", "bf16", "fp32"}) {
    const Case c = parse_case("statistics", suite().axes,
                              fmt::format("statistics.{}.portable.n63.subnormal.s7", format));
    const formats::Tensor x = suite().bind(c)->inputs().at("x");
    std::size_t subnormal = 0;
    for (std::size_t i = 0; i < x.count(); ++i)
      subnormal += formats::is_subnormal(*x.format, x.at(i)) ? 1U : 0U;
    EXPECT_LT(x.count() / 4, subnormal) << format;
  }
}

// A count is no floating-point number, though its encoding is one below the normal range.
TEST(StatisticsSuite, MissingCountsAreNoSubnormalNumbers) {
  const Case c =
      parse_case("statistics", suite().axes, "statistics.fp32.portable.n16451.borders.s7");
  const Prepared prepared(suite(), c);
  const auto class_of = [&](const std::function<formats::Bits(formats::Bits)>& change) {
    TensorSet got = prepared.expected.middle;
    formats::Tensor& histogram = got.at("histogram");
    for (std::size_t i = 0; i < kPlaces; ++i) histogram.set(i, change(histogram.at(i)));
    const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
    const bool is_exact = !found.empty() && found[0].contradicted == 0;
    return is_exact ? found[0].finding_class : "unexplained";
  };
  EXPECT_EQ("unexplained", class_of([](formats::Bits) { return formats::Bits{0}; }));
  EXPECT_EQ("unexplained", class_of([](formats::Bits n) { return n == 0 ? n : n - 1; }));
  EXPECT_EQ("unexplained", class_of([](formats::Bits n) { return 2 * n; }));
}

TEST(StatisticsSuite, CountsAreWrittenAsWholeNumbers) {
  const Case c =
      parse_case("statistics", suite().axes, "statistics.fp32.portable.n16451.borders.s7");
  const auto problem = suite().bind(c);
  const Mismatch few{.tensor = "histogram", .index = 3, .expected = 77, .actual = 75, .ulps = 2};
  const Element e = describe_element(*problem, problem->inputs(), formats::kFp32, few);
  EXPECT_EQ("77", e.expected_value);
  EXPECT_EQ("75", e.actual_value);
}

// Numbers below a power of two of which fp32 rounds the logarithm up, in double.
TEST(StatisticsCounts, ARoundedLogarithmIsThatOfFp32) {
  for (int exponent = kFirstBinade + 1; exponent < 20; ++exponent) {
    formats::Tensor x = formats::Tensor::zeros(formats::kFp32, 60);
    const auto power = std::bit_cast<std::uint32_t>(std::ldexp(1.0F, exponent));
    std::size_t above = 0;
    for (std::size_t i = 0; i < x.count(); ++i) {
      const auto word = power - 1 - static_cast<std::uint32_t>(i);
      x.set(i, word);
      const double logarithm = std::log2(static_cast<double>(std::bit_cast<float>(word)));
      above += static_cast<float>(logarithm) >= static_cast<float>(exponent) ? 1U : 0U;
    }
    const auto place = static_cast<std::size_t>(exponent - kFirstBinade) + kBelow + 1;
    EXPECT_EQ(above, counted(x, {.rounds_exponent = true}).histogram.at(place)) << exponent;
  }
}

TEST(StatisticsKernels, GiveTheReferencesCounts) {
  expect_conforming_everywhere(suite());
  expect_conforming(suite(), "host", Level::kStandard);
}

// The histogram of the engine, in the places of the kernel.
formats::Tensor histogram_of(const fast::Statistics& s) {
  formats::Tensor histogram = formats::Tensor::zeros(formats::kFp32, kPlaces);
  histogram.set(kZero, s.zeros);
  histogram.set(kNotFinite, s.infinities + s.nans);
  for (const auto& [exponent, count] : s.exponents) {
    const int place = std::clamp(exponent - kFirstBinade + 2, 1, static_cast<int>(kAbove));
    const auto at = static_cast<std::size_t>(place);
    histogram.set(at, histogram.at(at) + count);
  }
  return histogram;
}

TEST(StatisticsCounts, AreThoseOfAnIndependentCountOfTenMillion) {
  for (const formats::Format* format : {&formats::kFp16, &formats::kBf16, &formats::kFp32}) {
    for (const char* fill_name : {"bits", "special"}) {
      const formats::Tensor x = fill(*format, 10'000'000, fill_name, Random(7));
      const Counted got = counted(x);
      const fast::Statistics expected = fast::statistics(x);
      EXPECT_EQ(histogram_of(expected), got.histogram) << format->name << ' ' << fill_name;
      EXPECT_EQ(expected.first_non_finite, got.summary.at(1)) << format->name;
    }
  }
}

// Of the two kernels, a device runs one.
TEST(StatisticsKernels, BothCountTenMillion) {
  Session session(backends::Device::open("host"));
  for (const char* format : {"fp16", "bf16", "fp32"}) {
    const Case c = parse_case("statistics", suite().axes,
                              fmt::format("statistics.{}.portable.n10000000.bits.s7", format));
    for (const char* kernel : {"statistics_strip", "statistics_strip_shares"}) {
      const auto with_kernel = [&](Plan plan) {
        plan.launches.at(0).entry = kernel;
        return plan;
      };
      const CaseResult result = run_problem(session, AlteredProblem(suite().bind(c), with_kernel));
      EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict)) << format << ' ' << kernel;
    }
  }
}

// A share of equal elements has more of them than a byte counts.
TEST(StatisticsKernels, BothCountEqualElements) {
  Session session(backends::Device::open("host"));
  const Case c = parse_case("statistics", suite().axes, "statistics.fp16.portable.n16451.bits.s7");
  Plan plan = suite().bind(c)->plan(session.device().info());
  const TensorSet zeros = {{"x", formats::Tensor::zeros(formats::kFp16, 16451)}};
  const Counted expected = counted(zeros.at("x"));
  for (const char* kernel : {"statistics_strip", "statistics_strip_shares"}) {
    plan.launches.at(0).entry = kernel;
    const DeviceResult got = execute(session, plan, zeros);
    EXPECT_EQ(expected.histogram, got.outputs.at("histogram")) << kernel;
    EXPECT_EQ(expected.summary, got.outputs.at("summary")) << kernel;
  }
}

}  // namespace
}  // namespace halfmark::suites::statistics
