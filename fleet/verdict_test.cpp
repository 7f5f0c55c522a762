// SPDX-License-Identifier: Apache-2.0
#include "fleet/verdict.hpp"

#include <gtest/gtest.h>

#include <set>

namespace halfmark::fleet {
namespace {

using V = DeviceVerdict;

TEST(Verdict, MajorityIsTwoThirds) {
  EXPECT_TRUE(is_majority(2, 3));
  EXPECT_TRUE(is_majority(67, 100));
  EXPECT_FALSE(is_majority(66, 100));
  EXPECT_FALSE(is_majority(0, 0));
}

// members, same, largest, right -> verdict, at each border.
TEST(Verdict, OnWrongBits) {
  const struct {
    Poll poll;
    V verdict;
  } rows[] = {
      {{1, 1, 1, 0}, V::kDeterministicDeviation},  // no peer contradicts
      {{2, 2, 2, 0}, V::kDeterministicDeviation},
      {{2, 1, 1, 1}, V::kLoneDeviation},  // of two, the right one decides
      {{2, 1, 1, 0}, V::kNoConsensus},
      {{3, 2, 2, 1}, V::kDeterministicDeviation},
      {{3, 1, 2, 2}, V::kLoneDeviation},
      {{3, 1, 2, 0}, V::kLoneDeviation},  // the others agree on other wrong bits
      {{3, 1, 1, 0}, V::kNoConsensus},
      {{4, 2, 2, 2}, V::kNoConsensus},
      {{100, 66, 66, 34}, V::kNoConsensus},
      {{100, 67, 67, 33}, V::kDeterministicDeviation},
      {{100, 33, 67, 67}, V::kLoneDeviation},
  };
  for (const auto& row : rows)
    EXPECT_EQ(row.verdict, verdict_on_wrong_bits(row.poll))
        << row.poll.members << " " << row.poll.same << " " << row.poll.right;
}

TEST(Verdict, OnRightBits) {
  EXPECT_EQ(V::kConformant, verdict_on_right_bits({1, 1, 1, 1}));
  EXPECT_EQ(V::kConformant, verdict_on_right_bits({3, 2, 2, 3}));
  EXPECT_EQ(V::kLoneDeviation, verdict_on_right_bits({3, 1, 2, 3}));
  EXPECT_EQ(V::kNoConsensus, verdict_on_right_bits({2, 1, 1, 2}));
  EXPECT_EQ(V::kNoConsensus, verdict_on_right_bits({100, 66, 66, 100}));
}

TEST(Verdict, OnVaryingBits) {
  EXPECT_EQ(V::kNondeterministicKernel, verdict_on_varying_bits(2, 3, false));
  EXPECT_EQ(V::kIntermittent, verdict_on_varying_bits(1, 3, false));
  EXPECT_EQ(V::kNondeterministicKernel, verdict_on_varying_bits(1, 3, true));
  EXPECT_EQ(V::kNondeterministicKernel, verdict_on_varying_bits(1, 1, true));
  EXPECT_EQ(V::kIntermittent, verdict_on_varying_bits(1, 1, false));
}

TEST(Verdict, NamesAndSeveritiesAreDistinct) {
  std::set<std::string_view> names;
  std::set<int> severities;
  for (const V verdict : kAllDeviceVerdicts) {
    names.insert(name_of(verdict));
    severities.insert(severity_of(verdict));
  }
  EXPECT_EQ(std::size(kAllDeviceVerdicts), names.size());
  EXPECT_EQ(std::size(kAllDeviceVerdicts), severities.size());
  EXPECT_FALSE(is_found_wrong(V::kAbsent));
  EXPECT_FALSE(is_found_wrong(V::kNondeterministicKernel));
  EXPECT_TRUE(is_found_wrong(V::kDeterministicDeviation));
  EXPECT_FALSE(is_suspect(V::kNoConsensus));
  EXPECT_TRUE(is_suspect(V::kLoneDeviation));
}

}  // namespace
}  // namespace halfmark::fleet
