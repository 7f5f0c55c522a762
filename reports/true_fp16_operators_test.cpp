// SPDX-License-Identifier: Apache-2.0
// From the rows and cases of a run to verdicts: which rows are judged, which evidence counts for
// them, and the verdict on the device.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/testing/sample_record.hpp"
#include "reports/true_fp16.hpp"

namespace halfmark::reports {
namespace {

using suites::Verdict;

constexpr const char* kProduct =
    "gemm.fp16.acc-fp32.out-fp16.library.nn.m2048n2048k2048.plain.normal";
constexpr const char* kFp32Fma = "rates.fma.fp32.portable.w2.n65536.chain";

std::string chain(const char* link) {
  return fmt::format("rates.{}.fp16.portable.w2.n65536.chain", link);
}

Fp16Operator operator_in(const RunRecord& record, const std::string& operation) {
  const Scorecard card = tally(record);
  const auto found = std::ranges::find(card.fp16_operators, operation, &Fp16Operator::operation);
  return found == card.fp16_operators.end() ? Fp16Operator{} : *found;
}

std::string kind_in(const RunRecord& record, const std::string& operation) {
  return operator_in(record, operation).kind;
}

TEST(Operators, AreTheBestWidthsOfChainsAndProductsThatSayWhatUnitsDo) {
  std::vector<std::string> judged;
  for (const Fp16Operator& o : tally(fp16_record()).fp16_operators)
    judged.push_back(o.operation + " " + o.shape + " " + o.kind);
  EXPECT_EQ((std::vector<std::string>{"chain.add w2 native", "chain.fma w2 emulated",
                                      "chain.mul w2 native", "chain.muladd w2 native",
                                      "gemm nn.m2048n2048k2048.plain native"}),
            judged);
}

// The clean record's product sums in fp32 by its own source; with sums in fp16 it is judged.
TEST(Operators, OfOurOwnTextAreJudgedWhereItAsksForFp16) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  EXPECT_TRUE(tally(record).fp16_operators.empty());
  record.throughput[1].formats = "fp16.acc-fp16";
  EXPECT_EQ("undecided", kind_in(record, "gemm"));
  record.throughput[1].operation = "softmax";
  EXPECT_TRUE(tally(record).fp16_operators.empty());
  record.throughput[1].operation = "gemm";
  record.throughput[1].doubt = "the clock stood still";
  EXPECT_TRUE(tally(record).fp16_operators.empty());
}

TEST(Operators, HearTheDuelBySteps) {
  RunRecord record = fp16_record();
  ThroughputRun& add = run_named(record, chain("add"));
  add_duel(add, run_named(record, kFp32Fma), 1.11);
  EXPECT_EQ("native", kind_in(record, "chain.add"));
  add_duel(add, run_named(record, kFp32Fma), 1.09);
  EXPECT_EQ("undecided", kind_in(record, "chain.add"));
  add.duel.reset();
  EXPECT_EQ("undecided", kind_in(record, "chain.add"));
}

// The other side of the duel is half as fast as the best fp32 product.
TEST(Operators, AreNotHeldAgainstASlowerKernelThanTheBest) {
  RunRecord record = fp16_record();
  EXPECT_EQ("native", kind_in(record, "gemm"));
  ThroughputRun& fp32 =
      run_named(record, "gemm.fp32.acc-fp32.out-fp32.library.nn.m2048n2048k2048.plain.normal");
  for (std::uint64_t& ns : fp32.samples_ns) ns /= 2;
  EXPECT_EQ("undecided", kind_in(record, "gemm"));
  for (std::uint64_t& ns : run_named(record, kProduct).samples_ns) ns /= 2;
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "a duel of 1.85 with half of the best";
  add_duel(run_named(record, kProduct), run_named(record, kFp32Fma), 3.7);
  EXPECT_EQ("native", kind_in(record, "gemm"));
}

// Matrix units are ten times as fast as fp32, which no load on the fp32 kernels explains.
TEST(Operators, NeedNoDuelFarAboveFp32) {
  RunRecord record = fp16_record();
  ThroughputRun& product = run_named(record, kProduct);
  product.duel.reset();
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "twice as fast as fp32";
  for (std::uint64_t& ns : product.samples_ns) ns = ns * 2 / 5;
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "5 times as fast";
  for (std::uint64_t& ns : product.samples_ns) ns /= 2;
  EXPECT_EQ("native", kind_in(record, "gemm")) << "10 times as fast";
}

// Units for tf32 hold every number of fp16, and may be several times as fast as those for fp32.
TEST(Operators, AreNotNativeByTimeWhereTf32IsUnknown) {
  RunRecord record = fp16_record();
  for (std::uint64_t& ns : run_named(record, kProduct).samples_ns) ns /= 5;
  EXPECT_EQ("native", kind_in(record, "gemm")) << "tf32 was declined";
  std::erase_if(record.results, [](const suites::CaseResult& result) {
    return result.name.starts_with("gemm.tf32.");
  });
  record.expected_cases = record.results.size();
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "10 times as fast as fp32";
  EXPECT_EQ("native", kind_in(record, "chain.add")) << "a chain is no product";
  ThroughputRun tf32 =
      run_named(record, "gemm.fp32.acc-fp32.out-fp32.library.nn.m2048n2048k2048.plain.normal");
  tf32.formats = "tf32.acc-fp32.out-fp32";
  tf32.name = "gemm.tf32.acc-fp32.out-fp32.library.nt.m2048n2048k2048.plain.integer";
  tf32.fill = "integer";
  tf32.passed_case = tf32.name + ".s7";
  record.results.push_back(passing_case(tf32.passed_case));
  record.throughput.push_back(tf32);
  EXPECT_EQ("native", kind_in(record, "gemm")) << "tf32 is as fast as fp32";
  for (std::uint64_t& ns : record.throughput.back().samples_ns) ns /= 7;
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "tf32 is 7 times as fast as fp32";
}

TEST(Operators, HearOnlyTheImageOfTheirLoops) {
  RunRecord record = fp16_record();
  nlohmann::json& conditions = run_named(record, chain("fma")).conditions;
  nlohmann::json& instructions = conditions["instructions"];
  EXPECT_EQ("emulated", kind_in(record, "chain.fma"));
  instructions["unresolved_calls"] = {"expf"};
  EXPECT_EQ("undecided", kind_in(record, "chain.fma"));
  instructions.erase("unresolved_calls");
  instructions["in_loops"] = {{"fp16", 8}, {"bf16", 0}, {"fp32", 0}, {"conversions", 0}};
  EXPECT_EQ("native", kind_in(record, "chain.fma"));
  instructions.erase("in_loops");
  EXPECT_EQ("emulated", kind_in(record, "chain.fma")) << "of the whole image";
  instructions = nullptr;
  EXPECT_EQ("undecided", kind_in(record, "chain.fma"));
}

// What each case that was verified at the shape of the library's product shows.
TEST(Operators, HearWhatWasVerifiedAtTheirShape) {
  RunRecord record = fp16_record();
  std::vector<VerifiedCase>& verified = run_named(record, kProduct).verified;
  EXPECT_EQ("native", kind_in(record, "gemm"));
  verified[2].verdict = "fail";
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "sums may be fp16";
  verified[2].verdict = "pass";
  verified[2].name = "gemm.fp16.acc-fp32.out-fp16.library.nn.m128n128k128.plain.wide";
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "of another shape";
  verified[2].name = "gemm.fp16.acc-fp32.out-fp16.library.nn.m2048n2048k2048.plain.wide.s7";
  EXPECT_EQ("native", kind_in(record, "gemm")) << "with its seed";
  verified[1].tier = "bounded";
  EXPECT_EQ("undecided", kind_in(record, "gemm")) << "a bound says nothing of operands";
  verified.resize(1);
  EXPECT_EQ("undecided", kind_in(record, "gemm"));
}

suites::CaseResult failing(const std::string& name, const char* finding_class) {
  suites::CaseResult r = passing_case(name);
  make_violation(r, finding_class);
  r.explanations.emplace_back();
  r.explanations.back().hypothesis = "as-planted";
  r.explanations.back().explained = r.mismatches;
  if (r.finding_class == "fmt_subst") r.explanations.back().substituted = "bf16";
  if (r.finding_class == "acc_narrow") r.explanations.back().computed_in = "fp16";
  return r;
}

suites::CaseResult computed_in(suites::CaseResult r, const char* format) {
  r.explanations.back().computed_in = format;
  return r;
}

// A finding at another shape may concern another kernel.
TEST(Operators, HearFindingsOfTheirOwnShapeAlone) {
  const auto kind_beside = [](const char* shape, const char* finding_class) {
    RunRecord record = fp16_record();
    record.results.push_back(
        failing(fmt::format("gemm.fp16.acc-fp32.out-fp16.library.nn.{}.plain.uniform.s7", shape),
                finding_class));
    return kind_in(record, "gemm");
  };
  EXPECT_EQ("disputed", kind_beside("m2048n2048k2048", "acc_narrow")) << "sums were verified";
  EXPECT_EQ("native", kind_beside("m17n33k65", "acc_narrow"));
  EXPECT_EQ("disputed", kind_beside("m2048n2048k2048", "fmt_subst"));
  EXPECT_EQ("native", kind_beside("m2048n2048k2048", "edge_tile")) << "of no kind";
  EXPECT_EQ("native", kind_beside("m2048n2048k2048", "double_round"))
      << "a library stores its sums as it likes";
}

// The name of an explanation is text for people: two numbers of bf16 hold every operand of fp16.
TEST(Operators, AreAccusedOfASubstitutionByNoName) {
  RunRecord record = fp16_record();
  suites::CaseResult r = failing(
      "gemm.fp16.acc-fp32.out-fp16.library.nn.m2048n2048k2048.plain.uniform.s7", "fmt_subst");
  r.explanations.back().hypothesis = "operands-in-two-bf16";
  r.explanations.back().substituted.clear();
  record.results.push_back(r);
  EXPECT_EQ("native", kind_in(record, "gemm"));
}

// What the arithmetic suite finds about an operation holds at any size.
TEST(Operators, OfChainsHearTheOperation) {
  const auto kinds_beside = [](const char* operation, const char* finding_class,
                               const char* format = "") {
    RunRecord record = fp16_record();
    run_named(record, chain("fma")).conditions.erase("instructions");
    run_named(record, chain("add")).duel.reset();
    record.results.push_back(
        computed_in(failing(fmt::format("arithmetic.fp16.{}.portable.n512.triples.s7", operation),
                            finding_class),
                    format));
    return kind_in(record, "chain.fma") + " " + kind_in(record, "chain.add") + " " +
           kind_in(record, "chain.muladd");
  };
  EXPECT_EQ("undecided undecided native", kinds_beside("fma", "ftz"));
  EXPECT_EQ("emulated undecided native", kinds_beside("fma", "cvt_round", "fp32"));
  EXPECT_EQ("emulated undecided native", kinds_beside("fma", "double_round", "fp64"));
  EXPECT_EQ("undecided undecided native", kinds_beside("add", "double_round"))
      << "five more bits are those of no wider unit";
  EXPECT_EQ("undecided undecided native", kinds_beside("add", "early_round"));
  EXPECT_EQ("disputed undecided native", kinds_beside("fma", "fmt_subst"))
      << "the chain's own bits are right";
}

TEST(Operators, AreAccusedByExactExplanationsOfTheWholeResultAlone) {
  RunRecord record = fp16_record();
  run_named(record, chain("fma")).conditions.erase("instructions");
  suites::CaseResult& result = record.results.emplace_back(
      computed_in(failing("arithmetic.fp16.fma.portable.n512.triples.s7", "double_round"), "fp32"));
  EXPECT_EQ("emulated", kind_in(record, "chain.fma"));
  result.mismatches = 40;
  EXPECT_EQ("undecided", kind_in(record, "chain.fma")) << "1 of 40";
  result.mismatches = 1;
  result.explanations[0].in_part = true;
  EXPECT_EQ("undecided", kind_in(record, "chain.fma"));
}

TEST(Operators, BelowAnOfferOfStorageAreStorageOnly) {
  RunRecord record = fp16_record();
  record.device["promises"][1]["offered"] = false;
  EXPECT_EQ("storage-only", kind_in(record, "chain.add"));
  EXPECT_EQ("native", kind_in(record, "gemm")) << "a library that took the call need not ask";
}

// Rows on data of few bits, next to the same rows on random data.
TEST(Operators, TakeDataOfFewBitsOnlyWhereNothingElseWasTimed) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.throughput[1].formats = "fp16.acc-fp16";
  record.throughput.push_back(record.throughput[1]);
  record.throughput.back().fill = "integer";
  for (std::uint64_t& ns : record.throughput.back().samples_ns) ns *= 2;
  const double random = operator_in(record, "gemm").gflops;
  record.throughput.erase(record.throughput.begin() + 1);
  EXPECT_NEAR(random / 2, operator_in(record, "gemm").gflops, 0.01);
}

// The largest product may exist on whole numbers alone, which refute nothing.
TEST(Device, TakesTheFastestProductOnRandomData) {
  RunRecord record = fp16_record();
  ThroughputRun large = run_named(record, kProduct);
  large.name = "gemm.fp16.acc-fp32.out-fp16.library.nn.m8192n8192k8192.plain.integer";
  large.shape = "nn.m8192n8192k8192.plain";
  large.fill = "integer";
  large.verified.clear();
  large.passed_case = large.name + ".s7";
  record.results.push_back(passing_case(large.passed_case));
  large.duel.reset();
  for (std::uint64_t& ns : large.samples_ns) ns /= 2;
  record.throughput.push_back(large);
  const TrueFp16 found = tally(record).true_fp16;
  EXPECT_EQ("native", found.operations[4].kind);
  EXPECT_EQ("library fp16.acc-fp32.out-fp16 nn.m2048n2048k2048.plain", found.operations[4].width);
}

TEST(Device, IsASentenceOfItsOperations) {
  const TrueFp16 found = tally(fp16_record()).true_fp16;
  EXPECT_EQ("mixed", found.kind);
  EXPECT_EQ("add, mul, muladd and gemm native, 1.9 x; fma emulated, 0.19 x", found.verdict);
  ASSERT_EQ(5u, found.operations.size());
  EXPECT_EQ("gemm", found.operations[4].operation);
  EXPECT_EQ("library fp16.acc-fp32.out-fp16 nn.m2048n2048k2048.plain", found.operations[4].width);
  EXPECT_EQ("fma", found.operations[2].operation);
  EXPECT_NEAR(0.19, *found.operations[2].gain, 0.001);
}

TEST(Device, SaysWhichOperationGainsHowMuch) {
  RunRecord record = fp16_record();
  for (std::uint64_t& ns : run_named(record, chain("add")).samples_ns) ns = ns * 5 / 4;
  EXPECT_EQ("native: add 1.5 x, mul 1.9 x, muladd 1.9 x and gemm 1.9 x; fma emulated, 0.19 x",
            tally(record).true_fp16.verdict);
}

TEST(Device, IsOfOneKindWhereAllOperationsAre) {
  RunRecord record = fp16_record();
  run_named(record, chain("fma")).doubt = "the clock stood still";
  EXPECT_EQ("native", tally(record).true_fp16.kind);
  for (ThroughputRun& run : record.throughput) run.duel.reset();
  const TrueFp16 found = tally(record).true_fp16;
  EXPECT_EQ("undecided", found.kind);
  EXPECT_EQ("add, mul, muladd and gemm undecided between native and emulated, 1.9 x",
            found.verdict);
}

// Both records have the same rows; only the slow fma distinguishes the two modes of one driver.
TEST(Device, FastestProductSpeaksForAll) {
  RunRecord record = fp16_record();
  ThroughputRun other = run_named(record, kProduct);
  other.provider = "library2";
  for (std::uint64_t& ns : other.samples_ns) ns *= 2;
  record.throughput.push_back(other);
  EXPECT_TRUE(tally(record).true_fp16.operations.back().width.starts_with("library fp16"));
  for (std::uint64_t& ns : record.throughput.back().samples_ns) ns /= 3;
  EXPECT_TRUE(tally(record).true_fp16.operations.back().width.starts_with("library2 fp16"));
}

struct UntimedRow {
  bool offered;
  Verdict verdict;
  const char* kind;
  const char* verdict_start;
  suites::Standing standing = suites::Standing::kNone;
};

TEST(Device, WithoutTimesSaysWhatPromisesAndBitsAllow) {
  for (const UntimedRow& row :
       {UntimedRow{false, Verdict::kNotSupported, "storage-only",
                   "storage only: the driver offers"},
        {true, Verdict::kNotSupported, "undecided",
         "undecided: fp16 arithmetic is offered, but no"},
        {true, Verdict::kFail, "contradicted", "contradicted: fp16 arithmetic is offered, but 1",
         suites::Standing::kViolation},
        {true, Verdict::kFail, "undecided", "undecided: 1 of 1 case did not pass, without",
         suites::Standing::kDeviation},
        {true, Verdict::kUntrusted, "undecided", "undecided: 1 of 1 case did not pass, without"},
        {true, Verdict::kCrash, "contradicted", "contradicted:"},
        {true, Verdict::kPass, "undecided",
         "undecided: every bit agrees with native fp16; no time counts for the verdict"}}) {
    RunRecord record = clean_record();
    record.throughput.clear();
    record.device["promises"][1]["offered"] = row.offered;
    suites::CaseResult& result =
        case_named(record, "arithmetic.fp16.add.portable.n4096.uniform.s7");
    result.verdict = row.verdict;
    result.standing = row.standing;
    const TrueFp16 found = tally(record).true_fp16;
    EXPECT_EQ(found.kind, row.kind);
    EXPECT_TRUE(found.verdict.starts_with(row.verdict_start)) << found.verdict;
  }
  RunRecord record = clean_record();
  record.device["promises"][0]["offered"] = false;
  EXPECT_EQ(tally(record).true_fp16.kind, "not-offered");
}

TEST(Device, OfWhoseTimesNoneCountsIsNotSaidToBeUntimed) {
  RunRecord record = fp16_record();
  for (ThroughputRun& run : record.throughput) run.doubt = "the clock stood still";
  EXPECT_EQ("undecided: every bit agrees with native fp16; no time counts for the verdict",
            tally(record).true_fp16.verdict);
}

TEST(Device, ThatOffersNoArithmeticIsStorageOnlyWhateverItsTimes) {
  RunRecord record = fp16_record();
  record.device["promises"][1]["offered"] = false;
  record.device["promises"][1]["evidence"] = "EX_HALF lacks ARITH";
  const TrueFp16 found = tally(record).true_fp16;
  EXPECT_EQ("storage-only", found.kind);
  EXPECT_TRUE(found.operations.empty());
  EXPECT_EQ("not offered: EX_HALF lacks ARITH", found.evidence[1].statement);
}

TEST(Device, ThatIsSilentOfArithmeticIsAccusedOfNothing) {
  RunRecord timed = fp16_record();
  timed.device["promises"].erase(1);
  EXPECT_EQ("mixed", tally(timed).true_fp16.kind) << "its operations speak";
  RunRecord untimed = clean_record();
  untimed.throughput.clear();
  untimed.device["promises"].erase(1);
  suites::CaseResult& sum = case_named(untimed, "arithmetic.fp16.add.portable.n4096.uniform.s7");
  sum.verdict = Verdict::kPass;
  EXPECT_EQ("undecided: every bit agrees with native fp16; no time counts for the verdict",
            tally(untimed).true_fp16.verdict);
  make_violation(sum, "ftz");
  EXPECT_EQ("undecided", tally(untimed).true_fp16.kind) << "nothing that it promised";
}

TEST(Device, WhoseBitsFailedSaysSoBesideItsKinds) {
  RunRecord record = fp16_record();
  make_violation(case_named(record, "arithmetic.fp16.add.portable.n4096.uniform.s7"), "ftz");
  EXPECT_TRUE(
      tally(record).true_fp16.verdict.ends_with("; 1 of 2 cases of fp16 arithmetic did not pass"));
}

TEST(Device, ConversionsAreNoEvidenceOfArithmetic) {
  RunRecord record = clean_record();
  record.device["promises"][1]["offered"] = true;
  record.results.push_back(passing_case("arithmetic.fp16.to_fp32.portable.n65536.all.s7"));
  EXPECT_EQ("undecided: fp16 arithmetic is offered, but no case of it gave an answer",
            tally(record).true_fp16.verdict);
}

}  // namespace
}  // namespace halfmark::reports
