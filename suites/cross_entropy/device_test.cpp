// SPDX-License-Identifier: Apache-2.0
// Legal differences between libraries are not reported.
#include <gtest/gtest.h>

#include "suites/core/testing/faults.hpp"
#include "suites/cross_entropy/suite.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

TEST(CrossEntropyLibrary, TheRightOneAndTheControlsAreNotAccused) { expect_controls_pass(suite()); }

}  // namespace
}  // namespace halfmark::suites::cross_entropy
