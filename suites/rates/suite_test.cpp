// SPDX-License-Identifier: Apache-2.0
// Chains stay within normal numbers, every step affects the result, and each mistake has its name.
#include "suites/rates/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/rates/binding.hpp"

namespace halfmark::suites::rates {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr Operation kChained[] = {Operation::kAdd, Operation::kMul, Operation::kFma,
                                  Operation::kMuladd};
const Format* const kFormats[] = {&formats::kFp32, &formats::kFp16, &formats::kBf16};

Case case_of(const std::string& name) { return parse_case("rates", suite().axes, name); }

TEST(RatesSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

// Chains in all widths; streams of both word sizes in the width that every language has, and one
// triad in packs.
TEST(RatesSuite, SmokeHasWhatTheVerdictOnFp16Needs) {
  std::set<std::string> smoke, wanted = {"fp32 triad w4"};
  for (const Case& c : suite().cases(Level::kSmoke, 1)) {
    if (c.word("format") != "bf16" && c.word("operation") != "convert")
      smoke.insert(fmt::format("{} {} {}", c.word("format"), c.word("operation"), c.word("width")));
  }
  for (const std::string format : {"fp32", "fp16"}) {
    for (const char* stream : {" copy w1", " triad w1"}) wanted.insert(format + stream);
    for (const char* chain : {" add", " mul", " fma", " muladd"}) {
      for (const char* width : {" w1", " w2", " w4", " w8", " w16"})
        wanted.insert(format + chain + width);
    }
  }
  for (const char* chain : {"add", "mul", "fma", "muladd"})
    wanted.insert(fmt::format("fp16 {} w32", chain));
  EXPECT_EQ(wanted, smoke);
}

TEST(RatesSuite, PassesAreEarned) { expect_earned(suite(), Level::kStandard); }

TEST(RatesSuite, EveryMistakeShowsAndIsNamed) {
  EXPECT_EQ(5u, expect_hypotheses_show(suite(), "portable"));
  expect_hypotheses_are_named(suite(), "portable");
}

// One element at a time, using only the soft-float, as the README describes a chain.
Bits stepped(Operation operation, const Format& f, Bits x, std::uint64_t rounds) {
  const StepOperands o = step_operands(operation, f);
  const auto step = [&](Bits factor, Bits term) {
    if (operation == Operation::kAdd) return soft::add(f, x, term).bits;
    if (operation == Operation::kMul) return soft::mul(f, x, factor).bits;
    if (operation == Operation::kFma) return soft::fma(f, x, factor, term).bits;
    return soft::add(f, soft::mul(f, x, factor).bits, term).bits;
  };
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int i = 0; i < 8; ++i) x = step(o.factor_up, o.term_up);
    for (int i = 0; i < 7; ++i) x = step(o.factor_down, o.term_down);
  }
  return x;
}

TEST(Chains, AreStepsOfTheSoftFloat) {
  for (const Format* format : kFormats) {
    const Tensor first = first_values(*format, 40, 11);
    for (const Operation operation : kChained) {
      const Tensor last = after_rounds(operation, first, 9, {});
      for (std::size_t i = 0; i < first.count(); ++i)
        ASSERT_EQ(stepped(operation, *format, first.at(i), 9), last.at(i))
            << format->name << " " << static_cast<int>(operation) << " " << i;
    }
  }
}

// A step of `convert` by hand: from 1 + 5 ulps, adding 0.875 ulp rounds up to a whole one and
// subtracting 0.625 rounds down to another, so that a round moves a chain by one.
TEST(Chains, OfConversionsMoveByOneARound) {
  const Tensor first = first_values(formats::kFp16, 40, 11);
  const Tensor last = after_rounds(Operation::kConvert, first, 100, {});
  for (std::size_t i = 0; i < first.count(); ++i) EXPECT_EQ(first.at(i) + 100, last.at(i)) << i;
}

TEST(Chains, OfSumsMoveByOneARound) {
  for (const Format* format : kFormats) {
    const Tensor first = first_values(*format, 40, 11);
    const Tensor last = after_rounds(Operation::kAdd, first, most_rounds(*format), {});
    for (std::size_t i = 0; i < first.count(); ++i)
      EXPECT_EQ(first.at(i) + most_rounds(*format), last.at(i)) << format->name << " " << i;
  }
}

TEST(Chains, StayBetweenOneAndEightAndShowTheLastRound) {
  for (const Format* format : kFormats) {
    const Tensor first = first_values(*format, 500, 3);
    const Bits one = formats::one(*format);
    const Bits eight = one + (Bits{3} << format->fraction_bits);
    for (const Operation operation : kChained) {
      const std::uint64_t most = most_rounds(*format);
      Tensor x = after_rounds(operation, first, most / 2, {});
      for (std::uint64_t round = most / 2; round < most;
           round += std::max<std::uint64_t>(most / 8, 1)) {
        const Tensor next = after_rounds(operation, x, 1, {});
        std::size_t moved = 0;
        for (std::size_t i = 0; i < x.count(); ++i) {
          moved += x.at(i) != next.at(i);
          ASSERT_GE(next.at(i), one);
          ASSERT_LT(next.at(i), eight);
        }
        EXPECT_EQ(x.count(), moved) << format->name << " " << static_cast<int>(operation);
        x = after_rounds(operation, x, std::max<std::uint64_t>(most / 8, 1), {});
      }
    }
  }
}

// A compiler that fuses, or keeps wide registers, must be visible at the sizes of level smoke and
// at the longest.
TEST(Chains, ShowEveryMistakeInMostLanes) {
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    const Tensor first = first_values(*format, 500, 5);
    for (const std::uint64_t rounds : {std::uint64_t{8}, most_rounds(*format)}) {
      const auto share = [&](Operation operation, const Mistake& mistake) {
        const Tensor right = after_rounds(operation, first, rounds, {});
        const Tensor wrong = after_rounds(operation, first, rounds, {}, mistake);
        std::size_t differ = 0;
        for (std::size_t i = 0; i < right.count(); ++i) differ += right.at(i) != wrong.at(i);
        return differ * 100 / right.count();
      };
      EXPECT_GT(share(Operation::kMuladd, {.fuses = true}), 50u) << format->name << rounds;
      EXPECT_GT(share(Operation::kFma, {.splits = true}), 50u) << format->name << rounds;
      for (const Operation operation : kChained)
        EXPECT_GT(share(operation, {.is_wide = true}), 50u)
            << format->name << rounds << static_cast<int>(operation);
    }
  }
}

TEST(RatesSuite, SizesThatNoKernelHasAreRefused) {
  for (const char* name : {"rates.fp16.add.portable.w2.n63r8.periodic.s1",
                           "rates.fp16.add.portable.w2.n64r0.periodic.s1",
                           "rates.fp16.add.portable.w2.n64r100000.periodic.s1",
                           "rates.fp32.copy.portable.w2.n64r2.periodic.s1",
                           "rates.fp32.copy.portable.w2.n0r1.periodic.s1",
                           "rates.bf16.convert.portable.w1.n64r8.periodic.s1",
                           "rates.fp32.add.portable.w16.n4194304r8.periodic.s1"}) {
    EXPECT_THROW(static_cast<void>(bind(case_of(name))), UsageError) << name;
  }
}

TEST(RatesSuite, PacksThatALanguageLacksConcernNobody) {
  backends::DeviceInfo device;
  const Case packed = case_of("rates.fp16.add.portable.w2.n64r8.periodic.s1");
  EXPECT_FALSE(suite().concerns(packed, device));
  device.packs = {{.kind = "fp16", .widths = {1}}};
  EXPECT_FALSE(suite().concerns(packed, device));
  device.packs[0].widths = {1, 2};
  EXPECT_TRUE(suite().concerns(packed, device));
  EXPECT_EQ("fp16.arithmetic", suite().bind(packed)->plan(device).needs);
}

TEST(RatesSuite, LanesRepeatWithThePeriod) {
  const Case c = case_of("rates.fp16.add.portable.w16.n64r8.periodic.s1");
  const TensorSet in = suite().bind(c)->inputs();
  const TensorSet out = suite().bind(c)->expect(in).middle;
  ASSERT_EQ(64u * 8 * 16, out.at("y").count());
  for (std::size_t i = kPeriod; i < out.at("y").count(); i += 311) {
    EXPECT_EQ(in.at("x").at(i % kPeriod), in.at("x").at(i));
    EXPECT_EQ(out.at("y").at(i % kPeriod), out.at("y").at(i));
  }
}

// The operands of a reduced case do not repeat.
TEST(RatesSuite, EveryLaneOfOtherOperandsIsEvaluated) {
  const Case c = case_of("rates.fp32.mul.portable.w16.n64r8.periodic.s1");
  const auto problem = suite().bind(c);
  TensorSet in = problem->inputs();
  const Tensor before = problem->expect(in).middle.at("y");
  for (const std::size_t lane : {kPeriod, std::size_t{5000}, before.count() - 1}) {
    in.at("x").set(lane, in.at("x").at(lane) + 1);
    const Tensor y = problem->expect(in).middle.at("y");
    EXPECT_EQ(stepped(Operation::kMul, formats::kFp32, in.at("x").at(lane), 8), y.at(lane));
    EXPECT_NE(before.at(lane), y.at(lane));
    EXPECT_EQ(before.at(lane % kPeriod), y.at(lane % kPeriod));
  }
}

TEST(RatesSuite, EveryWordOfOtherStreamsIsEvaluated) {
  const auto problem = suite().bind(case_of("rates.fp32.copy.portable.w4.n16384r1.periodic.s1"));
  TensorSet in = problem->inputs();
  in.at("a").set(60'000, 0);
  EXPECT_EQ(1U, problem->expect(in).middle.at("y").at(60'000));
  EXPECT_EQ(in.at("a").at(5) ^ 1U, problem->expect(in).middle.at("y").at(5));
}

// Rows of a group are 64 packs apart, and groups 512.
TEST(RatesSuite, AWordOfAnotherRowOrGroupIsAnotherWord) {
  for (const std::size_t width : {1U, 4U}) {
    const auto problem = suite().bind(
        case_of(fmt::format("rates.fp32.copy.portable.w{}.n16384r1.periodic.s1", width)));
    const Tensor a = problem->inputs().at("a");
    for (const std::size_t packs : {64U, 512U, 1024U, 4096U, 8192U}) {
      const std::size_t apart = packs * width;
      std::size_t alike = 0;
      for (std::size_t i = 0; i + apart < a.count(); ++i) alike += a.at(i) == a.at(i + apart);
      EXPECT_LT(alike, a.count() / 100) << width << ' ' << packs;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::rates
