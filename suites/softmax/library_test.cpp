// SPDX-License-Identifier: Apache-2.0
// The unmodified library of the software device passes every library case with justification; each
// fault that can be planted in it is found and named; legal differences are not reported. What
// experiments make of a vendor's softmax on the processor.
#include <gtest/gtest.h>

#include "suites/core/experiment/experiment.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/faults.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

TEST(SoftmaxLibrary, TheRightOneAndTheControlsAreNotAccused) { expect_controls_pass(suite()); }

TEST(SoftmaxLibrary, EveryFaultIsFoundAndNamed) {
  constexpr Planted kPlanted[] = {
      {"S01", "forward", "overflow"},      {"S02", "forward", "acc_narrow"},
      {"S03", "forward", "bad_identity"},  {"S04", "forward", "nan_dropped"},
      {"S05", "forward", "masked_row"},    {"S06", "forward", "edge"},
      {"S07", "forward", "edge_tile"},     {"S08", "forward", "race"},
      {"S09", "forward", "early_round"},   {"S10", "forward", "layout"},
      {"S11", "forward", "index_ovf"},     {"S12", "log-forward", "underflow"},
      {"S13", "forward", "fmt_subst"},     {"S14", "backward", "formula"},
      {"S15", "backward", "acc_narrow"},   {"S16", "forward", "ftz_out"},
      {"S17", "forward", "nan_made"},      {"S18", "forward", "masked_row"},
      {"S19", "forward", "index_ovf"},     {"S22", "forward", "low_precision"},
      {"S23", "forward", "formula"},       {"S24", "forward", "edge_tile"},
      {"S26", "forward", "low_precision"},
  };
  for (const Planted& row : kPlanted) expect_named(suite(), row);
}

TEST(SoftmaxLibrary, CopiedRowsAreNamed) {
  for (const char* name : {"softmax.forward.bf16.out-bf16.library.r8n1.special.s7",
                           "softmax.forward.fp16.out-fp16.library.r4n1.normal.s7",
                           "softmax.log-forward.fp16.out-fp16.library.r4n1.normal.s7"})
    expect_name(suite(), {"S23", name, "single-copied"});
}

TEST(SoftmaxLibrary, OtherLegalEvaluationsAreNotAccused) {
  expect_silence(suite(), {"N18", "N19", "N20", "N21", "N22", "N23"});
}

// A library that rounds exponentials to bf16 may also limit a NaN. Questions may hold one; what
// they show is no fact about data without.
TEST(SoftmaxLibrary, AnExperimentAccusesNobodyOfDroppingANanThatIsNotThere) {
  Session session(backends::Device::open("cpu:0"));
  const Case c = parse_case("softmax", suite().axes,
                            "softmax.forward.bf16.out-bf16.library.r16n100.normal.s7");
  const auto problem = suite().bind(c);
  const CaseResult plain = run_problem(session, *problem);
  if (plain.verdict != Verdict::kFail)
    GTEST_SKIP() << "no library here that rounds: " << name_of(plain.verdict);
  const CaseResult result = tested(session, suite(), c, plain);
  EXPECT_GE(result.experiments->asked.size(), 4U);
  EXPECT_EQ("early_round", result.finding_class) << result.reason;
  EXPECT_EQ(name_of(Standing::kDeviation), name_of(result.standing));
}

}  // namespace
}  // namespace halfmark::suites::softmax
