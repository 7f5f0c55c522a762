// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(const std::string& text) {
  std::istringstream in(text);
  std::ostringstream out, err;
  const int code = ref_gemm(in, out, err);
  return {code, out.str(), err.str()};
}

const std::string kDot =
    R"({"m":1,"n":1,"k":2,"a":{"format":"fp16","bits":["3c00","0x4000"]},"b":{"format":"fp16","bits":["3C00","4200"]},)"
    R"("d_format":"fp32","arithmetic":"fp32.sequential.fma")";

TEST(RefGemm, AnswersEachLine) {
  const Outcome got = run(kDot + "}\n\n" + kDot + R"(,"alpha":"40000000","beta":"0"})" + "\n");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(got.out,
            "{\"d\":{\"bits\":[\"40e00000\"],\"format\":\"fp32\"}}\n"
            "{\"d\":{\"bits\":[\"41600000\"],\"format\":\"fp32\"}}\n");
}

TEST(RefGemm, InitialAccumulatorMayHaveItsOwnFormat) {
  const Outcome got = run(kDot + R"(,"c":{"format":"bf16","bits":["3f80"]}})" + "\n");
  EXPECT_EQ(got.out, "{\"d\":{\"bits\":[\"41000000\"],\"format\":\"fp32\"}}\n") << got.err;
}

TEST(RefGemm, RowMajor) {
  const Outcome got = run(
      R"({"m":2,"n":2,"k":1,"a":{"format":"fp16","bits":["3c00","4000"]},"b":{"format":"fp16","bits":["3c00","4200"]},)"
      R"("d_format":"fp16","arithmetic":"exact"})");
  EXPECT_EQ(got.out,
            "{\"d\":{\"bits\":[\"3c00\",\"4200\",\"4000\",\"4600\"],\"format\":\"fp16\"}}\n")
      << got.err;
}

TEST(RefGemm, AnErrorEndsWithCodeTwoAfterTheEarlierAnswers) {
  const Outcome got = run(kDot + "}\nnonsense\n" + kDot + "}\n");
  EXPECT_EQ(got.code, 2);
  EXPECT_EQ(got.out, "{\"d\":{\"bits\":[\"40e00000\"],\"format\":\"fp32\"}}\n");
  EXPECT_NE(got.err.find("halfmark ref gemm: line 2: not JSON"), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << "one line";
}

struct BadProblem {
  std::string text, words;
};

TEST(RefGemm, ErrorsNameTheFieldAndTheRemedy) {
  const BadProblem bad[] = {
      {kDot + R"(,"alpha":"3f800000"})", "'beta' is missing; give both"},
      {kDot + R"(,"alpha":"3f800000","beta":"3f800000"})", "'c' is missing"},
      {kDot + R"(,"alhpa":"3f800000"})", "'alhpa' is not a field"},
      {kDot + R"(,"alpha":1,"beta":"0"})", "'alpha' is number; write the encoding as hex text"},
      {kDot + R"(,"arithmetic":"fp32.sideways.fma"})",
       "at character 6: expected an order (sequential"},
      {kDot + R"(,"arithmetic":"fp8.sideways"})", "`halfmark ref arithmetics` shows the names"},
      {kDot + R"(,"arithmetic":"fp32.tree-((0+1)+2).fma"})",
       "the tree is over 3 products; the sum has 2"},
      {R"({"m":2147483647,"n":2147483647,"k":0,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":[]},)"
       R"("b":{"format":"fp16","bits":[]}})",
       "'m' times 'n' is 4611686014132420609; D may have at most"},
      {R"({"m":1})", "'n' is missing"},
      {R"({"m":-1})", "'m' is -1; write a whole number"},
      {R"([1])", "one JSON object"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp17","arithmetic":"exact"})",
       "\"fp17\", which is no format; known: fp16"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":["10000"]}})",
       "'a.bits[0]' is \"10000\"; fp16 takes at most 4 hex digits"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":[]}})",
       "'a.bits' holds 0 elements; the dimensions ask for 1"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp16","arithmetic":"exact","a":["3c00"]})",
       "'a' is array; write"},
  };
  for (const BadProblem& problem : bad) {
    const Outcome got = run(problem.text + "\n");
    EXPECT_EQ(got.code, 2) << problem.text;
    EXPECT_NE(got.err.find(problem.words), std::string::npos) << problem.text << " -> " << got.err;
    EXPECT_EQ(got.err.find("halfmark ref gemm: line 1: "), 0u) << got.err;
  }
}

}  // namespace
}  // namespace halfmark::tools
