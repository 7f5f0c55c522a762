// SPDX-License-Identifier: Apache-2.0
//
// Tests the layout of units.h, compiled for the host: every element of a, b and d has one place in
// one lane, the one in the table of AMD's matrix instruction calculator.
#include "backends/hip/units.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "backends/hip/vendor.hpp"
#include "backends/shim/unit_emulation.hpp"

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
      // A[i][k]: lane 16 * (k / 4) + i, place k % 4; B[k][j] correspondingly; D[i][j]: lane 16 * (i
      // / 4) + j, place i % 4.
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

class Emulation : public shim::UnitEmulation {
 protected:
  void expect_form(const char* library, const std::string& document) {
    const shim::UnitForm* form = shim::unit_form(kVendor.units, library);
    ASSERT_NE(nullptr, form);
    // A host compiler may lack these types; the test does not use them.
    expect_products(*form, "#define _Float16 short\n#define ext_vector_type(count) unused\n",
                    document + std::string(shim::kRegisterEmulator));
  }
};

TEST_F(Emulation, MfmaMultipliesMatrices) {
  expect_form("unit", R"(
#define HM_DOCUMENT_A_LANE(row, k) (16 * ((k) / (HM_UNIT_K / 4)) + (row))
#define HM_DOCUMENT_A_PLACE(row, k) ((k) % (HM_UNIT_K / 4))
#define HM_DOCUMENT_B_LANE(k, column) (16 * ((k) / (HM_UNIT_K / 4)) + (column))
#define HM_DOCUMENT_B_PLACE(k, column) ((k) % (HM_UNIT_K / 4))
#define HM_DOCUMENT_D_ROW(lane, i) (4 * ((lane) / 16) + (i))
#define HM_DOCUMENT_D_COLUMN(lane, i) ((lane) % 16)
)");
}

// RDNA 3 ("How to accelerate AI applications on RDNA 3 using WMMA"): each half of a wave holds all
// of a and b, and the rows of d alternate between the halves; this emulator reads a from the upper
// half and b from the lower. RDNA 4 ("Using the Matrix Cores of AMD RDNA 4 architecture GPUs"):
// each half holds 8 neighbours along k, and 8 rows of d.
TEST_F(Emulation, WmmaMultipliesMatrices) {
  expect_form("unit.wmma", R"(
#define HM_RDNA3 (HM_UNIT_PER_LANE == 16)
#define HM_DOCUMENT_A_LANE(row, k) (HM_RDNA3 ? 16 + (row) : (k) / 8 * 16 + (row))
#define HM_DOCUMENT_A_PLACE(row, k) (HM_RDNA3 ? (k) : (k) % 8)
#define HM_DOCUMENT_B_LANE(k, column) (HM_RDNA3 ? (column) : (k) / 8 * 16 + (column))
#define HM_DOCUMENT_B_PLACE(k, column) (HM_RDNA3 ? (k) : (k) % 8)
#define HM_DOCUMENT_D_ROW(lane, i) (HM_RDNA3 ? 2 * (i) + (lane) / 16 : (lane) / 16 * 8 + (i))
#define HM_DOCUMENT_D_COLUMN(lane, i) ((lane) % 16)
)");
}

}  // namespace
}  // namespace halfmark::backends::hip
