// SPDX-License-Identifier: Apache-2.0
// Devices that flush in ways that no single rule explains: deviations where flushing is left open,
// violations where subnormals are promised or something else is wrong, too.
#include "suites/arithmetic/flushes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/arithmetic/bounded.hpp"
#include "suites/arithmetic/canaries.hpp"
#include "suites/arithmetic/suite.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/verdict/verdict.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Tensor;

// What a device gives for operands.
struct Given {
  Operands x;
  Bits result;
};

backends::DeviceInfo device_with_subnormals(std::string_view format, bool promised) {
  backends::DeviceInfo device;
  device.promises.push_back(
      {format == "fp32" ? "fp32.subnormals" : "fp16.arithmetic.subnormals", promised, "a", "b"});
  return device;
}

// The verdict on a device that is right everywhere else.
CaseResult judged_with(std::string_view operation, const std::vector<Given>& given, bool promised) {
  const auto problem = suite().bind(parse_case(
      "arithmetic", suite().axes, fmt::format("arithmetic.{}.portable.n64.finite.s7", operation)));
  const Operation& op = *find_operation(operation.substr(0, 4), operation.substr(5));
  TensorSet inputs = problem->inputs();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Bits values[] = {given[i].x.a, given[i].x.b, given[i].x.c};
    for (int k = 0; k < op.arity; ++k)
      inputs.at(std::string(1, static_cast<char>('a' + k))).set(i, values[k]);
  }
  const Expectation expected = problem->expect(inputs);
  const backends::DeviceInfo device = device_with_subnormals(op.format, promised);
  const Assertion assertion{*problem, problem->row(device), device, inputs, allowance_of(expected)};
  Observation observation{.got = {}, .related = {}};
  observation.got.outputs = expected.middle;
  for (std::size_t i = 0; i < given.size(); ++i)
    observation.got.outputs.at("d").set(i, given[i].result);
  CaseResult result;
  judge(result, assertion, compared(assertion, observation.got), observation, {});
  return result;
}

struct Flusher {
  std::string_view operation;
  std::vector<Given> given;
};

const std::vector<Flusher>& flushers() {
  static const std::vector<Flusher> kFlushers = {
      // The sum is subnormal before it is rounded to the least normal number.
      {"fp32.fma", {{{.a = 0x00800000, .b = 0x80800000, .c = 0x00800000}, 0}}},
      // So is the product; another one is flushed after it was rounded to a subnormal number.
      {"fp32.mul",
       {{{.a = 0x3f7fffff, .b = 0x00800000}, 0x00800000}, {{.a = 0x3f000000, .b = 0x00800000}, 0}}},
      // Flushed numbers of either sign are +0.
      {"fp32.mul",
       {{{.a = 0x3f000000, .b = 0x80800000}, 0}, {{.a = 0x3f000000, .b = 0x00800000}, 0}}},
      // One operand alone is flushed.
      {"fp32.add",
       {{{.a = 0x00000001, .b = 0x00400000}, 0x00400000}, {{.a = 0x00400000, .b = 1}, 1}}},
      // A quotient within the bound is subnormal, although the exact one is not.
      {"fp32.div_ulp", {{{.a = 0x01000000, .b = 0x40000000}, 0}}},
      {"fp32.muladd",
       {{{.a = 0x3f000000, .b = 0x00800000, .c = 0x00800000}, 0x00800000},
        {{.a = 0x3f000000, .b = 0x80800000, .c = 0x00800001}, 0x00400001}}},
      // A flushed operand, of whatever sign.
      {"fp32.rint", {{{.a = 0x80000001}, 0}}},
      {"fp32.lt", {{{.a = 0, .b = 1}, 0}, {{.a = 1, .b = 2}, 1}}},
      {"fp16.mul", {{{.a = 0x3800, .b = 0x8400}, 0}, {{.a = 0x3800, .b = 0x0400}, 0x8000}}},
  };
  return kFlushers;
}

TEST(FlushesLeftOpen, AreDeviationsWhereNoSubnormalIsPromised) {
  for (const Flusher& flusher : flushers()) {
    const CaseResult open = judged_with(flusher.operation, flusher.given, false);
    EXPECT_EQ(Verdict::kFail, open.verdict) << flusher.operation;
    EXPECT_EQ(Standing::kDeviation, open.standing) << flusher.operation << ": " << open.reason;
    const CaseResult promised = judged_with(flusher.operation, flusher.given, true);
    EXPECT_EQ(Standing::kViolation, promised.standing) << flusher.operation;
  }
}

TEST(FlushesLeftOpen, ExcuseNothingElse) {
  for (Flusher flusher : flushers()) {
    flusher.given.push_back({.x = {.a = 0x3c00, .b = 0x3c00, .c = 0x3c00}, .result = 0x1234});
    EXPECT_EQ(Standing::kViolation, judged_with(flusher.operation, flusher.given, false).standing)
        << flusher.operation;
  }
}

TEST(FlushesLeftOpen, AreZerosOrResultsOfFlushedOperands) {
  const Operation& add = *find_operation("fp32", "add");
  const Operands both{.a = 0x00000003, .b = 0x80400000};
  for (const Bits result : {0x803ffffdU, 0U, 0x80000000U, 3U, 0x80400000U})
    EXPECT_TRUE(is_left_open(add, both, result)) << std::hex << result;
  for (const Bits result : {1U, 0x803ffffeU, 0x00400000U, 0x00800000U, 0x80000003U})
    EXPECT_FALSE(is_left_open(add, both, result)) << std::hex << result;
  const Operands normal{.a = 0x00800000, .b = 0x00800000};
  EXPECT_FALSE(is_left_open(add, normal, 0)) << "their sum is normal";
  EXPECT_FALSE(is_left_open(add, {.a = 0x3f800000, .b = 0xbf800000}, 0x80000000)) << "no flush";
  const Operation& mul = *find_operation("fp32", "mul");
  EXPECT_TRUE(is_left_open(mul, {.a = 0x00800000, .b = 0x00800000}, 0x80000000)) << "underflow";
  EXPECT_FALSE(is_left_open(mul, {.a = 0, .b = 0x00800000}, 0x80000000)) << "a zero";
}

// Of a device that gives +0 for every subnormal result; `spoilt`: and one result is wrong besides.
Tensor flushed_to_plus_zero(const Problem& row, bool spoilt) {
  Tensor d = row.expect(row.inputs()).middle.at("d");
  for (std::size_t i = 0; i < d.count(); ++i) {
    if (formats::is_subnormal(*d.format, d.at(i))) d.set(i, 0);
  }
  if (spoilt) d.set(0x3c00, 0x1234);
  return d;
}

CaseResult judged_as(const Case& c, bool promised, TensorSet outputs,
                     std::vector<CaseResult> parts) {
  const auto problem = suite().bind(c);
  const TensorSet inputs = problem->inputs();
  const Expectation expected = problem->expect(inputs);
  const backends::DeviceInfo device = device_with_subnormals(c.word("format"), promised);
  const Assertion assertion{*problem, problem->row(device), device, inputs, allowance_of(expected)};
  Observation observation{.got = {}, .related = {}};
  observation.got.outputs = std::move(outputs);
  observation.differing_parts = parts.size();
  observation.parts = std::move(parts);
  CaseResult result;
  judge(result, assertion, compared(assertion, observation.got), observation, {});
  return result;
}

// No digest is the one that is due, as if the whole sweep were flushed.
CaseResult sweep_judged(bool promised, bool spoilt) {
  const auto named = [](const char* size) {
    return parse_case("arithmetic", suite().axes,
                      fmt::format("arithmetic.fp16.mul.portable.{}.pairs.s14336", size));
  };
  const Case row = named("n65536"), sweep = named("n1114112");
  TensorSet of_row;
  of_row.emplace("d", flushed_to_plus_zero(*suite().bind(row), spoilt));
  TensorSet digests = suite().bind(sweep)->expect(suite().bind(sweep)->inputs()).middle;
  Tensor& words = digests.begin()->second;
  for (std::size_t i = 0; i < words.count(); ++i) words.set(i, words.at(i) ^ 1U);
  return judged_as(sweep, promised, digests, {judged_as(row, promised, of_row, {})});
}

TEST(FlushesLeftOpen, BehindDigestsAreDeviations) {
  const CaseResult open = sweep_judged(false, false);
  EXPECT_EQ(Standing::kDeviation, open.standing) << open.reason;
  EXPECT_EQ("b (a)", open.permitted_by);
  EXPECT_EQ(Standing::kViolation, sweep_judged(true, false).standing);
  EXPECT_EQ(Standing::kViolation, sweep_judged(false, true).standing);
}

// On some data an accusation gives the same bits. It is tried first, and must not hide what is
// open.
TEST(FlushesLeftOpen, AreDeviationsWhereAnAccusationGivesTheSameBits) {
  struct Row {
    const char *name, *accusation;
  };
  constexpr Row kRows[] = {
      {"fp32.fma.portable.n4096.corners", "through-fp64"},
      {"fp32.div_ulp.portable.n4096.bits", "reciprocal"},
      {"fp32.ldexp.portable.n4096.finite", "first-step-of-115"},
      {"fp16.fma.portable.n512.triples", "rounded-first-to-36-bits"},
  };
  for (const Row& row : kRows) {
    const Case c =
        parse_case("arithmetic", suite().axes, fmt::format("arithmetic.{}.s1", row.name));
    const auto problem = suite().bind(c);
    const std::vector<Hypothesis> all =
        all_hypotheses(*problem, {}, problem->expect(problem->inputs()).middle);
    const TensorSet outputs = std::ranges::find(all, row.accusation, &Hypothesis::name)
                                  ->evaluate(c, problem->inputs())
                                  .middle;
    const CaseResult open = judged_as(c, false, outputs, {});
    EXPECT_EQ(Standing::kDeviation, open.standing) << row.name << ": " << open.reason;
    EXPECT_EQ("ftz", open.finding_class) << row.name;
    const CaseResult promised = judged_as(c, true, outputs, {});
    EXPECT_EQ(Standing::kViolation, promised.standing) << row.name;
    EXPECT_NE("ftz", promised.finding_class) << row.name;
  }
}

TEST(FlushesLeftOpen, OfCanariesAreDeviations) {
  const auto standing = [](std::string_view name, Bits d, bool promised) {
    DeviceResult result;
    result.outputs.emplace("d", Tensor::from_bits(formats::kFp32, std::span(&d, 1)));
    return std::string(
        judged_canary(name, result, device_with_subnormals("fp32", promised)).at("standing"));
  };
  // fma(2^-127, 2, 2^-149) with the addend flushed alone, and a flushed product of either sign.
  EXPECT_EQ("deviation", standing("fp32.subnormals.fma.operand", 0x00800000, false));
  EXPECT_EQ("violation", standing("fp32.subnormals.fma.operand", 0x00800000, true));
  EXPECT_EQ("deviation", standing("fp32.subnormals.mul", 0x80000000, false));
  EXPECT_EQ("violation", standing("fp32.subnormals.mul", 0x00400001, false));
}

}  // namespace
}  // namespace halfmark::suites::arithmetic
