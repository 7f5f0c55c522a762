// SPDX-License-Identifier: Apache-2.0
//
// The layout of units.h, compiled for the host: every element of a, b and d lies in one place of
// one lane, and where the table of AMD's matrix instruction calculator puts it.
#include "backends/hip/units.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#define HM_FN [[maybe_unused]] static

namespace halfmark::backends::hip {
namespace {

using Place = std::pair<int, int>;

namespace half {
#define HM_UNIT_K 16
#include "backends/hip/units.h"
#undef HM_UNIT_K
#define HM_UNIT_K 16
constexpr int kPerLane = HM_UNIT_AS;
}  // namespace half

TEST(Units, Mfma16x16x16) {
  std::set<Place> a;
  std::set<Place> b;
  std::set<Place> d;
  for (int lane = 0; lane < 64; ++lane) {
    for (int i = 0; i < half::kPerLane; ++i) {
      // A[i][k]: lane 16 * (k / 4) + i, place k % 4; B[k][j] likewise; D[i][j]: lane
      // 16 * (i / 4) + j, place i % 4.
      const int k = half::hm_unit_a_k(lane, i);
      const int row = half::hm_unit_a_row(lane, i);
      EXPECT_EQ(Place(16 * (k / 4) + row, k % 4), Place(lane, i));
      const int column = half::hm_unit_b_column(lane, i);
      EXPECT_EQ(
          Place(16 * (half::hm_unit_b_k(lane, i) / 4) + column, half::hm_unit_b_k(lane, i) % 4),
          Place(lane, i));
      const int d_row = half::hm_unit_d_row(lane, i);
      const int d_column = half::hm_unit_d_column(lane, i);
      EXPECT_EQ(Place(16 * (d_row / 4) + d_column, d_row % 4), Place(lane, i));
      a.insert({row, k});
      b.insert({half::hm_unit_b_k(lane, i), column});
      d.insert({d_row, d_column});
    }
  }
  EXPECT_EQ(256u, a.size());
  EXPECT_EQ(256u, b.size());
  EXPECT_EQ(256u, d.size());
  EXPECT_EQ(Place(15, 15), *a.rbegin());
}

}  // namespace
}  // namespace halfmark::backends::hip
