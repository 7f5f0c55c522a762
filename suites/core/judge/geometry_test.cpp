// SPDX-License-Identifier: Apache-2.0
// Wrong elements placed by hand: each regularity is named, and coincidences are not.
#include "suites/core/judge/geometry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "suites/core/case/fills.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Tensor;
using Where = std::function<bool(std::size_t row, std::size_t column)>;
using Change = std::function<Bits(Bits right, std::size_t index)>;

const Case kCase{.suite = "demo", .tokens = {}, .seed = 3};

std::vector<std::size_t> places(Extent extent, const Where& where) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < extent.rows * extent.columns; ++i) {
    if (where(i / extent.columns, i % extent.columns)) list.push_back(i);
  }
  return list;
}

Geometry placed(Extent extent, const Where& where) {
  return describe_geometry("d", extent, places(extent, where));
}

Geometry changed(Extent extent, const Where& where, const Change& change) {
  const Tensor right =
      fill(formats::kFp32, extent.rows * extent.columns, "normal", Random(kCase, "d"));
  Tensor actual = right;
  const std::vector<std::size_t> wrong = places(extent, where);
  for (const std::size_t i : wrong) actual.set(i, change(right.at(i), i));
  return describe_geometry("d", extent, wrong, right, actual);
}

bool names(const Geometry& g, const std::string& pattern) {
  return std::find(g.patterns.begin(), g.patterns.end(), pattern) != g.patterns.end();
}

struct PlaceRow {
  Extent extent;
  Where where;
  const char* pattern;
};

TEST(Geometry, NamesThePlaces) {
  const PlaceRow rows[] = {
      {{32, 64}, [](auto, auto c) { return c % 16 == 3; }, "every 16th column from 3"},
      {{64, 48}, [](auto r, auto) { return r % 2 == 1; }, "every 2nd row from 1"},
      {{33, 65}, [](auto, auto c) { return c == 64; }, "the last column"},
      {{33, 65}, [](auto r, auto) { return r == 32; }, "the last row"},
      {{33, 65}, [](auto r, auto) { return r == 7; }, "row 7"},
      {{9, 512}, [](auto, auto c) { return c >= 64; }, "every column from 64 on"},
      {{9, 67}, [](auto, auto c) { return c >= 64; }, "the last 3 columns"},
      {{9, 67}, [](auto, auto c) { return c >= 8 && c < 40; }, "columns 8 to 39"},
      {{1, 4096}, [](auto, auto c) { return c >= 4000; }, "every element from 4000 on"},
      {{128, 128},
       [](auto r, auto c) { return r / 16 == 2 && c / 16 == 5; },
       "whole blocks of 16 x 16, the first at row 32, column 80"},
      {{130, 130},
       [](auto r, auto c) { return (r / 32 + c / 32) % 3 == 2; },
       "whole blocks of 32 x 32, the first at row 0, column 64"},
      {{1, 640},
       [](auto, auto c) { return c / 64 == 1 || c / 64 == 4; },
       "whole blocks of 64, the first at row 0, column 64"},
      {{64, 64},
       [](auto r, auto c) { return c % 8 == 5 && (r * 7 + c) % 3 == 0; },
       "every 8th column from 5"},
      {{8, 8}, [](auto, auto) { return true; }, "every element"},
  };
  for (const PlaceRow& row : rows) {
    const Geometry g = placed(row.extent, row.where);
    EXPECT_TRUE(names(g, row.pattern)) << row.pattern << " is not in: " << g.sentence;
    EXPECT_NE(g.sentence.find(row.pattern), std::string::npos) << g.sentence;
  }
}

TEST(Geometry, SaysWhetherAllOfThemAreWrong) {
  EXPECT_TRUE(placed({32, 64}, [](auto, auto c) { return c % 16 == 3; }).complete);
  EXPECT_FALSE(
      placed({32, 64}, [](auto r, auto c) { return c % 16 == 3 && (r + c / 16) % 2; }).complete);
}

// Rows that no words describe, or that share words with right ones, leave the others incomplete.
TEST(Geometry, ClaimsNoWholeColumnWhereSomeRowsAreRight) {
  const auto within = [](const std::set<std::size_t>& rows) {
    return [=](auto r, auto c) { return rows.contains(r) && c >= 8 && c < 40; };
  };
  const Geometry some = placed({9, 67}, within({0, 3, 7}));
  EXPECT_FALSE(some.complete);
  EXPECT_EQ("96 of 603 elements of d (9 x 67) are wrong (16 %): within columns 8 to 39",
            some.sentence);
  const Geometry one = placed({8, 63}, [](auto r, auto c) { return c == 0 && r % 3 != 1; });
  EXPECT_TRUE(names(one, "within column 0")) << one.sentence;
  const Geometry modulo = placed({128, 67}, within({5, 21, 37, 69, 85, 101}));
  EXPECT_TRUE(names(modulo, "only rows that leave 5 modulo 16")) << modulo.sentence;
  EXPECT_FALSE(modulo.complete);
  EXPECT_TRUE(placed({128, 67}, within({5, 6, 7})).complete);
}

TEST(Geometry, WritesShares) {
  const auto share = [](std::size_t wrong) {
    return placed({1, 1000}, [&](auto, auto c) { return c < wrong; }).sentence;
  };
  EXPECT_NE(share(1000).find("(100 %)"), std::string::npos) << share(1000);
  EXPECT_NE(share(999).find("(over 99 %)"), std::string::npos) << share(999);
  EXPECT_NE(share(25).find("(2.5 %)"), std::string::npos) << share(25);
}

TEST(Geometry, GivesTheBox) {
  const Geometry g = placed({40, 50}, [](auto r, auto c) {
    return (r == 3 && c == 40) || (r == 17 && c == 9) || (r == 20 && c == 22);
  });
  EXPECT_EQ(3u, g.wrong);
  EXPECT_EQ(3u, g.first_row);
  EXPECT_EQ(20u, g.last_row);
  EXPECT_EQ(9u, g.first_column);
  EXPECT_EQ(40u, g.last_column);
}

TEST(Geometry, FindsNoPatternInChance) {
  const Random random(kCase, "chance");
  for (std::uint64_t stream = 0; stream < 200; ++stream) {
    const Random here = random.derived(stream);
    const Geometry g =
        placed({48, 80}, [&](auto r, auto c) { return here.below(r * 80 + c, 500) == 0; });
    EXPECT_TRUE(g.patterns.empty() || g.patterns[0].starts_with("within")) << g.sentence;
  }
}

struct BitsRow {
  Change change;
  const char* pattern;
};

TEST(Geometry, NamesWhatTheBitsHaveInCommon) {
  const auto half = [](auto r, auto c) { return (r * 5 + c * 3) % 7 < 2; };
  const BitsRow rows[] = {
      {[](Bits b, auto) { return b ^ 0x80000000; }, "in each, the sign alone differs"},
      {[](Bits b, auto) { return b ^ 0x00000200; }, "in each, bit 9 alone differs"},
      {[](Bits b, auto i) { return b ^ (i % 2 ? 0x200u : 0x4000u); },
       "no bits differ but those of mask 00004200"},
      {[](Bits b, auto) { return (b | 0x1fff) ^ 0x1fff; },
       "the lowest 13 fraction bits of each are zero, and were not to be"},
      {[](Bits, auto) { return Bits{0}; }, "each is 00000000 (0x0p+0)"},
      {[](Bits, auto i) { return i % 2 ? Bits{0} : Bits{0x80000000}; }, "each is a zero"},
      {[](Bits, auto i) { return 0x7fc00000 + i; }, "each is a NaN"},
      {[](Bits b, auto) { return b - 0x00800000; }, "each is 0.5 times the right result"},
  };
  for (const BitsRow& row : rows) {
    const Geometry g = changed({24, 33}, half, row.change);
    EXPECT_TRUE(names(g, row.pattern)) << row.pattern << " is not in: " << g.sentence;
  }
}

TEST(Geometry, RoundingIsNoPattern) {
  const auto all = [](auto, auto) { return true; };
  const Geometry g = changed({16, 16}, all, [](Bits b, auto i) { return i % 3 ? b + 1 : b - 1; });
  EXPECT_EQ(std::vector<std::string>{"every element"}, g.patterns) << g.sentence;
}

TEST(Geometry, KeepsTheMasks) {
  const Geometry g = changed(
      {4, 4}, [](auto r, auto) { return r < 2; },
      [](Bits b, auto i) { return b ^ (i % 2 ? 0x3u : 0x5u); });
  EXPECT_EQ("00000007", g.differ_ever);
  EXPECT_EQ("00000001", g.differ_always);
}

TEST(Geometry, FindsRightResultsInWrongPlaces) {
  const Extent extent{16, 16};
  const Tensor right = fill(formats::kFp32, 256, "normal", Random(kCase, "d"));
  Tensor later = right;
  Tensor turned = right;
  std::vector<std::size_t> moved, off_diagonal;
  for (std::size_t i = 0; i < 256; ++i) {
    if (i >= 64 && i < 128) {
      later.set(i, right.at(i + 16));
      moved.push_back(i);
    }
    if (i / 16 != i % 16) {
      turned.set(i, right.at(i % 16 * 16 + i / 16));
      off_diagonal.push_back(i);
    }
  }
  const Geometry shifted = describe_geometry("d", extent, moved, right, later);
  EXPECT_TRUE(names(shifted, "each is the right result of the element 16 places later"))
      << shifted.sentence;
  const Geometry transposed = describe_geometry("d", extent, off_diagonal, right, turned);
  EXPECT_TRUE(names(transposed, "each is the right result of the transposed place"))
      << transposed.sentence;
}

TEST(Geometry, IntegersAreDescribedByTheirBits) {
  const Tensor right = Tensor::from_bits(formats::kFp32, std::vector<Bits>{1, 2, 0x80000003});
  const auto patterns = [&](std::vector<Bits> bits) {
    const Tensor actual = Tensor::from_bits(formats::kFp32, bits);
    const std::size_t wrong[] = {0, 1, 2};
    return describe_geometry("d", {1, 3}, wrong, right, actual, true);
  };
  EXPECT_TRUE(names(patterns({0, 0, 0}), "each is 00000000"));
  EXPECT_TRUE(names(patterns({0x80000001, 0x80000002, 3}), "in each, bit 31 alone differs"));
}

}  // namespace
}  // namespace halfmark::suites
