// SPDX-License-Identifier: Apache-2.0
// The filter as its users see it: text in, text out, one line per error.
#include "tools/halfmark/ref/ref_op.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <thread>

#include "reference/soft/soft.hpp"

namespace halfmark::tools {
namespace {

struct Outcome {
  int code = 0;
  std::string out;
  std::string err;
};

// An unnamed file that holds `text`, read from its start.
struct File {
  explicit File(const std::string& text) : file(std::tmpfile()) {
    EXPECT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
    std::rewind(file);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { std::fclose(file); }
  std::string text() const {
    std::rewind(file);
    std::string all;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
      all.push_back(static_cast<char>(c));
    return all;
  }
  std::FILE* file;
};

Outcome run(const std::string& operation, const std::string& input, soft::Environment env = {},
            int random_bits = 0) {
  const File in(input);
  const File out("");
  std::ostringstream err;
  Outcome outcome;
  outcome.code = ref_op(fileno(in.file), fileno(out.file), err, {operation, env, random_bits});
  outcome.out = out.text();
  outcome.err = err.str();
  return outcome;
}

TEST(RefOp, TheExampleOfTheDesign) {
  EXPECT_EQ(run("fp16.fma", "3c00 3c01 8000\n").out, "3c01 0\n");
}

TEST(RefOp, EveryKindOfOperation) {
  EXPECT_EQ(run("fp16.add", "7bff 7bff\n").out, "7c00 5\n");
  EXPECT_EQ(run("fp16.sub", "3c00 3c00\n").out, "0000 0\n");
  EXPECT_EQ(run("fp32.div", "3f800000 0\n").out, "7f800000 8\n");
  EXPECT_EQ(run("fp32.div", "3f800000 40400000").out, "3eaaaaab 1\n");
  EXPECT_EQ(run("fp32.sqrt", "bf800000\n").out, "7fc00000 10\n");
  EXPECT_EQ(run("fp16.rint", "3e00\n").out, "4000 1\n");
  EXPECT_EQ(run("fp16.min", "7e00 3c00\n").out, "7e00 0\n");
  EXPECT_EQ(run("fp16.minnum", "7e00 3c00\n").out, "3c00 0\n");
  EXPECT_EQ(run("fp16.max", "8000 0\n").out, "0000 0\n");
  EXPECT_EQ(run("fp16.maxnum", "7d00 3c00\n").out, "3c00 10\n");
  EXPECT_EQ(run("bf16.eq", "8000 0\n").out, "1 0\n");
  EXPECT_EQ(run("bf16.lt", "7fc0 0\n").out, "0 10\n");
  EXPECT_EQ(run("bf16.le", "3f80 3f80\n").out, "1 0\n");
  EXPECT_EQ(run("fp32.to_fp16", "387fe000\n").out, "0400 3\n");
  EXPECT_EQ(run("fp16.to_fp32", "1\n").out, "33800000 0\n");
  EXPECT_EQ(run("fp16.ldexp", "3c00 -24\n3c00 0x2\n3c00 -0x2\n").out, "0001 0\n4400 0\n3400 0\n");
}

TEST(RefOp, EveryFormatByNameAndAlias) {
  EXPECT_EQ(run("tf32.add", "3f801fff 3f800000\n").out, "40000000 0\n");
  EXPECT_EQ(run("fp64.mul", "3ff0000000000001 3ff0000000000001\n").out, "3ff0000000000002 1\n");
  EXPECT_EQ(run("fp32.to_tf32", "3f801000\n").out, "3f800000 1\n");
  EXPECT_EQ(run("e4m3.add", "7e 7e\n").out, "7f 5\n");
  EXPECT_EQ(run("fp8_e5m2.to_fp32", "7b\n").out, "47600000 0\n");
  EXPECT_EQ(run("fp4_e2m1.to_fp16", "f\n").out, "c600 0\n");
  EXPECT_EQ(run("e8m0.to_fp32", "0\n").out, "00400000 0\n");
  EXPECT_NE(run("e2m1.add", "1 1\n").err.find("operations: to_fp16"), std::string::npos);
}

TEST(RefOp, ElementaryFunctions) {
  EXPECT_EQ(run("fp32.exp", "3f800000\nff800000\n").out, "402df854 1\n00000000 0\n");
  EXPECT_EQ(run("fp32.exp2", "c3150000\n").out, "00000001 0\n");
  EXPECT_EQ(run("fp32.log", "0\nbf800000\n").out, "ff800000 8\n7fc00000 10\n");
  EXPECT_EQ(run("fp16.log2", "4800\n").out, "4200 0\n");
  EXPECT_EQ(run("bf16.rsqrt", "4080\n").out, "3f00 0\n");
  EXPECT_EQ(run("fp32.tanh", "3f800000\n").out, "3f42f7d6 1\n");
  EXPECT_EQ(run("fp32.erf", "3f800000\n").out, "3f57bb3d 1\n");
  EXPECT_EQ(run("fp16.sigmoid", "0\n").out, "3800 0\n");
  EXPECT_EQ(run("fp32.gelu", "3f800000\nbf800000\n").out, "3f57625f 1\nbe227686 1\n");
  EXPECT_EQ(run("fp32.gelu_tanh", "3f800000\n").out, "3f57585c 1\n");
  EXPECT_EQ(run("fp32.tanh", "1\n", {.rounding = soft::Rounding::kTowardZero}).out, "00000000 3\n");
}

TEST(RefOp, EnvironmentsReachTheOperation) {
  EXPECT_EQ(run("fp16.add", "3c00 1\n", {soft::Rounding::kUp, {}}).out, "3c01 1\n");
  const soft::Environment flush{{}, soft::Subnormals::kFlush};
  EXPECT_EQ(run("fp16.mul", "0400 3800\n", flush).out, "0000 3\n");
}

TEST(RefOp, OverflowPolicies) {
  const soft::Environment saturate{.overflow = soft::Overflow::kSaturate};
  EXPECT_EQ("7f 5\n", run("fp32.to_e4m3fn", "44000000\n").out);
  EXPECT_EQ("7e 5\n", run("fp32.to_e4m3fn", "44000000\n", saturate).out);
  EXPECT_EQ("fb 5\n", run("fp32.to_e5m2", "ff800000\n", saturate).out);
  EXPECT_EQ("7f 0\n", run("fp32.to_e4m3fn", "7fc00000\n", saturate).out);
  EXPECT_EQ("7 5\n7 10\n", run("fp32.to_e2m1", "44000000\n7fc00000\n").out);
}

TEST(RefOp, StochasticLinesEndInARandomNumber) {
  const soft::Environment env{.rounding = soft::Rounding::kStochastic};
  EXPECT_EQ("38 1\n39 1\n", run("fp16.to_e4m3fn", "3c20 2\n3c20 3\n", env, 2).out);
  // The default is 32 random bits: a quarter of all random numbers round up.
  EXPECT_EQ("38 1\n39 1\n", run("fp16.to_e4m3fn", "3c20 bfffffff\n3c20 c0000000\n", env).out);
  EXPECT_EQ("4000 0\n", run("fp16.ldexp", "3c00 1 0\n", env).out);
  const Outcome missing = run("fp16.add", "3c00 3c00 1\n3c00 3c00\n", env, 8);
  EXPECT_EQ("4000 0\n", missing.out);
  EXPECT_EQ(2, missing.code);
  EXPECT_NE(missing.err.find("line 2: 2 operands instead of 3"), std::string::npos);
  EXPECT_NE(missing.err.find("and a random number in hex"), std::string::npos);
  EXPECT_NE(run("fp16.add", "1 1 100\n", env, 8).err.find("\"100\" is not a random number of 8"),
            std::string::npos);
  EXPECT_NE(run("fp64.add", "", env, 9).err.find("9 random bits are not 1 to 8"),
            std::string::npos);
  EXPECT_EQ(2, run("fp16.add", "", env, -1).code);
}

TEST(RefOp, BlanksCommentsAndLineEndsAreNoOperands) {
  const Outcome outcome = run("fp16.add", "\n  \t\n# a comment\r\n 0x3c00\t3C00  # two\r\n1 2");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "4000 0\n0003 0\n");
}

TEST(RefOp, ABadLineIsNamedAndTheLinesBeforeItAnswered) {
  const Outcome outcome = run("fp16.add", "3c00 3c00\n\n3c00 3g00\n3c00 3c00\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "4000 0\n");
  EXPECT_EQ(
      outcome.err,
      "halfmark: line 3: \"3g00\" is not an fp16 encoding; fp16.add takes 2 fp16 encodings of "
      "up to 4 hex digits\n");
}

TEST(RefOp, ErrorsAreOneLineWithTheRemedy) {
  const auto error = [](const std::string& operation, const std::string& input) {
    const Outcome outcome = run(operation, input);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    return outcome.err;
  };
  EXPECT_NE(error("fp16.fma", "1 2\n").find("2 operands instead of 3"), std::string::npos);
  EXPECT_NE(error("fp16.sqrt", "1 2\n").find("\"2\" is one operand too many"), std::string::npos);
  EXPECT_NE(error("fp16.sqrt", "10000\n").find("\"10000\" is not"), std::string::npos);
  EXPECT_NE(error("fp16.ldexp", "1 1.5\n").find("\"1.5\" is not a 32-bit"), std::string::npos);
  EXPECT_NE(error("fp16.ldexp", "1 --5\n").find("\"--5\" is not a 32-bit"), std::string::npos);
  EXPECT_NE(error("fp16.ldexp", "1 99999999999\n").find("not a 32-bit"), std::string::npos);
  EXPECT_NE(error("fp17.add", "").find("formats: fp16 bf16 tf32 fp32 fp64"), std::string::npos);
  EXPECT_NE(error("fp16", "").find("FORMAT.OPERATION"), std::string::npos);
  EXPECT_NE(error("fp16.plus", "").find("operations: add sub"), std::string::npos);
}

// However the input is split, a line of up to 65536 characters is read whole and a longer one
// is refused.
TEST(RefOp, LongLinesHaveALimit) {
  const std::string blanks(65'536 - 9, ' ');
  EXPECT_EQ(run("fp16.add", blanks + "3c00 3c00\n3c00 3c00\n").out, "4000 0\n4000 0\n");
  for (const char* tail : {"3c00 3c00\n", "3c00 3c00", "# a comment without end", "\n"}) {
    const Outcome outcome = run("fp16.add", "1 2\n " + blanks + blanks + tail);
    EXPECT_EQ(outcome.code, 2) << tail;
    EXPECT_EQ(outcome.out, "0003 0\n");
    EXPECT_NE(outcome.err.find("line 2: longer than 65536 characters"), std::string::npos) << tail;
  }
  EXPECT_EQ(run("fp16.add", "1 2\n#" + std::string(1'000'000, 'x')).code, 2);
}

TEST(RefOp, ErrorsAreShortAndHarmless) {
  for (const std::string& word : {std::string(5000, 'f'), std::string("\x1b[31m\xff\0x", 8)}) {
    for (const std::string& line : {word, "1 " + word, "1 2 " + word}) {
      const Outcome outcome = run("fp16.add", line + "\n");
      EXPECT_EQ(outcome.code, 2);
      EXPECT_LT(outcome.err.size(), 200U);
      EXPECT_EQ(outcome.err.find_first_of(std::string("\x1b\xff\0", 3)), std::string::npos);
    }
    EXPECT_LT(run("fp16." + word, "").err.size(), 500U);
  }
}

TEST(RefOp, LinesThatStraddleReadsAreWhole) {
  std::string input;
  std::string expected;
  for (formats::Bits a = 0; a < 0x10000; ++a) {
    for (const formats::Bits b : {formats::Bits{0x3555}, formats::Bits{0x8001}}) {
      char line[32];
      std::snprintf(line, sizeof line, "%04x %04x\n", unsigned(a), unsigned(b));
      input += line;
      const soft::Result result = soft::mul(formats::kFp16, a, b);
      std::snprintf(line, sizeof line, "%04x %x\n", unsigned(result.bits), result.flags);
      expected += line;
    }
  }
  EXPECT_EQ(run("fp16.mul", input).out, expected);
}

// A program may write one line and wait for its answer before it writes the next.
TEST(RefOp, AnswersEachLineAtOnce) {
  int to[2];
  int from[2];
  ASSERT_EQ(pipe(to), 0);
  ASSERT_EQ(pipe(from), 0);
  std::ostringstream err;
  int code = -1;
  std::jthread filter([&] { code = ref_op(to[0], from[1], err, {"fp16.add", {}}); });
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(write(to[1], "3c00 3c00\n", 10), 10);
    char answer[16] = {};
    ASSERT_EQ(read(from[0], answer, sizeof answer), 7);
    EXPECT_STREQ(answer, "4000 0\n");
  }
  close(to[1]);
  filter.join();
  EXPECT_EQ(code, 0);
  for (const int descriptor : {to[0], from[0], from[1]}) close(descriptor);
}

TEST(RefOp, HelpNamesEveryFormatAndOperation) {
  const std::string help = ref_op_help();
  for (const char* word : {"fp16", "bf16", "fp32", "add", "fma", "gelu_tanh", "ldexp", "minnum",
                           "to_bf16", "near_away", "flush_out", "stochastic", "saturate"}) {
    EXPECT_NE(help.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace halfmark::tools
