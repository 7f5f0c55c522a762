// SPDX-License-Identifier: Apache-2.0
// For every mistake of a portable kernel a problem that exposes it, and problems that hide some.
#include "suites/cross_entropy/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/testing/shown_mistakes.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/cross_entropy/model.hpp"
#include "suites/cross_entropy/suite.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

using formats::kFp32;
using formats::Tensor;
using Names = std::set<std::string>;

constexpr std::size_t kRows = 4, kWidth = 100;

// Rows of logits between 0 and 8, and upstream gradients that differ from row to row.
TensorSet problem_of(const std::vector<std::int64_t>& labels) {
  std::mt19937 source(7);
  std::uniform_real_distribution<float> draw(0, 8);
  Tensor x = Tensor::zeros(kFp32, kRows * kWidth);
  for (std::size_t i = 0; i < x.count(); ++i)
    x.set(i, nearest(kFp32, static_cast<double>(draw(source))));
  Tensor target = Tensor::zeros(kFp32, kRows), dy = Tensor::zeros(kFp32, kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    target.set(r, static_cast<std::uint32_t>(labels[r]));
    dy.set(r, nearest(kFp32, 8.1 * static_cast<double>(r + 1)));
  }
  return {{"x", x}, {"target", target}, {"dy", dy}};
}

// The mistakes that change the bits of a problem; fill `padding` ignores class 0.
Names shown(const std::string& operation, const std::string& reduction, const TensorSet& inputs,
            const std::string& fill = "normal") {
  const Case c = parse_case("cross_entropy", suite().axes,
                            "cross_entropy." + operation + ".fp32.out-fp32.int32." + reduction +
                                ".portable.r4n100." + fill + ".s7");
  return shown_mistakes(suite(), c, inputs);
}

TEST(CrossEntropyMistakes, OfSumsShowInAMean) {
  const Names names = shown("forward", "mean", problem_of({1, 50, 99, 7}));
  EXPECT_TRUE(names.contains("losses-in-fp16"));
  EXPECT_TRUE(names.contains("exp-in-fp16"));
  EXPECT_TRUE(names.contains("sum-in-fp16"));
  EXPECT_TRUE(names.contains("tail-not-summed"));
  EXPECT_FALSE(names.contains("mean-over-all-rows"));
  EXPECT_FALSE(shown("forward", "none", problem_of({1, 50, 99, 7})).contains("losses-in-fp16"));
}

TEST(CrossEntropyMistakes, OfIgnoredRowsShowWhereThereAreSome) {
  for (const std::string operation : {"forward", "backward"}) {
    const Names names = shown(operation, "mean", problem_of({1, -100, 99, 7}));
    EXPECT_TRUE(names.contains("mean-over-all-rows")) << operation;
    EXPECT_FALSE(names.contains("fixed-sentinel")) << operation;
    EXPECT_TRUE(
        shown(operation, "mean", problem_of({1, 0, 99, 7}), "padding").contains("fixed-sentinel"))
        << operation;
    EXPECT_TRUE(shown(operation, "none", problem_of({1, 50, 100, 7})).contains("labels-clamped"))
        << operation;
    EXPECT_FALSE(shown(operation, "none", problem_of({1, 50, 99, -100})).contains("labels-clamped"))
        << operation;
  }
}

TEST(CrossEntropyMistakes, OfGradientsShow) {
  TensorSet inputs = problem_of({1, 50, 99, 7});
  inputs.at("x").set(1, nearest(kFp32, 10.7));  // a probability near 1/2 at a label
  const Names names = shown("backward", "mean", inputs);
  for (const char* name : {"factor-in-fp16", "no-label-term", "no-mean-factor", "reciprocal",
                           "scaled-before-difference", "upstream-per-row"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  const Names of_rows = shown("backward", "none", problem_of({1, 50, 99, 7}));
  EXPECT_FALSE(of_rows.contains("no-mean-factor"));
  EXPECT_FALSE(of_rows.contains("upstream-per-row"));
}

// The standing of a library that makes the mistake, and says nothing or promises the contrary.
Standing standing_of(const std::string& name, std::string_view mistake, const char* promise,
                     bool is_promised) {
  const Prepared prepared(suite(), parse_case("cross_entropy", suite().axes, name));
  const std::vector<Hypothesis> all = prepared.problem->mistakes();
  const auto made = std::ranges::find(all, mistake, &Hypothesis::name);
  const TensorSet got = made->evaluate(prepared.problem->c(), prepared.inputs).middle;
  backends::DeviceInfo device;
  device.promises.push_back({promise, is_promised, "silent", "no document"});
  CaseResult result;
  result.mismatches = compare(prepared.allowance(), got).mismatches;
  EXPECT_LT(0u, result.mismatches) << name << ' ' << mistake;
  result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  decide_standing(result, prepared.problem->row(device), {device});
  return result.standing;
}

TEST(CrossEntropyMistakes, OfSpecialRowsAreDeviationsWhereNothingIsPromised) {
  constexpr const char* kMasked = "operators.masked_rows";
  for (const std::string operation : {"forward", "backward"}) {
    const std::string start = "cross_entropy." + operation + ".fp32.out-fp32.int64.none.library.";
    const std::string masked = start + "r32n63.masked.s7", special = start + "r32n63.special.s7";
    for (const char* mistake : {"masked-row-is-zero", "masked-row-is-uniform"}) {
      EXPECT_EQ(Standing::kDeviation, standing_of(masked, mistake, kMasked, false)) << operation;
      EXPECT_EQ(Standing::kViolation, standing_of(masked, mistake, kMasked, true)) << operation;
    }
    EXPECT_EQ(Standing::kDeviation, standing_of(special, "nan-is-masked", "operators.nan", false));
    EXPECT_EQ(Standing::kViolation, standing_of(special, "nan-is-masked", "operators.nan", true));
  }
}

TEST(CrossEntropyMistakes, ASequenceWithoutOneIsTheSpecification) {
  for (const Case& c : suite().cases(Level::kSmoke, kTestSeed)) {
    const Binding b = bind(c);
    if (!b.portable) continue;
    const Prepared prepared(suite(), c);
    EXPECT_EQ(prepared.expected.middle, specified_model(b, prepared.inputs, Model{})) << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::cross_entropy
