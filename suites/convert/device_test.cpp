// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; legal differences are
// not reported.
#include <gtest/gtest.h>

#include "suites/convert/suite.hpp"
#include "suites/core/testing/faults.hpp"

namespace halfmark::suites::convert {
namespace {

TEST(ConvertFaults, AreFoundAndNamed) { expect_faults_named(suite(), 'C'); }

TEST(ConvertFaults, OtherLegalEvaluationsAreNotAccused) { expect_silence(suite(), {"N30"}); }

}  // namespace
}  // namespace halfmark::suites::convert
