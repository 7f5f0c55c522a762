// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is earned, the scripts lead where README.md says, and every mistake
// shows in a smoke case and is named there.
#include "suites/loss_scaling/suite.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using formats::Tensor;

Case named(std::string_view tail) {
  return parse_case("loss_scaling", suite().axes, "loss_scaling." + std::string(tail));
}

TEST(LossScalingSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(LossScalingSuite, EveryPassIsEarned) { expect_earned(suite(), Level::kSmoke); }

TEST(LossScalingSuite, EveryMistakeShows) {
  EXPECT_EQ(30u, expect_hypotheses_show(suite(), "portable"));
}

// Many mistakes share a class, so names count: each is the first that the diagnosis reports in some
// smoke case.
TEST(LossScalingSuite, EveryMistakeIsNamed) {
  expect_hypotheses_are_named(suite(), "portable", NamedBy::kName);
}

TEST(LossScalingSuite, EveryProfileHasASmokeCase) {
  std::set<std::string_view> missing;
  for (const auto& profile : operators::loss_scaler_profiles()) missing.insert(profile.name);
  const std::vector<Case> smoke = suite().cases(Level::kSmoke, kTestSeed);
  for (const Case& c : smoke) missing.erase(c.word("profile"));
  EXPECT_TRUE(missing.empty());
}

TEST(LossScalingSuite, RefusesShapesThatMakeNoSense) {
  for (const char* shape : {"n0d1", "n1d0", "n1d65", "n99999999d1", "n16777216d11"}) {
    const Case c = named("pytorch.fp32.portable." + std::string(shape) + ".grow.s1");
    EXPECT_THROW(static_cast<void>(suite().bind(c)), UsageError) << shape;
  }
  EXPECT_NO_THROW(
      static_cast<void>(suite().bind(named("pytorch.fp32.portable.n16777216d10.grow.s1"))));
}

// PyTorch multiplies doubles, which no kernel has.
TEST(LossScalingSuite, FactorsAreForProfilesWhoseProductsAreInFp32) {
  std::set<std::string_view> with;
  for (const Case& c : suite().cases(Level::kFull, kTestSeed)) {
    if (c.word("script") == "factors") with.insert(c.word("profile"));
  }
  EXPECT_EQ((std::set<std::string_view>{"halfmark", "keras", "megatron", "tensorflow"}), with);
  EXPECT_THROW(static_cast<void>(suite().bind(named("pytorch.fp32.portable.n9d1.factors.s1"))),
               UsageError);
}

TensorSet results(std::string_view tail) {
  const Prepared prepared(suite(), named(tail));
  return prepared.expected.middle;
}

float number(const Tensor& tensor, std::size_t i) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(tensor.at(i)));
}

std::vector<float> numbers(const Tensor& tensor) {
  std::vector<float> list;
  for (std::size_t i = 0; i < tensor.count(); ++i) list.push_back(number(tensor, i));
  return list;
}

// Worked out by hand from the rules of the profiles; the interval is 3.
TEST(LossScalingScripts, LeadWhereTheySay) {
  using List = std::vector<float>;
  const float inf = HUGE_VALF;
  EXPECT_EQ(numbers(results("pytorch.fp32.portable.n9d2.grow.s7").at("04_scales")),
            (List{1000, 1000, 2000, 2000, 2000, 4000, 4000, 2000, 2000, 2000, 4000, 4000}));
  EXPECT_EQ(numbers(results("deepspeed.fp32.portable.n9d2.grow.s7").at("04_scales")),
            (List{1000, 1000, 1000, 2000, 2000, 2000, 4000, 4000, 4000, 4000, 4000, 8000}));
  EXPECT_EQ(numbers(results("megatron.fp32.portable.n9d2.restore.s7").at("04_scales")),
            (List{1000, 1000, 1000, 2000, 2000, 2000, 2000, 2000, 2000, 500, 500, 500}));
  EXPECT_EQ(numbers(results("tensorflow.fp32.portable.n9d2.bottom.s7").at("04_scales")),
            (List{2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2}));
  EXPECT_EQ(numbers(results("pytorch.fp32.portable.n9d2.top.s7").at("04_scales")),
            (List{0x1p126f, 0x1p126f, 0x1p126f, 0x1p126f, 0x1p125f, 0x1p125f, 0x1p125f, 0x1p127f}));
  EXPECT_EQ(numbers(results("keras.fp32.portable.n9d2.top.s7").at("04_scales")),
            (List{0x1p126f, 0x1p126f, inf, inf, inf, inf, inf, inf}));
  EXPECT_EQ(numbers(results("apex.fp32.portable.n9d2.top.s7").at("04_scales")),
            (List{0x1p23f, 0x1p23f, 0x1p24f, 0x1p24f, 0x1p22f, 0x1p22f, 0x1p22f, 0x1p24f}));
}

// 1000 x 1.1, then x 0.7 (megatron, at the second overflow) or / 1.1 (keras), each rounded once.
TEST(LossScalingScripts, FactorsRound) {
  const float grown = 1000.0F * 1.1F, less = grown / 1.1F;
  const auto keras = numbers(results("keras.fp32.portable.n9d2.factors.s7").at("04_scales"));
  EXPECT_EQ((std::vector<float>{1000, 1000, grown, less}),
            std::vector<float>(keras.begin(), keras.begin() + 4));
  const auto halfmark = numbers(results("halfmark.fp32.portable.n9d2.factors.s7").at("04_scales"));
  EXPECT_EQ((std::vector<float>{1000, 1000, grown, grown * 0.7F}),
            std::vector<float>(halfmark.begin(), halfmark.begin() + 4));
}

// A gradient is shown with the scale of its own step, a restored one where the script restores it.
TEST(LossScalingScripts, OperandsHaveTheScaleOfTheirStep) {
  const auto scale_of_step = [](std::string_view tail, std::size_t step) {
    const Prepared prepared(suite(), named(tail));
    const std::vector<Operand> shown =
        prepared.problem->operands(prepared.inputs, "01_unscaled", step * 18);
    EXPECT_EQ("scale in step " + std::to_string(step), shown.at(0).label);
    return std::bit_cast<float>(static_cast<std::uint32_t>(shown.at(0).bits));
  };
  EXPECT_EQ(1000, scale_of_step("pytorch.fp32.portable.n9d2.grow.s7", 2));
  EXPECT_EQ(2000, scale_of_step("pytorch.fp32.portable.n9d2.grow.s7", 3));
  EXPECT_EQ(2000, scale_of_step("megatron.fp32.portable.n9d2.restore.s7", 5));
  EXPECT_EQ(1000, scale_of_step("megatron.fp32.portable.n9d2.restore.s7", 6));
}

TEST(LossScalingScripts, CountsAreIntegers) {
  const auto problem = suite().bind(named("megatron.fp32.portable.n9d2.bottom.s7"));
  EXPECT_TRUE(problem->holds_integers("05_counts"));
  EXPECT_TRUE(problem->holds_integers("08_counts"));
  EXPECT_FALSE(problem->holds_integers("04_scales"));
}

TEST(LossScalingScripts, OverflowOnOneDeviceAndOnAll) {
  const TensorSet got = results("pytorch.fp32.portable.n65d3.overflow.s7");
  EXPECT_EQ(numbers(got.at("03_found")), (std::vector<float>{0, 0, 1, 0, 1, 0, 0, 1, 3, 0, 0, 0}));
}

}  // namespace
}  // namespace halfmark::suites::loss_scaling
