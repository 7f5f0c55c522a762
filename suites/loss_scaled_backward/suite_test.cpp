// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every case has a justified pass, the data have the properties that README.md
// states, and a smoke case exposes every mistake that the suite can name.
#include "suites/loss_scaled_backward/suite.hpp"

#include <gtest/gtest.h>

#include <set>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr std::uint64_t kSeed = 7;

Case named(std::string_view tail) {
  return parse_case("loss_scaled_backward", suite().axes,
                    "loss_scaled_backward.portable." + std::string(tail));
}

operators::TrainingStep specified(const Case& c) {
  return evaluate(c, suite().bind(c)->inputs(), {}, {});
}

std::size_t count_class(const Tensor& tensor, formats::Class kind) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    if (formats::classify(*tensor.format, tensor.at(i)) == kind) ++found;
  }
  return found;
}

TEST(LossScaledBackwardSuite, NamesParseBackAndAreUniqueAtEveryLevel) {
  std::set<std::string> before;
  for (const Level level : {Level::kSmoke, Level::kStandard, Level::kFull, Level::kExhaustive}) {
    std::set<std::string> names;
    for (const Case& c : suite().cases(level, kSeed)) {
      EXPECT_EQ(c, parse_case("loss_scaled_backward", suite().axes, print(c)));
      EXPECT_TRUE(names.insert(print(c)).second) << print(c);
    }
    for (const std::string& name : before) EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_GT(names.size(), before.size());
    before = std::move(names);
  }
}

TEST(LossScaledBackwardSuite, EveryCaseEarnsItsPassAndHasItsRow) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
    EXPECT_EQ(suite().bind(c)->row({}).tier, Tier::kSpecified);
  }
}

TEST(LossScaledBackwardSuite, RefusesEmptyAndHugeShapes) {
  EXPECT_THROW(static_cast<void>(suite().bind(named("b0i1h1o1.scale1.normal.s1"))->inputs()),
               UsageError);
  EXPECT_THROW(static_cast<void>(suite().bind(named("b1i1h99999o1.scale1.normal.s1"))->inputs()),
               UsageError);
}

TEST(LossScaledBackwardFills, FragileGradientsAreSubnormalWithoutAScaleAndNormalWithOne) {
  const operators::TrainingStep bare = specified(named("b17i33h40o9.scale1.fragile.s7"));
  EXPECT_GT(count_class(bare.dg, formats::Class::kSubnormal), bare.dg.count() / 2);
  EXPECT_GT(count_class(bare.dw1, formats::Class::kSubnormal), bare.dw1.count() / 2);
  EXPECT_FALSE(bare.found_inf);
  const operators::TrainingStep lifted = specified(named("b17i33h40o9.scale65536.fragile.s7"));
  EXPECT_LT(count_class(lifted.dw1, formats::Class::kSubnormal), lifted.dw1.count() / 50);
  EXPECT_FALSE(lifted.found_inf);
}

TEST(LossScaledBackwardFills, LoneMakesExactlyOneInfinity) {
  for (const Case& c : suite().cases(Level::kFull, kSeed)) {
    if (c.word("fill") != "lone" && c.word("fill") != "tail") continue;
    const operators::TrainingStep step = specified(c);
    EXPECT_EQ(count_class(step.dw2, formats::Class::kInfinity), 1u) << print(c);
    EXPECT_EQ(count_class(step.dw2, formats::Class::kQuietNan), 0u) << print(c);
    EXPECT_EQ(count_class(step.dw1, formats::Class::kInfinity), 0u) << print(c);
    EXPECT_TRUE(step.found_inf);
  }
}

TEST(LossScaledBackwardFills, ScalesLeadWhereTheySay) {
  EXPECT_TRUE(specified(named("b5i7h19o3.scale2p24.normal.s7")).found_inf);
  const operators::TrainingStep clean = specified(named("b5i7h19o3.scale65536.fragile.s7"));
  EXPECT_EQ(clean.scale, 0x48000000u) << "grown to 2^17";
  EXPECT_EQ(clean.growth, 0u);
  const operators::TrainingStep low = specified(named("b5i7h19o3.scale2m12.normal.s7"));
  EXPECT_GT(count_class(low.dw1, formats::Class::kSubnormal) +
                count_class(low.dw1, formats::Class::kZero),
            low.dw1.count() / 2);
  EXPECT_EQ(specified(named("b4i8h16o8.scale2p127.still.s7")).scale, 0x7f000000u);
}

TEST(LossScaledBackwardSuite, SmokeShowsEveryMistakeThatItCanName) {
  std::set<std::string> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (compare(expected, h.evaluate(c, inputs).middle, 0).mismatches > 0) shown.insert(h.name);
    }
  }
  for (const Hypothesis& h : suite().bind(named("b1i1h1o1.scale1.normal.s7"))->mistakes()) {
    EXPECT_TRUE(shown.contains(h.name)) << h.name;
  }
}

TEST(LossScaledBackwardSuite, ADeviceThatFlushesConversionsIsSeen) {
  const Case c = named("b17i33h40o9.scale1.fragile.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const TensorSet expected = suite().bind(c)->expect(inputs).middle;
  for (const auto subnormals : {soft::Subnormals::kFlushIn, soft::Subnormals::kFlushOut}) {
    models::Machine machine;
    machine.convert.subnormals = subnormals;
    EXPECT_GT(compare(expected, suite().bind(c)->expect(inputs, machine).middle, 0).mismatches,
              1000u);
  }
}

// An API that allows flushing in fp32 operations cannot excuse a wrong step: no fp32 subnormal that
// matters occurs in it.
TEST(LossScaledBackwardSuite, FlushingSinglePrecisionChangesNothing) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    models::Machine machine = models::uniform_machine(
        {.rounding = soft::Rounding::kNearEven, .subnormals = soft::Subnormals::kFlush});
    machine.convert = {};
    EXPECT_EQ(compare(suite().bind(c)->expect(inputs).middle,
                      suite().bind(c)->expect(inputs, machine).middle, 0)
                  .mismatches,
              0u)
        << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::loss_scaled_backward
