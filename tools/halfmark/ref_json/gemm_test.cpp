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

const std::string kOperands =
    R"({"m":1,"n":1,"k":2,"a":{"format":"fp16","bits":["3c00","0x4000"]},"b":{"format":"fp16","bits":["3C00","4200"]},)"
    R"("d_format":"fp32")";

std::string dot_in(const std::string& arithmetic) {
  return kOperands + R"(,"arithmetic":")" + arithmetic + "\"";
}
const std::string kDot = dot_in("fp32.sequential.fma");

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

TEST(RefGemm, TheCommandLinesArithmeticIsForProblemsWithoutOne) {
  // 2048 + 1 in fp16 and in fp32.
  const std::string sum =
      R"({"m":1,"n":1,"k":2,"a":{"format":"fp16","bits":["6800","3c00"]},"b":{"format":"fp16","bits":["3c00","3c00"]},)"
      R"("d_format":"fp32")";
  std::istringstream in(sum + "}\n" + sum + R"(,"arithmetic":"exact"})" + "\n");
  std::ostringstream out, err;
  EXPECT_EQ(ref_gemm(in, out, err, {.arithmetic = "fp16.sequential.fma"}), 0) << err.str();
  EXPECT_EQ(out.str(),
            "{\"d\":{\"bits\":[\"45000000\"],\"format\":\"fp32\"}}\n"
            "{\"d\":{\"bits\":[\"45001000\"],\"format\":\"fp32\"}}\n");
}

// 2048 + 1 + c in fp16: the 1 is lost, and then c = 1 or infinity.
TEST(RefGemm, AReportSaysHowWrongEachOutputIs) {
  const Outcome got = run(
      R"({"m":1,"n":2,"k":2,"a":{"format":"fp16","bits":["6800","3c00"]},"b":{"format":"fp16","bits":["3c00","3c00","3c00","3c00"]},)"
      R"("c":{"format":"fp16","bits":["3c00","7c00"]},"d_format":"fp16","arithmetic":"fp16.sequential.fma.c_last","report":true})"
      "\n");
  EXPECT_NE(got.out.find(R"("exact":{"bits":["6801","7c00"],"format":"fp16"})"), std::string::npos)
      << got.out;
  EXPECT_NE(got.out.find(R"("max_ulp_error":"1.0")"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find(R"("ulp_error":["1.0","0.0"])"), std::string::npos) << got.out;
  // Three roundings of 2^-11: 3u / (1 - 3u) * 2050 / 2, and the second sum is infinite.
  EXPECT_NE(got.out.find(R"("bound":["1.50)"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find(",null]"), std::string::npos) << got.out;
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

TEST(RefGemm, AMatrixUnitAnswersInItsFormatAndWithItsNan) {
  const std::string unit =
      R"({"m":1,"n":1,"k":2,"b":{"format":"fp16","bits":["3c00","3c00"]},"d_format":"fp16",)"
      R"("arithmetic":"unit.volta.mma.fp16.fp16","a":{"format":"fp16","bits":)";
  const Outcome got = run(unit + R"(["3c00","4000"]}})" + "\n" + unit + R"(["7e00","4000"]}})");
  EXPECT_EQ(got.out,
            "{\"d\":{\"bits\":[\"4200\"],\"format\":\"fp16\"}}\n"
            "{\"d\":{\"bits\":[\"7fff\"],\"format\":\"fp16\"}}\n")
      << got.err;
}

// Two rows of A times two columns of B, 40 products: two blocks, the second one short.
std::string scaled_problem(const std::string& scales) {
  const auto repeated = [](const char* word, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text.append(i == 0 ? "\"" : ",\"").append(word).append("\"");
    return text;
  };
  return R"({"m":2,"n":2,"k":40,"d_format":"fp32","arithmetic":"unit.blackwell.tcgen05.mxfp8.fp32",)"
         R"("a":{"format":"e4m3fn","bits":[)" +
         repeated("38", 80) + R"(]},"b":{"format":"e5m2","bits":[)" + repeated("3c", 80) + "]}" +
         scales + "}\n";
}

TEST(RefGemm, ScalesStandAlongRowsOfAAndColumnsOfB) {
  // d[i][j] = 32 * A[i][0] * B[0][j] + 8 * A[i][1] * B[1][j].
  const Outcome got =
      run(scaled_problem(R"(,"a_scales":{"format":"e8m0","bits":["7f","80","81","7f"]},)"
                         R"("b_scales":{"format":"e8m0","bits":["7f","80","7f","7f"]})"));
  EXPECT_EQ(got.out,
            "{\"d\":{\"bits\":[\"42400000\",\"42a00000\",\"43080000\",\"43840000\"],"
            "\"format\":\"fp32\"}}\n")  // 48, 80, 136, 264
      << got.err;
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
      {dot_in("fp32.sideways.fma") + "}", "at character 6: expected an order (sequential"},
      {dot_in("fp8.sideways") + "}", "`halfmark ref arithmetics` shows the names"},
      {dot_in("fp32.tree-((0+1)+2).fma") + "}", "the tree is over 3 products; the sum has 2"},
      {R"({"m":2147483647,"n":2147483647,"k":0,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":[]},)"
       R"("b":{"format":"fp16","bits":[]}})",
       "d ('m' times 'n') would have 4611686014132420609 elements; it may have at most"},
      {kDot + R"(,"a_scales":{"format":"e8m0","bits":["7f"]}})",
       "'a_scales' is given; only matrix"},
      {scaled_problem(""),
       "'a_scales' is missing; unit.blackwell.tcgen05.mxfp8.fp32 takes one e8m0"},
      {scaled_problem(R"(,"a_scales":{"format":"e8m0","bits":["7f"]})"),
       "'a_scales.bits' has 1 elements; the dimensions require 4"},
      {scaled_problem(R"(,"a_scales":{"format":"e4m3","bits":["7f","7f","7f","7f"]})"),
       "'a_scales.format' is \"e4m3fn\"; unit.blackwell.tcgen05.mxfp8.fp32 takes e8m0"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp32","arithmetic":"unit.ada.mma.e4m3.fp32","a":{"format":"fp16","bits":["0"]},)"
       R"("b":{"format":"fp16","bits":["0"]}})",
       "'a' and 'b' do not fit 'arithmetic': unit.ada.mma.e4m3fn.fp32 takes a in e4m3fn and b in "
       "e4m3fn, e5m2; here a is fp16 and b is fp16"},
      {kDot + R"(,"report":1})", "'report' is number; write true or false"},
      {kDot + R"(,"report":true,"alpha":"0","beta":"0"})",
       "'report' is for problems without alpha"},
      {R"({"m":1})", "'n' is missing"},
      {R"({"m":-1})", "'m' is -1; write a whole number"},
      {R"([1])", "one JSON object"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp17","arithmetic":"exact"})",
       "\"fp17\", which is no format; known: fp16"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":["10000"]}})",
       "'a.bits[0]' is \"10000\"; fp16 takes at most 4 hex digits"},
      {R"({"m":1,"n":1,"k":1,"d_format":"fp16","arithmetic":"exact","a":{"format":"fp16","bits":[]}})",
       "'a.bits' has 0 elements; the dimensions require 1"},
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

// Malformed problems: each is refused in one short line.
TEST(RefGemm, HostileTextIsRefused) {
  const std::string duplicate = kDot + R"(,"m":2})";
  const std::string deep(100'000, '[');
  const BadProblem bad[] = {
      {duplicate, "'m' appears twice in one object"},
      {kDot + R"(,"c":{"format":"bf16","format":"fp16","bits":["3f80"]}})",
       "'format' appears twice"},
      {R"({"m":1e400})", "a number is too large"},
      {R"({"m":1000000000000000000000})", "'m' is 1"},
      {R"({"m":NaN})", "not JSON"},
      {R"({"m":1.0})", "'m' is 1.0; write a whole number"},
      {R"({"m":null})", "'m' is null"},
      {"{\"m\":\"\xff\"}", "not JSON"},
      {"{\"\xff\":1}", "not JSON"},
      {std::string("{\"m\":1\0}", 8), "not JSON"},
      {deep, "nested deeper than 96"},
      {deep + std::string(100'000, ']'), "nested deeper than 96"},
      {R"({"m":)" + deep, "nested deeper than 96"},
      {"{\"" + std::string(100'000, 'm') + "\":1}", "mmm...' is not a field"},
      {R"({"a\nb\u001b[31m":1})", R"('a\nb\x1b[31m' is not a field)"},
      {R"({"m":1} {"m":1})", "not JSON"},
      {"\xef\xbb\xbf\xef\xbb\xbf{}", "not JSON"},
  };
  for (const BadProblem& problem : bad) {
    const Outcome got = run(problem.text + "\n");
    EXPECT_EQ(got.code, 2) << problem.text.substr(0, 80);
    EXPECT_NE(got.err.find(problem.words), std::string::npos) << got.err;
    EXPECT_EQ(got.err.find('\n'), got.err.size() - 1) << "one line";
    EXPECT_LT(got.err.size(), 300U);
  }
}

TEST(RefGemm, LineEndsAndBlankLinesOfAnyKind) {
  const Outcome got = run("\r\n \t\n" + kDot + "}\r\n\n" + kDot + "}");
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_EQ(std::count(got.out.begin(), got.out.end(), '\n'), 2);
}

TEST(RefGemm, ALostAnswerIsNoSuccess) {
  std::istringstream in(kDot + "}\n");
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(ref_gemm(in, out, err), 3);
  EXPECT_NE(err.str().find("the output cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace halfmark::tools
