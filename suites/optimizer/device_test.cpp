// SPDX-License-Identifier: Apache-2.0
// The kernels give the reference's bits, the planted faults of optimizers are caught and named, and
// legal variants pass.
#include <gtest/gtest.h>

#include "suites/core/testing/suite_checks.hpp"
#include "suites/core/testing/text_faults.hpp"
#include "suites/optimizer/suite.hpp"

namespace halfmark::suites::optimizer {
namespace {

constexpr ShownFault kShown[] = {
    {"O01", "optimizer.adam.fp16.portable.n1021.skip.s7", "epsilon is rounded to fp16"},
    {"O02", "optimizer.adam.fp16.portable.n1021.skip.s7", "the second moment is kept in fp16"},
    {"O03", "optimizer.sgd.fp16.portable.n1021.tiny.s7", "without a master copy"},
    {"O04", "optimizer.adam.fp16.portable.n1021.skip.s7", "a skipped step advances the count"},
    {"O05", "optimizer.adamw.fp16.portable.n1021.evaluate.s7", "without a tape is used again"},
};

TEST(OptimizerKernels, GiveTheReferencesBits) {
  constexpr bool kDeviations = true;  // a driver may flush where its promises permit it
  expect_conforming_everywhere(suite(), Level::kSmoke, kDeviations);
}

TEST(OptimizerKernels, GiveThemInEveryCaseOfTheLevelStandard) {
  expect_conforming(suite(), "host", Level::kStandard);
}

TEST(OptimizerFaults, EachIsCaughtAndNamed) { expect_text_faults_named(suite(), kShown); }
TEST(OptimizerFaults, NoneIsLeftOut) { expect_every_text_fault_shown(kShown, 'O'); }
TEST(OptimizerFaults, NoLegalVariantIsAccused) { expect_legal_texts_pass(suite(), {"N34", "N35"}); }

}  // namespace
}  // namespace halfmark::suites::optimizer
