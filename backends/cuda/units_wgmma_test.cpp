// SPDX-License-Identifier: Apache-2.0
//
// Tests wgmma without a device: the shipped kernel on the software device, with an instruction that
// reads its operands through the descriptors as the PTX ISA says ("Asynchronous warpgroup-level
// matrix shared memory layout": without swizzle, K-major; "Matrix descriptor"); and the layout of
// units_wgmma.h against the figure for D of .m64nNk16, restated here independently.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "backends/cuda/vendor.hpp"
#include "backends/shim/unit_emulation.hpp"

#define HM_FN [[maybe_unused]] static

namespace halfmark::backends::cuda {
namespace {

namespace halves {
#define HM_UNIT_K 16
#define HM_UNIT_IN_BITS 16
#include "backends/cuda/units_wgmma.h"
constexpr int kA = HM_UNIT_AS, kB = HM_UNIT_BS;
}  // namespace halves

using Place = std::pair<int, int>;

// Each lane of a warpgroup stores a part of the operands; a core matrix is 8 rows of 16 bytes.
TEST(WarpGroupUnits, EveryElementIsBroughtOnceToItsPlace) {
  std::set<Place> a;
  std::set<Place> b;
  std::set<int> places;
  for (int lane = 0; lane < 128; ++lane) {
    for (int i = 0; i < halves::kA; ++i) {
      const Place element(halves::hm_unit_a_row(lane, i), halves::hm_unit_a_k(lane, i));
      a.insert(element);
      const auto [row, k] = element;
      const int bytes = 256 * (row / 8) + 128 * (2 * k / 16) + 16 * (row % 8) + 2 * k % 16;
      EXPECT_EQ(bytes, 2 * halves::hm_unit_place(row, k)) << row << " " << k;
      places.insert(bytes);
    }
    for (int i = 0; i < halves::kB; ++i)
      b.insert({halves::hm_unit_b_k(lane, i), halves::hm_unit_b_column(lane, i)});
  }
  EXPECT_EQ(64u * 16, a.size());
  EXPECT_EQ(16u * 8, b.size());
  EXPECT_EQ(64u * 16, places.size());
  EXPECT_EQ(Place(63, 15), *a.rbegin());
  EXPECT_EQ(Place(15, 7), *b.rbegin());
}

// "Matrix descriptor": each field is (x & 0x3FFFF) >> 4, at bits 0, 16 and 32.
TEST(WarpGroupUnits, TheDescriptorSaysWhereTheNextCoreMatricesAre) {
  for (const unsigned address : {0x0u, 0x80u, 0x3FF80u}) {
    const unsigned long long bits = halves::hm_unit_descriptor(address);
    EXPECT_EQ(address, (bits & 0x3FFF) << 4);
    EXPECT_EQ(128u, (bits >> 16 & 0x3FFF) << 4);
    EXPECT_EQ(256u, (bits >> 32 & 0x3FFF) << 4);
    EXPECT_EQ(0u, bits >> 46);  // no base offset, no swizzle
  }
}

// Row: groupID, or groupID + 8 for the upper half, of 16 rows per warp. Column: twice
// threadID_in_group, plus (i & 1).
TEST(WarpGroupUnits, ResultsLieWhereTheFigureSays) {
  std::set<Place> d;
  for (int warp = 0; warp < 4; ++warp) {
    for (int group = 0; group < 8; ++group) {
      for (int thread = 0; thread < 4; ++thread) {
        for (int i = 0; i < 4; ++i) {
          const int lane = 32 * warp + 4 * group + thread;
          const Place expected(16 * warp + (i < 2 ? group : group + 8), thread * 2 + (i & 1));
          EXPECT_EQ(expected,
                    Place(halves::hm_unit_d_row(lane, i), halves::hm_unit_d_column(lane, i)));
          d.insert(expected);
        }
      }
    }
  }
  EXPECT_EQ(64u * 8, d.size());
}

class WarpGroupEmulation : public shim::UnitEmulation {};

// Memory that descriptors can address: two windows of shared memory.
constexpr const char* kSharedMemory = R"(
#define __shared__ static thread_local
#define __align__(bytes) __attribute__((aligned(bytes)))
static thread_local const unsigned char* hm_windows[2];
static unsigned hm_window(const void* memory) {
  int i = hm_windows[0] == nullptr || hm_windows[0] == memory ? 0 : 1;
  hm_windows[i] = static_cast<const unsigned char*>(memory);
  return 0x1000u << i;
}
#define __cvta_generic_to_shared(memory) hm_window(memory)
#define HM_UNIT_WRITTEN()
template <typename Out>
void hm_unit_execute(unsigned long long a, unsigned long long b, Out* d);
)";

constexpr const char* kInstruction = R"(
static HM_UNIT_OUT hm_read(unsigned long long descriptor, int row, int k) {
  const unsigned char* memory = hm_windows[((descriptor & 0x3FFF) << 4) == 0x1000 ? 0 : 1];
  const int along_k = (int)((descriptor >> 16 & 0x3FFF) << 4);
  const int along_rows = (int)((descriptor >> 32 & 0x3FFF) << 4);
  const int byte = k * (int)sizeof(HM_UNIT_IN);
  HM_UNIT_IN element;
  __builtin_memcpy(&element, memory + row / 8 * along_rows + byte / 16 * along_k + row % 8 * 16 +
                       byte % 16,
              sizeof element);
  return (HM_UNIT_OUT)element;
}
template <typename Out>
void hm_unit_execute(unsigned long long a, unsigned long long b, Out* d) {
  int lane = HM_LID(0);
  for (int i = 0; i < 4; i++) {
    int row = lane / 32 * 16 + lane % 32 / 4 + (i < 2 ? 0 : 8);
    int column = lane % 4 * 2 + (i & 1);
    for (int k = 0; k < HM_UNIT_K; k++) d[i] += hm_read(a, row, k) * hm_read(b, column, k);
  }
}
)";

TEST_F(WarpGroupEmulation, MultipliesMatrices) {
  const shim::UnitForm* form = shim::unit_form(kVendor.units, "unit.wgmma");
  ASSERT_NE(nullptr, form);
  EXPECT_EQ(7u, form->rows.size());
  expect_products(*form, kSharedMemory, kInstruction);
}

}  // namespace
}  // namespace halfmark::backends::cuda
