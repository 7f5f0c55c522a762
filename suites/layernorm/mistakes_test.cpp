// SPDX-License-Identifier: Apache-2.0
// For every mistake of a portable kernel a problem that exposes it.
#include "suites/layernorm/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/testing/shown_mistakes.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/layernorm/model.hpp"
#include "suites/layernorm/suite.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using Names = std::set<std::string>;

Tensor drawn(const Format& format, std::size_t count, double low, double high, unsigned seed) {
  std::mt19937 source(seed);
  std::uniform_real_distribution<float> draw(static_cast<float>(low), static_cast<float>(high));
  Tensor x = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i)
    x.set(i, nearest(format, static_cast<double>(draw(source))));
  return x;
}

// The mistakes that change the bits of a problem.
Names shown(const std::string& name, const TensorSet& inputs) {
  const Case c = parse_case("layernorm", suite().axes, name);
  return shown_mistakes(suite(), c, inputs);
}

TensorSet rows(const Format& format, std::size_t count, std::size_t width, double low,
               double high) {
  return {{"x", drawn(format, count * width, low, high, 1)},
          {"gamma", drawn(format, width, 0.5, 1.5, 2)},
          {"beta", drawn(format, width, -1, 1, 3)}};
}

bool contains(const Names& names, const Names& wanted) {
  return std::includes(names.begin(), names.end(), wanted.begin(), wanted.end());
}

TEST(LayernormMistakes, RoundingsAndTailsShowOnOrdinaryRows) {
  const Names names =
      shown("layernorm.forward.fp16.portable.r3n101.eps1e-5.normal.s7", rows(kFp16, 3, 101, -2, 2));
  EXPECT_TRUE(contains(
      names, {"gamma-by-row", "inputs-in-bf16", "mean-in-fp16", "radicand-in-fp16",
              "remainder-not-summed", "rstd-12-bits", "squares-in-fp16", "statistics-in-fp16",
              "tail-not-summed", "unbiased-variance", "unit-in-fp16", "variance-in-fp16"}))
      << ::testing::PrintToString(names);
}

TEST(LayernormMistakes, TailsShowWhereThereAreSome) {
  const Names names =
      shown("layernorm.forward.fp16.portable.r3n128.eps1e-5.normal.s7", rows(kFp16, 3, 128, -2, 2));
  EXPECT_FALSE(names.contains("tail-not-summed"));
  EXPECT_FALSE(names.contains("remainder-not-summed"));
}

TEST(LayernormMistakes, DifferencesOfMomentsShowFarFromZero) {
  const Names names = shown("layernorm.forward.fp32.portable.r2n200.eps1e-5.normal.s7",
                            rows(kFp32, 2, 200, 1449, 1449.5));
  EXPECT_TRUE(contains(names, {"affine-not-fused", "naive-variance", "naive-variance-clamped"}))
      << ::testing::PrintToString(names);
}

TEST(LayernormMistakes, EpsShowsWhereTheVarianceIsSmall) {
  const Names wanted{"eps-dropped", "eps-in-fp16", "eps-outside-root"};
  EXPECT_TRUE(contains(shown("layernorm.forward.fp16.portable.r2n200.eps1e-5.normal.s7",
                             rows(kFp16, 2, 200, -2e-3, 2e-3)),
                       wanted));
  const Names large = shown("layernorm.forward.fp16.portable.r2n200.eps1e-5.normal.s7",
                            rows(kFp16, 2, 200, -2e3, 2e3));
  EXPECT_FALSE(large.contains("eps-dropped"));
}

// 7 and 1: their mean square is 25, their variance 9.
TEST(LayernormMistakes, AMeanTakenAwayIsOneOfRmsnorm) {
  const std::string name = "layernorm.rms-forward.fp32.portable.r1n2.eps1e-5.normal.s7";
  Tensor x = Tensor::zeros(kFp32, 2);
  x.set(0, nearest(kFp32, 7));
  x.set(1, nearest(kFp32, 1));
  const TensorSet inputs{{"x", x}, {"gamma", drawn(kFp32, 2, 1, 1, 0)}};
  const Case c = parse_case("layernorm", suite().axes, name);
  const auto problem = suite().bind(c);
  bool found = false;
  for (const Hypothesis& mistake : problem->mistakes()) {
    if (mistake.name != "mean-taken-away") continue;
    found = true;
    const TensorSet wrong = mistake.evaluate(c, inputs).middle;
    EXPECT_NEAR(1, value_of(kFp32, wrong.at("y").at(0)), 1e-5);
    EXPECT_NEAR(-1, value_of(kFp32, wrong.at("y").at(1)), 1e-5);
  }
  EXPECT_TRUE(found);
}

TensorSet gradients(std::size_t count, std::size_t width) {
  return {{"x", drawn(kFp32, count * width, -2, 2, 1)},
          {"gamma", drawn(kFp32, width, 0.5, 1.5, 2)},
          {"dy", drawn(kFp32, count * width, -1, 1, 4)},
          {"mean", drawn(kFp32, count, -0.1, 0.1, 5)},
          {"rstd", drawn(kFp32, count, 0.8, 0.9, 6)}};
}

TEST(LayernormMistakes, OfGradientsShow) {
  EXPECT_EQ(
      (Names{"centering-fused", "gradient-fused", "gradient-in-fp16", "half-of-rows",
             "inputs-in-bf16", "no-mean-term", "no-projection", "sums-not-fused", "weights-in-bf16",
             "weights-in-fp16"}),
      shown("layernorm.backward.fp32.portable.r128n70.eps1e-5.normal.s7", gradients(128, 70)));
  EXPECT_FALSE(shown("layernorm.backward.fp32.portable.r63n70.eps1e-5.normal.s7", gradients(63, 70))
                   .contains("half-of-rows"));
}

TEST(LayernormMistakes, ASequenceWithoutOneIsTheSpecification) {
  for (const Case& c : suite().cases(Level::kSmoke, kTestSeed)) {
    const Binding b = bind(c);
    if (!b.portable) continue;
    const Prepared prepared(suite(), c);
    EXPECT_EQ(prepared.expected.middle, specified_model(b, prepared.inputs, Model{})) << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::layernorm
