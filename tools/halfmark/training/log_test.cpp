// SPDX-License-Identifier: Apache-2.0
// What a log may contain, and that a log with a mistake is refused whole, with line and field.
#include "tools/halfmark/training/log.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace halfmark::tools {
namespace {

std::string problem(std::string_view text) {
  try {
    static_cast<void>(parse_training_log(text));
  } catch (const LogError& error) {
    return error.what();
  }
  return {};
}

TEST(TrainingLog, HoldsWhatWasWritten) {
  const TrainingLog log = parse_training_log(
      R"({"setup":{"format":"float16","clip":1,"operators":[{"op":"softmax","format":"half"}]}})"
      "\n\n"
      R"({"step":0,"loss":6.5,"norm":"inf","scale":65536,"skipped":true})"
      "\n"
      R"({"step":5,"loss":"nan","layers":[{"name":"a","norm":1,"lost_share":0.25}]})");
  EXPECT_EQ("fp16", log.setup->format);
  EXPECT_EQ("fp16", log.setup->operators[0].format);
  EXPECT_EQ(1.0, log.setup->clip);
  ASSERT_EQ(2u, log.steps.size());
  EXPECT_TRUE(std::isinf(*log.steps[0].norm));
  EXPECT_TRUE(log.steps[0].skipped);
  EXPECT_TRUE(std::isnan(*log.steps[1].loss));
  EXPECT_FALSE(log.steps[1].scale);
  EXPECT_EQ(0.25, log.steps[1].layers[0].lost_share);
}

TEST(TrainingLog, TakesOperatorsOfEitherFrameworkAndOfLists) {
  for (const char* name : {"linear", "MatMul", "fft_fft"}) {
    const std::string line = std::string(R"({"setup":{"operators":[{"op":")") + name + R"("}]}})";
    EXPECT_EQ("", problem(line)) << name;
  }
}

TEST(Zones, HaveTheBordersOfFp16) {
  const auto only = [](int exponent) { return *zones_of({{exponent, 3}}); };
  EXPECT_EQ(1, only(16).overflow);
  EXPECT_EQ(1, only(15).normal);
  EXPECT_EQ(1, only(-14).normal);
  EXPECT_EQ(1, only(-15).subnormal);
  EXPECT_EQ(1, only(-25).subnormal) << "more than half of the least number rounds to it";
  EXPECT_EQ(1, only(-26).lost);
  EXPECT_EQ(0.25, zones_of({{-30, 1}, {0, 3}})->lost);
  EXPECT_FALSE(zones_of({}));
  const TrainingLog log = parse_training_log(
      R"({"step":0,"layers":[{"name":"a","exponents":{"-26":1,"-15":1,"0":2}},{"name":"b"}]})");
  EXPECT_EQ(0.5, log.steps[0].layers[0].zones->normal);
  EXPECT_FALSE(log.steps[0].layers[1].zones);
}

TEST(TrainingLog, NamesLineAndField) {
  const struct {
    const char *text, *words;
  } kRows[] = {
      {"", "the log is empty"},
      {"{\"step\":0}\n{\"step\":1,\"loss\":1", "line 2: not JSON"},
      {"[1]", "line 1: a step is no object"},
      {R"({"loss":1})", "line 1: a step lacks 'step'"},
      {R"({"step":-1})", "line 1: 'step' is -1; write a whole number"},
      {R"({"step":0.5})", "'step' is 0.5"},
      {"{\"step\":3}\n{\"step\":3}", "line 2: 'step' is 3 after 3; steps ascend"},
      {R"({"step":0,"loss":"high"})", R"('loss' is "high"; write a number)"},
      {R"({"step":0,"norm":-1})", "'norm' is -1; it cannot be negative"},
      {R"({"step":0,"scale":"nan"})", "'scale' is nan; a scale is a finite number"},
      {R"({"step":0,"scale":"inf"})", "'scale' is inf"},
      {R"({"step":0,"scale":-2})", "'scale' is -2; it cannot be negative"},
      {R"({"step":0,"skipped":1})", "'skipped' is 1; write true or false"},
      {R"({"step":0,"los":1})", "'los' is not a field of a step; known: step, loss"},
      {R"({"step":0,"layers":{}})", "'layers' is {}; write a list"},
      {R"({"step":0,"layers":[{"norm":1}]})", "a layer lacks 'name'"},
      {R"({"step":0,"layers":[{"name":"a","lost_share":1.5}]})", "a share lies between 0 and 1"},
      {R"({"step":0,"layers":[{"name":"a","lost_share":"nan"}]})", "a share lies between 0 and 1"},
      {R"({"setup":{"format":"fp17"}})", "'format' is \"fp17\", which is no format"},
      {R"({"setup":{"format":16}})", "'format' is 16; write text"},
      {R"({"setup":{"operators":[{"op":"no_such_op"}]}})",
       "line 1: 'op' is \"no_such_op\", which is no operator on any list"},
      {R"({"step":0,"mismatch":-1})", "'mismatch' is -1; it cannot be negative"},
      {R"({"step":0,"layers":[{"name":"a","exponents":[1]}]})", "'exponents' is [1]"},
      {R"({"step":0,"layers":[{"name":"a","exponents":{"x":1}}]})", "'exponents' has \"x\""},
      {R"({"step":0,"layers":[{"name":"a","exponents":{"128":1}}]})", "'exponents' has \"128\""},
      {R"({"step":0,"layers":[{"name":"a","exponents":{"1":-1}}]})", "'exponents' has -1 at 1"},
      {R"({"setup":{"momentum":1}})", "'momentum' is not a field of setup"},
      {R"({"setup":{"operators":[{"format":"fp16"}]}})", "an operator lacks 'op'"},
      {"{\"step\":0}\n{\"setup\":{}}", "line 2: 'setup' belongs on the first line, once"},
      {"{\"setup\":{}}\n{\"setup\":{}}", "line 2: 'setup' belongs on the first line, once"},
      {R"({"setup":{},"step":1})", "'step' is not a field of the first line"},
  };
  for (const auto& row : kRows) {
    EXPECT_NE(problem(row.text).find(row.words), std::string::npos) << row.text << "\n"
                                                                    << problem(row.text);
  }
}

}  // namespace
}  // namespace halfmark::tools
