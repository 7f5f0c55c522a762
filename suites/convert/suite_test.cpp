// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is justified, every hypothesis differs from a correct conversion,
// and the kernel gives the reference's bits on host.
#include "suites/convert/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/convert/binding.hpp"
#include "suites/convert/faithful.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/core/verdict/verdict.hpp"

namespace halfmark::suites::convert {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(ConvertSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(ConvertSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
  }
}

TEST(ConvertInputs, TiesVisitEveryNumberOfTheResultAtStandard) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("fill") != "ties" || c.number("size", 'n') < 1u << 18) continue;
    const Binding b = bind(c);
    const bool reaches = b.from != nullptr && b.from->bits >= 32;
    if (b.to->bits > 16 || !reaches) continue;
    const formats::Tensor y = suite().bind(c)->expect(suite().bind(c)->inputs()).middle.at("y");
    std::set<formats::Bits> seen;
    for (std::size_t i = 0; i < y.count(); i += 4) {
      seen.insert(formats::magnitude(*b.to, y.at(i)));
    }
    EXPECT_EQ(formats::max_finite(*b.to) + 1, seen.size()) << print(c);
  }
}

TEST(ConvertInputs, TiesHoldTheBorderOfOverflow) {
  const Case c =
      parse_case("convert", suite().axes, "convert.fp32.to-fp16.infinity.portable.n8192.ties.s7");
  const formats::Tensor x = suite().bind(c)->inputs().at("x");
  std::set<formats::Bits> seen;
  for (std::size_t i = 0; i < x.count(); ++i)
    seen.insert(formats::magnitude(formats::kFp32, x.at(i)));
  for (const formats::Bits bits : {0x477fe000u, 0x477fefffu, 0x477ff000u, 0x477ff001u}) {
    EXPECT_TRUE(seen.contains(bits)) << std::hex << bits;  // 65504, below 65520, 65520, above
  }
}

TEST(ConvertSuite, EveryHypothesisShowsInSomeSmokeCase) {
  std::map<std::string, std::uint64_t> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      shown[h.name] += compare(expected, h.evaluate(c, inputs).middle, 0).mismatches;
    }
  }
  EXPECT_GE(shown.size(), 13u);
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
}

TEST(ConvertInputs, BitsHoldTheLeastAndTheGreatestIntegers) {
  const Case c =
      parse_case("convert", suite().axes, "convert.int32.to-fp16.infinity.portable.n8192.bits.s7");
  const formats::Tensor x = suite().bind(c)->inputs().at("x");
  std::set<formats::Bits> seen;
  for (std::size_t i = 0; i < x.count(); ++i) seen.insert(x.at(i));
  for (const std::int64_t number :
       {std::int64_t{INT32_MIN}, std::int64_t{INT32_MIN} + 1, std::int64_t{INT32_MAX},
        std::int64_t{INT32_MAX} - 1, std::int64_t{1}, std::int64_t{-1}, std::int64_t{0}}) {
    EXPECT_TRUE(seen.contains(static_cast<std::uint32_t>(number))) << number;
  }
}

TEST(ConvertSuite, OperandsAloneAreIntegers) {
  const Case c =
      parse_case("convert", suite().axes, "convert.int32.to-fp16.infinity.portable.n8192.bits.s7");
  EXPECT_TRUE(suite().bind(c)->holds_integers("x"));
  EXPECT_FALSE(suite().bind(c)->holds_integers("y"));
}

// A device whose library promises faithful rounding alone.
backends::DeviceInfo faithful_device() {
  backends::DeviceInfo device;
  device.libraries.push_back(
      {.name = "library",
       .version = "1",
       .kind = "library",
       .operators = {"convert"},
       .usable = true,
       .evidence = "a test",
       .promises = {{"convert.correctly_rounded", false, "faithful", "its documents"}}});
  return device;
}

using Conversion = formats::Bits (*)(const Binding&, formats::Bits, std::size_t place);

template <soft::Rounding kRounding>
formats::Bits in_direction(const Binding& b, formats::Bits x, std::size_t) {
  return converted(b, x, {.rounding = kRounding});
}

constexpr Conversion kTruncated = in_direction<soft::Rounding::kTowardZero>;

formats::Bits through_fp16(const Binding& b, formats::Bits x, std::size_t) {
  const formats::Bits half = soft::convert(*b.from, formats::kFp16, x).bits;
  return soft::convert(formats::kFp16, *b.to, half).bits;
}

template <bool kCuts>
formats::Bits below_normal(const Binding& b, formats::Bits x, std::size_t place) {
  const formats::Bits right = converted(b, x, {});
  const formats::Bits cut = kTruncated(b, x, place);
  if (formats::magnitude(*b.to, cut) >= formats::min_normal(*b.to)) return right;
  const bool is_least = formats::magnitude(*b.to, right) == formats::min_subnormal(*b.to);
  if (kCuts) return cut;
  return is_least ? right & b.to->sign_mask() : right;
}

formats::Bits truncated_behind_blocks(const Binding& b, formats::Bits x, std::size_t place) {
  return place % 4096 < 4088 ? converted(b, x, {}) : kTruncated(b, x, place);
}

formats::Bits truncated_if_negative(const Binding& b, formats::Bits x, std::size_t place) {
  return formats::sign(*b.from, x) ? kTruncated(b, x, place) : converted(b, x, {});
}

// Gives the largest number where it was asked for more, for numbers or for infinities.
template <bool kNumbers>
formats::Bits largest(const Binding& b, formats::Bits x, std::size_t) {
  const formats::Bits right = converted(b, x, {});
  const bool is_number = formats::is_finite(*b.from, x);
  if (formats::is_nan(*b.from, x) || formats::is_finite(*b.to, right) || is_number != kNumbers)
    return right;
  return formats::max_finite(*b.to, formats::sign(*b.from, x));
}

formats::Bits either_neighbour(const Binding& b, formats::Bits x, std::size_t place) {
  if (!formats::is_finite(*b.from, x)) return converted(b, x, {});
  const bool is_below = (place * 2'654'435'761U >> 7U & 1U) != 0;
  return converted(b, x, {.rounding = is_below ? soft::Rounding::kDown : soft::Rounding::kUp});
}

formats::Bits either_neighbour_but_one(const Binding& b, formats::Bits x, std::size_t place) {
  return place == 100 ? converted(b, x, {}) ^ 2U : either_neighbour(b, x, place);
}

TEST(ConvertContract, FaithfulResultsAreADeviationWhereNothingMoreIsPromised) {
  struct Row {
    const char* name;
    Conversion conversion;
    Standing standing;
  };
  constexpr Row kRows[] = {
      {"fp32.to-bf16.infinity.library.n8192.bits", through_fp16, Standing::kViolation},
      {"fp32.to-bf16.infinity.library.n8192.ties", through_fp16, Standing::kViolation},
      {"fp32.to-bf16.infinity.library.n8192.ties", kTruncated, Standing::kDeviation},
      {"fp32.to-bf16.infinity.library.n8192.ties", in_direction<soft::Rounding::kNearAway>,
       Standing::kDeviation},
      {"fp32.to-fp16.infinity.library.n8192.ties", below_normal<true>, Standing::kDeviation},
      {"fp32.to-fp16.infinity.library.n8192.ties", below_normal<false>, Standing::kViolation},
      {"fp32.to-e5m2.infinity.library.n8192.bits", through_fp16, Standing::kDeviation},
      {"fp32.to-bf16.infinity.library.n8192.ties", truncated_behind_blocks, Standing::kDeviation},
      {"fp32.to-bf16.infinity.library.n8192.ties", truncated_if_negative, Standing::kDeviation},
      {"fp32.to-bf16.infinity.library.n8192.ties", either_neighbour, Standing::kDeviation},
      {"fp32.to-fp16.infinity.library.n8192.bits", either_neighbour, Standing::kDeviation},
      {"fp32.to-e4m3fn.infinity.library.n8192.ties", either_neighbour, Standing::kDeviation},
      {"fp32.to-bf16.infinity.library.n8192.ties", either_neighbour_but_one, Standing::kViolation},
      {"fp32.to-e4m3fn.infinity.library.n8192.bits", largest<true>, Standing::kDeviation},
      {"fp16.to-e4m3fn.infinity.library.n65536.all", largest<false>, Standing::kViolation},
      {"fp32.to-fp16.infinity.library.n8192.bits", largest<true>, Standing::kDeviation}};
  const backends::DeviceInfo device = faithful_device();
  for (const Row& row : kRows) {
    const Case c = parse_case("convert", suite().axes, "convert." + std::string(row.name) + ".s7");
    const auto problem = suite().bind(c);
    const TensorSet inputs = problem->inputs();
    const Expectation expected = problem->expect(inputs);
    Observation observed;
    observed.got.outputs = expected.middle;
    for (std::size_t i = 0; i < inputs.at("x").count(); ++i)
      observed.got.outputs.at("y").set(i, row.conversion(bind(c), inputs.at("x").at(i), i));
    const Assertion assertion{*problem, problem->row(device), device, inputs,
                              allowance_of(*problem, expected)};
    CaseResult result;
    judge(result, assertion, compared(assertion, observed.got), observed, {});
    EXPECT_EQ(name_of(Verdict::kFail), name_of(result.verdict)) << row.name;
    EXPECT_EQ(name_of(row.standing), name_of(result.standing)) << row.name << ": " << result.reason;
  }
}

// Beyond the range of a format without infinities: its largest number, or any NaN.
TEST(ConvertContract, NansAreOneNextToNumbersToo) {
  constexpr formats::Bits kHuge = 0x7149f2ca, kMinusHuge = 0xf149f2ca;  // 1e30
  const Binding b = bind(
      parse_case("convert", suite().axes, "convert.fp32.to-e4m3fn.infinity.library.n8192.bits.s7"));
  for (const formats::Bits nan : {0x7fU, 0xffU}) {
    EXPECT_TRUE(is_faithful(b, kHuge, nan)) << nan;
    EXPECT_TRUE(is_faithful(b, kMinusHuge, nan)) << nan;
  }
  EXPECT_TRUE(is_faithful(b, kHuge, 0x7e));
  EXPECT_FALSE(is_faithful(b, kHuge, 0x7d));
  EXPECT_FALSE(is_faithful(b, kHuge, 0xfe));
}

TEST(ConvertKernel, GivesTheReferencesBitsOnHost) {
  Session session(backends::Device::open("host"));
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "portable") continue;
    const CaseResult result = run_case(session, suite(), c);
    EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict))
        << result.name << ": " << result.reason;
  }
}

}  // namespace
}  // namespace halfmark::suites::convert
