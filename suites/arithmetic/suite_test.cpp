// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every case has a contract row, and the fills have the properties that
// they claim.
#include "suites/arithmetic/suite.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "reference/fast/digest.hpp"
#include "reference/formats/classify.hpp"
#include "suites/arithmetic/contract.hpp"
#include "suites/arithmetic/departures.hpp"
#include "suites/arithmetic/fills.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/arithmetic/pairs.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/core/verdict/verdict.hpp"

namespace halfmark::suites::arithmetic {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(ArithmeticSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(ArithmeticSuite, TheSweepsOfAnOperationAreAllItsPairs) {
  std::map<std::string, std::uint64_t> next_row;
  for (const Case& c : suite().cases(Level::kExhaustive, kSeed)) {
    if (c.word("fill") != kPairsFill || c.number("size", 'n') != kSweepPairs) continue;
    std::uint64_t& next = next_row[std::string(c.word("operation"))];
    EXPECT_EQ(next, c.seed) << print(c);
    next = c.seed + kSweepPairs / kRowPairs;
  }
  EXPECT_EQ(8u, next_row.size());
  for (const auto& [operation, row] : next_row) EXPECT_EQ(kRowPairs, row) << operation;
}

TEST(ArithmeticSuite, PairsAreThoseFromTheRowOn) {
  const Case c =
      parse_case("arithmetic", suite().axes, "arithmetic.fp16.add.portable.n65538.pairs.s15360");
  const TensorSet inputs = suite().bind(c)->inputs();
  EXPECT_EQ(0x3c00u, inputs.at("a").at(0));
  EXPECT_EQ(0x3c00u, inputs.at("a").at(65535));
  EXPECT_EQ(0xffffu, inputs.at("b").at(65535));
  EXPECT_EQ(0x3c01u, inputs.at("a").at(65537));
  EXPECT_EQ(1u, inputs.at("b").at(65537));
}

TEST(ArithmeticSuite, PairsThatDoNotExistAreRefused) {
  for (const std::string_view name : {"arithmetic.fp16.add.portable.n65537.pairs.s65535",
                                      "arithmetic.fp16.add.portable.n16.pairs.s65536",
                                      "arithmetic.fp16.add.portable.n1048577.pairs.s0"}) {
    const Case c = parse_case("arithmetic", suite().axes, name);
    EXPECT_THROW(static_cast<void>(suite().bind(c)->inputs()), UsageError) << name;
  }
}

// Row 0x0401 of the product has subnormal results: the digests of a machine that flushes them
// differ from the reference's, and agree with those of its own results element by element.
TEST(ArithmeticSuite, DigestsFollowTheMachine) {
  const Case swept =
      parse_case("arithmetic", suite().axes, "arithmetic.fp16.mul.portable.n1114112.pairs.s1025");
  const Case listed =
      parse_case("arithmetic", suite().axes, "arithmetic.fp16.mul.portable.n65536.pairs.s1025");
  for (const soft::Subnormals subnormals : {soft::Subnormals::kKeep, soft::Subnormals::kFlushOut}) {
    const models::Machine machine = models::uniform_machine({.subnormals = subnormals});
    const TensorSet digests =
        suite().bind(swept)->expect(suite().bind(swept)->inputs(), machine).middle;
    const TensorSet results =
        suite().bind(listed)->expect(suite().bind(listed)->inputs(), machine).middle;
    fast::Digest run;
    for (std::uint64_t i = 0; i < 1024; ++i) {
      run += fast::digest_of_element(formats::kFp16, 1025 * kRowPairs + i, results.at("d").at(i));
    }
    EXPECT_EQ(run.low, digests.at("digests").at(0));
    EXPECT_EQ(run.high, digests.at("digests").at(1));
  }
}

TEST(ArithmeticSuite, EveryOperationHasItsRows) {
  for (const Operation& op : operations()) {
    const ContractRow& row = row_for(op);
    EXPECT_FALSE(row.source.empty()) << row.id;
    EXPECT_EQ(op.ulps.rounded_up(), row.bound_ulps) << row.id;
    EXPECT_EQ(is_bounded(op), row.id.ends_with(".ulp")) << row.id;
  }
}

// Whichever code computes whole tensors, each element equals the operation's row.
TEST(ArithmeticSuite, TheReferenceIsTheOperationElementByElement) {
  const models::Machine machine;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const Operation& op = *find_operation(c.word("format"), c.word("operation"));
    const TensorSet in = suite().bind(c)->inputs();
    const TensorSet out = suite().bind(c)->expect(in, machine).middle;
    const formats::Tensor& d = out.at("d");
    const auto operand = [&](const char* name, std::size_t i) {
      return in.contains(name) ? in.at(name).at(i) : 0;
    };
    ASSERT_EQ(in.at("a").count(), d.count());
    for (std::size_t i = 0; i < d.count(); i += 7) {
      const Operands x{.a = operand("a", i), .b = operand("b", i), .c = operand("c", i)};
      ASSERT_EQ(op.evaluate(*op.operand, *op.result, x, machine), d.at(i)) << print(c) << ' ' << i;
    }
  }
}

TensorSet changed_by(const Case& c, const models::Machine& machine) {
  return suite().bind(c)->expect(suite().bind(c)->inputs(), machine).middle;
}

std::uint64_t differences(std::string_view name, const models::Machine& machine) {
  const Case c = parse_case("arithmetic", suite().axes, name);
  return compare(changed_by(c, {}), changed_by(c, machine), 0).mismatches;
}

models::Machine flushing(soft::Subnormals subnormals) {
  return models::uniform_machine({.rounding = soft::Rounding::kNearEven, .subnormals = subnormals});
}

// Each number of the result's format, each midpoint and its neighbours, in both signs.
TEST(ArithmeticFills, AllOfAConversionIsEveryBorderOfItsResults) {
  const Case c =
      parse_case("arithmetic", suite().axes, "arithmetic.fp32.to_fp16.portable.n262144.all.s7");
  const TensorSet in = suite().bind(c)->inputs();
  std::set<formats::Bits> operands;
  for (std::size_t i = 0; i < in.at("a").count(); ++i) operands.insert(in.at("a").at(i));
  for (const formats::Bits bits :
       {0x3f800000u, 0x3f801000u, 0x3f801001u, 0x3f800fffu,  // 1 and the midpoint above
        0x33000000u, 0x33000001u, 0x32ffffffu,               // half of the smallest subnormal
        0x477ff000u, 0x477fefffu, 0xc77ff000u,               // 65520, where overflow begins
        0x7f800001u, 0x7f801fffu, 0xff800001u, 0x7f800000u, 0x80000000u}) {
    EXPECT_TRUE(operands.contains(bits)) << std::hex << bits;
  }
  const formats::Tensor results = suite().bind(c)->expect(in).middle.at("d");
  std::set<formats::Bits> reached;
  for (std::size_t i = 0; i < results.count(); ++i) reached.insert(results.at(i));
  EXPECT_EQ(2u * (formats::infinity(formats::kFp16, false) + 1) + 1, reached.size());  // and NaN
}

TEST(ArithmeticFills, TriplesTellOneRoundingFromTwo) {
  const Case c =
      parse_case("arithmetic", suite().axes, "arithmetic.fp16.fma.portable.n512.triples.s7");
  const TensorSet in = suite().bind(c)->inputs();
  const TensorSet right = suite().bind(c)->expect(in).middle;
  EXPECT_EQ(0x6801u, right.at("d").at(0));
  EXPECT_EQ(0x7819u, right.at("d").at(5));
  std::map<std::string, std::uint64_t> differing;
  for (const Hypothesis& h : suite().bind(c)->mistakes()) {
    differing[h.name] = compare(right, h.evaluate(c, in).middle, 0).mismatches;
  }
  EXPECT_GT(differing.at("through-fp32"), 200u);
  EXPECT_GT(differing.at("separate"), 200u);
  EXPECT_GT(differences(print(c), flushing(soft::Subnormals::kFlushIn)), 30u);
  EXPECT_GT(differences(print(c), flushing(soft::Subnormals::kFlushOut)), 30u);
}

TEST(ArithmeticFills, SubnormalOperandsRevealADeviceThatFlushesThem) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const bool compares = c.word("operation") == "lt" || c.word("operation") == "eq";
    if (c.word("fill") != "subnormal" || compares) continue;
    EXPECT_GT(differences(print(c), flushing(soft::Subnormals::kFlushIn)), 300u) << print(c);
  }
}

TEST(ArithmeticFills, TinyResultsRevealADeviceThatFlushesThem) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("fill") != "tiny") continue;
    EXPECT_GT(differences(print(c), flushing(soft::Subnormals::kFlushOut)), 300u) << print(c);
  }
}

TEST(ArithmeticFills, TiesRevealRoundingAwayFromZero) {
  const models::Machine away = models::uniform_machine({.rounding = soft::Rounding::kNearAway});
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("fill") != "ties") continue;
    const bool fused = c.word("operation") == "fma";
    EXPECT_GT(differences(print(c), away), fused ? 20u : 50u) << print(c);
  }
}

TEST(ArithmeticFills, TiesOfScalingRevealEveryWayToRoundTwice) {
  const Case c =
      parse_case("arithmetic", suite().axes, "arithmetic.fp32.ldexp.portable.n4096.ties.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const TensorSet right = suite().bind(c)->expect(inputs).middle;
  for (const Hypothesis& h : suite().bind(c)->mistakes()) {
    EXPECT_GT(compare(right, h.evaluate(c, inputs).middle, 0).mismatches, 20u) << h.name;
  }
  EXPECT_GT(differences(print(c), models::uniform_machine({.rounding = soft::Rounding::kNearAway})),
            300u);
}

// No departure equals the correct result everywhere.
TEST(ArithmeticSuite, EveryDepartureIsSeenByACase) {
  std::set<std::string> unseen;
  for (const Departure& d : departures()) unseen.insert(fmt::format("{}:{}", d.operation, d.name));
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    const std::string operation = fmt::format("{}:", c.word("operation"));
    const auto first = unseen.lower_bound(operation);
    if (first == unseen.end() || !first->starts_with(operation)) continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet right = suite().bind(c)->expect(inputs).middle;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (unseen.contains(operation + h.name) &&
          compare(right, h.evaluate(c, inputs).middle, 0).mismatches > 0)
        unseen.erase(operation + h.name);
    }
  }
  EXPECT_EQ(std::set<std::string>{}, unseen);
}

TEST(ArithmeticFills, CancellationTellsFusedFromSeparate) {
  const Case c =
      parse_case("arithmetic", suite().axes, "arithmetic.fp32.muladd.portable.n4096.cancel.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const std::vector<Hypothesis> hypotheses = suite().bind(c)->mistakes();
  ASSERT_EQ("fused", hypotheses.at(0).name);
  const TensorSet fused = hypotheses[0].evaluate(c, inputs).middle;
  EXPECT_GT(compare(suite().bind(c)->expect(inputs).middle, fused, 0).mismatches, 4000u);
}

constexpr std::string_view kHalfCases[] = {
    "arithmetic.fp16.add.portable.n4096.near.s7",  "arithmetic.fp16.mul.portable.n4096.near.s7",
    "arithmetic.fp16.fma.portable.n4096.near.s7",  "arithmetic.fp16.muladd.portable.n4096.near.s7",
    "arithmetic.fp16.div.portable.n4096.near.s7",  "arithmetic.fp16.sqrt.portable.n4096.bits.s7",
    "arithmetic.fp16.sub.portable.n131072.near.s7"};  // of so many, one explanation is enough

backends::DeviceInfo device_with(const char* capability, bool offered) {
  backends::DeviceInfo device;
  device.promises.push_back(
      {.capability = capability, .offered = offered, .evidence = "answer", .clause = "clause"});
  return device;
}

// The verdict on a device that computes every operation so.
CaseResult judged(std::string_view name, const backends::DeviceInfo& device,
                  const soft::Environment& environment) {
  const auto problem = suite().bind(parse_case("arithmetic", suite().axes, name));
  const TensorSet inputs = problem->inputs();
  const Expectation expected = problem->expect(inputs, {});
  const Assertion assertion{*problem, problem->row(device), device, inputs, allowance_of(expected)};
  Observation observation{.got = {}, .related = {}};
  observation.got.outputs = problem->expect(inputs, models::uniform_machine(environment)).middle;
  CaseResult result;
  judge(result, assertion, compared(assertion, observation.got), observation, {});
  return result;
}

TEST(ArithmeticSuite, HalfMayRoundTowardZeroWhereNearestIsNotOffered) {
  const auto device = device_with("fp16.arithmetic.round_to_nearest", false);
  for (const std::string_view name : kHalfCases) {
    const CaseResult result = judged(name, device, {.rounding = soft::Rounding::kTowardZero});
    EXPECT_EQ(Standing::kDeviation, result.standing) << name << ": " << result.reason;
    EXPECT_EQ("clause (answer)", result.permitted_by) << name;
  }
}

TEST(ArithmeticSuite, HalfMayNotRoundTowardZeroWhereNearestIsOfferedOrNothingIsSaid) {
  const auto offers = device_with("fp16.arithmetic.round_to_nearest", true);
  for (const backends::DeviceInfo& device : {offers, backends::DeviceInfo{}}) {
    for (const std::string_view name : kHalfCases) {
      const CaseResult result = judged(name, device, {.rounding = soft::Rounding::kTowardZero});
      EXPECT_EQ(Verdict::kFail, result.verdict) << name;
      EXPECT_EQ(Standing::kViolation, result.standing) << name;
    }
  }
}

TEST(ArithmeticSuite, HalfThatTruncatesAndFlushesTakesBothFreedoms) {
  constexpr std::string_view kName = "arithmetic.fp16.mul.portable.n4096.tiny.s7";
  for (const soft::Subnormals subnormals :
       {soft::Subnormals::kFlushIn, soft::Subnormals::kFlushOut, soft::Subnormals::kFlush}) {
    const soft::Environment both{.rounding = soft::Rounding::kTowardZero, .subnormals = subnormals};
    auto device = device_with("fp16.arithmetic.round_to_nearest", false);
    EXPECT_EQ(
        subnormals == soft::Subnormals::kFlushIn ? Standing::kDeviation : Standing::kViolation,
        judged(kName, device, both).standing)
        << "the operands are normal numbers";
    device.promises.push_back({"fp16.arithmetic.subnormals", false, "flushes", "page 1"});
    EXPECT_EQ(Standing::kDeviation, judged(kName, device, both).standing);
  }
}

TEST(ArithmeticSuite, NoOtherDirectionAndNoOtherFormatIsExcused) {
  const auto device = device_with("fp16.arithmetic.round_to_nearest", false);
  for (const soft::Rounding rounding :
       {soft::Rounding::kDown, soft::Rounding::kUp, soft::Rounding::kNearAway}) {
    const CaseResult result =
        judged("arithmetic.fp16.add.portable.n4096.near.s7", device, {.rounding = rounding});
    EXPECT_EQ(Verdict::kFail, result.verdict);
    EXPECT_EQ(Standing::kViolation, result.standing);
  }
  for (const std::string_view name : {"arithmetic.fp32.add.portable.n4096.near.s7",
                                      "arithmetic.fp16.add_in_fp32.portable.n4096.near.s7",
                                      "arithmetic.fp32.to_fp16.portable.n4096.near.s7"}) {
    const CaseResult result = judged(name, device, {.rounding = soft::Rounding::kTowardZero});
    EXPECT_EQ(Verdict::kFail, result.verdict) << name;
    EXPECT_EQ(Standing::kViolation, result.standing) << name;
  }
}

TEST(ArithmeticSuite, TheEmbeddedProfileIsNotJudged) {
  const backends::DeviceInfo embedded = device_with("full_profile", false);
  for (const Case& c : suite().cases(Level::kSmoke, kSeed))
    EXPECT_EQ("full_profile", suite().bind(c)->plan(embedded).needs) << print(c);
  const auto add = suite().bind(
      parse_case("arithmetic", suite().axes, "arithmetic.fp32.add.portable.n4096.near.s7"));
  EXPECT_FALSE(add->plan(device_with("full_profile", true)).needs);
  EXPECT_FALSE(add->plan({}).needs) << "who says nothing has the full profile";
}

TEST(ArithmeticSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    const Expectation expected = suite().bind(c)->expect(inputs);
    EXPECT_EQ("", unearned(inputs, allowance_of(expected))) << print(c);
  }
}

}  // namespace
}  // namespace halfmark::suites::arithmetic
