// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; controls are not accused.
#include <gtest/gtest.h>

#include "suites/activation/suite.hpp"
#include "suites/core/testing/faults.hpp"

namespace halfmark::suites::activation {
namespace {

struct Planted {
  const char *id, *finding_class;
};

class ActivationFaults : public testing::TestWithParam<Planted> {};

TEST_P(ActivationFaults, AreFoundAndNamed) {
  const auto found = classes_found(suite(), GetParam().id, GetParam().finding_class);
  EXPECT_TRUE(found.contains(GetParam().finding_class)) << ::testing::PrintToString(found);
}

INSTANTIATE_TEST_SUITE_P(Library, ActivationFaults,
                         testing::Values(Planted{"A01", "nan_made"}, Planted{"A02", "overflow"},
                                         Planted{"A03", "ftz_const"}, Planted{"A04", "cancel"},
                                         Planted{"A05", "nan_made"}, Planted{"A06", "nan_dropped"},
                                         Planted{"A07", "nan_dropped"}),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(ActivationControls, AreNotAccused) {
  for (const char* id : {"", "N05"}) {
    EXPECT_TRUE(classes_found(suite(), id).empty()) << id;
  }
}

}  // namespace
}  // namespace halfmark::suites::activation
