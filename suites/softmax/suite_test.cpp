// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is justified, every hypothesis is distinguishable from the
// specification, and the kernels give the reference's bits on the devices available on
// every machine.
#include "suites/softmax/suite.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(SoftmaxSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(SoftmaxSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
  }
}

TEST(SoftmaxSuite, EqualLogitsGiveExactPowersOfTwo) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("provider") != "portable") continue;
    if (c.word("fill") != "equal" || c.word("operation") != "forward") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const formats::Tensor y = suite().bind(c)->expect(inputs).middle.at("y");
    const Binding b = bind(c);
    for (std::size_t r = 0; r < b.rows; ++r) {
      std::int64_t live = 0;
      for (std::size_t i = 0; i < b.width; ++i) live += y.at(r * b.width + i) != 0 ? 1 : 0;
      const formats::Bits share = soft::ldexp(*b.output, formats::one(*b.output),
                                              -std::countr_zero(static_cast<std::uint64_t>(live)))
                                      .bits;
      for (std::size_t i = 0; i < b.width; ++i) {
        const formats::Bits bits = y.at(r * b.width + i);
        ASSERT_TRUE(bits == 0 || bits == share) << print(c);
      }
    }
  }
}

TEST(SoftmaxSuite, WhereLibrariesAreHeldToTheExactValueTheBoundLeavesNothingElse) {
  std::size_t cases = 0;
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("provider") != "library" || suite().bind(c)->row({}).tier != Tier::kExact) continue;
    ++cases;
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure around = *suite().bind(c)->expect(inputs).enclosure;
    Case portable = c;
    for (Token& token : portable.tokens) {
      if (token.axis == "provider") token.text = "portable";
    }
    const TensorSet specified = suite().bind(portable)->expect(inputs).middle;
    EXPECT_EQ(0u, compare({specified, 0, &around}, specified).mismatches) << print(c);
    const formats::Tensor& low = around.low.at("y");
    for (std::size_t i = 0; i < low.count(); ++i) {
      const auto place = [&](const TensorSet& set) {
        return formats::ordered(*low.format, set.at("y").at(i));
      };
      ASSERT_EQ(place(around.low), place(around.high)) << print(c) << " " << i;
    }
  }
  EXPECT_GE(cases, 6u);
}

// As the header of the model grants: of y, of y dy and of y times the row's sum.
TEST(SoftmaxBound, OfGradientsHoldsFlushedIntermediates) {
  const auto kept = [](double value) { return std::abs(value) < 0x1p-126 ? 0.0 : value; };
  const formats::Format& f = formats::kFp32;
  const Case c =
      parse_case("softmax", suite().axes, "softmax.backward.fp32.out-fp32.library.r8n257.deep.s1");
  const TensorSet inputs = suite().bind(c)->inputs();
  const Expectation expected = suite().bind(c)->expect(inputs);
  const Binding b = bind(c);
  for (const bool of_operands : {false, true}) {
    formats::Tensor results = formats::Tensor::zeros(f, b.rows * b.width);
    for (std::size_t r = 0; r < b.rows; ++r) {
      const auto y = [&](std::size_t i) {
        const double value = value_of(f, inputs.at("y").at(r * b.width + i));
        return of_operands ? kept(value) : value;
      };
      const auto dy = [&](std::size_t i) {
        return value_of(f, inputs.at("dy").at(r * b.width + i));
      };
      double sum = 0;
      for (std::size_t i = 0; i < b.width; ++i) sum += y(i) * dy(i);
      for (std::size_t i = 0; i < b.width; ++i)
        results.set(r * b.width + i, nearest(f, kept(y(i) * dy(i)) - kept(y(i) * sum)));
    }
    const TensorSet actual = {{"dx", results}};
    ASSERT_TRUE(expected.middle.contains("dx"));
    EXPECT_EQ(0U, compare({expected.middle, 0, &*expected.enclosure}, actual).mismatches)
        << of_operands;
  }
}

TEST(SoftmaxSuite, EveryHypothesisShowsInSomeSmokeCase) {
  EXPECT_GE(expect_hypotheses_show(suite(), "portable"), 20u);
}

TEST(SoftmaxKernels, GiveTheReferencesBitsOnCpusThatKeepSubnormals) {
  expect_conforming_where_subnormals_are_kept(suite());
}

TEST(SoftmaxSuite, ResultsOfUnevenRowsHaveStridesOfTheirOwn) {
  const Case c =
      parse_case("softmax", suite().axes, "softmax.forward.fp16.out-fp16.library.r15n66.uneven.s7");
  const Plan plan = suite().bind(c)->plan(backends::Device::open("host").info());
  const std::vector<TensorSlice>& slices = plan.operators.at(0).tensors;
  EXPECT_EQ((std::vector<std::int64_t>{69, 1}), slices.at(0).strides);
  EXPECT_EQ((std::vector<std::int64_t>{66, 1}), slices.at(1).strides);
  EXPECT_EQ(15u * 69, plan.tensors.at(0).count);
  EXPECT_EQ(15u * 66, plan.tensors.at(1).count);
}

}  // namespace
}  // namespace halfmark::suites::softmax
