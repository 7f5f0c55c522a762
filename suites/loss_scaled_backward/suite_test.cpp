// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every case has a justified pass, the data have the properties that README.md
// states, and a smoke case exposes every mistake that the suite can name.
#include "suites/loss_scaled_backward/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/loss_scaled_backward/testing/steps.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

Case named(std::string_view tail) { return any_named("portable." + std::string(tail)); }

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
    const Expectation expected = suite().bind(c)->expect(inputs);
    EXPECT_EQ("", unearned(inputs, allowance_of(expected))) << print(c);
    const bool is_portable = c.word("provider") == "portable";
    EXPECT_EQ(is_portable ? Tier::kSpecified : Tier::kBounded, suite().bind(c)->row({}).tier);
    EXPECT_EQ(!is_portable, expected.enclosure.has_value());
  }
}

TEST(LossScaledBackwardSuite, NamesWithoutFormatAndBiasesAreOfFp16WithoutThem) {
  const Case c = named("b5i7h19o3.scale1.normal.s7");
  EXPECT_EQ("loss_scaled_backward.portable.b5i7h19o3.scale1.normal.s7", print(c));
  EXPECT_EQ("", c.word("format"));
  EXPECT_EQ("", c.word("biases"));
  const TensorSet inputs = suite().bind(c)->inputs();
  EXPECT_EQ(kFp16, *inputs.at("x").format);
  EXPECT_FALSE(inputs.contains("12_b1"));
  const Case full = any_named("bf16.biases.library.b5i7h19o3.scale1.normal.s7");
  EXPECT_EQ("loss_scaled_backward.bf16.biases.library.b5i7h19o3.scale1.normal.s7", print(full));
  EXPECT_EQ(kBf16, *suite().bind(full)->inputs().at("x").format);
  EXPECT_TRUE(suite().bind(full)->inputs().contains("12_b1"));
  const Case eight = any_named("fp8.portable.b5i7h19o3.scale1.normal.s7");
  EXPECT_EQ(kBf16, *suite().bind(eight)->inputs().at("x").format);
  EXPECT_EQ(
      formats::kE5m2,
      *suite().bind(eight)->expect(suite().bind(eight)->inputs()).middle.at("05_dy_fp8").format);
  EXPECT_THROW(any_named("fp16.portable.b5i7h19o3.scale1.normal.s7"), UsageError)
      << "two names would be one case";
  EXPECT_THROW(any_named("biases.bf16.portable.b5i7h19o3.scale1.normal.s7"), UsageError);
}

TEST(LossScaledBackwardSuite, RefusesEmptyAndHugeShapes) {
  EXPECT_THROW(static_cast<void>(suite().bind(named("b0i1h1o1.scale1.normal.s1"))->inputs()),
               UsageError);
  EXPECT_THROW(static_cast<void>(suite().bind(named("b1i1h99999o1.scale1.normal.s1"))->inputs()),
               UsageError);
  EXPECT_THROW(static_cast<void>(suite().bind(named("b3i5h19o7.scale65536.lonebias.s1"))->inputs()),
               UsageError);
  for (const char* name : {"bf16.portable.b5i7h19o3.scale1.spread.s1",
                           "fp8.biases.portable.b5i7h19o3.scale1.faint.s1"})
    EXPECT_THROW(static_cast<void>(suite().bind(any_named(name))->inputs()), UsageError) << name;
}

// Libraries multiply matrices of 8 bits along rows, so that some are stored by columns, too.
TEST(LossScaledBackwardSuite, ALibraryMultipliesTurnedTensorsAlongRows) {
  const Case c = any_named("fp8.library.b2i3h4o5.scale1.normal.s1");
  const Expectation expected = suite().bind(c)->expect(suite().bind(c)->inputs());
  const formats::Tensor& dy = expected.middle.at("05_dy_fp8");
  const formats::Tensor& turned = expected.middle.at("05_dy_fp8_turned");
  for (std::size_t sample = 0; sample < 2; ++sample) {
    for (std::size_t output = 0; output < 5; ++output)
      EXPECT_EQ(dy.at(sample * 5 + output), turned.at(output * 2 + sample));
  }
  for (const Product& product : provided_products(bind(c))) {
    EXPECT_FALSE(product.a.transposed) << product.d;
    EXPECT_TRUE(product.b.transposed) << product.d;
  }
  const Product dw2 = provided_products(bind(c)).at(2);
  EXPECT_EQ("05_dy_fp8_turned", dw2.a.name);
  EXPECT_EQ("02_g_fp8_turned", dw2.b.name);
  EXPECT_EQ("06_ab_sums", dw2.d);
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

TEST(LossScaledBackwardFills, FragileGradientsAreNormalInBf16WithoutAScale) {
  const operators::TrainingStep step =
      specified(any_named("bf16.portable.b17i33h40o9.scale1.fragile.s7"));
  for (const Tensor* gradient : {&step.dy, &step.dg, &step.dh, &step.dw1, &step.dw2}) {
    EXPECT_EQ(0U, count_class(*gradient, formats::Class::kSubnormal));
    EXPECT_EQ(0U, count_class(*gradient, formats::Class::kZero));
  }
}

TEST(LossScaledBackwardFills, LoneBiasMakesExactlyOneInfinity) {
  std::size_t seen = 0;
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("fill") != "lonebias" || c.word("provider") != "portable") continue;
    ++seen;
    const operators::TrainingStep step = specified(c);
    EXPECT_EQ(1U, count_class(step.db2, formats::Class::kInfinity)) << print(c);
    for (const Tensor* other : {&step.db1, &step.dw1, &step.dw2, &step.dg, &step.dh, &step.dy}) {
      EXPECT_EQ(0U, count_class(*other, formats::Class::kInfinity)) << print(c);
      EXPECT_EQ(0U, count_class(*other, formats::Class::kQuietNan)) << print(c);
    }
    EXPECT_TRUE(step.found_inf);
  }
  EXPECT_EQ(5U, seen);
}

TEST(LossScaledBackwardFills, LoneMakesExactlyOneInfinity) {
  for (const Case& c : suite().cases(Level::kFull, kSeed)) {
    if (c.word("provider") != "portable") continue;
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

// Saturation keeps it from every gradient of a weight.
TEST(LossScaledBackwardFills, AnInfiniteTargetIsFoundIn8Bits) {
  const operators::TrainingStep step =
      specified(any_named("fp8.portable.b3i5h19o7.scale65536.inf.s7"));
  EXPECT_EQ(1U, count_class(step.dy, formats::Class::kInfinity));
  for (const Tensor* gradient : {&step.dw1, &step.dw2})
    EXPECT_EQ(0U, count_class(*gradient, formats::Class::kInfinity) +
                      count_class(*gradient, formats::Class::kQuietNan));
  EXPECT_TRUE(step.found_inf);
}

TEST(LossScaledBackwardFills, SpreadGradientsAreSubnormalIn8Bits) {
  const operators::TrainingStep step =
      specified(any_named("fp8.portable.b17i33h40o9.scale1.spread.s7"));
  EXPECT_GT(count_class(step.eight.dy.eight, formats::Class::kSubnormal), 10U);
  EXPECT_EQ(0U, count_class(step.dw2, formats::Class::kSubnormal));
  operators::TrainingVariant flushed;
  flushed.scaled.flushed = true;
  const Case c = any_named("fp8.portable.b17i33h40o9.scale1.spread.s7");
  EXPECT_NE(step.dw2, evaluate(c, suite().bind(c)->inputs(), {}, flushed).dw2)
      << "products take the subnormals";
}

TEST(LossScaledBackwardFills, FaintGradientsHaveTheLargestScale) {
  const operators::TrainingStep step =
      specified(any_named("fp8.portable.b5i7h19o3.scale1.faint.s7"));
  EXPECT_EQ(0x7f7fffffU, step.eight.dy.numbers.at(1));
  EXPECT_EQ(0U, step.eight.dh.numbers.at(0)) << "the next gradients are zero";
  EXPECT_EQ(0x3f800000U, step.eight.dh.numbers.at(1));
  EXPECT_EQ(0U, count_class(step.dy, formats::Class::kZero));
}

// The words of a case that decide which mistakes it can name.
std::string kind_of(const Case& c) {
  return fmt::format("{} {} {}", c.word("format"), c.word("biases"), c.word("provider"));
}

// Each mistake of each kind of kernels changes a bit in some case, and is named in one.
TEST(LossScaledBackwardSuite, SmokeShowsEveryMistakeThatItCanName) {
  std::map<std::string, bool> named_by;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "portable") continue;
    const auto problem = suite().bind(c);
    const TensorSet inputs = problem->inputs();
    const Expectation expected = problem->expect(inputs);
    const Allowance allowed = allowance_of(expected);
    for (const Hypothesis& h : problem->mistakes()) {
      bool& is_named = named_by[kind_of(c) + " " + h.name];
      if (is_named) continue;
      const TensorSet wrong = h.evaluate(c, inputs).middle;
      is_named =
          compare(allowed, wrong).mismatches > 0 && explains(h, *problem, inputs, allowed, wrong);
    }
  }
  EXPECT_GT(named_by.size(), 80U);
  for (const auto& [name, is_named] : named_by) EXPECT_TRUE(is_named) << name;
}

// An fp16 device that poses as one of bf16 loses the gradients for which bf16 needs no scale.
TEST(LossScaledBackwardSuite, AnFp16DevicePosingAsBf16IsSeen) {
  const Case c = any_named("bf16.portable.b17i33h40o9.scale1.fragile.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const TensorSet posed = outputs_of(
      bind(c),
      evaluate(c, inputs, {}, {.casts_through_fp16 = true, .products_through_fp16 = true}));
  EXPECT_GT(compare(suite().bind(c)->expect(inputs).middle, posed, 0).mismatches, 2000U);
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

// Operations alone: kernels load and store subnormals on every interface.
models::Machine flushing_operations() {
  models::Machine machine = models::uniform_machine(
      {.rounding = soft::Rounding::kNearEven, .subnormals = soft::Subnormals::kFlush});
  machine.convert = {};
  return machine;
}

// An API that allows flushing in fp32 operations cannot excuse a wrong step: but for the fill
// `faint`, which is not smoke, no fp32 subnormal that matters occurs in it.
TEST(LossScaledBackwardSuite, FlushingSinglePrecisionChangesNothing) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "portable") continue;
    EXPECT_NE("faint", c.word("fill"));
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ(compare(suite().bind(c)->expect(inputs).middle,
                      suite().bind(c)->expect(inputs, flushing_operations()).middle, 0)
                  .mismatches,
              0u)
        << print(c);
  }
}

TEST(LossScaledBackwardSuite, FlushingFaintGradientsIsAFreedom) {
  for (const char* shape : {"b5i7h19o3", "b33i65h129o17"}) {
    const auto problem =
        suite().bind(any_named(fmt::format("fp8.portable.{}.scale1.faint.s7", shape)));
    const TensorSet inputs = problem->inputs();
    const Expectation expected = problem->expect(inputs);
    const TensorSet flushed = problem->expect(inputs, flushing_operations()).middle;
    const std::uint64_t mismatches = compare(allowance_of(expected), flushed).mismatches;
    EXPECT_LT(0U, mismatches) << shape;
    const auto found = diagnose(*problem, inputs, allowance_of(expected), flushed);
    ASSERT_FALSE(found.empty()) << shape;
    EXPECT_TRUE(found.front().exact(mismatches)) << shape;
    EXPECT_EQ(std::vector<std::string>{"operation_subnormals"}, found.front().freedoms) << shape;
  }
}

std::vector<std::string> labels_of(std::string_view tensor) {
  const auto problem = suite().bind(named("b5i7h19o3.scale1000.normal.s7"));
  std::vector<std::string> labels;
  for (const Operand& operand : problem->operands(problem->inputs(), tensor, 0))
    labels.push_back(operand.label);
  return labels;
}

// Gradients are products of tensors that are no inputs.
TEST(LossScaledBackwardSuite, OperandsAreWhatTheLastOperationReads) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ((Labels{"scale"}), labels_of("09_dw1"));
  EXPECT_EQ((Labels{"scale"}), labels_of("11_g1"));
  EXPECT_EQ((Labels{"scale", "12_w1[0]"}), labels_of("12_w1"));
  EXPECT_EQ((Labels{"scale", "t[0]"}), labels_of("05_dy"));
}

// A smaller failure may have another scale than its case, and counts are no fp32 numbers.
TEST(LossScaledBackwardSuite, OperandsAreThoseOfTheInputs) {
  const auto problem = suite().bind(named("b5i7h19o3.scale1000.normal.s7"));
  TensorSet inputs = problem->inputs();
  inputs.at("14_scale").set(0, 0x40000000);
  const std::vector<Operand> operands = problem->operands(inputs, "15_growth", 0);
  ASSERT_EQ(2U, operands.size());
  EXPECT_EQ(0x40000000U, operands[0].bits);
  EXPECT_EQ(nullptr, operands[1].format);
  EXPECT_EQ(1999U, operands[1].bits);
  EXPECT_TRUE(problem->holds_integers("15_growth"));
  EXPECT_FALSE(problem->holds_integers("14_scale"));
}

}  // namespace
}  // namespace halfmark::suites::loss_scaled_backward
