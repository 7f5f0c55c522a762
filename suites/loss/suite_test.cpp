// SPDX-License-Identifier: Apache-2.0
// Names round-trip, passes are justified, bounds contain what they bound, every hypothesis is
// visible, and the kernels give the reference's bits on host.
#include "suites/loss/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "reference/formats/classify.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/loss/binding.hpp"

namespace halfmark::suites::loss {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(LossSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(LossSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    const std::optional<Enclosure> enclosure = suite().bind(c)->expect(inputs).enclosure;
    EXPECT_EQ("", unearned(inputs, {expected, 0, enclosure ? &*enclosure : nullptr})) << print(c);
  }
}

// The bound must also contain the specified kernel: its order is one of those allowed.
TEST(LossBound, HoldsTheSpecifiedSequence) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    Case portable = c;
    for (Token& token : portable.tokens) {
      if (token.axis == "provider") token.text = "portable";
    }
    const TensorSet inputs = suite().bind(c)->inputs();
    const std::optional<Enclosure> around = suite().bind(c)->expect(inputs).enclosure;
    const TensorSet specified = suite().bind(portable)->expect(inputs).middle;
    if (!around) continue;
    EXPECT_EQ(0u, compare({specified, 0, &*around}, specified).mismatches) << print(c);
  }
}

TEST(LossSuite, EveryHypothesisLeavesTheBoundInSomeSmokeCase) {
  std::map<std::string, std::uint64_t> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    const std::optional<Enclosure> around = suite().bind(c)->expect(inputs).enclosure;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (!h.freedoms.empty()) continue;  // what is left open needs data of higher levels
      shown[h.name] +=
          compare({expected, 0, around ? &*around : nullptr}, h.evaluate(c, inputs).middle)
              .mismatches;
    }
  }
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
}

// An interface may leave open how a library loads numbers that are subnormal in 16 bits. Two of the
// losses are, and both signs of zero come of them.
TEST(LossSuite, ALibraryThatLoadsSubnormalsAsZeroDeviates) {
  const Case c =
      parse_case("loss", suite().axes, "loss.scale.fp16.out-fp32.library.r4n4097p15.normal.s7");
  const auto problem = suite().bind(c);
  const TensorSet inputs = problem->inputs();
  const Expectation expected = problem->expect(inputs);
  const formats::Tensor& x = inputs.at("x");
  TensorSet flushed = expected.middle;
  std::uint64_t subnormals = 0;
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (!formats::is_subnormal(*x.format, x.at(i))) continue;
    flushed.at("y").set(i, ++subnormals == 1 ? formats::kFp32.sign_mask() : 0);
  }
  EXPECT_EQ(2U, subnormals);
  const auto found = diagnose(*problem, inputs, allowance_of(expected), flushed);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("operands-flushed", found.front().hypothesis);
  EXPECT_TRUE(found.front().exact(subnormals));
  for (const std::string& freedom : found.front().freedoms) {
    EXPECT_NE(problem->row({}).freedoms.end(),
              std::ranges::find(problem->row({}).freedoms, freedom, &Freedom::name))
        << freedom;
  }
  EXPECT_FALSE(found.front().freedoms.empty());
}

// No more than what is derived: (n + 4) u of an error of n terms, 4u of a gradient.
TEST(LossBound, IsThatOfItsRow) {
  const auto relative = [](const char* name) {
    const auto problem = suite().bind(parse_case("loss", suite().axes, name));
    const Enclosure around = problem->expect(problem->inputs()).enclosure.value();
    double most = 0;
    for (const auto& [tensor, low] : around.low) {
      for (std::size_t i = 0; i < low.count(); ++i) {
        const double least = value_of(*low.format, low.at(i));
        const double largest = value_of(*low.format, around.high.at(tensor).at(i));
        most = std::max(most, (largest - least) / (2 * std::abs(largest)));
      }
    }
    return most / kRoundoff;
  };
  const double rounding = 1;  // of the ends, to fp32
  const double error = relative("loss.mse.fp32.out-fp32.library.r8n1021p0.normal.s7");
  EXPECT_LT(1025 - rounding, error);
  EXPECT_GT(1025 * (1 + 0x1p-8) + rounding, error);
  const double gradient = relative("loss.mse-backward.fp16.out-fp32.library.r1n1021p25.normal.s7");
  EXPECT_LT(4 - rounding, gradient);
  EXPECT_GT(4 * (1 + 0x1p-8) + rounding, gradient);
}

// The host offers everything, so nothing may be skipped, and every kind of case must occur.
TEST(LossDevice, HostPassesEveryCaseOfEveryKind) {
  Session session(backends::Device::open("host"));
  std::set<std::string> passed;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const CaseResult result = run_case(session, suite(), c);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.name << ": " << result.reason;
    if (result.verdict != Verdict::kPass) continue;
    passed.insert(
        fmt::format("{} {} {}", c.word("operation"), c.word("format"), c.word("provider")));
  }
  const std::set<std::string> every_kind{
      "mse fp16 portable",          "mse fp16 library",          "mse bf16 portable",
      "mse bf16 library",           "mse fp32 portable",         "mse fp32 library",
      "mse-backward fp16 portable", "mse-backward fp16 library", "mse-backward bf16 portable",
      "mse-backward bf16 library",  "scale fp16 portable",       "scale fp16 library",
      "scale fp32 portable",        "scale fp32 library"};
  EXPECT_EQ(every_kind, passed);
}

}  // namespace
}  // namespace halfmark::suites::loss
