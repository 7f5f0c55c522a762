// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/folded_rows.hpp"

#include <gtest/gtest.h>

#include "backends/gemm_problem.hpp"

namespace halfmark::backends::shim {
namespace {

using Sizes = std::vector<std::int64_t>;
using Axes = std::array<std::int64_t, 3>;

DriverTensorView view(Sizes sizes, Sizes strides) {
  return {.role = "x",
          .buffer = nullptr,
          .offset_bytes = 0,
          .format = "fp16",
          .sizes = std::move(sizes),
          .strides = std::move(strides)};
}

FoldedRows folded(const DriverTensorView& first, const DriverTensorView& second) {
  const DriverTensorView* const views[] = {&first, &second};
  return folded_rows(views);
}
FoldedRows folded(const DriverTensorView& both) { return folded(both, both); }

TEST(FoldedRows, OneRowIsOneRow) {
  const FoldedRows rows = folded(view({7}, {1}));
  EXPECT_EQ((Axes{1, 1, 7}), rows.sizes);
  EXPECT_TRUE(rows.is_plain());
}

TEST(FoldedRows, AxesThatAreOneInMemoryBecomeOne) {
  const FoldedRows rows = folded(view({2, 3, 5, 7}, {150, 50, 10, 1}));
  EXPECT_EQ((Axes{30, 1, 7}), rows.sizes);
  EXPECT_EQ((Axes{10, 1, 1}), rows.strides[0]);
  EXPECT_TRUE(rows.is_plain());
}

TEST(FoldedRows, WhatIsOneInOneOperandOnlyStaysTwo) {
  const FoldedRows rows = folded(view({2, 3, 7}, {21, 7, 1}), view({2, 3, 7}, {100, 7, 1}));
  EXPECT_EQ((Axes{2, 3, 7}), rows.sizes);
  EXPECT_EQ((Axes{21, 7, 1}), rows.strides[0]);
  EXPECT_EQ((Axes{100, 7, 1}), rows.strides[1]);
  EXPECT_FALSE(rows.is_plain());
}

TEST(FoldedRows, StridesAlongASizeOfOneSayNothing) {
  const FoldedRows rows = folded(view({3, 1, 7}, {7, 999, 1}), view({3, 1, 7}, {9, 0, 1}));
  EXPECT_EQ((Axes{3, 1, 7}), rows.sizes);
  EXPECT_EQ((Axes{9, 1, 1}), rows.strides[1]);
}

TEST(FoldedRows, ElementsApartAreNotPlain) {
  const FoldedRows rows = folded(view({4, 7}, {1, 4}));
  EXPECT_EQ((Axes{1, 1, 4}), rows.strides[0]);
  EXPECT_FALSE(rows.is_plain());
}

TEST(FoldedRows, WhatFourAxesCannotSayIsNotOffered) {
  EXPECT_THROW((void)folded(view({2, 3, 5, 7}, {1000, 100, 10, 1})), NotOffered);
  EXPECT_THROW((void)folded(view({4, 7}, {0, 1})), NotOffered);
  EXPECT_THROW((void)folded(view({4, 0}, {7, 1})), NotOffered);
  EXPECT_THROW((void)folded(view({4, 7}, {-7, 1})), NotOffered);
}

TEST(FoldedRows, OperandsOfDifferentSizesAreAMistake) {
  EXPECT_THROW((void)folded(view({4, 7}, {7, 1}), view({4, 8}, {8, 1})), BackendError);
}

}  // namespace
}  // namespace halfmark::backends::shim
