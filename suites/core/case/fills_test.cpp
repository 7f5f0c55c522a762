// SPDX-License-Identifier: Apache-2.0
#include "suites/core/case/fills.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "reference/formats/classify.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::suites {
namespace {

const Case kCase{.suite = "demo", .tokens = {{"shape", "n8"}}, .seed = 7};

TEST(Random, DependsOnSeedCaseTensorAndIndexOnly) {
  const Random random(kCase, "a");
  EXPECT_EQ(random.at(5), Random(kCase, "a").at(5));
  Case other_seed = kCase;
  other_seed.seed = 8;
  Case other_case = kCase;
  other_case.tokens[0].text = "n9";
  EXPECT_NE(random.at(5), Random(other_seed, "a").at(5));
  EXPECT_NE(random.at(5), Random(other_case, "a").at(5));
  EXPECT_NE(random.at(5), Random(kCase, "b").at(5));
  EXPECT_NE(random.at(5), random.at(6));
}

TEST(Random, MatchesThePublishedPhiloxVector) {
  // Random123 known answers: philox4x32-10, counter 0, key 0 begins 6627e8d5 e169c58d.
  EXPECT_EQ(0x6627e8d5e169c58du, Random(std::uint64_t{0}).at(0));
}

TEST(Scaled, RoundsToNearestEven) {
  EXPECT_EQ(0x3c00u, scaled(formats::kFp16, 1, 0));
  EXPECT_EQ(0xc000u, scaled(formats::kFp16, -2, 0));
  EXPECT_EQ(0x6800u, scaled(formats::kFp16, 2049, 0));  // tie, to even
  EXPECT_EQ(0x0001u, scaled(formats::kFp16, 1, -24));
}

TEST(Fills, HoldWhatTheyPromise) {
  constexpr std::size_t kCount = 4096;
  for (const formats::Format& format : {formats::kFp16, formats::kBf16, formats::kFp32}) {
    const Random random(kCase, "x");
    const auto finite_only = {"integer", "positive",  "uniform", "normal",
                              "finite",  "subnormal", "tiny",    "large"};
    for (const std::string_view name : finite_only) {
      const formats::Tensor tensor = fill(format, kCount, name, random);
      std::set<formats::Bits> distinct;
      for (std::size_t i = 0; i < kCount; ++i) {
        EXPECT_TRUE(formats::is_finite(format, tensor.at(i))) << format.name << ' ' << name;
        distinct.insert(tensor.at(i));
      }
      EXPECT_GE(distinct.size(), 4u) << format.name << ' ' << name;
    }
    const formats::Tensor subnormal = fill(format, kCount, "subnormal", random);
    const formats::Tensor special = fill(format, kCount, "special", random);
    std::size_t subnormals = 0;
    std::size_t nans = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      subnormals += formats::is_subnormal(format, subnormal.at(i)) ? 1u : 0u;
      nans += formats::is_nan(format, special.at(i)) ? 1u : 0u;
    }
    EXPECT_NEAR(0.5, static_cast<double>(subnormals) / kCount, 0.05);
    EXPECT_NEAR(1.0 / 40, static_cast<double>(nans) / kCount, 0.01);
  }
}

}  // namespace
}  // namespace halfmark::suites
