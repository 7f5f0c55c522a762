// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is earned, every mistake shows in a smoke case and is named there,
// and what a step without hesitation does is worked out by hand.
#include "suites/optimizer/suite.hpp"

#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::suites::optimizer {
namespace {

Case named(const std::string& tail) {
  return parse_case("optimizer", suite().axes, "optimizer." + tail);
}

TensorSet results(const std::string& tail) {
  const Prepared prepared(suite(), named(tail));
  return prepared.expected.middle;
}

TEST(OptimizerSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(OptimizerSuite, EveryPassIsEarned) { expect_earned(suite(), Level::kSmoke); }

TEST(OptimizerSuite, EveryMistakeShows) {
  EXPECT_EQ(11U, expect_hypotheses_show(suite(), "portable"));
}

// Several mistakes share a class, so names count.
TEST(OptimizerSuite, EveryMistakeIsNamed) {
  expect_hypotheses_are_named(suite(), "portable", NamedBy::kName);
}

TEST(OptimizerSuite, RefusesSizesThatMakeNoSense) {
  for (const char* size : {"n0", "n99999999"}) {
    const Case c = named("adam.fp16.portable." + std::string(size) + ".skip.s1");
    EXPECT_THROW(static_cast<void>(suite().bind(c)), UsageError) << size;
  }
}

TEST(OptimizerScripts, SkippedStepsDoNotCount) {
  const TensorSet got = results("adam.fp16.portable.n9.skip.s7");
  const std::uint64_t counts[] = {0, 1, 1, 2, 3};
  for (std::size_t step = 0; step < 5; ++step)
    EXPECT_EQ(counts[step], got.at("01_counts").at(step)) << step;
}

TEST(OptimizerScripts, TinyUpdatesAreSwallowed) {
  const TensorSet got = results("sgd.fp16.portable.n1021.tiny.s7");
  std::uint64_t swallowed = 0;
  for (std::size_t i = 0; i < 1021; ++i) swallowed += got.at("05_swallowed").at(i);
  EXPECT_GT(swallowed, 0U);
  EXPECT_LT(swallowed, 3U * 1021);
}

// The last step moves the weights after their cast.
TEST(OptimizerScripts, TheNarrowWeightsAreThoseOfTheLastPass) {
  const TensorSet got = results("adam.fp32.portable.n9.steps.s7");
  EXPECT_NE(got.at("04_weights"), got.at("06_narrow"));
}

}  // namespace
}  // namespace halfmark::suites::optimizer
