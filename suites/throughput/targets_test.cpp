// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/targets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"

namespace halfmark::suites::throughput {
namespace {

// The order depends on the seeds; tests of the choice compare sets.
std::vector<std::string> chosen(std::vector<std::string> passed) {
  std::vector<std::string> names = choose(passed);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Labels, SayWhatIsComparedAndWhatMustAgree) {
  const Labels gemm =
      labels_of(parse_case("gemm.fp16.acc-fp32.out-fp16.portable.nt.m128n64k32.plain.normal.s3"));
  EXPECT_EQ(gemm.formats, "fp16.acc-fp32.out-fp16");
  EXPECT_EQ(gemm.provider, "portable");
  EXPECT_EQ(gemm.shape, "nt.m128n64k32.plain");
  EXPECT_EQ(gemm.fill, "normal");
  const Labels add = labels_of(parse_case("arithmetic.fp32.add.portable.n4096.near.s1"));
  EXPECT_EQ(add.formats, "fp32");
  EXPECT_EQ(add.shape, "n4096");
}

TEST(Work, IsTheProductOfTheSizes) {
  EXPECT_EQ(elements_of_work(
                parse_case("gemm.fp16.acc-fp32.out-fp16.portable.nt.m3n5k7.plain.normal.s1")),
            105u);
  const Case c = parse_case("gemm.fp16.acc-fp32.out-fp16.portable.nt.m3n5k7.plain.normal.s1");
  EXPECT_EQ(find_target(c)->flops(c), 210u);
}

TEST(Traffic, CountsInputsAndOutputsOnceAndScratchNever) {
  Plan plan;
  plan.tensors = {{.name = "a", .format = &formats::kFp16, .count = 10, .role = Role::kInput},
                  {.name = "b", .format = &formats::kFp32, .count = 10, .role = Role::kOutput},
                  {.name = "c", .format = &formats::kFp32, .count = 10, .role = Role::kInOut},
                  {.name = "d", .format = &formats::kFp32, .count = 10, .role = Role::kScratch}};
  EXPECT_EQ(traffic_bytes(plan), 20u + 40u + 80u);
}

TEST(Traffic, CountsWhatOneCallOfALibraryLeavesForTheNextTwice) {
  Plan plan;
  plan.tensors = {{.name = "a", .format = &formats::kFp32, .count = 10, .role = Role::kInput},
                  {.name = "b", .format = &formats::kFp16, .count = 10, .role = Role::kScratch}};
  plan.operators.resize(2);
  EXPECT_EQ(traffic_bytes(plan), 40u + 2 * 20u);
}

TEST(FindTarget, TimesFewBitsOfLargeProductsOnly) {
  EXPECT_NE(
      find_target(parse_case("gemm.fp32.acc-fp32.out-fp32.portable.nn.m8n8k8.plain.normal.s1")),
      nullptr);
  EXPECT_EQ(
      find_target(parse_case("gemm.fp32.acc-fp32.out-fp32.portable.nn.m8n8k8.plain.integer.s1")),
      nullptr);
  for (const char* fill : {"integer", "zeros"}) {
    EXPECT_NE(find_target(parse_case(
                  std::string("gemm.fp32.acc-fp32.out-fp32.portable.nn.m128n128k128.plain.") +
                  fill + ".s1")),
              nullptr);
  }
  EXPECT_EQ(find_target(parse_case(
                "gemm.fp32.acc-fp32.out-fp32.portable.nn.m128n128k128.plain.special.s1")),
            nullptr);
  EXPECT_EQ(regime_of("zeros"), Regime::kZeros);
  EXPECT_FALSE(regime_of("special"));
  EXPECT_EQ(find_target(parse_case("gemm.fp32.acc-fp32.out-fp32.portable.nn.m8n8k8.ab.normal.s1")),
            nullptr);
  EXPECT_EQ(find_target(parse_case("arithmetic.fp32.div.portable.n64.near.s1")), nullptr);
  EXPECT_EQ(find_target(parse_case("arithmetic.fp32.add.portable.n64.subnormal.s1")), nullptr);
}

TEST(FindTarget, TimesLongCastsOnly) {
  const auto operation = [](const char* name) {
    const Target* target = find_target(parse_case(name));
    return target == nullptr ? std::string_view() : target->operation;
  };
  EXPECT_EQ("to_fp16", operation("convert.fp32.to-fp16.infinity.library.n262144.bits.s1"));
  EXPECT_EQ("to_bf16", operation("convert.fp32.to-bf16.infinity.portable.n1048576.bits.s1"));
  EXPECT_EQ("to_e4m3fn", operation("convert.fp32.to-e4m3fn.saturate.portable.n262144.bits.s1"));
  EXPECT_EQ("to_e5m2", operation("convert.fp32.to-e5m2.saturate.portable.n262144.bits.s1"));
  EXPECT_EQ("", operation("convert.fp32.to-bf16.infinity.portable.n8192.bits.s1"));
  EXPECT_EQ("", operation("convert.fp32.to-e5m2.infinity.portable.n262144.bits.s1"));
}

TEST(Choose, TakesTheMostWorkAndTheBestFill) {
  EXPECT_EQ(chosen({"arithmetic.fp32.add.portable.n64.near.s1",
                    "arithmetic.fp32.add.portable.n4096.bits.s1",
                    "arithmetic.fp32.add.portable.n4096.near.s1",
                    "arithmetic.fp32.add.portable.n4096.corners.s1"}),
            std::vector<std::string>{"arithmetic.fp32.add.portable.n4096.near.s1"});
}

TEST(Choose, PrefersWhatGrowsToMoreWork) {
  const std::string fp32 = "gemm.fp32.acc-fp32.out-fp32.portable.";
  EXPECT_EQ(
      chosen({fp32 + "nt.m32n32k4096.plain.normal.s1", fp32 + "nn.m64n64k64.plain.normal.s1"}),
      std::vector<std::string>{fp32 + "nn.m64n64k64.plain.normal.s1"});
}

TEST(Choose, PrefersAShapeThatEveryFormatPassed) {
  const auto names = chosen({"gemm.fp32.acc-fp32.out-fp32.portable.nn.m64n64k64.plain.normal.s1",
                             "gemm.fp32.acc-fp32.out-fp32.portable.nn.m512n512k512.plain.normal.s1",
                             "gemm.fp16.acc-fp32.out-fp16.portable.nn.m64n64k64.plain.normal.s1",
                             "gemm.fp16.acc-fp32.out-fp16.portable.tn.m256n64k64.plain.normal.s1",
                             "gemm.fp16.acc-fp16.out-fp16.portable.tt.m16n16k16.plain.normal.s1"});
  EXPECT_EQ(names, (std::vector<std::string>{
                       "gemm.fp16.acc-fp16.out-fp16.portable.tt.m16n16k16.plain.normal.s1",
                       "gemm.fp16.acc-fp32.out-fp16.portable.nn.m64n64k64.plain.normal.s1",
                       "gemm.fp32.acc-fp32.out-fp32.portable.nn.m64n64k64.plain.normal.s1"}));
}

TEST(Choose, KeepsProvidersAndClassesOfShapesApart) {
  const std::string fp32 = "gemm.fp32.acc-fp32.out-fp32.";
  EXPECT_EQ(chosen({fp32 + "portable.nn.m256n256k256.plain.normal.s1",
                    fp32 + "library.nn.m128n128k128.plain.normal.s1",
                    fp32 + "library.nn.m127n125k131.plain.normal.s1",
                    fp32 + "library.nn.m33n65k66.plain.normal.s1",
                    fp32 + "library.nn.m16n512k512.plain.normal.s1",
                    fp32 + "unit.nn.m16n16k16.plain.normal.s1"}),
            (std::vector<std::string>{fp32 + "library.nn.m127n125k131.plain.normal.s1",
                                      fp32 + "library.nn.m128n128k128.plain.normal.s1",
                                      fp32 + "library.nn.m16n512k512.plain.normal.s1",
                                      fp32 + "portable.nn.m256n256k256.plain.normal.s1"}));
}

TEST(Choose, KeepsRegimesApart) {
  const std::string shape = "gemm.fp32.acc-fp32.out-fp32.library.nn.m128n128k128.plain.";
  EXPECT_EQ(
      chosen({shape + "normal.s1", shape + "integer.s1", shape + "zeros.s1"}),
      (std::vector<std::string>{shape + "integer.s1", shape + "normal.s1", shape + "zeros.s1"}));
}

TEST(Choose, TakesEachPointOfTheSweep) {
  const std::string fp32 = "gemm.fp32.acc-fp32.out-fp32.library.";
  EXPECT_EQ(
      chosen({fp32 + "nn.m16n512k512.plain.normal.s1", fp32 + "nn.m64n2048k2048.plain.normal.s1",
              fp32 + "nn.m16n2000k2048.plain.normal.s1", fp32 + "nn.m16n2000k2000.plain.normal.s1",
              fp32 + "nn.m1024n1024k1024.plain.normal.s1",
              fp32 + "tn.m1024n1024k1024.plain.normal.s1"}),
      (std::vector<std::string>{
          fp32 + "nn.m1024n1024k1024.plain.normal.s1", fp32 + "nn.m16n2000k2048.plain.normal.s1",
          fp32 + "nn.m16n512k512.plain.normal.s1", fp32 + "nn.m64n2048k2048.plain.normal.s1",
          fp32 + "tn.m1024n1024k1024.plain.normal.s1"}));
}

// The points of the sweep must also be in the table of cases; a point that no level has would be
// lost silently.
TEST(Targets, EveryPointOfTheSweepHasCasesInBothFormats) {
  std::vector<std::string> names;
  for (const Suite* suite : all_suites()) {
    for (const Case& c : suite->cases(Level::kFull, 1)) names.push_back(print(c));
  }
  const std::vector<std::string> timed = choose(names);
  for (const std::string format : {"fp32.acc-fp32.out-fp32", "fp16.acc-fp32.out-fp16"}) {
    std::set<std::string> shapes;
    for (const std::string& name : timed) {
      if (name.starts_with("gemm." + format + ".library."))
        shapes.insert(labels_of(parse_case(name)).shape);
    }
    for (const char* width : {"512", "1024", "2048"}) {
      for (const char* batch : {"16", "32", "64"})
        EXPECT_TRUE(
            shapes.contains(std::string("nn.m") + batch + "n" + width + "k" + width + ".plain"))
            << format << " " << width << " " << batch;
    }
    for (const char* shape :
         {"nn.m1024n1024k1024.plain", "nt.m1024n1024k1024.plain", "tn.m1024n1024k1024.plain",
          "tt.m1024n1024k1024.plain", "nn.m512n2048k512.plain", "nn.m8192n8192k8192.plain",
          "nn.m512n512k512.batch3"})
      EXPECT_TRUE(shapes.contains(shape)) << format << " " << shape;
  }
}

TEST(Untimed, IsARowWithoutSamples) {
  const Case c = parse_case("gemm.fp32.acc-fp32.out-fp32.portable.nn.m64n64k64.plain.normal.s1");
  backends::DeviceInfo device;
  device.max_group_items = 1024;
  const nlohmann::json row = untimed(c, device, "left out");
  EXPECT_EQ(row.at("doubt"), "left out");
  EXPECT_TRUE(row.at("samples_ns").empty());
  EXPECT_EQ(row.at("flops"), 2u * 64 * 64 * 64);
  EXPECT_EQ(row.at("bytes"), 3u * 4 * 64 * 64);
  EXPECT_EQ(row.at("passed_case"), print(c));
}

TEST(Choose, TimesAProductOfALibraryWithItsCastsToo) {
  const std::string half = "gemm.fp16.acc-fp32.out-fp16.library.nn.m128n128k128.plain.normal.s1";
  EXPECT_EQ(chosen({half}), (std::vector<std::string>{"autocast " + half, half}));
}

TEST(Choose, DrawsTheOrderBySeed) {
  const auto order_of = [](const std::string& seed) {
    std::vector<std::string> passed;
    for (const char* operation : {"add", "mul", "fma"}) {
      for (const char* format : {"fp32", "fp16"})
        passed.push_back(std::string("arithmetic.") + format + "." + operation +
                         ".portable.n4096.near.s" + seed);
    }
    std::vector<std::string> names = choose(passed);
    for (std::string& name : names) name.resize(name.rfind(".s"));
    return names;
  };
  EXPECT_EQ(order_of("1"), order_of("1"));
  EXPECT_NE(order_of("1"), order_of("2"));
}

TEST(Labels, ClassShapesOfProducts) {
  const auto class_of = [](const char* shape) {
    return labels_of(parse_case(std::string("gemm.fp32.acc-fp32.out-fp32.portable.nn.") + shape +
                                ".plain.normal.s1"))
        .shape_class;
  };
  EXPECT_EQ("aligned", class_of("m256n512k1024"));
  EXPECT_EQ("ragged", class_of("m256n512k1023"));
  EXPECT_EQ("skinny", class_of("m16n2048k2048"));
  EXPECT_EQ("skinny", class_of("m512n64k7"));
  EXPECT_EQ("aligned", class_of("m64n504k8"));
  EXPECT_EQ("stream",
            labels_of(parse_case("arithmetic.fp32.add.portable.n64.near.s1")).shape_class);
}

TEST(Choose, OfNothingIsNothing) { EXPECT_TRUE(chosen({}).empty()); }

// A target that no level can feed would silently never be measured.
TEST(Targets, EachHasCasesAtTheStandardLevel) {
  std::vector<Case> cases;
  for (const Suite* suite : all_suites()) {
    for (Case& c : suite->cases(Level::kStandard, 1)) cases.push_back(std::move(c));
  }
  for (const Target& target : targets()) {
    const bool fed = std::any_of(cases.begin(), cases.end(),
                                 [&](const Case& c) { return find_target(c) == &target; });
    EXPECT_TRUE(fed) << target.glob;
  }
}

TEST(Targets, HalfAndSingleOfAnOperationGetTheSameProblem) {
  std::vector<std::string> names;
  for (const Suite* suite : all_suites()) {
    for (const Case& c : suite->cases(Level::kStandard, 1)) names.push_back(print(c));
  }
  for (const std::string& name : choose(names)) {
    if (name.starts_with(kAutocast)) continue;
    const Case c = parse_case(name);
    const Labels labels = labels_of(c);
    const std::string_view operation = find_target(c)->operation;
    if (!labels.formats.starts_with("fp16") || operation.starts_with("to_") ||
        operation == "chain.convert")
      continue;
    const auto all = choose(names);
    // Chains are compared at the best width of each format.
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const std::string& other) {
      if (other.starts_with(kAutocast)) return false;
      const Case partner = parse_case(other);
      const Labels others = labels_of(partner);
      return others.formats.starts_with("fp32") &&
             find_target(partner)->operation == find_target(c)->operation &&
             others.provider == labels.provider &&
             (operation.starts_with("chain.") || others.shape == labels.shape) &&
             others.fill == labels.fill;
    })) << name;
  }
}

}  // namespace
}  // namespace halfmark::suites::throughput
