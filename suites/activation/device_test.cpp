// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; legal differences are
// not reported.
#include <gtest/gtest.h>

#include "suites/activation/suite.hpp"
#include "suites/core/testing/faults.hpp"

namespace halfmark::suites::activation {
namespace {

TEST(ActivationFaults, AreFoundAndNamed) { expect_faults_named(suite(), 'A'); }

TEST(ActivationFaults, OtherLegalEvaluationsAreNotAccused) {
  expect_silence(suite(), {"N10", "N11", "N12"});
}

}  // namespace
}  // namespace halfmark::suites::activation
