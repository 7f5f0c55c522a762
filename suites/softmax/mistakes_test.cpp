// SPDX-License-Identifier: Apache-2.0
// For every mistake of a portable kernel a row that exposes it, and no other row.
#include "suites/softmax/mistakes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/testing/shown_mistakes.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/softmax/model.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::kFp32;
using formats::Tensor;
using Names = std::set<std::string>;

constexpr std::size_t kWidth = 200;
constexpr double kMasked = -std::numeric_limits<double>::infinity();

Tensor drawn(double low, double high, std::size_t count = kWidth) {
  std::mt19937 source(7);
  std::uniform_real_distribution<float> draw(static_cast<float>(low), static_cast<float>(high));
  Tensor x = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i)
    x.set(i, nearest(kFp32, static_cast<double>(draw(source))));
  return x;
}

Tensor constant(double value, std::size_t count = kWidth) {
  Tensor x = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i) x.set(i, nearest(kFp32, value));
  return x;
}

// The mistakes that change the bits of one row.
Names shown(const std::string& operation, const TensorSet& inputs, std::size_t width = kWidth) {
  const Case c = parse_case("softmax", suite().axes,
                            "softmax." + operation + ".fp32.out-fp16.portable.r1n" +
                                std::to_string(width) + ".normal.s7");
  return shown_mistakes(suite(), c, inputs);
}

// Those of the logits, that is, of the rows beyond which nothing is rounded.
const Names kRoundings{"all-in-bf16",        "all-in-fp16", "exp-in-fp16",    "inputs-in-bf16",
                       "reciprocal-in-fp16", "sum-in-fp16", "tail-not-summed"};

Names with(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

TEST(SoftmaxMistakes, RoundingsAndTailsShowOnOrdinaryLogits) {
  EXPECT_EQ(with(kRoundings, {"shift-in-fp16"}), shown("forward", {{"x", drawn(0, 4)}}));
}

TEST(SoftmaxMistakes, AMaximumShowsWhereItMatters) {
  EXPECT_TRUE(shown("forward", {{"x", drawn(100, 104)}}).contains("no-max-shift"));
  const Names below = shown("forward", {{"x", drawn(-130, -120)}});
  EXPECT_TRUE(below.contains("max-from-zero"));
  EXPECT_TRUE(below.contains("padding-is-zero"));
  EXPECT_FALSE(shown("forward", {{"x", drawn(-130, -120, 192)}}, 192).contains("padding-is-zero"));
}

TEST(SoftmaxMistakes, OfMaskedRowsShowInThemAlone) {
  EXPECT_EQ((Names{"masked-row-is-uniform", "masked-row-is-zero"}),
            shown("forward", {{"x", constant(kMasked)}}));
  Tensor one = constant(kMasked, 64);
  one.set(5, 0);
  EXPECT_EQ(Names{}, shown("forward", {{"x", one}}, 64));
}

TEST(SoftmaxMistakes, ANanShowsWhereItIsDropped) {
  Tensor x = drawn(0, 4);
  x.set(3, formats::quiet_nan(kFp32));
  EXPECT_EQ(Names{"nan-is-masked"}, shown("forward", {{"x", x}}));
}

TEST(SoftmaxMistakes, EmptyLanesShowInNarrowRows) {
  EXPECT_TRUE(shown("forward", {{"x", drawn(0, 4, 63)}}, 63).contains("empty-lane-is-nan"));
  EXPECT_FALSE(shown("forward", {{"x", drawn(0, 4, 64)}}, 64).contains("empty-lane-is-nan"));
}

TEST(SoftmaxMistakes, ALogarithmOfSoftmaxShowsWhereItUnderflows) {
  EXPECT_TRUE(shown("log-forward", {{"x", drawn(-120, 0)}}).contains("log-of-softmax"));
  EXPECT_FALSE(shown("forward", {{"x", drawn(-120, 0)}}).contains("log-of-softmax"));
}

TEST(SoftmaxMistakes, OfGradientsShow) {
  const Tensor y = drawn(0, 0.01), dy = drawn(1, 4);
  EXPECT_EQ((Names{"inputs-in-bf16", "no-row-sum", "product-in-fp16", "row-sum-in-fp16"}),
            shown("backward", {{"y", y}, {"dy", dy}}));
  EXPECT_EQ((Names{"inputs-in-bf16", "no-row-sum", "row-sum-in-fp16"}),
            shown("log-backward", {{"y", drawn(-8, -1)}, {"dy", dy}}));
}

TEST(SoftmaxMistakes, ASequenceWithoutOneIsTheSpecification) {
  for (const Case& c : suite().cases(Level::kSmoke, kTestSeed)) {
    const Binding b = bind(c);
    if (!b.portable) continue;
    const Prepared prepared(suite(), c);
    EXPECT_EQ(prepared.expected.middle, specified_model(b, prepared.inputs, right_model(b)))
        << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::softmax
