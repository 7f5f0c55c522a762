// SPDX-License-Identifier: Apache-2.0
// Names round-trip, passes are justified, bounds contain the formula and little else, every
// hypothesis is distinguishable from the others, and the software device's library conforms.
#include "suites/cross_entropy/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "suites/core/case/errors.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/cross_entropy/model.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

Case case_of(const std::string& name) {
  return parse_case("cross_entropy", suite().axes, "cross_entropy." + name);
}

TEST(CrossEntropySuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(CrossEntropySuite, EveryCaseEarnsItsPass) { expect_earned(suite(), Level::kSmoke); }

TEST(CrossEntropySuite, EveryHypothesisIsNamed) { expect_hypotheses_are_named(suite(), "library"); }

TEST(CrossEntropySuite, EveryDepartureFromTheSpecificationShows) {
  expect_hypotheses_show(suite(), "portable");
}

// The kernel's count of rows is exact in fp32 up to there.
TEST(CrossEntropySuite, MeansOfMoreThan16MillionRowsAreRefused) {
  const auto bound = [](const char* reduction, int rows) {
    static_cast<void>(suite().bind(case_of(
        fmt::format("forward.fp16.out-fp32.int32.{}.portable.r{}n2.normal.s1", reduction, rows))));
  };
  EXPECT_NO_THROW(bound("mean", 1 << 24));
  EXPECT_THROW(bound("mean", (1 << 24) + 1), UsageError);
  EXPECT_NO_THROW(bound("sum", (1 << 24) + 1));
}

// The specified sequence is one of the orders that the bound allows.
TEST(CrossEntropyBound, HoldsTheSpecifiedSequence) {
  for (const Case& c : suite().cases(Level::kSmoke, kTestSeed)) {
    if (c.word("provider") != "library") continue;
    Case portable = c;
    for (Token& token : portable.tokens) {
      if (token.axis == "provider") token.text = "portable";
    }
    const Prepared prepared(suite(), c);
    const TensorSet sequence = suite().bind(portable)->expect(prepared.inputs).middle;
    EXPECT_EQ(0u, compare(prepared.allowance(), sequence).mismatches) << print(c);
  }
}

TEST(CrossEntropyDevice, CpusThatKeepSubnormalsConform) {
  expect_conforming_where_subnormals_are_kept(suite());
}

// The textbook formula, in long double.
struct Textbook {
  std::vector<long double> losses, gradients;

  Textbook(const Binding& b, const TensorSet& inputs) {
    for (std::size_t r = 0; r < b.rows; ++r) {
      const auto label = static_cast<std::size_t>(inputs.at("target").at(r));
      const auto x = [&](std::size_t i) {
        return static_cast<long double>(value_of(*b.format, inputs.at("x").at(r * b.width + i)));
      };
      long double sum = 0;
      for (std::size_t i = 0; i < b.width; ++i) sum += std::exp(x(i));
      losses.push_back(std::log(sum) - x(label));
      for (std::size_t i = 0; i < b.width; ++i) {
        gradients.push_back(std::exp(x(i)) / sum - (i == label ? 1 : 0));
      }
    }
  }
};

TEST(CrossEntropyBound, HoldsTheFormulaAndLittleElse) {
  const Case c = case_of("forward.fp32.out-fp32.int32.none.library.r64n100.normal.s7");
  const Prepared prepared(suite(), c);
  const Textbook book(bind(c), prepared.inputs);
  for (std::size_t r = 0; r < book.losses.size(); ++r) {
    const auto low = value_of(formats::kFp32, prepared.expected.enclosure->low.at("y").at(r));
    const auto high = value_of(formats::kFp32, prepared.expected.enclosure->high.at("y").at(r));
    EXPECT_LE(low, book.losses[r]);
    EXPECT_GE(high, book.losses[r]);
    EXPECT_LT(high - low, 1e-4) << r;
  }
}

TEST(CrossEntropyBound, OfAMeanAndASumIsThatOfItsParts) {
  for (const std::string reduction : {"mean", "sum"}) {
    const Case c =
        case_of("forward.fp32.out-fp32.int64." + reduction + ".library.r50n100.normal.s7");
    const Prepared prepared(suite(), c);
    long double want = 0;
    for (const long double loss : Textbook(bind(c), prepared.inputs).losses) want += loss;
    if (reduction == "mean") want /= 50;
    const auto low = value_of(formats::kFp32, prepared.expected.enclosure->low.at("y").at(0));
    const auto high = value_of(formats::kFp32, prepared.expected.enclosure->high.at("y").at(0));
    EXPECT_LE(low, want);
    EXPECT_GE(high, want);
    EXPECT_LT(high - low, want * 1e-4L);
  }
}

TEST(CrossEntropyBound, OfGradientsHoldsTheFormulaAndLittleElse) {
  const Case c = case_of("backward.fp32.out-fp32.int32.mean.library.r16n100.normal.s7");
  const Prepared prepared(suite(), c);
  const Textbook book(bind(c), prepared.inputs);
  const long double factor = 1024.0L / 16;  // dy is 2^10
  for (std::size_t i = 0; i < book.gradients.size(); ++i) {
    const auto low = value_of(formats::kFp32, prepared.expected.enclosure->low.at("dx").at(i));
    const auto high = value_of(formats::kFp32, prepared.expected.enclosure->high.at("dx").at(i));
    EXPECT_LE(low, book.gradients[i] * factor);
    EXPECT_GE(high, book.gradients[i] * factor);
    EXPECT_LT(high - low, 64e-4) << i;
  }
}

TEST(CrossEntropySuite, DominantLogitsHaveOneRightAnswer) {
  const Case c = case_of("forward.fp16.out-fp32.int64.none.library.r64n257.dominant.s7");
  const Prepared prepared(suite(), c);
  EXPECT_EQ("cross-entropy.dominant.exact", suite().bind(c)->row({}).id);
  const TensorSet& x = prepared.inputs;
  for (std::size_t r = 0; r < 64; ++r) {
    const auto label = static_cast<std::size_t>(x.at("target").at(r));
    const double logit = value_of(formats::kFp16, x.at("x").at(r * 257 + label));
    EXPECT_EQ(128 - logit, value_of(formats::kFp32, prepared.expected.middle.at("y").at(r)));
    EXPECT_EQ(prepared.expected.enclosure->low.at("y").at(r),
              prepared.expected.enclosure->high.at("y").at(r));
  }
  const Case rounded = case_of("forward.fp16.out-fp16.int64.mean.library.r64n257.dominant.s7");
  EXPECT_EQ("cross-entropy.bound", suite().bind(rounded)->row({}).id)
      << "a rounded mean may be a tie";
}

TEST(CrossEntropySuite, IgnoredRowsHaveNeitherLossNorGradient) {
  const Case c = case_of("backward.fp16.out-fp32.int32.mean.library.r64n100.padding.s7");
  const Prepared prepared(suite(), c);
  std::size_t ignored = 0;
  for (std::size_t r = 0; r < 64; ++r) {
    if (prepared.inputs.at("target").at(r) != 0) continue;
    ++ignored;
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(0u, prepared.expected.enclosure->high.at("dx").at(r * 100 + i));
    }
  }
  EXPECT_GT(ignored, 20u);
}

}  // namespace
}  // namespace halfmark::suites::cross_entropy
