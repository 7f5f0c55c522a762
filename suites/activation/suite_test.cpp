// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is justified, the bound contains the exact value and is narrower
// than what it bounds, every hypothesis violates it, and the kernels give the reference's bits
// on host.
#include "suites/activation/suite.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/functions.hpp"
#include "suites/activation/binding.hpp"
#include "suites/activation/elements.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"

namespace halfmark::suites::activation {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(ActivationSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(ActivationSuite, EveryCaseEarnsItsPass) { expect_earned(suite(), Level::kSmoke); }

// Correctly rounded GELU, computed independently of the bound's formula.
TEST(ActivationBound, HoldsTheExactValueAndLittleElse) {
  const std::pair<const char*,
                  soft::Result (*)(const formats::Format&, formats::Bits, const soft::Environment&)>
      kForms[] = {{"gelu", soft::gelu}, {"gelu_tanh", soft::gelu_tanh}};
  for (const auto& [word, function] : kForms) {
    const Case c = parse_case("activation", suite().axes,
                              std::string("activation.") + word + ".fp16.library.n65536.all.s7");
    const TensorSet inputs = suite().bind(c)->inputs();
    const Enclosure around = *suite().bind(c)->expect(inputs).enclosure;
    TensorSet exact = suite().bind(c)->expect(inputs).middle;
    std::size_t unique = 0;
    for (std::size_t i = 0; i < 65536; ++i) {
      exact.at("y").set(i, function(formats::kFp16, inputs.at("x").at(i), {}).bits);
      const auto place = [&](const TensorSet& set) {
        return formats::ordered(formats::kFp16, set.at("y").at(i));
      };
      if (place(around.low) == place(around.high)) ++unique;
    }
    EXPECT_EQ(0u, compare({exact, 0, &around}, exact).mismatches) << word;
    EXPECT_GT(unique, 60000u) << word << ": elsewhere a rounding lies within the radius";
  }
}

TEST(ActivationSuite, EveryHypothesisLeavesTheBoundInSomeSmokeCase) {
  EXPECT_GE(expect_hypotheses_show(suite(), "library"), 20u);
}

TEST(ActivationBound, LeavesOneNumberAtTheLimits) {
  std::size_t cases = 0;
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("fill") != "limits") continue;
    ++cases;
    EXPECT_EQ(Tier::kExact, suite().bind(c)->row({}).tier);
    const Binding b = bind(c);
    const Enclosure around = *suite().bind(c)->expect(suite().bind(c)->inputs()).enclosure;
    for (std::size_t i = 0; i < b.count; ++i) {
      const formats::Bits low = around.low.at("y").at(i);
      const formats::Bits high = around.high.at("y").at(i);
      if (formats::is_nan(*b.format, low)) continue;
      ASSERT_EQ(formats::ordered(*b.format, low), formats::ordered(*b.format, high))
          << print(c) << " " << i;
    }
  }
  EXPECT_GE(cases, 8u);
}

// A device that flushes fp32 subnormals compares them as zeros: -2^-133 in bf16 is then not below
// 0, and ReLU copies it.
TEST(ActivationSuite, ComparisonsThatFlushAreAFreedom) {
  const Case c =
      parse_case("activation", suite().axes, "activation.relu.bf16.portable.n65536.all.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const TensorSet expected = suite().bind(c)->expect(inputs).middle;
  TensorSet actual = expected;
  for (formats::Bits x = 0x8001; x < 0x8080; ++x) actual.at("y").set(x, x);
  const auto found = diagnose(*suite().bind(c), inputs, {expected}, actual);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("comparison-flushes-operands", found[0].hypothesis);
  EXPECT_TRUE(found[0].exact(127));
  EXPECT_EQ(std::vector<std::string>{"operation_subnormals"}, found[0].freedoms);
}

TEST(ActivationSuite, RoutesCoverTheTensorOnceInCallsOfManyLengths) {
  const Case c =
      parse_case("activation", suite().axes, "activation.relu.fp16.library.n4096.routes.s7");
  const Plan plan = suite().bind(c)->plan(backends::Device::open("host").info());
  std::size_t next = 0;
  std::set<std::int64_t> lengths;
  for (const OperatorStep& step : plan.operators) {
    for (const TensorSlice& slice : step.tensors) EXPECT_EQ(next, slice.offset);
    next += static_cast<std::size_t>(step.tensors.front().sizes[0]);
    lengths.insert(step.tensors.front().sizes[0]);
  }
  EXPECT_EQ(4096u, next);
  for (const std::int64_t length : {1, 6, 47, 63, 64, 65, 127})
    EXPECT_TRUE(lengths.contains(length));
}

TEST(ActivationDevice, HostConforms) {
  Session session(backends::Device::open("host"));
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const CaseResult result = run_case(session, suite(), c);
    if (result.verdict == Verdict::kNotSupported) continue;
    EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict))
        << result.name << ": " << result.reason;
  }
}

// Where 1 + tanh cancels in fp32, an equivalent form does not.
TEST(ActivationBound, HoldsTheValueOfGeluWhereTheFormulaCancels) {
  const Case c =
      parse_case("activation", suite().axes, "activation.gelu_tanh.fp32.library.n4096.routes.s7");
  TensorSet inputs = suite().bind(c)->inputs();
  formats::Tensor& x = inputs.at("x");
  for (std::size_t i = 0; i < x.count(); ++i)
    x.set(i, nearest(formats::kFp32, -4 - static_cast<double>(i) / 600));
  const Enclosure around = *suite().bind(c)->expect(inputs).enclosure;
  for (std::size_t i = 0; i < x.count(); ++i) {
    const double v = value_of(formats::kFp32, x.at(i));
    const double z = 0.79788456080286535588 * (v + 0.044715 * v * v * v);
    const double exact = v / (1 + std::exp(-2 * z));
    const auto in_fp32 =
        static_cast<float>(static_cast<float>(v) / (1 + std::exp(static_cast<float>(-2 * z))));
    for (const double y : {exact, static_cast<double>(in_fp32)}) {
      EXPECT_LE(value_of(formats::kFp32, around.low.at("y").at(i)), static_cast<float>(y)) << v;
      EXPECT_GE(value_of(formats::kFp32, around.high.at("y").at(i)), static_cast<float>(y)) << v;
    }
  }
}

// What a report shows as expected is one of the numbers that are allowed.
TEST(Middles, AreAllowed) {
  const formats::Format& f = formats::kFp16;
  const formats::Bits infinity = formats::infinity(f), least = formats::infinity(f, true);
  const formats::Bits one = formats::one(f), two = 0x4000, three = 0x4200;
  const auto tensor = [&](const std::array<formats::Bits, 4>& bits) {
    return TensorSet{{"y", formats::Tensor::from_bits(f, bits)}};
  };
  const TensorSet middle = middles(Enclosure{.low = tensor({least, one, least, two}),
                                             .high = tensor({infinity, infinity, one, three})});
  EXPECT_EQ(tensor({least, infinity, least, 0x4100}), middle);  // 2.5
}

}  // namespace
}  // namespace halfmark::suites::activation
