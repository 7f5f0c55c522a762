// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose/wrong_region.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kRows = 6, kColumns = 8;
const Case kCase{.suite = "demo", .tokens = {}, .seed = 7};

class Demo : public DemoProblem {
 public:
  Demo() : DemoProblem(kCase) {}
  Extent extent(std::string_view) const override { return {kRows, kColumns}; }
};

// The elements of these rows and columns.
std::vector<std::size_t> elements(const std::vector<std::size_t>& rows,
                                  const std::vector<std::size_t>& columns) {
  std::vector<std::size_t> indices;
  for (const std::size_t row : rows) {
    for (const std::size_t column : columns) indices.push_back(row * kColumns + column);
  }
  return indices;
}

std::optional<Part> part(const Places& wrong) {
  return part_of(Demo(), wrong, {{"d", kRows * kColumns}});
}

TEST(Part, IsTheLeastRegularOneThatHoldsAll) {
  const auto found = part({{"d", elements({1, 3, 5}, {6, 7})}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ("rows 1 to 5 in steps of 2, columns 6 to 7 of d", found->words);
  for (const std::size_t index : elements({1, 3, 5}, {6, 7})) EXPECT_TRUE(found->holds("d", index));
  for (const std::size_t index : elements({0, 2, 4}, {6, 7}))
    EXPECT_FALSE(found->holds("d", index));
  for (const std::size_t index : elements({1, 3, 5}, {5})) EXPECT_FALSE(found->holds("d", index));
  EXPECT_FALSE(found->holds("e", elements({1}, {6})[0]));
}

TEST(Part, OneRowIsCalledByItsNumber) {
  const auto found = part({{"d", elements({5}, {0, 1, 2, 3, 4, 5, 6, 7})}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ("row 5 of d", found->words);
}

TEST(Part, TheWholeIsNoPart) {
  EXPECT_FALSE(part({{"d", elements({0, 1, 5}, {0, 3, 7})}}).has_value());
}

TEST(Part, AFewElementsMayBeACoincidence) {
  EXPECT_FALSE(part({{"d", elements({5}, {0, 1, 2})}}).has_value());
  EXPECT_TRUE(part({{"d", elements({5}, {0, 1, 2, 3})}}).has_value());
}

TEST(Part, AnOutputThatIsRightIsOutsideOfIt) {
  std::vector<std::size_t> all(kRows * kColumns);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto found = part_of(Demo(), {{"d", all}}, {{"d", all.size()}, {"statistics", kRows}});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ("d", found->words);
  EXPECT_FALSE(found->holds("statistics", 0));
}

}  // namespace
}  // namespace halfmark::suites
