// SPDX-License-Identifier: Apache-2.0
//
// Compares the layout of units.h, compiled for the host, with the tables of the PTX ISA, which are
// restated here independently: section "Matrix Fragments for mma.m16n8k8", "... m16n8k16 with
// floating point type", "... m16n8k32".
#include "backends/cuda/units.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "backends/cuda/vendor.hpp"
#include "backends/shim/unit_emulation.hpp"

#define HM_FN [[maybe_unused]] static

namespace halfmark::backends::cuda {
namespace {

using Place = std::pair<int, int>;

// The layout of one row as functions.
struct Layout {
  int k, a_count, b_count;
  int (*a_row)(int, int);
  int (*a_k)(int, int);
  int (*b_k)(int, int);
  int (*b_column)(int, int);
  int (*d_row)(int, int);
  int (*d_column)(int, int);
};

#define HM_LAYOUT_VALUE                                                                           \
  Layout {                                                                                        \
    HM_UNIT_K, HM_UNIT_AS, HM_UNIT_BS, hm_unit_a_row, hm_unit_a_k, hm_unit_b_k, hm_unit_b_column, \
        hm_unit_d_row, hm_unit_d_column                                                           \
  }

namespace halves_8 {
#define HM_UNIT_K 8
#define HM_UNIT_IN_BITS 16
#include "backends/cuda/units.h"
const Layout kLayout = HM_LAYOUT_VALUE;
#undef HM_UNIT_K
}  // namespace halves_8
#undef HM_UNIT_M
#undef HM_UNIT_N
#undef HM_UNIT_AS
#undef HM_UNIT_BS
#undef HM_UNIT_DS
#undef HM_UNIT_IN_WORD
namespace halves_16 {
#define HM_UNIT_K 16
#include "backends/cuda/units.h"
const Layout kLayout = HM_LAYOUT_VALUE;
#undef HM_UNIT_K
#undef HM_UNIT_IN_BITS
}  // namespace halves_16
#undef HM_UNIT_M
#undef HM_UNIT_N
#undef HM_UNIT_AS
#undef HM_UNIT_BS
#undef HM_UNIT_DS
#undef HM_UNIT_IN_WORD
namespace words_8 {
#define HM_UNIT_K 8
#define HM_UNIT_IN_BITS 32
#include "backends/cuda/units.h"
const Layout kLayout = HM_LAYOUT_VALUE;
#undef HM_UNIT_K
#undef HM_UNIT_IN_BITS
}  // namespace words_8
#undef HM_UNIT_M
#undef HM_UNIT_N
#undef HM_UNIT_AS
#undef HM_UNIT_BS
#undef HM_UNIT_DS
#undef HM_UNIT_IN_WORD
namespace bytes_32 {
#define HM_UNIT_K 32
#define HM_UNIT_IN_BITS 8
#include "backends/cuda/units.h"
const Layout kLayout = HM_LAYOUT_VALUE;
}  // namespace bytes_32

// Every element has exactly one place in one lane.
void expect_bijections(const Layout& layout) {
  std::set<Place> a;
  std::set<Place> b;
  std::set<Place> d;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < layout.a_count; ++i) a.insert({layout.a_row(lane, i), layout.a_k(lane, i)});
    for (int i = 0; i < layout.b_count; ++i)
      b.insert({layout.b_k(lane, i), layout.b_column(lane, i)});
    for (int i = 0; i < 4; ++i) d.insert({layout.d_row(lane, i), layout.d_column(lane, i)});
  }
  const auto size = [](int rows, int columns) { return static_cast<std::size_t>(rows * columns); };
  EXPECT_EQ(size(16, layout.k), a.size());
  EXPECT_EQ(size(layout.k, 8), b.size());
  EXPECT_EQ(size(16, 8), d.size());
  EXPECT_EQ(Place(15, layout.k - 1), *a.rbegin());
  EXPECT_EQ(Place(layout.k - 1, 7), *b.rbegin());
  EXPECT_EQ(Place(15, 7), *d.rbegin());
}

// groupID and threadID_in_group of the PTX ISA.
struct Lane {
  int group, thread;
};

template <typename A, typename B>
void expect_table(const Layout& layout, A&& a, B&& b) {
  for (int lane = 0; lane < 32; ++lane) {
    const Lane of{.group = lane >> 2, .thread = lane % 4};
    for (int i = 0; i < layout.a_count; ++i) {
      EXPECT_EQ(a(of, i), Place(layout.a_row(lane, i), layout.a_k(lane, i))) << lane << " a" << i;
    }
    for (int i = 0; i < layout.b_count; ++i) {
      EXPECT_EQ(b(of, i), Place(layout.b_k(lane, i), layout.b_column(lane, i)))
          << lane << " b" << i;
    }
    for (int i = 0; i < 4; ++i) {
      const Place expected(i < 2 ? of.group : of.group + 8, of.thread * 2 + (i & 1));
      EXPECT_EQ(expected, Place(layout.d_row(lane, i), layout.d_column(lane, i))) << lane;
    }
  }
}

TEST(Units, M16n8k8Halves) {
  expect_bijections(halves_8::kLayout);
  expect_table(
      halves_8::kLayout,
      [](Lane l, int i) { return Place(i < 2 ? l.group : l.group + 8, l.thread * 2 + (i & 1)); },
      [](Lane l, int i) { return Place(l.thread * 2 + i, l.group); });
}

TEST(Units, M16n8k16Halves) {
  expect_bijections(halves_16::kLayout);
  expect_table(
      halves_16::kLayout,
      [](Lane l, int i) {
        const bool upper = i < 2 || (i >= 4 && i < 6);
        return Place(upper ? l.group : l.group + 8, l.thread * 2 + (i & 1) + (i >= 4 ? 8 : 0));
      },
      [](Lane l, int i) { return Place(l.thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), l.group); });
}

TEST(Units, M16n8k8Tf32) {
  expect_bijections(words_8::kLayout);
  expect_table(
      words_8::kLayout,
      [](Lane l, int i) {
        return Place(i == 0 || i == 2 ? l.group : l.group + 8, i < 2 ? l.thread : l.thread + 4);
      },
      [](Lane l, int i) { return Place(i == 0 ? l.thread : l.thread + 4, l.group); });
}

TEST(Units, M16n8k32Bytes) {
  expect_bijections(bytes_32::kLayout);
  expect_table(
      bytes_32::kLayout,
      [](Lane l, int i) {
        const bool upper = i < 4 || (i >= 8 && i < 12);
        return Place(upper ? l.group : l.group + 8, l.thread * 4 + (i & 3) + (i < 8 ? 0 : 16));
      },
      [](Lane l, int i) { return Place(l.thread * 4 + (i & 3) + (i < 4 ? 0 : 16), l.group); });
}

// A program that runs nothing.
class NoProgram final : public DriverProgram {
  std::uint64_t launch(const std::string&, const Grid&, std::span<const DriverArgument>) override {
    return 1;
  }
};

// For 16 x 8 outputs on a device of capability 9.0: the program's text, or the answer.
std::string text_for(const char* compute, const char* operands, const char* output) {
  const std::string_view layout;
  const shim::UnitForm form{
      .library = "unit", .rows = kUnits, .text = &layout, .lanes = 32, .feature = ""};
  DriverOperatorCall call{"unit", "gemm", compute, {}, {}, {}};
  const auto add = [&](const char* role, const char* format, std::int64_t m, std::int64_t n) {
    call.tensors.push_back({role, nullptr, 0, format, {m, n}, {n, 1}});
  };
  add("a", operands, 16, 16);
  add("b", operands, 16, 8);
  add("d", output, 16, 8);
  std::string text;
  const auto build = [&](const std::string& source, const char*) {
    text = source;
    return std::make_unique<NoProgram>();
  };
  shim::UnitPrograms programs;
  const auto outcome =
      run_unit(form, {.capability = 90, .architecture = "sm_90"}, build, programs, call);
  return outcome.supported ? text : outcome.answer;
}

TEST(Units, AFormatMeansTheFirstInstructionThatSumsInIt) {
  EXPECT_EQ(text_for("mma.fp16.fp32", "fp16", "fp32"), text_for("fp32", "fp16", "fp32"));
  EXPECT_EQ(text_for("mma.fp16.fp16", "fp16", "fp16"), text_for("fp16", "fp16", "fp16"));
  EXPECT_EQ(text_for("mma.bf16.fp32", "bf16", "fp32"), text_for("fp32", "bf16", "fp32"));
  EXPECT_NE(std::string::npos, text_for("fp32", "fp16", "fp32").find("m16n8k16"));
  EXPECT_NE(std::string::npos, text_for("fp16", "fp16", "fp32").find("has d as fp16, not fp32"));
  EXPECT_NE(std::string::npos, text_for("fp16", "bf16", "fp16").find("no instruction fp16"));
}

class WarpEmulation : public shim::UnitEmulation {};

// "Matrix Fragments for mma.m16n8k...": the position of an element, from the figures: rows of 8
// groups of lanes, with 32 bits of neighbours along k; the upper 8 rows are the next register, the
// upper half of k the one after.
constexpr const char* kFragments = R"(
#define HM_WORD (32 / HM_UNIT_IN_BITS)
#define HM_DOCUMENT_A_LANE(row, k) ((row) % 8 * 4 + (k) / HM_WORD % 4)
#define HM_DOCUMENT_A_PLACE(row, k) \
  (HM_WORD * ((row) / 8 + 2 * ((k) / (4 * HM_WORD))) + (k) % HM_WORD)
#define HM_DOCUMENT_B_LANE(k, column) ((column) * 4 + (k) / HM_WORD % 4)
#define HM_DOCUMENT_B_PLACE(k, column) (HM_WORD * ((k) / (4 * HM_WORD)) + (k) % HM_WORD)
#define HM_DOCUMENT_D_ROW(lane, i) ((lane) / 4 + ((i) < 2 ? 0 : 8))
#define HM_DOCUMENT_D_COLUMN(lane, i) ((lane) % 4 * 2 + ((i) & 1))
)";

TEST_F(WarpEmulation, MultipliesMatrices) {
  const shim::UnitForm* form = shim::unit_form(kVendor.units, "unit");
  ASSERT_NE(nullptr, form);
  expect_products(*form, "", kFragments + std::string(shim::kRegisterEmulator));
}

}  // namespace
}  // namespace halfmark::backends::cuda
