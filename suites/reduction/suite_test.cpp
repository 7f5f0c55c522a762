// SPDX-License-Identifier: Apache-2.0
// Names round-trip, passes are justified, bounds contain what they bound, every hypothesis is
// visible, and the kernels give the reference's bits on host.
#include "suites/reduction/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "reference/formats/classify.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/reduction/binding.hpp"

namespace halfmark::suites::reduction {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(ReductionSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

// The gaps between rows hold NaN, and the call states where rows begin.
TEST(ReductionSuite, StridedRowsAreApartInTheCall) {
  struct Row {
    const char* name;
    std::vector<std::int64_t> strides;
    std::size_t count;
  };
  const Row rows[] = {{"reduction.sum.fp16.out-fp32.library.r15n66.padded.s7", {69, 1}, 15 * 69},
                      {"reduction.max.bf16.out-bf16.library.r15n64.columns.s7", {1, 15}, 15 * 64}};
  for (const Row& row : rows) {
    const Case c = parse_case("reduction", suite().axes, row.name);
    const Plan plan = suite().bind(c)->plan(backends::Device::open("host").info());
    EXPECT_EQ(row.strides, plan.operators.at(0).tensors.at(0).strides) << row.name;
    EXPECT_EQ(row.count, plan.tensors.at(0).count) << row.name;
    const formats::Tensor x = suite().bind(c)->inputs().at("x");
    ASSERT_EQ(row.count, x.count()) << row.name;
    std::size_t between = 0;
    for (std::size_t i = 0; i < x.count(); ++i)
      between += formats::is_nan(*x.format, x.at(i)) ? 1u : 0u;
    EXPECT_EQ(row.count - bind(c).rows * bind(c).width, between) << row.name;
  }
}

TEST(ReductionSuite, OneRowAlongTheSlowAxisIsDense) {
  const Case c =
      parse_case("reduction", suite().axes, "reduction.max.fp16.out-fp16.library.r1n64.columns.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  EXPECT_EQ(64u, inputs.at("x").count());
  EXPECT_NE(0u, suite().bind(c)->expect(inputs).middle.at("y").at(0));
}

// The bound must also contain the specified kernel: its order is one of those allowed.
TEST(ReductionBound, HoldsTheSpecifiedSequence) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library" || is_strided(c.word("fill"))) continue;
    Case portable = c;
    for (Token& token : portable.tokens) {
      if (token.axis == "provider") token.text = "portable";
    }
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure around = *suite().bind(c)->expect(inputs).enclosure;
    const TensorSet specified = suite().bind(portable)->expect(inputs).middle;
    EXPECT_EQ(0u, compare({specified, 0, &around}, specified).mismatches) << print(c);
    const TensorSet zeros{{"y", formats::Tensor::zeros(*bind(c).output, bind(c).rows)}};
    if (bind(c).width > 0) {
      EXPECT_NE(0u, compare({specified, 0, &around}, zeros).mismatches) << print(c);
    }
  }
}

TEST(ReductionBound, ExactDataHasOneRightAnswer) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library" || c.word("fill") == "normal") continue;
    if (suite().bind(c)->relation()) continue;  // for sums that round
    // The library chooses how a mean divides.
    if (c.word("operation") == "mean" && *bind(c).output == formats::kFp32) continue;
    const Enclosure around = *suite().bind(c)->expect(suite().bind(c)->inputs()).enclosure;
    EXPECT_EQ(around.low, around.high) << print(c);
  }
}

TEST(ReductionSuite, EveryHypothesisLeavesTheBoundInSomeSmokeCase) {
  std::map<std::string, std::uint64_t> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    const Enclosure around = *suite().bind(c)->expect(inputs).enclosure;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      std::uint64_t& differences = shown[h.name];
      if (differences > 0) continue;
      differences = compare({expected, 0, &around}, h.evaluate(c, inputs).middle).mismatches;
    }
  }
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
}

TEST(ReductionDevice, HostConforms) {
  Session session(backends::Device::open("host"));
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const CaseResult result = run_case(session, suite(), c);
    if (result.verdict == Verdict::kNotSupported) continue;
    EXPECT_TRUE(result.verdict == Verdict::kPass || result.verdict == Verdict::kUntrusted)
        << result.name << ": " << result.reason;
  }
}

}  // namespace
}  // namespace halfmark::suites::reduction
