// SPDX-License-Identifier: Apache-2.0
// Expands like a C preprocessor, except for the two words that stay readable.
#include "tools/halfmark/reproducers/preprocess.hpp"

#include <gtest/gtest.h>

#include "tools/halfmark/reproducers/no_program.hpp"

namespace halfmark::tools {
namespace {

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    if (token.spaced && !text.empty()) text += ' ';
    text += token.text;
  }
  return text;
}

std::string after(std::string_view text, const std::map<std::string, std::string>& defined = {}) {
  return text_of(preprocess(text, defined).tokens);
}

TEST(Preprocess, PutsDefinitionsInPlaceAgainAndAgain) {
  EXPECT_EQ("f(1 + 2, g)", after("#define ONE 1\n#define SUM(a, b) f(a + b, g)\nSUM(ONE, 2)"));
  EXPECT_EQ("SUM + (1, 2)", after("#define SUM(a, b) a\nSUM + (1, 2)")) << "no call";
  EXPECT_EQ("self + 1", after("#define self self + 1\nself")) << "not for ever";
  EXPECT_EQ("2", after("#define A 1\n#undef A\n#define A 2\nA"));
  EXPECT_EQ("1 2", after("#define A 1\nA\n#define A 2\nA")) << "each line as it was defined then";
}

// ISO C17, 6.10.3.4: neither the macro around an argument nor those that its tokens came from.
TEST(Preprocess, DoesNotReplaceInAnArgumentWhatMadeIt) {
  EXPECT_EQ("ID (1)", after("#define ID(x) x (1)\nID(ID)"));
  EXPECT_EQ("ID (1)", after("#define ID(x) x (1)\n#define NAME ID\nID(NAME)"));
  EXPECT_EQ("MORE + 1", after("#define SAME(x) x\n#define MORE MORE + 1\nSAME(MORE)"));
}

TEST(Preprocess, PastesBeforeArgumentsAreReplaced) {
  constexpr const char* kText =
      "#define NOW(a, b) a##b\n#define PASTE(a, b) NOW(a, b)\n#define FORMAT 2\n"
      "#define load(f) PASTE(load_, f)\n";
  EXPECT_EQ("load_2(p, i)", after(std::string(kText) + "load(FORMAT)(p, i)"));
  EXPECT_EQ("load_FORMAT", after(std::string(kText) + "NOW(load_, FORMAT)"));
}

TEST(Preprocess, DecidesBranches) {
  constexpr const char* kText =
      "#if (defined(A) || B == 3) && \\\n    !defined(C)\nyes\n#else\nno\n#endif\n"
      "#ifdef A\na\n#else\n#ifndef C\nneither\n#endif\n#endif\n";
  EXPECT_EQ("yes a", after(kText, {{"A", "1"}}));
  EXPECT_EQ("yes neither", after(kText, {{"B", "3"}}));
  EXPECT_EQ("no a", after(kText, {{"A", "1"}, {"C", "1"}}));
  EXPECT_EQ("no neither", after(kText));
}

TEST(Preprocess, TakesOneAlternative) {
  constexpr const char* kText =
      "#if N == 1\none\n#elif N == 2\ntwo\n#elif N >= 2\nmore\n#else\nnone\n#endif\nbehind";
  EXPECT_EQ("one behind", after(kText, {{"N", "1"}}));
  EXPECT_EQ("two behind", after(kText, {{"N", "2"}})) << "though the next condition holds as well";
  EXPECT_EQ("more behind", after(kText, {{"N", "3"}}));
  EXPECT_EQ("none behind", after(kText));
  EXPECT_TRUE(preprocess(kText, {{"N", "1"}}).directives.empty());
}

TEST(Preprocess, TakesNoAlternativeInAClosedBranch) {
  constexpr const char* kText =
      "#ifdef A\n#if B\nb\n#elif defined(A)\na\n#else\nneither\n#endif\n#elif B\nonly b\n#endif";
  EXPECT_EQ("a", after(kText, {{"A", "1"}}));
  EXPECT_EQ("b", after(kText, {{"A", "1"}, {"B", "1"}}));
  EXPECT_EQ("only b", after(kText, {{"B", "1"}}));
  EXPECT_EQ("", after(kText));
}

TEST(Preprocess, RefusesADirectiveThatItDoesNotKnow) {
  EXPECT_THROW(static_cast<void>(preprocess("#elifdef A\nb", {})), NoProgram);
  EXPECT_EQ("b", after("#ifdef A\n#error A\n#endif\nb")) << "what is left out need not be known";
  EXPECT_THROW(static_cast<void>(preprocess("#error A", {})), NoProgram);
}

TEST(Preprocess, ReckonsInBranches) {
  constexpr const char* kText =
      "#define BITS 16\n#define WORDS ((K / 2) / (32 / BITS))\n"
      "#if WORDS == 4\nfour\n#else\nother\n#endif\n";
  EXPECT_EQ("four", after(kText, {{"K", "16"}}));
  EXPECT_EQ("other", after(kText, {{"K", "8"}}));
  EXPECT_EQ("yes", after("#if 2 * 3 == 6 && 1 / 0 == 0\nyes\n#endif"));
  EXPECT_EQ("yes", after("#if 3 > 2 && 2 >= 2 && !(2 > 2)\nyes\n#endif"));
  EXPECT_EQ("no", after("#if 1 > 1 && __has_builtin(f)\nyes\n#else\nno\n#endif"));
  EXPECT_EQ("yes", after("#if 2 > 1 && __has_builtin(f)\nyes\n#else\nno\n#endif"));
}

TEST(Preprocess, DropsCommentsAndKeepsWhatIsNotItsOwn) {
  const Preprocessed made = preprocess(
      "// one\n#pragma STDC\n#include <x.h>\n#line 3 \"f\"\na /* b\nc */ d \"// e\"", {});
  EXPECT_EQ((std::vector<std::string>{"#pragma STDC", "#include <x.h>"}), made.directives);
  EXPECT_EQ("a d \"", text_of(made.tokens).substr(0, 5));
}

TEST(Preprocess, DropsCastsOfArgumentsAndNoOthers) {
  EXPECT_EQ("fma((a), (b)) (float)(n)",
            after("#define FMA(a, b) fma((float)(a), (float)(b))\nFMA(a, b) (float)(n)"));
  EXPECT_EQ("as_uint(x)", after("#define AS(t) as_##t\n#define WORD(v) AS(uint)(v)\nWORD(x)"))
      << "a call, and no cast";
}

TEST(Preprocess, WritesBitsAsTheNumberWhereThatIsOne) {
  constexpr const char* kWord = "#define HM_U2F(x) as_float(x)\n#define TWO 0x40000000u\n";
  EXPECT_EQ("0x1p+1f", after(std::string(kWord) + "HM_U2F(TWO)"));
  EXPECT_EQ("-0x1.8p+0f", after(std::string(kWord) + "HM_U2F(0xbfc00000u)"));
  EXPECT_EQ("as_float(0x7f800000u)", after(std::string(kWord) + "HM_U2F(0x7f800000u)"));
  EXPECT_EQ("as_float(bits)", after(std::string(kWord) + "HM_U2F(bits)"));
  EXPECT_EQ("HM_U2F(0x40000000u)", after("HM_U2F(0x40000000u)")) << "the language has the word";
}

TEST(Preprocess, KeepsTheWordThatOpensFunctions) {
  const Preprocessed made = preprocess("#define HM_FN static inline\nHM_FN int f();", {});
  EXPECT_EQ("HM_FN int f();", text_of(made.tokens));
  EXPECT_EQ("static inline", text_of(made.function_words));
}

}  // namespace
}  // namespace halfmark::tools
