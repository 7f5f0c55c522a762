// SPDX-License-Identifier: Apache-2.0
// Names round-trip, passes are justified, bounds contain what they bound, every hypothesis is
// visible, and the kernels give the reference's bits on host.
#include "suites/loss/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

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
      shown[h.name] +=
          compare({expected, 0, around ? &*around : nullptr}, h.evaluate(c, inputs).middle)
              .mismatches;
    }
  }
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
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
