// SPDX-License-Identifier: Apache-2.0
// What the probes of gemm find for many arithmetics, for their mutations, and for some without
// a name.
#include <gtest/gtest.h>

#include "suites/gemm/testing/workbench.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr const char* kLibrary = "library.nn.m33n17k40.plain.normal";
constexpr const char* kUnit = "unit.nn.m16n8k32.plain.normal";
constexpr const char* kLong = "library.nt.m16n8k100.plain.normal";

TEST(ModelledNames, PlantedArithmeticsAreFound) {
  for (const char* name :
       {"fp32.sequential.fma", "fp32.reversed.fma", "fp32.pairwise.fma", "fp32.splitk-4.fma",
        "fp32.blocked-8.fma", "fp32.blocked-4.fma", "fp32.strided-8.fma", "fp64.sequential.fma",
        "unit.hopper.mma.fp16.fp32", "unit.ampere.mma.fp16.fp32", "unit.volta.mma.fp16.fp32"}) {
    const auto found = identified(name, kLibrary);
    EXPECT_TRUE(is_among(found, name)) << name << ": " << found.arithmetic << ' ' << found.evidence;
  }
}

TEST(ModelledNames, UnitsAreFoundWithTheirC) {
  for (const char* name : {"unit.hopper.mma.fp16.fp32", "unit.volta.mma.fp16.fp32",
                           "unit.cdna1.mfma.fp16.fp32", "unit.cdna3.mfma.fp16.fp32"}) {
    const auto found = identified(name, kUnit);
    EXPECT_TRUE(is_among(found, name)) << name << ": " << found.arithmetic << ' ' << found.evidence;
  }
}

TEST(ModelledNames, ALongerSumTellsNamesApartThatTheProbesCannot) {
  const auto found = identified("fp32.splitk-4.fma", kLong);
  EXPECT_TRUE(is_among(found, "fp32.splitk-4.fma")) << found.arithmetic << ' ' << found.evidence;
  EXPECT_FALSE(is_among(found, "fp32.blocked-9.fma"));  // the same tree, but only over 36 products
}

// Blocks, parts and tiles that occur only in long sums, with a tail.
TEST(ModelledNames, OrdersOfLongSumsAreFound) {
  for (const char* name :
       {"fp32.blocked-64.fma", "fp32.strided-2x48.fma", "fp16.blocked-40.fma.total-fp32",
        "unit.ampere.mma.fp16.fp32.splitk-3", "unit.cdna3.mfma.fp16.fp32.strided-2x32"}) {
    // A short sum has one chain, a long one several.
    const auto found = identified(name, kLong);
    EXPECT_TRUE(is_among(found, name)) << name << ": " << found.arithmetic << ' ' << found.evidence;
  }
}

// Uncommon sizes have no name, and no similar name is given.
TEST(ModelledNames, UnusualSizesOfLongSumsAreNotNamed) {
  for (const char* name : {"fp32.blocked-43.fma", "unit.ampere.mma.fp16.fp32.strided-3x37"}) {
    const auto found = identified(name, kLong);
    EXPECT_EQ(Identity::kUnexplained, found.identity) << name << ": " << found.arithmetic;
    EXPECT_NE(std::string::npos, found.evidence.find("and not this shape")) << found.evidence;
  }
}

TEST(ModelledNames, OneParameterMakesAnotherNameOrNone) {
  EXPECT_FALSE(is_among(identified("fp32.blocked-4.fma", kLibrary), "fp32.blocked-8.fma"));
  EXPECT_FALSE(is_among(identified("fp32.splitk-5.fma", kLibrary), "fp32.splitk-4.fma"));
  for (const char* near : {"near-hopper-24", "near-hopper-26"}) {
    const auto found = identified(near, kLibrary);
    EXPECT_EQ(Identity::kDescribed, found.identity) << near << ": " << found.arithmetic;
  }
  EXPECT_TRUE(is_among(identified("near-hopper-25", kLibrary), "unit.hopper.mma.fp16.fp32"));
}

TEST(ModelledNames, AnOrderThatFollowsTheDataHasNoName) {
  const auto found = identified("data-order", kLibrary);
  EXPECT_EQ(Identity::kUnexplained, found.identity) << found.arithmetic;
  EXPECT_NE(std::string::npos, found.evidence.find("largest error")) << found.evidence;
}

}  // namespace
}  // namespace halfmark::suites::gemm
