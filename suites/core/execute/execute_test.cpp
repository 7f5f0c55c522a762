// SPDX-License-Identifier: Apache-2.0
// What the two ways to run a plan say of outputs that nothing writes, and what is kept of outputs
// that differ from run to run.
#include "suites/core/execute/execute.hpp"

#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/variants.hpp"

namespace halfmark::suites {
namespace {

// Launches nothing, so that outputs stay as they were begun.
Plan idle_plan(const formats::Format& format) {
  Plan plan;
  plan.tensors = {{.name = "a", .format = &format, .count = 3, .role = Role::kInput},
                  {.name = "d", .format = &format, .count = 5, .role = Role::kOutput}};
  return plan;
}

TEST(Execute, ListsWhatKeepsBothPoisons) {
  Session session(backends::Device::open("host"));
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  const DeviceResult got = execute(session, idle_plan(formats::kFp16), inputs);
  EXPECT_EQ("uninit", memory_fault(got));
  EXPECT_EQ((std::vector<std::size_t>{0, 1, 2, 3, 4}), got.unwritten.at("d"));
}

// Larger than two pieces in which poison is written and tensors are compared.
constexpr std::size_t kManyBytes = 2 * kPieceBytes + 6;

TEST(Execute, FindsEveryUnwrittenElementOfALargeTensor) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.tensors[1].count = kManyBytes / 2;
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  const DeviceResult got = execute(session, plan, inputs);
  EXPECT_TRUE(got.guards_broken.empty());
  EXPECT_EQ(kManyBytes / 2, got.unwritten.at("d").size());
}

TEST(PreparedPlan, ComparesEveryByteOfALargeTensor) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.tensors[0].count = kManyBytes / 2;
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, kManyBytes / 2)}};
  const PreparedPlan run(session, plan, inputs, Unset{});
  EXPECT_TRUE(run.holds(plan.tensors[0], inputs.at("a")));
  EXPECT_TRUE(run.guard_is_intact(plan.tensors[0]));
  for (const std::size_t at : {std::size_t{0}, kPieceBytes - 1, kPieceBytes, kManyBytes - 1}) {
    formats::Tensor other = inputs.at("a");
    other.bytes[at] = std::byte{1};
    EXPECT_FALSE(run.holds(plan.tensors[0], other)) << at;
  }
}

TEST(PreparedPlan, StartsAgainWithAnotherPoison) {
  Session session(backends::Device::open("host"));
  const Plan plan = idle_plan(formats::kFp16);
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  PreparedPlan run(session, plan, inputs, Unset{});
  const Unset other{.contents = std::byte{0x11}, .behind = std::byte{0x22}};
  run.start_again(inputs, other);
  const auto [outputs, intact] = run.read(plan.tensors[1]);
  EXPECT_TRUE(intact);
  EXPECT_EQ(std::vector<std::byte>(10, other.contents), outputs.bytes);
  EXPECT_TRUE(run.holds(plan.tensors[0], inputs.at("a")));
}

TEST(ExecuteOnce, BeginsOutputsAsNanInEveryFormat) {
  Session session(backends::Device::open("host"));
  for (const formats::Format* format : {&formats::kFp16, &formats::kBf16, &formats::kFp32}) {
    const TensorSet inputs = {{"a", formats::Tensor::zeros(*format, 3)}};
    const DeviceResult got = execute_once(session, idle_plan(*format), inputs);
    ASSERT_FALSE(got.error);
    EXPECT_EQ("", memory_fault(got));
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_TRUE(formats::is_nan(*format, got.outputs.at("d").at(i))) << format->name;
  }
}

TEST(ExecuteOnce, HasErrorsAsData) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.launches.push_back(
      {.family = "probe", .defines = {}, .entry = "there_is_none", .arguments = {}});
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  EXPECT_TRUE(execute_once(session, plan, inputs).error);
}

// Forty repeats of a product on a device with a fault.
DeviceResult repeated(const char* fault) {
  constexpr std::size_t kSide = 8, kTerms = 64;
  Session session(backends::Device::open("host", {{"fault", fault}}));
  const Case c{.suite = "demo", .tokens = {}, .seed = 7};
  TensorSet inputs;
  Plan plan;
  for (const char* name : {"a", "b"}) {
    plan.tensors.push_back({.name = name, .format = &formats::kFp32, .count = kSide * kTerms});
    inputs.emplace(name, fill(formats::kFp32, kSide * kTerms, "normal", Random(c, name)));
  }
  plan.tensors.push_back(
      {.name = "d", .format = &formats::kFp32, .count = kSide * kSide, .role = Role::kOutput});
  plan.repeats = 40;
  add_operator(plan, session.device().info(), "library", "gemm")->tensors = {
      dense("a", {kSide, kTerms}), dense("b", {kTerms, kSide}), dense("d", {kSide, kSide})};
  return execute(session, plan, inputs);
}

void expect_all_different(const DeviceResult& got) {
  for (std::size_t i = 0; i < got.variants.size(); ++i) {
    EXPECT_NE(got.outputs, got.variants[i]) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(got.variants[j], got.variants[i]) << i;
  }
}

// Three parts have three sums; each kind of result counts once, however often it comes.
TEST(Variants, ALibraryOfAFewOrdersLeavesRoom) {
  const DeviceResult got = repeated("G04:parts=3");
  ASSERT_FALSE(got.error) << got.error->text;
  EXPECT_EQ("race", memory_fault(got));
  EXPECT_LE(1U, got.variants.size());
  EXPECT_GT(kVariantsKept, got.variants.size());
  EXPECT_FALSE(got.others);
  expect_all_different(got);
}

TEST(Variants, ALibraryOfManyOrdersHasExtremes) {
  const DeviceResult got = repeated("G04:parts=32");
  EXPECT_EQ(kVariantsKept, got.variants.size());
  expect_all_different(got);
  ASSERT_TRUE(got.others);
  const formats::Tensor& least = got.others->least.at("d");
  const formats::Tensor& greatest = got.others->greatest.at("d");
  EXPECT_NE(least, greatest);
  for (std::size_t i = 0; i < least.count(); ++i)
    EXPECT_LE(formats::ordered(formats::kFp32, least.at(i)),
              formats::ordered(formats::kFp32, greatest.at(i)));
}

TensorSet outputs_of(const formats::Format& format, formats::Bits first, formats::Bits second) {
  return {{"d", formats::Tensor::from_bits(format, std::vector{first, second})}};
}

// Of some encodings that the second element has, one in each run beyond the ones that are kept.
Extremes extremes_of(const formats::Format& format, std::initializer_list<formats::Bits> seen) {
  DeviceResult got;
  for (formats::Bits i = 0; i < kVariantsKept; ++i) keep_variant(got, outputs_of(format, 0, i));
  EXPECT_EQ(kVariantsKept, got.variants.size());
  EXPECT_FALSE(got.others);
  for (const formats::Bits bits : seen) keep_variant(got, outputs_of(format, 1, bits));
  return got.others.value();
}

TEST(Variants, ExtremesAreThoseOfEveryFormat) {
  for (const formats::Format& format : formats::all_formats()) {
    const formats::Bits most = formats::max_finite(format), some = formats::one(format);
    const formats::Bits low = format.has_sign ? formats::max_finite(format, true) : some - 1;
    const Extremes found = extremes_of(format, {some, most, low, some + 1});
    EXPECT_EQ(low, found.least.at("d").at(1)) << format.name;
    EXPECT_EQ(most, found.greatest.at("d").at(1)) << format.name;
    EXPECT_FALSE(formats::is_nan(format, found.any_nan.at("d").at(1))) << format.name;
  }
}

// Neither hides the other, whichever comes first.
TEST(Variants, ANanStandsBesideTheNumbers) {
  for (const formats::Format& format : formats::all_formats()) {
    if (format.non_finite == formats::NonFinite::kNone) continue;
    const formats::Bits nan = formats::quiet_nan(format), some = formats::one(format);
    for (const Extremes& found :
         {extremes_of(format, {nan, some, some + 1}), extremes_of(format, {some + 1, some, nan})}) {
      EXPECT_EQ(some, found.least.at("d").at(1)) << format.name;
      EXPECT_EQ(some + 1, found.greatest.at("d").at(1)) << format.name;
      EXPECT_EQ(nan, found.any_nan.at("d").at(1)) << format.name;
    }
  }
}

TEST(Variants, ZerosOfBothSignsAreDifferentExtremes) {
  constexpr formats::Bits kMinusZero = 0x8000, kOne = 0x3c00;
  const auto found = [](std::initializer_list<formats::Bits> seen) {
    return extremes_of(formats::kFp16, seen);
  };
  EXPECT_EQ(kMinusZero, found({0, kOne, kMinusZero}).least.at("d").at(1));
  EXPECT_EQ(0U, found({kMinusZero, kMinusZero | kOne, 0}).greatest.at("d").at(1));
}

}  // namespace
}  // namespace halfmark::suites
