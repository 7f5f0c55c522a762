// SPDX-License-Identifier: Apache-2.0
// What a kernel reaches stays, in order; everything else goes.
#include "tools/halfmark/reproducers/kernel_cut.hpp"

#include <gtest/gtest.h>

namespace halfmark::tools {
namespace {

constexpr const char* kText = R"(// comment
#pragma ONE
#define HM_KERNEL __kernel void
#define HM_UNUSED 1
#define HM_FMA(a, b, c) \
  fma(a, b, c)  // told
#ifdef HM_HAS
#define HM_DIV(a, b) ((a) / (b))
#else
#define HM_DIV(a, b) slow(a, b)
HM_FN float slow(float a, float b) {
  if (a) { b = a; }
  return b;
}
#endif
HM_FN int item(void) { return 0; }

HM_KERNEL other(int n) {
  n = 1;
}

HM_KERNEL wanted(float a) {
  a = HM_DIV(a, a);
}
)";

using Lines = std::vector<std::string>;

TEST(KernelCut, KeepsWhatTheRootReachesInOrder) {
  const Lines cut = cut_kernel(kText, "HM_KERNEL wanted(float a) { a = HM_DIV(a, a); }", {});
  EXPECT_EQ((Lines{"#pragma ONE", "#define HM_DIV(a, b) slow(a, b)",
                   "HM_FN float slow(float a, float b) { if (a) { b = a; } return b; }",
                   "__kernel void wanted(float a) { a = HM_DIV(a, a); }"}),
            cut);
}

TEST(KernelCut, DecidesBranchesAndJoinsLines) {
  const Lines cut = cut_kernel(kText, "x = HM_DIV(HM_FMA(1, 2, 3), item());", {"HM_HAS"});
  EXPECT_EQ((Lines{"#pragma ONE", "#define HM_FMA(a, b, c) \\", "  fma(a, b, c)  ",
                   "#define HM_DIV(a, b) ((a) / (b))", "HM_FN int item(void) { return 0; }",
                   "x = HM_DIV(HM_FMA(1, 2, 3), item());"}),
            cut);
}

TEST(KernelCut, PassesBlockCommentsAndChoosesByWhatIsDefined) {
  constexpr const char* kHost = R"(/* Words; and (more),
 * no code {
 */
#if (defined(__UNIT__) || 0) && \
    !defined(OFF)
HM_FN int wide(int a) { return unit(a); } /* one */
#else
HM_FN int wide(int a) { return a; }
#endif
)";
  EXPECT_EQ((Lines{"HM_FN int wide(int a) { return a; }", "wide(1);"}),
            cut_kernel(kHost, "wide(1);", {}));
  EXPECT_EQ((Lines{"HM_FN int wide(int a) { return unit(a); } ", "wide(1);"}),
            cut_kernel(kHost, "wide(1);", {"__UNIT__"}));
}

TEST(KernelCut, FindsAKernelByItsWholeName) {
  EXPECT_EQ("HM_KERNEL wanted(float a) {\n  a = HM_DIV(a, a);\n}", function_named(kText, "wanted"));
  EXPECT_EQ("", function_named(kText, "want"));
}

}  // namespace
}  // namespace halfmark::tools
