// SPDX-License-Identifier: Apache-2.0
// Orders that depend on the place: found in a box of plain loops, named, and refused where an edge
// loses accuracy.
#include "suites/gemm/places.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "reference/formats/classify.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::kFp32;
using formats::Tensor;
using inference::Observation;

constexpr std::size_t kRows = 9, kColumns = 7, kTerms = 46;

using Numbers = std::vector<float>;
using Dot = float (*)(const Numbers& a, const Numbers& b);

float one_chain(const Numbers& a, const Numbers& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

// Sixteen lanes that take the terms in turn; `first` is the distance of the lanes that meet first.
float by_lanes(const Numbers& a, const Numbers& b, bool halves) {
  float lanes[16] = {};
  for (std::size_t k = 0; k < a.size(); ++k) lanes[k % 16] = std::fma(a[k], b[k], lanes[k % 16]);
  for (std::size_t step = 1; step < 16; step *= 2) {
    const std::size_t distance = halves ? 8 / step : step;
    for (std::size_t i = 0; i < 16; ++i) {
      if (halves ? i < distance : i % (2 * step) == 0) lanes[i] += lanes[i + distance];
    }
  }
  return lanes[0];
}
float by_pairs(const Numbers& a, const Numbers& b) { return by_lanes(a, b, false); }
float by_halves(const Numbers& a, const Numbers& b) { return by_lanes(a, b, true); }

// Two chains in turns of eight terms, the rest into the first.
float by_two(const Numbers& a, const Numbers& b) {
  float even = 0, odd = 0;
  std::size_t k = 0;
  for (; k + 8 <= a.size(); k += 8) {
    for (std::size_t i = 0; i < 8; i += 2) {
      even = std::fma(a[k + i], b[k + i], even);
      odd = std::fma(a[k + i + 1], b[k + i + 1], odd);
    }
  }
  for (; k < a.size(); ++k) even = std::fma(a[k], b[k], even);
  return even + odd;
}

// Products of operands that lost their last bits.
float coarse(const Numbers& a, const Numbers& b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto bits = std::bit_cast<std::uint32_t>(a[k]) & 0xffff0000U;
    sum = std::fma(std::bit_cast<float>(bits), b[k], sum);
  }
  return sum;
}

// D of a kernel that has its own sums for the last row, and for the last place.
struct Box {
  Dot main, last_row, corner;

  [[nodiscard]] Observation operator()(std::uint64_t seed) const {
    std::mt19937 random(static_cast<std::uint32_t>(seed));
    const auto draw = [&](std::size_t count) {
      Tensor t = Tensor::zeros(kFp32, count);
      for (std::size_t i = 0; i < count; ++i) {
        const float x = std::ldexp(static_cast<float>(random()) - 0x1p31F, -31);
        t.set(i, std::bit_cast<std::uint32_t>(x));
      }
      return t;
    };
    Observation seen{{{}, draw(kRows * kTerms), draw(kTerms * kColumns), {}},
                     Tensor::zeros(kFp32, kRows * kColumns)};
    operators::GemmProblem& p = seen.question.problem;
    p.m = kRows, p.n = kColumns, p.k = kTerms, p.d_format = &kFp32;
    const auto number = [](const Tensor& t, std::size_t i) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(t.at(i)));
    };
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < kColumns; ++j) {
        Numbers a(kTerms), b(kTerms);
        for (std::size_t k = 0; k < kTerms; ++k) {
          a[k] = number(seen.question.a, i * kTerms + k);
          b[k] = number(seen.question.b, k * kColumns + j);
        }
        const bool is_last = i + 1 == kRows;
        const Dot dot = !is_last ? main : j + 1 == kColumns ? corner : last_row;
        seen.d.set(i * kColumns + j, std::bit_cast<std::uint32_t>(dot(a, b)));
      }
    }
    return seen;
  }
};

std::string named(const Box& box) {
  const inference::Hypothesis usual[] = {{*models::parse_arithmetic("fp32.sequential.fma"), {}}};
  const auto found = find_places(usual, box, 1);
  return found ? print(found->places) : "none";
}

TEST(Places, EdgesHaveTheirOwnOrders) {
  EXPECT_EQ("fp32.sequential.fma@fp32.strided-16.fma:r8c0-5@fp32.strided-16-halves.fma:r8c6",
            named({one_chain, by_pairs, by_halves}));
  EXPECT_EQ("fp32.sequential.fma@fp32.unrolled-2x4.fma:r8c0-6", named({one_chain, by_two, by_two}));
  EXPECT_EQ("fp32.sequential.fma", named({one_chain, one_chain, one_chain}));
}

// What was usual elsewhere is nowhere here, but for the corner.
TEST(Places, TheLargestRegionIsUsual) {
  EXPECT_EQ("fp32.strided-16.fma@fp32.strided-16-halves.fma:r8c6",
            named({by_pairs, by_pairs, by_halves}));
  EXPECT_EQ("fp32.sequential.fma@fp32.strided-16.fma:r0-7c0-6",
            named({by_pairs, one_chain, one_chain}));
}

TEST(Places, LostAccuracyHasNoName) {
  EXPECT_EQ("none", named({one_chain, coarse, coarse}));
  EXPECT_EQ("none", named({one_chain, one_chain, coarse}));
}

// The inference's first column is all ones, where a rounded product equals a fused one.
TEST(Places, EveryPlaceSeesEveryKindOfColumn) {
  const inference::Laboratory laboratory(
      {.a = &kFp32, .b = &kFp32, .d = &kFp32, .k = 5, .gemm = {}});
  std::size_t of_ones = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const inference::Question all = question_of_all(laboratory, 2, 1, seed);
    bool ones = true;
    for (std::size_t x = 0; x < 5; ++x) ones = ones && all.b.at(x) == formats::one(kFp32);
    of_ones += ones ? 1 : 0;
  }
  EXPECT_EQ(1U, of_ones);
}

TEST(Places, NamesParseBack) {
  for (const char* name :
       {"exact", "fp32.sequential.fma", "fp32.sequential.fma@fp32.strided-2.fma:r0c1",
        "fp32.sequential.fma.zero_last@fp32.tree-((0+1)+2).fma:r0-3c1-2,r9c0-12",
        "fp16.pairwise.mul@fp16.reversed.mul:r1c1@fp16.blocked-2.mul:r2-3c0"}) {
    const auto read = parse_places(name);
    ASSERT_TRUE(read) << name;
    EXPECT_EQ(name, print(*read));
  }
  for (const char* bad :
       {"", "fp32", "fp32.sequential.fma@", "fp32.sequential.fma@fp32.strided-2.fma",
        "fp32.sequential.fma@fp32.strided-2.fma:", "fp32.sequential.fma@fp32.strided-2.fma:r1",
        "fp32.sequential.fma@fp32.strided-2.fma:r2-1c0", "fp32.sequential.fma@fp32.up.fma:r1c0",
        "fp32.sequential.fma@fp32.strided-2.fma:r1c0x",
        "fp32.sequential.fma@fp32.strided-2.fma:r01c0",
        "fp32.sequential.fma@fp32.strided-2.fma:r1c0-"}) {
    EXPECT_FALSE(parse_places(bad)) << bad;
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
