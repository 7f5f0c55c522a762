// SPDX-License-Identifier: Apache-2.0
// Recipes of a processor's softmax against plain loops in the host's fp32.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/identify/polynomial_fp32.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/core/testing/unit_functions.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

constexpr std::size_t kRows = 16, kWidth = 65;

std::vector<float> numbers(const formats::Tensor& tensor) {
  std::vector<float> list(tensor.count());
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i] = static_cast<float>(value_of(*tensor.format, tensor.at(i)));
  return list;
}

// The exponential as polynomial_fp32.hpp describes it, written a second time with
// hexadecimal words.
float exponential(float x) {
  const auto word = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  const bool vanishes = x < word(0xc2aeac50);
  x = std::max(std::min(x, word(0x42b17218)), word(0xc2aeac50));
  const float n = std::floor(x * word(0x3fb8aa3b) + 0.5F);
  const float r = std::fma(n, word(0xbf317218), x);
  float p = std::fma(word(0x3c07cfce), r, word(0x3d2b9d0d));
  p = std::fma(p, r, word(0x3e2aad40));
  p = std::fma(p, r, word(0x3efffee3));
  p = std::fma(p, r, word(0x3f7ffffb));
  p = std::fma(p, r, 1.0F);
  const auto half = word(static_cast<std::uint32_t>(static_cast<int>(n) + 126) << 23);
  return vanishes ? 0.0F : p * half * 2;
}

float in_sixteen_lanes(const float* terms) {
  float lanes[16] = {};
  for (std::size_t k = 0; k < kWidth; ++k) lanes[k % 16] += terms[k];
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

struct Asked {
  TensorSet inputs, outputs;
};

Asked asked(const char* name, const char* arithmetic) {
  const Case c = parse_case("softmax", suite().axes, name);
  TensorSet inputs = suite().bind(c)->inputs();
  Identified found;
  found.arithmetic = arithmetic;
  found.functions = std::make_shared<testing_support::UnitFunctions>();
  TensorSet outputs = modelling().refer(c, inputs, found).middle;
  return {std::move(inputs), std::move(outputs)};
}

void expect_value(float expected, const formats::Tensor& actual, std::size_t index) {
  EXPECT_EQ(std::bit_cast<std::uint32_t>(expected), actual.at(index)) << index;
}

TEST(SoftmaxRecipes, ForwardByAPolynomial) {
  const Asked a = asked("softmax.forward.fp32.out-fp32.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.exp-degree5.reciprocal");
  const std::vector<float> x = numbers(a.inputs.at("x"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* row = &x[r * kWidth];
    const float most = *std::max_element(row, row + kWidth);
    std::vector<float> powers;
    for (std::size_t k = 0; k < kWidth; ++k) powers.push_back(exponential(row[k] - most));
    const float reciprocal = 1.0F / in_sixteen_lanes(powers.data());
    for (std::size_t k = 0; k < kWidth; ++k)
      expect_value(powers[k] * reciprocal, a.outputs.at("y"), r * kWidth + k);
  }
}

// The logarithm is tested by itself; here, that it is the sum's.
TEST(SoftmaxRecipes, LogForwardByPolynomials) {
  const Asked a = asked("softmax.log-forward.fp32.out-fp32.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.exp-degree5.difference-log-degree5");
  const std::vector<float> x = numbers(a.inputs.at("x"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* row = &x[r * kWidth];
    const float most = *std::max_element(row, row + kWidth);
    std::vector<float> powers;
    for (std::size_t k = 0; k < kWidth; ++k) powers.push_back(exponential(row[k] - most));
    const float logarithm = log_of_degree5(in_sixteen_lanes(powers.data()));
    for (std::size_t k = 0; k < kWidth; ++k)
      expect_value((row[k] - most) - logarithm, a.outputs.at("y"), r * kWidth + k);
  }
}

TEST(SoftmaxRecipes, ForwardByTheDevicesOwnExp) {
  const Asked a = asked("softmax.forward.fp32.out-fp32.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.own-exp.reciprocal");
  const std::vector<float> x = numbers(a.inputs.at("x"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* row = &x[r * kWidth];
    const float most = *std::max_element(row, row + kWidth);
    std::vector<float> powers;
    for (std::size_t k = 0; k < kWidth; ++k)
      powers.push_back(testing_support::cut(std::exp(static_cast<double>(row[k] - most))));
    const float reciprocal = 1.0F / in_sixteen_lanes(powers.data());
    for (std::size_t k = 0; k < kWidth; ++k)
      expect_value(powers[k] * reciprocal, a.outputs.at("y"), r * kWidth + k);
  }
}

TEST(SoftmaxRecipes, GradientByTheDevicesOwnExp) {
  const Asked a = asked("softmax.log-backward.fp32.out-fp32.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.fma-own-exp");
  const std::vector<float> y = numbers(a.inputs.at("y")), dy = numbers(a.inputs.at("dy"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float sum = in_sixteen_lanes(&dy[r * kWidth]);
    for (std::size_t k = r * kWidth; k < (r + 1) * kWidth; ++k) {
      const float power = testing_support::cut(std::exp(static_cast<double>(y[k])));
      expect_value(std::fma(-power, sum, dy[k]), a.outputs.at("dx"), k);
    }
  }
}

// Without the device nobody knows the bits: the name is no recipe then.
TEST(SoftmaxRecipes, TheDevicesOwnExpNeedsTheDevice) {
  const Case c =
      parse_case("softmax", suite().axes, "softmax.forward.fp32.out-fp32.library.r16n65.normal.s7");
  Identified found;
  found.arithmetic = "fp32.strided-16-halves.own-exp.reciprocal";
  EXPECT_THROW(static_cast<void>(modelling().refer(c, suite().bind(c)->inputs(), found)),
               std::invalid_argument);
}

float rounded_to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000);
}

TEST(SoftmaxRecipes, WhatTheResultsMemoryKeptIsRoundedTwice) {
  const Asked a = asked("softmax.forward.bf16.out-bf16.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.exp-degree5.reciprocal-of-stored");
  const std::vector<float> x = numbers(a.inputs.at("x")), y = numbers(a.outputs.at("y"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float* row = &x[r * kWidth];
    const float most = *std::max_element(row, row + kWidth);
    std::vector<float> powers;
    for (std::size_t k = 0; k < kWidth; ++k) powers.push_back(exponential(row[k] - most));
    const float reciprocal = 1.0F / in_sixteen_lanes(powers.data());
    for (std::size_t k = 0; k < kWidth; ++k)
      EXPECT_EQ(rounded_to_bf16(rounded_to_bf16(powers[k]) * reciprocal), y[r * kWidth + k]) << k;
  }
}

// One answer replaced by another, everything else as it is.
TEST(SoftmaxRecipes, NeighboursHaveOtherBitsOnOrdinaryData) {
  struct Group {
    const char* name;
    std::vector<const char*> recipes;  // without the sum
  };
  const Group groups[] = {
      {"softmax.log-forward.fp32.out-fp32.library.r16n65.normal.s7",
       {"exp-degree5.difference-log-degree5", "exp-degree5.sum-log-degree5",
        "exp-degree5.difference", "exp.difference-log-degree5", "exp.difference"}},
      {"softmax.forward.bf16.out-bf16.library.r16n65.normal.s7",
       {"exp-degree5.reciprocal-of-stored", "exp-degree5.reciprocal"}},
      {"softmax.log-forward.bf16.out-bf16.library.r16n65.normal.s7",
       {"exp-degree5.difference-of-stored-log-degree5", "exp-degree5.difference-log-degree5"}},
  };
  for (const auto& [name, recipes] : groups) {
    std::set<std::vector<float>> different;
    for (const char* recipe : recipes) {
      const std::string whole = std::string("fp32.strided-16-halves.") + recipe;
      different.insert(numbers(asked(name, whole.c_str()).outputs.at("y")));
    }
    EXPECT_EQ(recipes.size(), different.size()) << name;
  }
}

// What the diagnosis names first in the results of a recipe, held against every row; empty if that
// contradicts some of them.
std::string named(const char* name, const char* arithmetic, bool one_is_wrong) {
  const Prepared prepared(suite(), parse_case("softmax", suite().axes, name));
  TensorSet got = asked(name, arithmetic).outputs;
  formats::Tensor& y = got.at("y");
  if (one_is_wrong) y.set(7 * kWidth, nearest(*y.format, 1.0));
  EXPECT_GT(compare(prepared.allowance(), got).mismatches, 0U);
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].hypothesis;
}

// Its exponential of a NaN is infinite, so that the other results of the row are zeros.
TEST(SoftmaxRecipes, TheDiagnosisNamesAnExponentialThatLimitsANan) {
  constexpr const char* kForward = "softmax.forward.fp32.out-fp32.library.r16n65.special.s7";
  constexpr const char* kRecipe = "fp32.strided-16-halves.exp-degree5.reciprocal";
  EXPECT_EQ("nan-at-the-limit-of-exp", named(kForward, kRecipe, false));
  EXPECT_EQ("", named(kForward, kRecipe, true)) << "another mistake has the same name";
  EXPECT_EQ("nan-at-the-limit-of-exp",
            named("softmax.log-forward.fp32.out-fp32.library.r16n65.special.s7",
                  "fp32.strided-16-halves.exp-degree5.difference-log-degree5", false));
  EXPECT_EQ("nan-at-the-limit-of-exp-numerators-in-bf16",
            named("softmax.forward.bf16.out-bf16.library.r16n65.special.s7",
                  "fp32.strided-16-halves.exp-degree5.reciprocal-of-stored", false));
}

// Gaps between rows hold NaN, which are no logits: of two claims the weaker stands first.
TEST(SoftmaxRecipes, RoundingAloneIsNamedWhereNoLogitIsANan) {
  constexpr const char* kRecipe = "fp32.strided-16-halves.exp-degree5.reciprocal-of-stored";
  for (const char* fill : {"normal", "padded"}) {
    EXPECT_EQ("numerators-in-bf16",
              named(fmt::format("softmax.forward.bf16.out-bf16.library.r16n65.{}.s7", fill).c_str(),
                    kRecipe, false))
        << fill;
  }
}

// fp32 memory rounds nothing, so the name is none there.
TEST(SoftmaxRecipes, KeptResultsAreNarrow) {
  EXPECT_THROW(static_cast<void>(asked("softmax.forward.fp32.out-fp32.library.r16n65.normal.s7",
                                       "fp32.strided-16-halves.exp.reciprocal-of-stored")),
               std::invalid_argument);
}

TEST(SoftmaxRecipes, GradientOfTheLogarithmByAPolynomial) {
  const Asked a = asked("softmax.log-backward.fp32.out-fp32.library.r16n65.normal.s7",
                        "fp32.strided-16-halves.fma-exp-degree5");
  const std::vector<float> y = numbers(a.inputs.at("y")), dy = numbers(a.inputs.at("dy"));
  for (std::size_t r = 0; r < kRows; ++r) {
    const float sum = in_sixteen_lanes(&dy[r * kWidth]);
    for (std::size_t k = r * kWidth; k < (r + 1) * kWidth; ++k)
      expect_value(std::fma(-exponential(y[k]), sum, dy[k]), a.outputs.at("dx"), k);
  }
}

}  // namespace
}  // namespace halfmark::suites::softmax
