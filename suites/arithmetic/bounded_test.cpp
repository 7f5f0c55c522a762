// SPDX-License-Identifier: Apache-2.0
// Quotients and roots where their correct rounding is not promised: every encoding within the bound
// is right and the next one is not, for cases and for canaries, and no digest asks for more.
#include "suites/arithmetic/bounded.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "suites/arithmetic/canaries.hpp"
#include "suites/arithmetic/pairs.hpp"
#include "suites/arithmetic/suite.hpp"
#include "suites/core/execute/device_result.hpp"
#include "suites/core/judge/judge.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Tensor;

constexpr const char* kOfFp32 = "fp32.divide_sqrt_correctly_rounded";
constexpr const char* kOfFp16 = "fp16.arithmetic.divide_sqrt_correctly_rounded";

backends::DeviceInfo device_that(bool rounds_correctly) {
  backends::DeviceInfo device;
  device.promises = {{"fp16.storage", true, "answer", "clause"},
                     {"fp16.arithmetic", true, "answer", "clause"},
                     {kOfFp32, rounds_correctly, "answer", "clause"},
                     {kOfFp16, rounds_correctly, "answer", "clause"}};
  return device;
}

Case case_of(std::string_view operation) {
  return parse_case("arithmetic", suite().axes,
                    fmt::format("arithmetic.{}.portable.n4096.bits.s7", operation));
}

// Whether a device may give d.
bool passes(std::string_view operation, const Operands& x, Bits d) {
  const Operation& op = *find_operation(operation.substr(0, 4), operation.substr(5));
  const auto one = [&](Bits bits) { return Tensor::from_bits(*op.operand, std::span(&bits, 1)); };
  TensorSet inputs;
  inputs.emplace("a", one(x.a));
  if (op.arity == 2) inputs.emplace("b", one(x.b));
  const Expectation expected = suite().bind(case_of(operation))->expect(inputs);
  TensorSet got;
  got.emplace("d", one(d));
  return compare(allowance_of(expected), got).mismatches == 0;
}

// Below a power of two encodings lie twice as close: the bound holds more of them there.
TEST(BoundedArithmetic, NextToAPowerOfTwoEncodingsAreNoUlps) {
  const Operands above{.a = 0x3f800001, .b = 0x3f800000};
  EXPECT_TRUE(passes("fp32.div_ulp", above, 0x3f7ffffd));
  EXPECT_FALSE(passes("fp32.div_ulp", above, 0x3f7ffffc));
  EXPECT_TRUE(passes("fp32.sqrt_ulp", {.a = 0x3f800001}, 0x3f7ffffb));
  EXPECT_FALSE(passes("fp32.sqrt_ulp", {.a = 0x3f800001}, 0x3f7ffffa));
  const Operands below{.a = 0x3f7fffff, .b = 0x3f800000};
  EXPECT_TRUE(passes("fp32.div_ulp", below, 0x3f800000));
  EXPECT_FALSE(passes("fp32.div_ulp", below, 0x3f800001));
  EXPECT_FALSE(passes("fp32.div_ulp", {.a = 0, .b = 0x40400000}, 1)) << "a zero is exact";
}

TEST(BoundedArithmetic, HalfMayErrWhereNothingElseIsPromised) {
  const Operands third{.a = 0x3c00, .b = 0x4200};  // 0x3555.33
  EXPECT_TRUE(passes("fp16.div_ulp", third, 0x3556));
  EXPECT_FALSE(passes("fp16.div_ulp", third, 0x3554));
  EXPECT_FALSE(passes("fp16.div", third, 0x3556));
  EXPECT_TRUE(passes("fp16.sqrt_ulp", {.a = 0x4000}, 0x3da7));  // 0x3da8.15
  EXPECT_FALSE(passes("fp16.sqrt_ulp", {.a = 0x4000}, 0x3daa));
  EXPECT_FALSE(passes("fp16.sqrt", {.a = 0x4000}, 0x3da7));
}

TEST(BoundedArithmetic, ADeviceIsAskedForWhatItPromises) {
  for (const std::string_view operation : {"fp32.div", "fp32.sqrt", "fp16.div", "fp16.sqrt"}) {
    const std::string_view promise = operation.starts_with("fp32") ? kOfFp32 : kOfFp16;
    const auto exact = suite().bind(case_of(operation));
    EXPECT_FALSE(exact->plan(device_that(true)).needs) << operation;
    EXPECT_EQ(promise, exact->plan(device_that(false)).needs) << operation;
    const Case bounded = case_of(fmt::format("{}_ulp", operation));
    EXPECT_FALSE(suite().concerns(bounded, device_that(true))) << operation;
    EXPECT_TRUE(suite().concerns(bounded, device_that(false))) << operation;
    const Plan plan = suite().bind(bounded)->plan(device_that(false));
    EXPECT_FALSE(plan.needs) << operation;
    EXPECT_EQ(exact->plan(device_that(true)).launches.at(0).entry, plan.launches.at(0).entry);
  }
}

// Their digests are of correctly rounded results.
TEST(BoundedArithmetic, NoDigestAccusesADeviceThatMayErr) {
  std::size_t sweeps = 0;
  for (const Case& c : suite().cases(Level::kExhaustive, 7)) {
    const std::string_view operation = c.word("operation");
    if (c.word("fill") != kPairsFill || operation.substr(0, 3) != "div") continue;
    const auto needs = suite().bind(c)->plan(device_that(false)).needs;
    EXPECT_TRUE(needs.has_value()) << print(c);
    ++sweeps;
  }
  EXPECT_EQ(34u, sweeps) << "16 of all pairs and one of some, in fp16 and through fp32";
}

nlohmann::json canary(std::string_view name, Bits d, const backends::DeviceInfo& device) {
  DeviceResult result;
  result.outputs.emplace("d", Tensor::from_bits(formats::kFp32, std::span(&d, 1)));
  return judged_canary(name, result, device);
}

TEST(Canaries, AQuotientMayErrWhereNothingElseIsPromised) {
  const auto may_err = device_that(false), must_round = device_that(true);
  EXPECT_EQ("ok", canary("fp32.division", 0x3eaaaaaa, may_err).at("standing"));
  EXPECT_EQ("violation", canary("fp32.division", 0x3eaaaaaa, must_round).at("standing"));
  EXPECT_EQ("violation", canary("fp32.division", 0x3eaaaaa8, may_err).at("standing"));
  EXPECT_EQ("ok", canary("fp32.square_root", 0x3fb504f4, may_err).at("standing"));
  EXPECT_EQ("violation", canary("fp32.square_root", 0x3fb504f4, must_round).at("standing"));
  EXPECT_EQ("ok", canary("fp32.subnormals.sqrt.operand", 0x1ab504f4, may_err).at("standing"));
  EXPECT_EQ("ok", canary("fp32.subnormals.div", 0x00400001, may_err).at("standing"));
  const auto kept = canary("fp32.division", 0x3eaaaaab, may_err);
  EXPECT_EQ("ok", kept.at("standing"));
  EXPECT_EQ("1 / 3 is correctly rounded", kept.at("meaning"));
}

TEST(Canaries, AnUnpromisedRoundingExcusesNoLostSubnormal) {
  auto device = device_that(false);
  device.promises.push_back({"fp32.subnormals", true, "answer", "clause"});
  EXPECT_EQ("violation", canary("fp32.subnormals.div", 0, device).at("standing"));
  device.promises.back().offered = false;
  EXPECT_EQ("deviation", canary("fp32.subnormals.div", 0, device).at("standing"));
}

}  // namespace
}  // namespace halfmark::suites::arithmetic
