// SPDX-License-Identifier: Apache-2.0
// The modelled tier of one case: an arithmetic is planted in a device, identified by probes, and
// checked against data that were not used to find it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <utility>

#include "suites/gemm/testing/workbench.hpp"

namespace halfmark::suites::gemm {
namespace {

CaseResult judged(const std::string& tail, const Identified* found) {
  return run_case(planted_session(), suite(), named(tail), found);
}

TEST(GemmModelled, AUnitIsNamedAndExplainsFreshData) {
  const Identified found =
      identified("unit.volta.mma.fp16.fp32", "library.nn.m9n5k20.plain.normal");
  EXPECT_EQ(Identity::kNamed, found.identity) << found.evidence;
  EXPECT_EQ("unit.volta.mma.fp16.fp32", found.arithmetic);
  for (const char* tail : {"library.nn.m9n5k20.plain.normal", "library.nn.m9n5k20.third.cancel"}) {
    const CaseResult result = judged(tail, &found);
    EXPECT_EQ(Verdict::kPass, result.verdict) << result.reason;
    EXPECT_EQ("modelled", result.tier);
    EXPECT_EQ("gemm.modelled", result.rule);
    EXPECT_EQ("", result.reason);
  }
}

TEST(GemmModelled, FreshDataThatContradictWhatWasFoundKeepTheirBound) {
  const char* tail = "library.nn.m9n5k20.plain.normal";
  const Identified found = identified("unit.volta.mma.fp16.fp32", tail);
  plant("unit.hopper.mma.fp16.fp32");
  const CaseResult result = judged(tail, &found);
  EXPECT_EQ(Verdict::kPass, result.verdict);
  EXPECT_EQ("bounded", result.tier);
  EXPECT_NE(std::string::npos,
            result.reason.find("unit.volta.mma.fp16.fp32 was found, and does not explain"))
      << result.reason;
}

TEST(GemmModelled, WhatHasNoNameKeepsItsBoundAndSaysSo) {
  const char* tail = "library.nn.m9n5k20.plain.normal";
  Identified found;
  found.identity = Identity::kNotRepeatable;
  found.evidence = "the same product had different answers";
  plant("fp32.sequential.fma");
  const CaseResult result = judged(tail, &found);
  EXPECT_EQ("bounded", result.tier);
  EXPECT_NE(std::string::npos, result.reason.find("no named arithmetic explains it"))
      << result.reason;
  EXPECT_EQ("", judged(tail, nullptr).reason);  // nobody asked
}

// A block that probes of short sums cannot see, on a matrix unit, with a tail.
TEST(GemmModelled, ABlockOfALongSumIsNamed) {
  const char* tail = "library.nt.m9n5k100.plain.normal";
  const std::string name = "unit.hopper.mma.fp16.fp32.blocked-48";
  const Identified found = identified(name, tail);
  EXPECT_EQ(name, found.arithmetic) << found.evidence;
  EXPECT_NE(std::string::npos,
            found.evidence.find("products of 36 terms: unit.hopper.mma.fp16.fp32"))
      << found.evidence;
  for (const char* data : {tail, "library.nt.m9n5k100.third.cancel"})
    EXPECT_EQ("modelled", judged(data, &found).tier);
  plant("unit.hopper.mma.fp16.fp32.blocked-32");
  EXPECT_EQ("bounded", judged(tail, &found).tier);
}

// 32 terms in sequence, and the others in pairs of places that are so far apart.
std::string tree_with_a_tail(std::size_t apart) {
  std::string tree = "0";
  for (std::size_t i = 1; i < 32; ++i) tree = fmt::format("({}+{})", tree, i);
  for (std::size_t i = 32; i < 48; ++i) {
    if ((i - 32) / apart % 2 == 0) tree = fmt::format("({}+({}+{}))", tree, i, i + apart);
  }
  return "fp32.tree-" + tree + ".fma";
}

// A loop over blocks of 32 leaves its tail to another one, which sums of 36 terms do not show.
TEST(GemmModelled, AnOrderThatOnlySumsOfThisLengthHaveIsNamed) {
  const char* tail = "library.nn.m9n5k48.plain.normal";
  const auto planted = [](std::size_t apart) {
    return "long:" + tree_with_a_tail(apart) + "|short:fp32.sequential.fma";
  };
  const Identified found = identified(planted(8), tail);
  EXPECT_TRUE(is_among(found, tree_with_a_tail(8))) << found.arithmetic << found.evidence;
  EXPECT_EQ("modelled", judged(tail, &found).tier);
  plant(planted(1));
  EXPECT_EQ("bounded", judged(tail, &found).tier);
  // What was found for one length is no candidate for another, and disturbs nothing.
  plant("near-hopper-20");
  const Identified longer = suite().modelling->identify(
      planted_session(), named("library.nn.m9n5k52.plain.normal"), {{found}});
  EXPECT_NE(Identity::kNamed, longer.identity) << longer.arithmetic;
}

// Half precision sums are outside the bound of fp32 sums, even if they are fully explained.
TEST(GemmModelled, ANameExcusesNothing) {
  const char* tail = "library.nn.m9n5k200.plain.normal";
  Identified found;
  found.identity = Identity::kNamed;
  found.arithmetic = "fp16.sequential.fma";
  plant(found.arithmetic);
  EXPECT_EQ(Verdict::kFail, judged(tail, &found).verdict);
}

// The sums are known from another shape, with a scaling that this library may not use.
Identified with_known_sums(const std::string& planted, const Case& c) {
  Identified known;
  known.identity = Identity::kNamed;
  known.arithmetic = "fp32.sequential.fma.scaled-mul";
  known.shape = "nn.m7n6k24";
  plant(planted);
  return suite().modelling->identify(planted_session(), c, std::span(&known, 1));
}

TEST(GemmModelled, TheWayToScaleIsNamedAndExplainsFreshData) {
  const char* tail = "library.nn.m9n5k20.plain.normal";
  const std::string sums = "fp32.sequential.fma";
  const std::pair<std::string, std::string> ways[] = {
      {"", ""}, {"/alpha-fma", ".scaled-alpha-fma"}, {"/mul", ".scaled-mul"}};
  for (const auto& [planted, name] : ways) {
    const Identified found = with_known_sums(sums + planted, named(tail));
    EXPECT_EQ(sums + name, found.arithmetic) << found.evidence;
    EXPECT_NE(std::string::npos, found.evidence.find("found at nn.m7n6k24")) << found.evidence;
    for (const auto& [another, other_name] : ways) {
      plant(sums + another);
      EXPECT_EQ("modelled", judged(tail, &found).tier) << name;
      EXPECT_EQ("modelled", judged("library.nn.m9n5k20.third.normal", &found).tier) << name;
      EXPECT_EQ(another == planted ? "modelled" : "bounded",
                judged("library.nn.m9n5k20.ab.normal", &found).tier)
          << name << " for " << other_name;
    }
  }
}

TEST(GemmModelled, AWayToScaleOfNoNameIsNotNamed) {
  const Identified found =
      identified("fp32.sequential.fma/near-alpha-fma", "library.nn.m9n5k20.plain.normal");
  EXPECT_EQ("fp32.sequential.fma", found.arithmetic);
  ASSERT_FALSE(found.observed.empty());
  EXPECT_EQ(0u, found.observed.back().find("scaling none: ")) << found.observed.back();
  EXPECT_EQ("bounded", judged("library.nn.m9n5k20.ab.normal", &found).tier);
}

// For half-precision results, a C that cancels the sum leaves what the steps round away.
TEST(GemmModelled, TheWayToScaleShowsInNarrowResults) {
  const Case c = parse_case("gemm", suite().axes,
                            "gemm.fp16.acc-fp32.out-fp16.library.nn.m9n5k20.plain.normal.s1");
  const Identified found = with_known_sums("fp32.sequential.fma/mul", c);
  EXPECT_EQ("fp32.sequential.fma.scaled-mul", found.arithmetic) << found.evidence;
  EXPECT_TRUE(found.others.empty());
}

// A sum that is rounded before it is scaled, or scaled in half precision, exceeds the bound where
// that is visible. It is named nevertheless.
TEST(GemmModelled, WhereTheSumIsRoundedIsNamed) {
  const auto narrow = [](const std::string& variant) {
    return parse_case("gemm", suite().axes,
                      "gemm.fp16.acc-fp32.out-fp16.library.nn.m9n5k20." + variant + ".normal.s1");
  };
  struct Way {
    const char *planted, *name;
    Verdict scaled;
  };
  for (const Way& way :
       {Way{"fp32.sequential.fma", "fp32.sequential.fma", Verdict::kPass},
        Way{"fp32.sequential.fma.early-fp16", "fp32.sequential.fma.early-fp16", Verdict::kFail},
        Way{"fp32.sequential.fma/narrow", "fp32.sequential.fma.scaled-narrow", Verdict::kFail}}) {
    const Identified found = with_known_sums(way.planted, narrow("plain"));
    EXPECT_EQ(way.name, found.arithmetic) << found.evidence;
    EXPECT_TRUE(found.others.empty());
    EXPECT_EQ("modelled", run_case(planted_session(), suite(), narrow("plain"), &found).tier);
    for (const char* variant : {"third", "ab"}) {
      const CaseResult result = run_case(planted_session(), suite(), narrow(variant), &found);
      EXPECT_EQ(way.scaled, result.verdict) << way.name << ' ' << variant;
    }
  }
}

// Where half sums are requested, all that was found is within the bound, and only names distinguish
// one library from another.
TEST(GemmModelled, HalfSumsAndTheWayTheyAreScaledAreNamed) {
  const auto narrow = [](const std::string& data) {
    return parse_case("gemm", suite().axes,
                      "gemm.fp16.acc-fp16.out-fp16.library.nn.m9n5k20." + data + ".s1");
  };
  const std::pair<const char*, const char*> ways[] = {
      {"fp16.sequential.fma", "fp16.sequential.fma"},
      {"fp16.sequential.fma/narrow", "fp16.sequential.fma.scaled-narrow"},
      {"fp16.sequential.mul/narrow-alpha-fma", "fp16.sequential.mul.scaled-narrow-alpha-fma"},
      {"fp16.sequential.mul/narrow-mul", "fp16.sequential.mul.scaled-narrow-mul"},
      {"fp16.pairwise.fma/narrow-mul", "fp16.pairwise.fma.scaled-narrow-mul"},
      {"fp32.sequential.fma/narrow", "fp32.sequential.fma.scaled-narrow"},
      {"unit.volta.mma.fp16.fp16", "unit.volta.mma.fp16.fp16"}};
  for (const auto& [planted, name] : ways) {
    plant(planted);
    const Identified found =
        suite().modelling->identify(planted_session(), narrow("plain.normal"), {});
    EXPECT_TRUE(is_among(found, name)) << name << ": " << found.arithmetic << found.evidence;
    for (const char* data : {"plain.cancel", "abhalf.normal", "eighth.uniform"}) {
      EXPECT_EQ("modelled", run_case(planted_session(), suite(), narrow(data), &found).tier)
          << name << ' ' << data;
    }
    plant("fp16.reversed.fma/alpha-fma");
    const CaseResult other = run_case(planted_session(), suite(), narrow("abhalf.normal"), &found);
    EXPECT_EQ("bounded", other.tier) << name;
    EXPECT_EQ("gemm.library.bound.acc-fp16.fp16", other.rule);
    EXPECT_EQ(Verdict::kUntrusted, other.verdict) << "a bound of half sums alone earns nothing";
  }
}

TEST(GemmModelled, KeysAreOfBoundedCasesAlone) {
  const auto key = suite().modelling->key;
  EXPECT_EQ("gemm.fp16.acc-fp32.out-fp32.library.nn.m9n5k20",
            key(named("library.nn.m9n5k20.third.cancel")));
  EXPECT_EQ("", key(named("library.nn.m9n5k20.plain.integer")));
  EXPECT_EQ("", key(named("portable.nn.m9n5k20.plain.normal")));
  EXPECT_EQ("", key(named("library.nn.m9n5k2.plain.normal")));
}

}  // namespace
}  // namespace halfmark::suites::gemm
