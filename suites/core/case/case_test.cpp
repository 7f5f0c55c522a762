// SPDX-License-Identifier: Apache-2.0
#include "suites/core/case/case.hpp"

#include <gtest/gtest.h>

#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

const std::vector<Axis> kAxes = {
    {.name = "format", .help = "", .words = {"fp16", "fp32"}, .letters = ""},
    {.name = "shape", .help = "", .words = {}, .letters = "mnk"},
};

std::string error_of(std::string_view name) {
  try {
    static_cast<void>(parse_case("gemm", kAxes, name));
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(Case, PrintsAndParsesBack) {
  const std::string_view name = "gemm.fp16.m128n1k4096.s7";
  const Case c = parse_case("gemm", kAxes, name);
  EXPECT_EQ("fp16", c.word("format"));
  EXPECT_EQ(128u, c.number("shape", 'm'));
  EXPECT_EQ(4096u, c.number("shape", 'k'));
  EXPECT_EQ(7u, c.seed);
  EXPECT_EQ(name, print(c));
  EXPECT_EQ("gemm.fp16.m128n1k4096", print_seedless(c));
}

TEST(Case, MalformedNamesAreRefusedByTheWordThatIsWrong) {
  EXPECT_NE(std::string::npos, error_of("gemm.fp17.m1n1k1.s7").find("'fp17'"));
  EXPECT_NE(std::string::npos, error_of("gemm.fp17.m1n1k1.s7").find("fp16, fp32"));
  EXPECT_NE(std::string::npos, error_of("gemm.fp16.m1n1.s7").find("m<number>n<number>k<number>"));
  EXPECT_NE(std::string::npos, error_of("gemm.fp16.m1n1k1").find(".s<seed>"));
  EXPECT_NE(std::string::npos, error_of("gemm.fp16.s7").find("1 of 2 parameters"));
  EXPECT_NE(std::string::npos, error_of("softmax.fp16.m1n1k1.s7").find("not of suite"));
  EXPECT_NE("", error_of("gemm.fp16.m01n1k1.s7")) << "a leading zero would give one case two names";
  EXPECT_NE("", error_of("gemm.fp16.m1n1k1.s-7"));
  EXPECT_NE("", error_of("gemm.fp16.m1n1k99999999999999999999999.s7"));
  EXPECT_NE("", error_of(""));
}

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(matches_glob("gemm.*.s7", "gemm.fp16.m1.s7"));
  EXPECT_TRUE(matches_glob("*fp16*", "gemm.fp16.m1.s7"));
  EXPECT_TRUE(matches_glob("gemm.fp??.m1.s7", "gemm.fp16.m1.s7"));
  EXPECT_FALSE(matches_glob("gemm", "gemm.fp16"));
  EXPECT_FALSE(matches_glob("*.s8", "gemm.fp16.m1.s7"));
  EXPECT_TRUE(matches_glob("*", ""));
}

}  // namespace
}  // namespace halfmark::suites
