// SPDX-License-Identifier: Apache-2.0
// What a kernel uses stays, in order and readable; everything else is removed.
#include "tools/halfmark/reproducers/kernel_cut.hpp"

#include <gtest/gtest.h>

namespace halfmark::tools {
namespace {

constexpr const char* kText = R"(
#pragma ONE
#define HM_KERNEL __kernel void
#define HM_FN static inline
#define HM_GLOBAL
#define HM_FMA(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define HM_DIV(a, b) ((float)(a) / (float)(b))
HM_FN float unused(float a) { return a; }
HM_FN float load(HM_GLOBAL const float* p, int i) { return p[i]; }
HM_FN void store(HM_GLOBAL float* p, int i, float value) { p[i] = value; }
HM_FN float twice(float a) { return a + a; }
HM_FN float slow(float a, float b) {
  if (a) { b = a; }
  return b;
}
HM_KERNEL other(int n) { n = 1; }
HM_KERNEL wanted(HM_GLOBAL const float* x, HM_GLOBAL float* y, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; i += 1) sum = HM_FMA(load(x, i), slow(sum, 1.0f), sum);
  store(y, 0, HM_DIV(sum, (float)n));
}
)";

using Lines = std::vector<std::string>;

TEST(KernelCut, KeepsWhatTheEntryReachesInOrder) {
  const KernelText cut = cut_kernel(kText, "wanted", {});
  EXPECT_EQ((Lines{"#pragma ONE", "#define HM_FN static inline"}), cut.directives);
  EXPECT_EQ((Lines{"HM_FN float slow(float a, float b) {", "  if (a) {", "    b = a;", "  }",
                   "  return b;", "}", "__kernel void wanted(const float* x, float* y, int n) {",
                   "  float sum = 0.0f;",
                   "  for (int i = 0; i < n; i += 1) sum = fma(x[i], slow(sum, 1.0f), sum);",
                   "  y[0] = sum / (float)n;", "}"}),
            statement_lines(cut));
}

TEST(KernelCut, KnowsADeclarationByItsNameBeforeItsAttributes) {
  constexpr const char* kVectors =
      "typedef float pair __attribute__((ext_vector_type(2)));\n"
      "typedef int other __attribute__((ext_vector_type(2)));\n"
      "void wanted(float* x) { pair p = 0; *x = p[0]; }\n";
  const KernelText cut = cut_kernel(kVectors, "wanted", {});
  ASSERT_EQ(2u, cut.functions.size());
  EXPECT_EQ("pair", cut.functions[0].name);
}

TEST(KernelCut, FillsLinesUpToAWidth) {
  const KernelText cut = cut_kernel(kText, "wanted", {});
  EXPECT_EQ((Lines{"HM_FN float slow(float a, float b) { if (a) { b = a; } return b; }",
                   "__kernel void wanted(const float* x, float* y, int n) { float sum = 0.0f;",
                   "  for (int i = 0; i < n; i += 1) sum = fma(x[i], slow(sum, 1.0f), sum);",
                   "  y[0] = sum / (float)n; }"}),
            filled_lines(cut, 80, Helpers::kFilled));
  const Lines narrow = filled_lines(cut, 40, Helpers::kLines);
  EXPECT_EQ("HM_FN float slow(float a, float b) { if (a) { b = a; } return b; }", narrow.at(0))
      << "a helper is one line";
  for (std::size_t i = 1; i < narrow.size(); ++i) EXPECT_GE(40u, narrow[i].size()) << narrow[i];
}

// "x" stands for an argument of more than one word.
std::string inlined(const std::string& expression, const std::string& x) {
  const std::string text = "#define HM_FN inline\nHM_FN int f(int a) { return " + expression +
                           "; }\nvoid k(int n) { n = 2 * f(" + x + "); }";
  return statement_lines(cut_kernel(text, "k", {})).at(1);
}

TEST(KernelCut, PutsExpressionsInPlaceWithTheBracketsThatTheyNeed) {
  EXPECT_EQ("  n = 2 * (n + 1);", inlined("a + 1", "n"));
  EXPECT_EQ("  n = 2 * ((n + 1) * 3);", inlined("a * 3", "n + 1"));
  EXPECT_EQ("  n = 2 * g(n + 1, p[n]);", inlined("g(a, p[n])", "n + 1"));
  EXPECT_EQ("  n = 2 * (n < 0 ? 0 : n);", inlined("a < 0 ? 0 : a", "n"));
  EXPECT_EQ("  n = 2 * (int)p[n];", inlined("(int)p[a]", "n"));
}

TEST(KernelCut, EvaluatesNoArgumentTwice) {
  const std::string text =
      "#define HM_FN inline\nHM_FN int f(int a) { return a * a; }\n"
      "void k(int n) { n = f(n) + f(g(n)); }";
  EXPECT_EQ("  n = (n * n) + f(g(n));", statement_lines(cut_kernel(text, "k", {})).at(4))
      << "and f stays for the second";
}

TEST(KernelCut, LeavesBracketsThatMeanSomething) {
  const std::string text =
      "void k(int n) { asm(\"a\" : \"=r\"(n)); n = static_cast<int>(n); n = (int)(n); "
      "__attribute__((x)) int m = ((n)); if ((n)) n = (m + 1) * n; }";
  EXPECT_EQ(
      (Lines{"void k(int n) {", "  asm(\"a\" : \"=r\"(n));", "  n = static_cast<int>(n);",
             "  n = (int)n;", "  __attribute__((x)) int m = n;", "  if (n) n = (m + 1) * n;", "}"}),
      statement_lines(cut_kernel(text, "k", {})));
}

TEST(KernelCut, OfATextWithoutTheKernelIsEmpty) {
  EXPECT_TRUE(cut_kernel(kText, "want", {}).functions.empty());
}

}  // namespace
}  // namespace halfmark::tools
