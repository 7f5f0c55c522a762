// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; legal differences are
// not reported.
#include <gtest/gtest.h>

#include "suites/core/testing/faults.hpp"
#include "suites/reduction/suite.hpp"

namespace halfmark::suites::reduction {
namespace {

TEST(ReductionFaults, AreFoundAndNamed) { expect_faults_named(suite(), 'R'); }

}  // namespace
}  // namespace halfmark::suites::reduction
