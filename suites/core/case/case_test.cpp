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

const std::vector<Axis> kAxesWithDefaults = {
    {.name = "format", .help = "", .words = {"", "bf16"}, .letters = ""},
    {.name = "biases", .help = "", .words = {"", "biases"}, .letters = ""},
    {.name = "fill", .help = "", .words = {"normal"}, .letters = ""},
};

TEST(Case, WordsWithADefaultMayBeLeftOut) {
  const auto words = [](std::string_view name) {
    const Case c = parse_case("step", kAxesWithDefaults, name);
    EXPECT_EQ(name, print(c));
    return std::pair(std::string(c.word("format")), std::string(c.word("biases")));
  };
  using Words = std::pair<std::string, std::string>;
  EXPECT_EQ((Words{"", ""}), words("step.normal.s7"));
  EXPECT_EQ((Words{"bf16", ""}), words("step.bf16.normal.s7"));
  EXPECT_EQ((Words{"", "biases"}), words("step.biases.normal.s7"));
  EXPECT_EQ((Words{"bf16", "biases"}), words("step.bf16.biases.normal.s7"));
}

TEST(Case, AWrongWordWithADefaultIsNamed) {
  const auto error = [](std::string_view name) -> std::string {
    try {
      static_cast<void>(parse_case("step", kAxesWithDefaults, name));
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ("'bf17' is not a format of suite 'step'; it must be left out or one of: bf16",
            error("step.bf17.normal.s7"));
  EXPECT_NE(std::string::npos, error("step.normol.s7").find("'normol' is not a fill"));
  EXPECT_NE("", error("step.biases.bf16.normal.s7")) << "in another order";
  EXPECT_NE("", error("step..normal.s7")) << "what is left out has no dot";
  EXPECT_NE(std::string::npos,
            error("step.s7").find("write step[.<format>][.<biases>].<fill>.s<seed>"));
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
