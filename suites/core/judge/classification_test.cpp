// SPDX-License-Identifier: Apache-2.0
// A failure is a deviation only where nobody who is bound by the row promises otherwise.
#include "suites/core/judge/classification.hpp"

#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

constexpr ContractRow kFunction{.id = "function.bound",
                                .tier = Tier::kBounded,
                                .promise = "the digits of fp32 steps",
                                .source = "",
                                .freedoms = kFunctionFreedoms};
constexpr ContractRow kProduct{.id = "product.bound",
                               .tier = Tier::kBounded,
                               .promise = "the digits of fp32 sums",
                               .source = "",
                               .freedoms = kProductFreedoms};

enum class Word { kSilence, kOpen, kPromise };

backends::Library library(Word accuracy) {
  backends::Library library;
  if (accuracy != Word::kSilence)
    library.promises.push_back({.capability = "operators.accuracy",
                                .offered = accuracy == Word::kPromise,
                                .evidence = "its documents",
                                .clause = "page 1"});
  return library;
}

Standing standing(const Explanation& explanation, const ContractRow& row, Word accuracy) {
  const backends::DeviceInfo device;
  const backends::Library called = library(accuracy);
  CaseResult result;
  result.elements = result.mismatches = explanation.explained;
  result.explanations = {explanation};
  decide_standing(result, row, {device, &called});
  return result.standing;
}

const Explanation kRoundedEarly{.hypothesis = "exp-in-bf16",
                                .finding_class = "early_round",
                                .sentence = "exp is rounded to bf16",
                                .freedoms = {},
                                .explained = 5};

TEST(Classification, LostDigitsAreADeviationWhereDocumentsLeaveThemOpen) {
  EXPECT_EQ(Standing::kDeviation, standing(kRoundedEarly, kFunction, Word::kOpen));
}

TEST(Classification, SilenceAndAPromiseExcuseNothing) {
  EXPECT_EQ(Standing::kViolation, standing(kRoundedEarly, kFunction, Word::kSilence));
  EXPECT_EQ(Standing::kViolation, standing(kRoundedEarly, kFunction, Word::kPromise));
}

// A sum that is stored before its bias is added: whoever says how it keeps sums is bound by it.
TEST(Classification, RoundedSumsAreAViolationWhereDocumentsExcludeThem) {
  Explanation rounded_sum = kRoundedEarly;
  rounded_sum.finding_class = "double_round";
  rounded_sum.freedoms = {"internal_precision"};
  const auto standing_where = [&](bool promised) {
    const backends::DeviceInfo device;
    backends::Library called = library(Word::kSilence);
    called.promises = {{.capability = "products.internal_precision",
                        .offered = promised,
                        .evidence = "its header",
                        .clause = "page 1"}};
    CaseResult result;
    result.elements = result.mismatches = rounded_sum.explained;
    result.explanations = {rounded_sum};
    decide_standing(result, kProduct, {device, &called});
    return result.standing;
  };
  EXPECT_EQ(Standing::kViolation, standing_where(true));
  EXPECT_EQ(Standing::kDeviation, standing_where(false));
}

// A sum that misses an element has some number of good bits.
TEST(Classification, OpenDigitsOfExactDataAreThoseThatANamedArithmeticLoses) {
  ContractRow exact = kFunction;
  exact.tier = Tier::kExact;
  Explanation good_bits = kRoundedEarly;
  good_bits.hypothesis = "general-9-good-bits";
  good_bits.finding_class = "low_precision";
  good_bits.is_generic = true;
  EXPECT_EQ(Standing::kViolation, standing(good_bits, exact, Word::kOpen));
  EXPECT_EQ(Standing::kDeviation, standing(good_bits, kFunction, Word::kOpen));
  EXPECT_EQ(Standing::kDeviation, standing(kRoundedEarly, exact, Word::kOpen));
}

TEST(Classification, OpenDigitsExcuseNoMistakeOfAnotherKind) {
  Explanation wrong_place = kRoundedEarly;
  wrong_place.finding_class = "layout";
  EXPECT_EQ(Standing::kViolation, standing(wrong_place, kFunction, Word::kOpen));
  Explanation of_some_rows = kRoundedEarly;
  of_some_rows.in_part = true;
  EXPECT_EQ(Standing::kViolation, standing(of_some_rows, kFunction, Word::kOpen));
  Explanation of_some_elements = kRoundedEarly;
  of_some_elements.contradicted = 1;
  EXPECT_EQ(Standing::kViolation, standing(of_some_elements, kFunction, Word::kOpen));
}

TEST(Classification, WhatTakesTwoFreedomsNeedsBoth) {
  Explanation limits_nan = kRoundedEarly;
  limits_nan.finding_class = "nan_dropped";
  limits_nan.freedoms = {"nan_operands", "accuracy"};
  CaseResult result;
  result.elements = result.mismatches = limits_nan.explained;
  result.explanations = {limits_nan};
  backends::Library called = library(Word::kOpen);
  decide_standing(result, kFunction, {backends::DeviceInfo{}, &called});
  EXPECT_EQ(Standing::kViolation, result.standing);
  called.promises.push_back({.capability = "operators.nan",
                             .offered = false,
                             .evidence = "its documents",
                             .clause = "page 2"});
  decide_standing(result, kFunction, {backends::DeviceInfo{}, &called});
  EXPECT_EQ(Standing::kDeviation, result.standing);
  EXPECT_EQ("page 2 (its documents); page 1 (its documents)", result.permitted_by);
}

// The class, the standing and what permits it are those of one explanation, which comes first.
TEST(Classification, OfSeveralExplanationsThePermittedOneIsTheFinding) {
  Explanation wrong_place = kRoundedEarly, near = kRoundedEarly;
  wrong_place.finding_class = "layout";
  near.contradicted = 1;
  CaseResult result;
  result.elements = result.mismatches = kRoundedEarly.explained;
  result.explanations = {wrong_place, near, kRoundedEarly};
  const backends::Library called = library(Word::kOpen);
  decide_standing(result, kFunction, {backends::DeviceInfo{}, &called});
  EXPECT_EQ(Standing::kDeviation, result.standing);
  EXPECT_EQ("early_round", result.finding_class);
  EXPECT_EQ("early_round", result.explanations.front().finding_class);
  EXPECT_EQ("layout", result.explanations.at(1).finding_class);
  result.experiments.emplace();
  decide_standing(result, kFunction, {backends::DeviceInfo{}, &called});
  EXPECT_EQ("undecided", result.finding_class);
}

TEST(Classification, OnlyTheFreedomsOfTheRowCount) {
  EXPECT_EQ(Standing::kViolation, standing(kRoundedEarly, kProduct, Word::kOpen));
}

}  // namespace
}  // namespace halfmark::suites
