// SPDX-License-Identifier: Apache-2.0
// Each verdict from the evidence that gives it, and each kind of evidence alone.
#include "reports/true_fp16.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "reports/sample_record.hpp"
#include "reports/throughput.hpp"

namespace halfmark::reports {
namespace {

using enum Fp16Numerics;
using suites::Verdict;

struct VerdictRow {
  const char* kind;
  Fp16Measured measured;
  const char* because;
};

constexpr auto kHalf = Fp16Instructions::kHalf;
constexpr auto kConversions = Fp16Instructions::kConversionsOnly;

const VerdictRow kVerdicts[] = {
    {"native",
     {.numerics = kExact, .ratio = 2.5, .compute_bound = true, .halving = 1.9},
     "numerics, time and traffic"},
    {"native",
     {.numerics = kExact, .ratio = 1.5, .compute_bound = true, .instructions = kHalf},
     "numerics, time and instructions"},
    {"native",
     {.numerics = kExact, .ratio = 1.3, .compute_bound = true, .of_fp32_peak = 1.5, .halving = 1.9},
     "faster than fp32 units can be"},
    {"undecided", {.numerics = kExact, .ratio = 2.5, .compute_bound = true}, "no traffic"},
    {"undecided", {.ratio = 2.5, .compute_bound = true, .halving = 2}, "no case"},
    {"undecided", {.numerics = kExact, .halving = 2}, "no time"},
    {"undecided",
     {.numerics = kExact, .ratio = 1.3, .compute_bound = true, .halving = 2},
     "saved traffic explains it"},
    {"undecided", {.numerics = kExact, .ratio = 2, .halving = 2}, "memory hides the units"},
    {"converted", {.numerics = kExact, .ratio = 0.8, .compute_bound = true}, "slower than fp32"},
    {"converted", {.numerics = kExact, .ratio = 1.0, .halving = 1.0}, "whole bytes are moved"},
    {"emulated-fp32",
     {.numerics = kRoundedTwice, .ratio = 1.3, .compute_bound = true},
     "bits and time"},
    {"emulated-fp32",
     {.numerics = kExact, .ratio = 1.3, .compute_bound = true, .instructions = kConversions},
     "instructions"},
    {"emulated-fp32",
     {.numerics = kExact, .fma_rounds_once = false, .ratio = 1.3, .compute_bound = true},
     "an fma that rounds twice"},
    {"native",
     {.numerics = kExact,
      .fma_rounds_once = true,
      .ratio = 2.5,
      .compute_bound = true,
      .halving = 2},
     "one rounding contradicts nothing"},
    {"disputed",
     {.numerics = kExact,
      .fma_rounds_once = false,
      .ratio = 4,
      .compute_bound = true,
      .halving = 2},
     "an fma of fp32 in the time of fp16"},
    {"bf16-substituted", {.numerics = kBf16, .ratio = 2.5, .compute_bound = true}, "bits"},
    {"tf32-substituted", {.numerics = kTf32, .ratio = 1.9, .compute_bound = true}, "bits"},
    {"half-accumulation",
     {.numerics = kHalfAccumulator, .ratio = 4, .compute_bound = true, .halving = 2},
     "bits"},
    {"on-the-cpu", {.numerics = kExact, .ratio = 0.001, .compute_bound = true}, "a thousand times"},
    {"storage-only", {.offered = false, .ratio = 0.7, .compute_bound = true}, "the driver"},
    {"storage-only", {.offered = false, .numerics = kExact, .ratio = 1.9}, "halved bytes"},
    {"disputed",
     {.numerics = kExact, .ratio = 4, .compute_bound = true, .halving = 1.0},
     "fast units, and memory that saves nothing"},
    {"disputed",
     {.numerics = kRoundedTwice, .ratio = 4, .compute_bound = true, .halving = 2},
     "bits of fp32 in the time of fp16"},
    {"disputed",
     {.numerics = kExact, .ratio = 4, .compute_bound = true, .instructions = kConversions},
     "no fp16 instruction, in the time of one"},
    {"disputed", {.numerics = kWrong, .ratio = 4, .compute_bound = true, .halving = 2}, "wrong"},
};

TEST(JudgeFp16, GivesEachVerdictForItsEvidence) {
  for (const VerdictRow& row : kVerdicts) {
    const Fp16Verdict verdict = judge_fp16(row.measured);
    EXPECT_EQ(row.kind, verdict.kind) << row.because;
    EXPECT_TRUE(verdict.kind == "disputed" || verdict.sentence.starts_with(row.kind));
    EXPECT_EQ(4u, verdict.readings.size());
  }
}

TEST(JudgeFp16, TellsThePartOfTheDeclaredRate) {
  const auto time = [](double of_peak) {
    return judge_fp16({.ratio = 2.0, .compute_bound = true, .of_peak = of_peak})
        .readings.at(1)
        .statement;
  };
  EXPECT_NE(std::string::npos, time(0.72).find("; 0.72 of the declared rate"));
  EXPECT_EQ(std::string::npos, time(0).find("declared"));
}

// The borders of the bands of time, each from both sides.
TEST(JudgeFp16, BandsOfTime) {
  const auto kind_at = [](double ratio) {
    return judge_fp16({.numerics = kExact, .ratio = ratio, .compute_bound = true, .halving = 2})
        .kind;
  };
  EXPECT_EQ("on-the-cpu", kind_at(0.049));
  EXPECT_EQ("converted", kind_at(0.05));
  EXPECT_EQ("converted", kind_at(0.999));
  EXPECT_EQ("converted", kind_at(1.0));
  EXPECT_EQ("undecided", kind_at(1.2));
  EXPECT_EQ("undecided", kind_at(1.499));
  EXPECT_EQ("native", kind_at(1.5));
}

struct CensusRow {
  ImageCensus census;
  bool asks_for_half;
  Fp16Instructions instructions;
};

TEST(Instructions, AreHeldAgainstWhatTheTextAsksFor) {
  using enum Fp16Instructions;
  const CensusRow rows[] = {
      {{.half = 1, .single = 9, .conversions = 2}, true, Fp16Instructions::kHalf},
      {{.single = 1}, true, kConversionsOnly},
      {{.conversions = 1}, true, kConversionsOnly},
      {{}, true, kNone},
      {{.half = 1, .bf16 = 1}, true, Fp16Instructions::kBf16},
      {{.half = 1, .single = 1}, false, kSingle},
      {{.half = 1, .conversions = 1}, false, kHalfForSingle},
      {{.bf16 = 1, .single = 1}, false, Fp16Instructions::kBf16},
      {{.conversions = 4}, false, kNone},
      {{.half = 1, .calls_others = true}, true, Fp16Instructions::kHalf},
      {{.single = 1, .calls_others = true}, true, kIncomplete},
      {{.calls_others = true}, true, kIncomplete},
      {{.single = 1, .calls_others = true}, false, kSingle},
      {{.half = 1, .calls_others = true}, false, kIncomplete},
  };
  for (const CensusRow& row : rows)
    EXPECT_EQ(row.instructions, instructions_of(row.census, row.asks_for_half))
        << row.census.half << ' ' << row.census.single << ' ' << row.asks_for_half;
}

// The text asks for fp16, the bits are right, and the device is as fast as fp16 units are.
TEST(Instructions, ThatDoNotFitTheTimeAreADispute) {
  Fp16Measured measured{.numerics = kExact, .ratio = 2.5, .compute_bound = true, .halving = 1.9};
  EXPECT_EQ("native", judge_fp16(measured).kind);
  measured.census = {.single = 3, .conversions = 4};
  measured.instructions = instructions_of(measured.census, true);
  const Fp16Verdict verdict = judge_fp16(measured);
  EXPECT_EQ("disputed", verdict.kind);
  EXPECT_EQ(
      "asked for fp16 arithmetic; the image holds none, and converts (fp16 0, bf16 0, fp32 3, "
      "conversions 4)",
      verdict.readings.at(3).statement);
  measured.ratio = 1.3;
  EXPECT_EQ("emulated-fp32", judge_fp16(measured).kind);
  measured = {.numerics = kExact, .ratio = 2.5, .compute_bound = true, .halving = 1.9};
  measured.instructions = Fp16Instructions::kSingle;
  EXPECT_EQ("native", judge_fp16(measured).kind) << "as asked";
}

TEST(JudgeFp16, SaysWhatDidNotSpeak) {
  const Fp16Verdict silent = judge_fp16({});
  EXPECT_EQ("undecided", silent.kind);
  for (const Fp16Reading& reading : silent.readings) {
    EXPECT_FALSE(reading.spoke) << reading.source;
    EXPECT_EQ(Fp16Kinds::all(), reading.allows) << reading.source;
  }
}

Scorecard card_with(Verdict verdict, const char* finding_class) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  case_named(record, record.throughput[1].passed_case).provider = "portable";
  suites::CaseResult other = passing_case("gemm.fp16.acc-fp32.portable.nn.m3n5k7.normal.s7");
  other.verdict = verdict;
  other.finding_class = finding_class;
  record.results.push_back(other);
  return tally(record);
}

TEST(Operators, ArePickedFromCountedRows) {
  const Scorecard card = card_with(Verdict::kPass, "");
  ASSERT_EQ(1u, card.fp16_operators.size());
  const Fp16Operator& gemm = card.fp16_operators[0];
  EXPECT_EQ("gemm", gemm.operation);
  EXPECT_EQ("fp16.acc-fp32", gemm.formats);
  EXPECT_EQ("aligned", gemm.shape_class);
  EXPECT_TRUE(gemm.compute_bound);
  EXPECT_EQ("undecided", gemm.kind);  // 1.27 x
}

TEST(Operators, AreHeldAgainstTheDataSheet) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.throughput[1].declared_gflops = 130;  // about half of it was reached
  const std::string told = tally(record).fp16_operators.at(0).evidence.at(1).statement;
  EXPECT_NE(std::string::npos, told.find("0.502 of the declared rate")) << told;
}

TEST(Operators, ThatAreBoundByMemoryAreHeldAgainstItsBandwidth) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.environment["device"]["extra"]["declared"]["gbytes_per_s"] = 1000;
  const auto traffic = [&] { return tally(record).fp16_operators.at(0).evidence.at(2).statement; };
  EXPECT_EQ(std::string::npos, traffic().find("bandwidth")) << "bound by operations";
  ThroughputRun& run = record.throughput[1];
  run.bytes = run.flops;
  const double of_declared = gigabytes_per_second(tally(record).throughput.at(1)) / 1000;
  const std::string told = fmt::format("; {:.3g} of the declared bandwidth", of_declared);
  EXPECT_TRUE(traffic().ends_with(told)) << traffic() << " not " << told;
}

TEST(Operators, ReadTheNumericsOfEveryCaseOfTheirName) {
  EXPECT_EQ("half-accumulation", card_with(Verdict::kFail, "acc_narrow").fp16_operators[0].kind);
  EXPECT_EQ("bf16-substituted", card_with(Verdict::kFail, "fmt_subst").fp16_operators[0].kind);
  EXPECT_EQ("emulated-fp32", card_with(Verdict::kFail, "double_round").fp16_operators[0].kind);
  EXPECT_EQ("disputed", card_with(Verdict::kFail, "edge_tile").fp16_operators[0].kind);
}

// The sample's rows of gemm, told by the fma of a device that rounds it as `finding_class` says.
Fp16Operator gemm_beside_triples(const char* formats, Verdict verdict, const char* finding_class) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.throughput[1].formats = formats;
  suites::CaseResult triples = passing_case("arithmetic.fp16.fma.portable.n512.triples.s7");
  triples.verdict = verdict;
  triples.finding_class = finding_class;
  record.results.push_back(triples);
  return tally(record).fp16_operators.at(0);
}

TEST(Operators, OfOurFp16SumsHearTheFma) {
  const auto numerics = [](const Fp16Operator& o) { return o.evidence.at(0).statement; };
  const Fp16Operator twice = gemm_beside_triples("fp16.acc-fp16", Verdict::kFail, "double_round");
  EXPECT_EQ("emulated-fp32", twice.kind);
  EXPECT_NE(std::string::npos, numerics(twice).find("fma rounds twice"));
  const Fp16Operator once = gemm_beside_triples("fp16.acc-fp16", Verdict::kPass, "");
  EXPECT_EQ("undecided", once.kind);
  EXPECT_NE(std::string::npos, numerics(once).find("fma rounds once"));
  const Fp16Operator flushed = gemm_beside_triples("fp16.acc-fp16", Verdict::kFail, "ftz");
  EXPECT_EQ(std::string::npos, numerics(flushed).find("fma")) << "nothing said of rounding";
  const Fp16Operator wide = gemm_beside_triples("fp16.acc-fp32", Verdict::kFail, "double_round");
  EXPECT_EQ(std::string::npos, numerics(wide).find("fma")) << "sums in fp32 need no fma of fp16";
}

// Rows 0 and 1 of the sample are the product in fp32 and fp16.
TEST(Operators, TakeDataOfFewBitsOnlyWhereNothingElseWasTimed) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  for (const std::size_t i : {0u, 1u}) {
    record.throughput.push_back(record.throughput[i]);
    record.throughput.back().fill = "integer";
  }
  for (std::uint64_t& ns : record.throughput.back().samples_ns) ns *= 2;
  ASSERT_EQ(1u, tally(record).fp16_operators.size());
  EXPECT_EQ("undecided", tally(record).fp16_operators[0].kind);
  record.throughput.erase(record.throughput.begin(), record.throughput.begin() + 3);
  ASSERT_EQ(1u, tally(record).fp16_operators.size());
  EXPECT_EQ("converted", tally(record).fp16_operators[0].kind);
}

// Of the sample's product on fp16: a text that sums in fp32, then one that sums in fp16.
TEST(Operators, AreHeldAgainstTheirImage) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  const auto instructions = [&](const char* formats, const nlohmann::json& counted) {
    record.throughput[1].formats = formats;
    record.throughput[1].conditions["instructions"] = counted;
    return tally(record).fp16_operators.at(0);
  };
  const nlohmann::json converts = {{"fp16", 0}, {"bf16", 0}, {"fp32", 1}, {"conversions", 2}};
  const Fp16Operator wide = instructions("fp16.acc-fp32", converts);
  EXPECT_EQ("undecided", wide.kind);
  EXPECT_TRUE(wide.evidence.at(3).statement.starts_with("asked for fp32"));
  const Fp16Operator narrow = instructions("fp16.acc-fp16", converts);
  EXPECT_EQ("emulated-fp32", narrow.kind);
  EXPECT_TRUE(narrow.evidence.at(3).statement.starts_with("asked for fp16"));
  nlohmann::json calls = converts;
  calls["unresolved_calls"] = {"expf"};
  const Fp16Operator unsure = instructions("fp16.acc-fp16", calls);
  EXPECT_EQ("undecided", unsure.kind);
  EXPECT_TRUE(unsure.evidence.at(3).statement.starts_with("the image calls code"));
  record.throughput[1].provider = record.throughput[0].provider = "library";
  EXPECT_TRUE(instructions("fp16.acc-fp16", converts)
                  .evidence.at(3)
                  .statement.starts_with("asked for fp32"));
}

TEST(Operators, SayWhyTheirImageCouldNotBeRead) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.throughput[1].conditions["instructions_unread"] = "the tool is missing";
  EXPECT_EQ("not available: the tool is missing",
            tally(record).fp16_operators.at(0).evidence.at(3).statement);
}

TEST(Operators, NoCountedRowNoVerdict) {
  RunRecord record = clean_record();
  record.throughput[1].doubt = "the clock stood still";
  EXPECT_TRUE(tally(record).fp16_operators.empty());
}

// A device with fp16 units: fast products, and streams that take half the time.
RunRecord native_record() {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  case_named(record, "arithmetic.fp16.add.portable.n4096.uniform.s7").verdict = Verdict::kPass;
  for (std::uint64_t& ns : record.throughput[1].samples_ns) ns /= 2;
  for (const char* format : {"fp32", "fp16"}) {
    const std::string name = std::string("softmax.") + format + ".portable.r64c4096.uniform.s7";
    record.results.push_back(passing_case(name));
    const std::uint64_t ns = format[2] == '3' ? 1900000 : 1000000;
    record.throughput.push_back({.name = name,
                                 .provider = "portable",
                                 .operation = "softmax",
                                 .formats = format,
                                 .shape = "r64c4096",
                                 .fill = "uniform",
                                 .samples_ns = {ns, ns, ns, ns, ns, ns},
                                 .bytes = 1048576,
                                 .passed_case = name});
  }
  record.expected_cases = record.results.size();
  return record;
}

TEST(Mark, IsHeldWhenAllAgree) {
  const Scorecard card = tally(native_record());
  ASSERT_EQ(2u, card.fp16_operators.size());
  EXPECT_EQ("native", card.fp16_operators[0].kind);
  EXPECT_EQ("undecided", card.fp16_operators[1].kind);
  const Mark* mark = find_mark(card, "TF16");
  EXPECT_TRUE(mark->held) << mark->reasons.front();
  EXPECT_EQ(1u, mark->scope.size());
}

TEST(Mark, IsLostByOneSlowOperator) {
  RunRecord record = native_record();
  for (std::uint64_t& ns : record.throughput[1].samples_ns) ns *= 4;
  const Scorecard card = tally(record);
  EXPECT_EQ("converted", card.fp16_operators[0].kind);
  EXPECT_FALSE(find_mark(card, "TF16")->held);
}

TEST(Mark, IsLostByStreamsThatSaveNothing) {
  RunRecord record = native_record();
  for (std::uint64_t& ns : record.throughput[4].samples_ns) ns *= 2;
  const Scorecard card = tally(record);
  EXPECT_EQ("disputed", card.fp16_operators[0].kind);
  EXPECT_FALSE(find_mark(card, "TF16")->held);
}

TEST(Mark, NeedsATimeOfAProduct) {
  RunRecord record = native_record();
  record.throughput.erase(record.throughput.begin(), record.throughput.begin() + 3);
  EXPECT_FALSE(find_mark(tally(record), "TF16")->held);
}

}  // namespace
}  // namespace halfmark::reports
