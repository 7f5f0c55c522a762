// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; legal differences are
// not reported.
#include <gtest/gtest.h>

#include "suites/core/testing/faults.hpp"
#include "suites/loss/suite.hpp"

namespace halfmark::suites::loss {
namespace {

TEST(LossFaults, AreFoundAndNamed) { expect_faults_named(suite(), 'E'); }

}  // namespace
}  // namespace halfmark::suites::loss
