// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; controls are not accused.
#include <gtest/gtest.h>

#include "suites/core/testing/faults.hpp"
#include "suites/reduction/suite.hpp"

namespace halfmark::suites::reduction {
namespace {

struct Planted {
  const char *id, *finding_class;
};

class ReductionFaults : public testing::TestWithParam<Planted> {};

TEST_P(ReductionFaults, AreFoundAndNamed) {
  const auto found = classes_found(suite(), GetParam().id, GetParam().finding_class);
  EXPECT_TRUE(found.contains(GetParam().finding_class)) << ::testing::PrintToString(found);
}

INSTANTIATE_TEST_SUITE_P(Library, ReductionFaults,
                         testing::Values(Planted{"R01", "acc_narrow"}, Planted{"R02", "overflow"},
                                         Planted{"R03", "nan_dropped"}, Planted{"R04", "nondet"},
                                         Planted{"R05", "zero_dim"}),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(ReductionControls, AreNotAccused) {
  for (const char* id : {"", "N05"}) {
    EXPECT_TRUE(classes_found(suite(), id).empty()) << id;
  }
}

}  // namespace
}  // namespace halfmark::suites::reduction
