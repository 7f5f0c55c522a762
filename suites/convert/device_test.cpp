// SPDX-License-Identifier: Apache-2.0
// Faults planted in the software device's library are found and named; controls are not accused.
#include <gtest/gtest.h>

#include "suites/convert/suite.hpp"
#include "suites/core/testing/faults.hpp"

namespace halfmark::suites::convert {
namespace {

struct Planted {
  const char *id, *finding_class;
};

class ConvertFaults : public testing::TestWithParam<Planted> {};

TEST_P(ConvertFaults, AreFoundAndNamed) {
  const auto found = classes_found(suite(), GetParam().id, GetParam().finding_class);
  EXPECT_TRUE(found.contains(GetParam().finding_class)) << ::testing::PrintToString(found);
}

INSTANTIATE_TEST_SUITE_P(Library, ConvertFaults,
                         testing::Values(Planted{"C01", "cvt_round"}, Planted{"C02", "cvt_round"},
                                         Planted{"C03", "double_round"}, Planted{"C04", "sat"},
                                         Planted{"C05", "ftz_out"}, Planted{"C06", "cvt_round"},
                                         Planted{"C07", "nan_to_inf"}, Planted{"C08", "decode"},
                                         Planted{"C09", "cvt_round"}, Planted{"C10", "range"},
                                         Planted{"C11", "sat"}, Planted{"C12", "signed_zero"}),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(ConvertControls, AreNotAccused) {
  for (const char* id : {"", "N05"}) {
    EXPECT_TRUE(classes_found(suite(), id).empty()) << id;
  }
}

}  // namespace
}  // namespace halfmark::suites::convert
