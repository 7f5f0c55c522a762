// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; controls are not accused.
#include <gtest/gtest.h>

#include "suites/core/testing/faults.hpp"
#include "suites/loss/suite.hpp"

namespace halfmark::suites::loss {
namespace {

struct Planted {
  const char *id, *finding_class;
};

class LossFaults : public testing::TestWithParam<Planted> {};

TEST_P(LossFaults, AreFoundAndNamed) {
  const auto found = classes_found(suite(), GetParam().id, GetParam().finding_class);
  EXPECT_TRUE(found.contains(GetParam().finding_class)) << ::testing::PrintToString(found);
}

INSTANTIATE_TEST_SUITE_P(Library, LossFaults,
                         testing::Values(Planted{"E01", "underflow"}, Planted{"E02", "layout"},
                                         Planted{"E03", "overflow"}, Planted{"E04", "overflow"},
                                         Planted{"E05", "formula"}),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(LossControls, AreNotAccused) {
  for (const char* id : {"", "N05"}) {
    EXPECT_TRUE(classes_found(suite(), id).empty()) << id;
  }
}

}  // namespace
}  // namespace halfmark::suites::loss
