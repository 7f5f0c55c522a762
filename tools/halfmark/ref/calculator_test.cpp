// SPDX-License-Identifier: Apache-2.0
// The calculator's blocks, in full where their layout matters, and its errors for invalid words.
#include "tools/halfmark/ref/calculator.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "reference/formats/text.hpp"
#include "reference/soft/soft.hpp"
#include "tools/halfmark/ref/operand.hpp"

namespace halfmark::tools {
namespace {

using Words = std::vector<std::string>;

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

template <typename Verb>
Outcome run(Verb verb, const std::string& subject, const Words& words, soft::Environment env = {}) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = verb(out, err, {.subject = subject, .words = words, .environment = env});
  return {code, out.str(), err.str()};
}

Outcome value(const std::string& format, const Words& words, soft::Environment env = {}) {
  return run(ref_value, format, words, env);
}
Outcome op(const std::string& operation, const Words& words, soft::Environment env = {}) {
  return run(ref_op_explained, operation, words, env);
}

// The text after a line's name; empty when there is no such line.
std::string field(const std::string& block, const std::string& name) {
  std::istringstream lines(block);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + " ")) return line.substr(11);
  }
  return {};
}

TEST(RefValue, TakesANumberApart) {
  EXPECT_EQ(value("fp16", {"0.1"}).out,
            "fp16       0.1\n"
            "encoding   0x2e66: sign 0, exponent 01011 (2^-4), fraction 1001100110\n"
            "class      normal\n"
            "hex float  0x1.998p-4\n"
            "decimal    0.0999755859375\n"
            "shortest   0.1\n"
            "error      -0.0000244140625 = -0.4 ulp\n"
            "flags      1 (inexact)\n"
            "ulp        2^-14 = 0.00006103515625\n"
            "below      0x2e65  0x1.994p-4  0.09991455078125\n"
            "above      0x2e67  0x1.99cp-4  0.10003662109375\n"
            "directions near_even 0x2e66, toward_zero 0x2e66, down 0x2e66, up 0x2e67, near_away "
            "0x2e66\n");
}

TEST(RefValue, OfEncodingsAndExactNumbersNothingIsLost) {
  for (const char* word : {"0x3c00", "bits:3c00", "0X3C00"}) {
    const std::string out = value("fp16", {word}).out;
    EXPECT_EQ(field(out, "decimal"), "1") << word;
    EXPECT_EQ(field(out, "error") + field(out, "directions") + field(out, "flags"), "") << word;
  }
  EXPECT_EQ(field(value("fp16", {"0x1.8p-3"}).out, "error"), "0 ulp");
  EXPECT_EQ(field(value("tf32", {"0x3f801fff"}).out, "decimal"), "1") << "padding is ignored";
}

TEST(RefValue, TheEdgesOfARange) {
  const std::string over = value("fp16", {"65520"}).out;
  EXPECT_EQ(field(over, "class"), "infinity");
  EXPECT_EQ(field(over, "error"), "out of range");
  EXPECT_EQ(field(over, "above"), "none");
  EXPECT_EQ(field(over, "below"), "0x7bff  0x1.ffcp+15  65504");
  EXPECT_EQ(field(over, "directions"),
            "near_even 0x7c00, toward_zero 0x7bff, down 0x7bff, up 0x7c00, near_away 0x7c00");
  const std::string tiny = value("fp16", {"-1e-9"}, {.rounding = soft::Rounding::kDown}).out;
  EXPECT_EQ(field(tiny, "encoding"), "0x8001: sign 1, exponent 00000 (2^-14), fraction 0000000001");
  EXPECT_EQ(field(tiny, "class"), "subnormal");
  EXPECT_EQ(field(tiny, "flags"), "3 (inexact, underflow)");
  EXPECT_EQ(field(value("e2m1", {"-6"}).out, "below"), "none");
  EXPECT_EQ(field(value("e8m0", {"0"}).out, "decimal").substr(0, 6), "5.8774");
  EXPECT_EQ(field(value("fp16", {"snan"}).out, "flags"), "10 (invalid)");
  EXPECT_EQ(field(value("fp16", {"0x7d01"}).out, "class"), "signaling NaN");
}

TEST(RefValue, SaturationIsAPolicy) {
  EXPECT_EQ(field(value("e4m3", {"500"}).out, "class"), "quiet NaN");
  const soft::Environment saturate{.overflow = soft::Overflow::kSaturate};
  EXPECT_EQ(field(value("e4m3", {"500"}, saturate).out, "decimal"), "448");
  EXPECT_EQ(field(op("e4m3.add", {"448", "448"}, saturate).out, "result"), "0x7e  0x1.cp+8  448");
}

TEST(RefValue, AStreamOfWordsStopsAtTheFirstBadOne) {
  const Outcome outcome = value("fp16", {"1", "3c00", "2"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(field(outcome.out, "encoding").substr(0, 6), "0x3c00");
  EXPECT_EQ(outcome.err,
            "halfmark: \"3c00\" is not a number; write a decimal such as 0.1 or 1e-5, a hex float "
            "such as 0x1.8p-3, inf, nan, or an encoding after 0x or bits:\n");
  EXPECT_NE(value("fp16", {"0x13c00"}).err.find("up to 4 hex digits"), std::string::npos);
  EXPECT_NE(value("fp16", {"0x1.8"}).err.find("not a number"), std::string::npos);
  EXPECT_NE(value("fp17", {"1"}).err.find("\"fp17\" is no format; formats: fp16"),
            std::string::npos);
  EXPECT_EQ(value("fp16", {}).code, 2);
  EXPECT_LT(value("fp16", {std::string(100'000, 'z')}).err.size(), 300U);
}

TEST(RefOpExplained, ShowsTheWholeOperation) {
  EXPECT_EQ(op("fp16.fma", {"0.1", "3", "-0.3"}).out,
            "operation  fp16.fma: a * b + c, rounded once; near_even, subnormals keep\n"
            "a          0x2e66  0x1.998p-4  0.0999755859375  (0.1 rounded: -0.4 ulp)\n"
            "b          0x4200  0x1.8p+1  3\n"
            "c          0xb4cd  -0x1.334p-2  -0.300048828125  (-0.3 rounded: -0.2 ulp)\n"
            "exact      -0.0001220703125\n"
            "error      0 ulp\n"
            "result     0x8800  -0x1p-13  -0.0001220703125\n"
            "flags      0 (none)\n"
            "below      0x8801  -0x1.004p-13  -0.00012218952178955078125\n"
            "above      0x87ff  -0x1.ffcp-14  -0.000122010707855224609375\n");
}

TEST(RefOpExplained, WhatDoesNotEndIsBracketed) {
  const std::string third = op("fp16.div", {"1", "3"}).out;
  EXPECT_EQ(field(third, "exact"),
            "0.333333333333333333333333333333333333333333333333333333333333...");
  EXPECT_NE(third.find("0x1.5555555555555555...p-2\n"), std::string::npos);
  EXPECT_EQ(field(third, "error"), "-0.3333333333... ulp");
  EXPECT_EQ(field(op("fp32.sqrt", {"2"}).out, "exact").substr(0, 14), "1.414213562373");
  EXPECT_EQ(field(op("fp32.sqrt", {"2.25"}).out, "exact"), "1.5");
}

TEST(RefOpExplained, FunctionsAreBracketedByTheWidestFormat) {
  const std::string out = op("fp16.exp", {"1"}).out;
  EXPECT_EQ(field(out, "exact"), "between 0x1.5bf0a8p+1 and 0x1.5bf0aap+1");
  EXPECT_EQ(field(out, "error"), "between 0.2396240234... ulp and 0.2397460937... ulp");
  EXPECT_EQ(field(op("fp16.exp", {"0"}).out, "exact"), "1");
  EXPECT_EQ(field(op("fp16.min", {"1", "2"}).out, "exact"), "") << "a result that is an operand";
  EXPECT_EQ(field(op("fp16.log", {"-1"}).out, "exact"), "");
}

TEST(RefOpExplained, WhereNoNumberAnswers) {
  for (const Words& words : {Words{"1", "0"}, Words{"inf", "2"}, Words{"nan", "2"}}) {
    const std::string out = op("fp16.div", words).out;
    EXPECT_EQ(field(out, "exact") + field(out, "error"), "") << words[0];
    EXPECT_NE(field(out, "result"), "");
  }
  EXPECT_EQ(field(op("fp16.div", {"1", "0"}).out, "flags"), "8 (division by zero)");
  EXPECT_EQ(field(op("fp16.sqrt", {"-2"}).out, "flags"), "10 (invalid)");
  EXPECT_EQ(field(op("fp16.lt", {"-inf", "3"}).out, "result"), "1 (true)");
  EXPECT_EQ(field(op("fp16.ldexp", {"1", "2147483647"}).out, "result"), "0x7c00  inf");
  EXPECT_EQ(field(op("fp16.add", {"-1", "1"}, {.rounding = soft::Rounding::kDown}).out, "exact"),
            "0");
}

TEST(RefOpExplained, StochasticRoundingTakesItsRandomNumberLast) {
  const auto outcome = [](const Words& words) {
    std::ostringstream out;
    std::ostringstream err;
    const soft::Environment env{.rounding = soft::Rounding::kStochastic};
    const int code = ref_op_explained(
        out, err,
        {.subject = "fp16.to_e4m3fn", .words = words, .environment = env, .random_bits = 2});
    return Outcome{code, out.str(), err.str()};
  };
  EXPECT_EQ(field(outcome({"0x3c20", "2"}).out, "result"), "0x38  0x1p+0  1");
  EXPECT_EQ(field(outcome({"0x3c20", "3"}).out, "result"), "0x39  0x1.2p+0  1.125");
  EXPECT_NE(outcome({"0x3c20", "4"}).err.find("random number of 2 bits"), std::string::npos);
  EXPECT_EQ(outcome({"0x3c20"}).code, 2);
  EXPECT_EQ(outcome({}).code, 2);
}

TEST(RefOpExplained, WrongWordsAreNamed) {
  EXPECT_EQ(op("fp16.add", {"1"}).err, "halfmark: fp16.add takes 2 operands, not 1\n");
  EXPECT_NE(op("fp16.ldexp", {"1", "1.5"}).err.find("\"1.5\" is not a 32-bit integer"),
            std::string::npos);
  EXPECT_NE(op("fp16.add", {"1", "x"}).err.find("\"x\" is not a number"), std::string::npos);
  EXPECT_NE(op("fp16.frob", {"1"}).err.find("operations: add"), std::string::npos);
  EXPECT_EQ(op("fp16.add", {"1", "x"}).out, "");
  EXPECT_EQ(op("fp16.add", {"1", "x"}).code, 2);
}

TEST(Integer, ReachesExactlyThirtyTwoBits) {
  EXPECT_EQ(parse_integer("-2147483648"), std::int32_t{-2147483647 - 1});
  EXPECT_EQ(parse_integer("0x7fffffff"), 2147483647);
  EXPECT_EQ(parse_integer("2147483648"), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::nullopt);
  for (const char* text : {"", "-", "0x", "--1", "1.0", "+-1"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace halfmark::tools
