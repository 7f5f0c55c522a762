// SPDX-License-Identifier: Apache-2.0
// Functions that flush in ways that no single rule explains: deviations where flushing is left
// open, violations where subnormals are promised or something else is wrong, too.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/core/verdict/verdict.hpp"
#include "suites/elementary/bound.hpp"
#include "suites/elementary/suite.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;

struct Given {
  Operands operands;
  Bits y;
};

std::string rules() { return std::string(bounds().front().rules); }

// The verdict on a device that is right everywhere else.
CaseResult judged_with(const std::string& function, const std::vector<Given>& given,
                       bool promised) {
  const std::string name =
      "elementary.fp32." + function + ".standard." + rules() + ".portable.n64.moderate.s7";
  const auto problem = suite().bind(parse_case("elementary", suite().axes, name));
  TensorSet inputs = problem->inputs();
  for (std::size_t i = 0; i < given.size(); ++i) {
    inputs.at("x").set(i, given[i].operands.x);
    if (inputs.contains("w")) inputs.at("w").set(i, given[i].operands.w);
  }
  const Expectation expected = problem->expect(inputs);
  backends::DeviceInfo device;
  device.promises.push_back({"fp32.subnormals", promised, "a", "b"});
  const Assertion assertion{*problem, problem->row(device), device, inputs, allowance_of(expected)};
  Observation observation{.got = {}, .related = {}};
  observation.got.outputs = expected.middle;
  for (std::size_t i = 0; i < given.size(); ++i) observation.got.outputs.at("y").set(i, given[i].y);
  CaseResult result;
  judge(result, assertion, compared(assertion, observation.got), observation, {});
  return result;
}

struct Flusher {
  std::string function;
  std::vector<Given> given;
};

const std::vector<Flusher>& flushers() {
  static const std::vector<Flusher> kFlushers = {
      // Zeros of the operand's sign and of the other one, and subnormals that are kept.
      {"rsqrt", {{{0x80000001}, 0x7f800000}, {{0x80000002}, 0xff800000}}},
      {"recip", {{{0x80000001}, 0x7f800000}, {{0x00000001}, 0xff800000}}},
      {"atan2", {{{1, 0xbf800000}, 0xc0490fdb}, {{2, 0xbf800000}, 0x40490fdb}}},
      {"fmod", {{{0x00800001, 0x00800000}, 0x80000000}, {{0x00800002, 0x00800000}, 2}}},
      // A quotient within the bound is subnormal, although the exact one is not.
      {"div", {{{0x01000000, 0x40000000}, 0}, {{1, 1}, 0x7fc00000}, {{1, 2}, 0xff800000}}}};
  return kFlushers;
}

TEST(ElementaryFlushes, AreDeviationsWhereNoSubnormalIsPromised) {
  for (const Flusher& flusher : flushers()) {
    const CaseResult open = judged_with(flusher.function, flusher.given, false);
    EXPECT_EQ(Verdict::kFail, open.verdict) << flusher.function;
    EXPECT_EQ(Standing::kDeviation, open.standing) << flusher.function << ": " << open.reason;
    EXPECT_EQ(Standing::kViolation, judged_with(flusher.function, flusher.given, true).standing)
        << flusher.function;
  }
}

TEST(ElementaryFlushes, ExcuseNothingElse) {
  for (Flusher flusher : flushers()) {
    flusher.given.push_back({{0x3f800000, 0x3f800000}, 0x4b123456});
    EXPECT_EQ(Standing::kViolation, judged_with(flusher.function, flusher.given, false).standing)
        << flusher.function;
  }
}

TEST(ElementaryFlushes, AreValuesOfFlushedOperandsOrZeros) {
  const Terms terms{.ulps = 2, .exact_edges = false};
  const auto open = [&](std::string_view name, const Operands& operands, Bits y) {
    return is_left_open(callee_of(name), operands, terms, y);
  };
  EXPECT_TRUE(open("rsqrt", {0x80000001}, 0x7fc00000)) << "kept";
  EXPECT_FALSE(open("rsqrt", {0x80000001}, 0x3f800000));
  EXPECT_TRUE(open("exp2", {0xc2fe0000}, 0)) << "2^-127";
  EXPECT_TRUE(open("exp2", {0xc2fe0000}, 0x80000000));
  EXPECT_TRUE(open("exp2", {0xc2fc0000}, 0)) << "2^-126, and values two ULP below";
  EXPECT_FALSE(open("exp2", {0xc2fa0000}, 0)) << "2^-125";
  EXPECT_FALSE(open("exp2", {0xc2fe0000}, 0x00400003)) << "outside of its bound, and not flushed";
  EXPECT_FALSE(open("exp", {0x3f800000}, 0));
}

// No range covers infinities of both signs and nothing between.
TEST(ElementaryFlushes, TheFastReciprocalIsNotAskedForSubnormals) {
  for (const Case& c : suite().cases(Level::kStandard, 7)) {
    const bool divides = c.word("operation") == "recip" || c.word("operation") == "rsqrt";
    if (c.word("kind") != "half" || !divides) continue;
    const formats::Tensor x = suite().bind(c)->inputs().at("x");
    for (std::size_t i = 0; i < x.count(); ++i)
      ASSERT_FALSE(formats::is_subnormal(formats::kFp32, x.at(i))) << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::elementary
