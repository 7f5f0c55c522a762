// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/result.hpp"

#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

Explanation explanation(const std::string& hypothesis, bool in_part) {
  Explanation e;
  e.hypothesis = hypothesis;
  e.finding_class = "fmt_subst";
  e.in_part = in_part;
  e.is_generic = true;
  e.substituted = "bf16";
  return e;
}

CaseResult result_of(const std::string& suite, const std::string& operation) {
  CaseResult result;
  result.suite = suite;
  result.operation = operation;
  return result;
}

TEST(Result, KeepsItsFactsInTheJournal) {
  CaseResult result = result_of("softmax", "softmax_backward");
  result.explanations = {explanation("general-a-rounded-to-bf16-in-part", true)};
  const CaseResult read = case_result_from_json(to_json(result, true));
  EXPECT_EQ("softmax_backward", read.operation);
  const Explanation& e = read.explanations.at(0);
  EXPECT_TRUE(e.in_part);
  EXPECT_TRUE(e.is_generic);
  EXPECT_EQ("bf16", e.substituted);
}

TEST(Result, IsOfTheOperationOfItsSuiteUnlessItSaysAnother) {
  const nlohmann::json journal = to_json(result_of("gemm", "gemm"), true);
  EXPECT_FALSE(journal.contains("operation"));
  EXPECT_EQ("gemm", case_result_from_json(journal).operation);
}

TEST(Explanation, HasTheNameOfItsHypothesisWhereverItHolds) {
  EXPECT_EQ("rounded", explanation("rounded-in-part", true).base());
  EXPECT_EQ("rounded-in-part", explanation("rounded-in-part", false).base());
}

}  // namespace
}  // namespace halfmark::suites
