// SPDX-License-Identifier: Apache-2.0
// The verb's text, its JSON, its exit code and its errors.
#include "tools/halfmark/training/diagnose.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "suites/core/case/errors.hpp"

namespace halfmark::tools {
namespace {

class Diagnose : public testing::Test {
 protected:
  Diagnose() { std::filesystem::create_directories(path_.parent_path()); }

  int run(const std::string& log, bool as_json = false) {
    std::ofstream(path_) << log;
    out_.str("");
    return diagnose_training({.log = path_, .as_json = as_json}, out_);
  }

  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / "halfmark-diagnose" / "log.jsonl";
  std::ostringstream out_;
};

constexpr const char* kLog =
    R"({"setup":{"format":"fp16","clip":1,"operators":[{"op":"softmax","format":"fp16"}]}}
{"step":0,"loss":6.5,"norm":14.2,"scale":65536}
{"step":1,"loss":6.25,"norm":"inf","scale":65536,"skipped":true}
{"step":2,"loss":"nan","norm":"nan","scale":32768,"layers":[{"name":"linear1","norm":"nan","lost_share":0.3,"exponents":{"-20":1,"3":3}}]}
)";

TEST_F(Diagnose, PrintsInTheOrderOfStages) {
  EXPECT_EQ(1, run(kLog));
  EXPECT_EQ(out_.str().substr(0, out_.str().find("           advice")),
            "steps    3, 1 skipped: 66.67 % were made\n"
            "loss     6.5 to nan\n"
            "scale    32768 at the end, between 32768 and 65536\n"
            "course   died of overflow at step 2, first in layer linear1\n"
            "\nmodel\n"
            "  warning  model.wide-operator-narrow: softmax in fp16\n"
            "           an operator that frameworks keep in fp32 runs in a narrow format\n");
  const std::string text = out_.str();
  EXPECT_LT(text.find("\nmodel\n"), text.find("\nsteps\n"));
  EXPECT_LT(text.find("\nsteps\n"), text.find("\nscale\n"));
  EXPECT_LT(text.find("\nscale\n"), text.find("\ngradients\n"));
  EXPECT_LT(text.find("\ngradients\n"), text.find("\nlayers at step 2\n"));
  EXPECT_LT(text.find("\nlayers at step 2\n"), text.find("\nwhere fp16 has them"));
  EXPECT_NE(std::string::npos, text.find("linear1                         -     75 %       25 %"))
      << text;
}

TEST_F(Diagnose, HasASectionOfTheFirstHundredSteps) {
  (void)run(kLog);
  EXPECT_NE(std::string::npos,
            out_.str().find("\nsteps\n  first 100 steps: 3 in the log, 1 skipped; norm 14.2 to "
                            "14.2; scale 32768 to 65536\n"))
      << out_.str();
  (void)run(R"({"step":99,"norm":1}
{"step":100,"norm":7,"skipped":true})");
  EXPECT_NE(std::string::npos,
            out_.str().find("first 100 steps: 1 in the log, 0 skipped; norm 1 to 1\n"))
      << out_.str();
  (void)run(R"({"step":100,"norm":1})");
  EXPECT_NE(std::string::npos, out_.str().find("first 100 steps: the log begins at step 100\n"))
      << out_.str();
}

TEST_F(Diagnose, AHealthyTrainingHasNoRuleAndEndsWithZero) {
  EXPECT_EQ(0, run(R"({"step":0,"loss":6.5,"norm":1,"scale":65536})"));
  EXPECT_NE(out_.str().find("first 100 steps: 1 in the log, 0 skipped; norm 1 to 1; scale 65536 to "
                            "65536\nno rule applies\n"),
            std::string::npos)
      << out_.str();
}

TEST_F(Diagnose, NamesTheLayerThatLostMost) {
  (void)run(
      R"({"step":0,"layers":[{"name":"a","lost_share":0.1},{"name":"b","lost_share":0.9},{"name":"c"},)"
      R"({"name":"d","lost_share":0.2}]})");
  EXPECT_NE(std::string::npos, out_.str().find("layer b: 90 % lost, and 2 more at step 0"))
      << out_.str();
}

TEST_F(Diagnose, AModelAloneIsJudgedBeforeTraining) {
  EXPECT_EQ(
      1,
      run(R"({"setup":{"clip":1,"operators":[{"op":"binary_cross_entropy","format":"fp16"}]}})"));
  EXPECT_NE(out_.str().find("model.refused-operator"), std::string::npos);
  EXPECT_EQ(std::string::npos, out_.str().find("steps"));
}

TEST_F(Diagnose, JsonHasWhatTheTextHas) {
  EXPECT_EQ(1, run(kLog, true));
  const auto report = nlohmann::json::parse(out_.str());
  EXPECT_EQ(3, report["steps"]);
  EXPECT_EQ("overflow", report["death"]["of"]);
  EXPECT_EQ("model.wide-operator-narrow", report["rules"][0]["id"]);
  EXPECT_EQ("R025 R038", report["rules"][0]["rows"]);
  EXPECT_EQ(1, report["early"]["skipped"]);
  EXPECT_EQ(nlohmann::json({32768, 65536}), report["early"]["scale"]);
  EXPECT_EQ("nan", report["layers"][0]["norm"]);
  EXPECT_EQ(0.25, report["layers"][0]["zones"]["subnormal"]);
}

TEST_F(Diagnose, NamesFromOutsideCannotSteerATerminal) {
  static_cast<void>(run(R"({"step":0,"norm":0,"layers":[{"name":"a\u001b[31m","norm":0}]})"));
  EXPECT_EQ(std::string::npos, out_.str().find('\x1b'));
  EXPECT_NE(out_.str().find(R"(a\x1b[31m)"), std::string::npos) << out_.str();
}

TEST_F(Diagnose, WhatCannotBeUsedIsOneLine) {
  EXPECT_THROW(static_cast<void>(run("{\"step\":0}\n{\"st")), suites::UsageError);
  std::ostringstream out;
  EXPECT_THROW(static_cast<void>(diagnose_training({.log = path_ / "absent"}, out)),
               suites::UsageError);
  std::ofstream(path_) << "{\"step\":0}";
  EXPECT_THROW(static_cast<void>(diagnose_training({.log = path_, .profile = "x"}, out)),
               suites::UsageError);
  EXPECT_THROW(static_cast<void>(diagnose_training({.log = path_, .card = path_}, out)),
               suites::UsageError);
  EXPECT_EQ("", out.str()) << "nothing is half-printed";
}

TEST(DiagnoseLists, EveryRuleHasItsThreshold) {
  std::ostringstream out;
  list_training_rules(out);
  EXPECT_NE(out.str().find("scale.low"), std::string::npos);
  EXPECT_NE(out.str().find("1024"), std::string::npos);
}

}  // namespace
}  // namespace halfmark::tools
