// SPDX-License-Identifier: Apache-2.0
// The JSON verbs of softmax and layernorm: answers to problems small enough to check by hand,
// and errors.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using Verb = int (*)(std::istream&, std::ostream&, std::ostream&);

std::string answer_of(Verb verb, const std::string& problem) {
  std::istringstream in(problem + "\n");
  std::ostringstream out, err;
  const int code = verb(in, out, err);
  return code == 0 ? out.str() : err.str();
}

TEST(RefSoftmax, ForwardOfEqualLogits) {
  EXPECT_EQ(
      answer_of(
          ref_softmax,
          R"({"rows":1,"n":2,"x":{"format":"fp16","bits":["4200","4200"]},"y_format":"fp16"})"),
      "{\"y\":{\"bits\":[\"3800\",\"3800\"],\"format\":\"fp16\"}}\n");
}

TEST(RefSoftmax, LogForwardOfOneLiveLogit) {
  EXPECT_EQ(
      answer_of(ref_softmax, R"({"rows":1,"n":2,"x":{"format":"fp16","bits":["4200","fc00"]},)"
                             R"("y_format":"fp32","operation":"log-forward"})"),
      "{\"y\":{\"bits\":[\"00000000\",\"ff800000\"],\"format\":\"fp32\"}}\n");
}

TEST(RefSoftmax, ExactIsRoundedOnce) {
  // 1 / (1 + e^-17) is 0.69 of a last place below 1; the sum in fp32 is 1.
  const std::string problem =
      R"({"rows":1,"n":2,"x":{"format":"fp16","bits":["0000","cc40"]},"y_format":"fp32")";
  EXPECT_EQ(answer_of(ref_softmax, problem + "}").substr(0, 23), R"({"y":{"bits":["3f800000)");
  EXPECT_EQ(answer_of(ref_softmax, problem + R"(,"arithmetic":"exact"})"),
            "{\"y\":{\"bits\":[\"3f7fffff\",\"3331cf18\"],\"format\":\"fp32\"}}\n");
}

TEST(RefSoftmax, ExactRefusesFormatsBeyondFp32) {
  const auto answer = [](const std::string& x, const std::string& y, const char* operation) {
    std::istringstream in(R"({"rows":1,"n":2,"x":{"format":")" + x + R"(","bits":["0","0"]},)" +
                          R"("y_format":")" + y + R"(","operation":")" + operation +
                          R"(","arithmetic":"exact"})");
    std::ostringstream out, err;
    EXPECT_EQ(2, ref_softmax(in, out, err));
    EXPECT_EQ("", out.str());
    return err.str();
  };
  const std::string remedy =
      " is in fp64, which goes beyond fp32; use another format, or \"specified\" arithmetic\n";
  for (const char* operation : {"forward", "log-forward"}) {
    EXPECT_EQ("halfmark ref softmax: line 1: 'x'" + remedy, answer("fp64", "fp32", operation));
    EXPECT_EQ("halfmark ref softmax: line 1: 'y_format'" + remedy,
              answer("fp32", "fp64", operation));
  }
}

TEST(RefSoftmax, BackwardTakesTheRowSumAway) {
  // y = 1/2, dy = 1 and 3: the sum is 2, so dx = -1/2 and 1/2.
  EXPECT_EQ(
      answer_of(ref_softmax, R"({"rows":1,"n":2,"y":{"format":"fp16","bits":["3800","3800"]},)"
                             R"("dy":{"format":"fp16","bits":["3c00","4200"]},"y_format":"fp16",)"
                             R"("operation":"backward"})"),
      "{\"dx\":{\"bits\":[\"b800\",\"3800\"],\"format\":\"fp16\"}}\n");
}

TEST(RefSoftmax, ErrorsNameTheFieldAndTheRemedy) {
  EXPECT_NE(
      answer_of(ref_softmax, R"({"rows":1,"n":0,"y_format":"fp16"})").find("at least one element"),
      std::string::npos);
  EXPECT_NE(
      answer_of(ref_softmax, R"({"rows":0,"n":1,"y_format":"fp16","x":{"format":"fp16","bits":[]},)"
                             R"("operation":"sideways"})")
          .find("softmax knows: forward, log-forward, backward"),
      std::string::npos);
}

TEST(RefLayernorm, ForwardOfAConstantRow) {
  // mean 3, variance 0, rstd = 1/sqrt(2^-4) = 4, y = beta.
  EXPECT_EQ(
      answer_of(ref_layernorm, R"({"rows":1,"n":2,"x":{"format":"fp16","bits":["4200","4200"]},)"
                               R"("gamma":{"format":"fp16","bits":["3c00","3c00"]},)"
                               R"("beta":{"format":"fp16","bits":["3c00","c000"]},)"
                               R"("eps":"3d800000","y_format":"fp16"})"),
      "{\"mean\":{\"bits\":[\"40400000\"],\"format\":\"fp32\"},"
      "\"rstd\":{\"bits\":[\"40800000\"],\"format\":\"fp32\"},"
      "\"y\":{\"bits\":[\"3c00\",\"c000\"],\"format\":\"fp16\"}}\n");
}

TEST(RefLayernorm, BackwardOfASignPattern) {
  // u = (1, -1), g = (3, 1): a = 2, b = 1, so dx = 0; dgamma = (3, -1), dbeta = (3, 1).
  EXPECT_EQ(
      answer_of(ref_layernorm, R"({"rows":1,"n":2,"x":{"format":"fp16","bits":["3c00","bc00"]},)"
                               R"("gamma":{"format":"fp16","bits":["3c00","3c00"]},)"
                               R"("dy":{"format":"fp16","bits":["4200","3c00"]},)"
                               R"("mean":{"format":"fp32","bits":["0"]},)"
                               R"("rstd":{"format":"fp32","bits":["3f800000"]},)"
                               R"("y_format":"fp16","operation":"backward"})"),
      "{\"dbeta\":{\"bits\":[\"4200\",\"3c00\"],\"format\":\"fp16\"},"
      "\"dgamma\":{\"bits\":[\"4200\",\"bc00\"],\"format\":\"fp16\"},"
      "\"dx\":{\"bits\":[\"0000\",\"0000\"],\"format\":\"fp16\"}}\n");
}

TEST(RefLayernorm, StatisticsMustBeSingle) {
  EXPECT_NE(answer_of(ref_layernorm, R"({"rows":1,"n":1,"x":{"format":"fp16","bits":["3c00"]},)"
                                     R"("gamma":{"format":"fp16","bits":["3c00"]},)"
                                     R"("dy":{"format":"fp16","bits":["4200"]},)"
                                     R"("mean":{"format":"fp16","bits":["0"]},"y_format":"fp16",)"
                                     R"("operation":"backward"})")
                .find("'mean' is in fp16; statistics are fp32"),
            std::string::npos);
}

}  // namespace
}  // namespace halfmark::tools
