// SPDX-License-Identifier: Apache-2.0
// Published cards, and cards that cannot be used, through the verb.
#include "tools/halfmark/training/card_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "reports/files.hpp"
#include "reports/validate.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/diagnose.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

const std::filesystem::path kPublished = HM_PUBLISHED;
const std::filesystem::path kCounted = kPublished / "intel-opencl-2026.2.0";  // has a training step
const std::filesystem::path kNotCounted =
    kPublished / "oclgrind-21.10";  // of level smoke, without one

CardLog published(const std::filesystem::path& folder) {
  return log_of(reports::read_scorecard(folder));
}

json counted_tensor(const char* name, double norm, std::uint64_t not_finite = 0) {
  return {{"name", name},
          {"elements", 100},
          {"zeros", 25},
          {"not_finite", not_finite},
          {"amax", 0.5},
          {"norm", norm},
          {"suggested_scale_log2", 14},
          {"scales",
           {{{"scale_log2", 0}, {"normal", 0.5}, {"subnormal", 0.25}, {"lost", 0.25}},
            {{"scale_log2", 16}, {"normal", 1.0}, {"subnormal", 0.0}, {"lost", 0.0}}}}};
}

reports::Scorecard with_step(json tensors) {
  reports::Scorecard card;
  card.training_step = {{"case", "loss_scaled_backward.portable.b1"},
                        {"tensors", std::move(tensors)}};
  return card;
}

TEST(CardLog, HasTheGradientsOfItsStepInTheOrderOfTheNetwork) {
  const TrainingLog log =
      log_of(with_step({counted_tensor("01_h", 7), counted_tensor("06_dw2", 4),
                        counted_tensor("09_dw1", 3), counted_tensor("12_w1", 9)}))
          .log;
  ASSERT_EQ(1U, log.steps.size());
  const StepRecord& step = log.steps[0];
  EXPECT_EQ(5, step.norm) << "of both gradients";
  EXPECT_FALSE(step.skipped);
  ASSERT_EQ(2U, step.layers.size()) << "neither activations nor weights";
  EXPECT_EQ("dw1", step.layers[0].name);
  EXPECT_EQ(3, step.layers[0].norm);
  EXPECT_EQ(0.25, step.layers[0].zero_share);
  EXPECT_FALSE(step.layers[0].lost_share) << "what else would have been zero is unknown";
  EXPECT_EQ(0.25, step.layers[0].zones->lost) << "at a scale of 1";
  EXPECT_EQ(14, step.layers[0].suggested_scale_log2);
}

TEST(CardLog, AStepWithAnInfinityWasSkipped) {
  const StepRecord step = log_of(with_step({counted_tensor("06_dw2", 4, 1)})).log.steps[0];
  EXPECT_TRUE(step.skipped);
  EXPECT_TRUE(std::isinf(*step.layers[0].norm));
}

TEST(CardLog, ACardOfBeforeNormsHasNone) {
  json tensor = counted_tensor("06_dw2", 4);
  tensor.erase("norm");
  const StepRecord step = log_of(with_step({tensor})).log.steps[0];
  EXPECT_FALSE(step.norm);
  EXPECT_FALSE(step.layers[0].norm);
}

TEST(CardLog, NamesTheOperatorsThatItsFindingsAreAbout) {
  const auto uses = published(kCounted).log.setup->operators;
  const auto has = [&](const char* name, const char* format) {
    return std::ranges::any_of(
        uses, [&](const OperatorUse& use) { return use.name == name && use.format == format; });
  };
  EXPECT_TRUE(has("linear", "fp16"));
  EXPECT_FALSE(has("matmul", "fp16")) << "one name for each operation";
  EXPECT_FALSE(has("conv2d", "fp16")) << "no suite asserts it";
}

TEST(CardLog, SaysWhatIsWrongWithTheTrainingLoop) {
  reports::Scorecard card;
  card.findings.emplace_back();
  card.findings[0].id = "F001";
  card.findings[0].result.name = "optimizer.adam.fp16.portable.n9k2.tiny.s1";
  card.findings[0].result.standing = suites::Standing::kDeviation;
  EXPECT_FALSE(log_of(card).loop_is_wrong) << "its interface leaves that open";
  card.findings[0].result.standing = suites::Standing::kViolation;
  const CardLog log = log_of(card);
  EXPECT_TRUE(log.loop_is_wrong);
  EXPECT_EQ(
      "loop     1 violation of the scaler, the optimizer or a whole step, the first is F001 "
      "optimizer.adam.fp16.portable.n9k2.tiny.s1",
      log.head.back());
  card.findings[0].result.name = "gemm.fp16.x";
  EXPECT_FALSE(log_of(card).loop_is_wrong) << "an operator of models";
}

class DiagnoseCard : public testing::Test {
 protected:
  DiagnoseCard() { std::filesystem::create_directories(path_.parent_path()); }

  int run(const DiagnoseOptions& options) {
    out_.str("");
    return diagnose_training(options, out_);
  }
  std::string complaint(const DiagnoseOptions& options) {
    try {
      (void)run(options);
    } catch (const suites::UsageError& error) {
      return error.what();
    }
    return "none";
  }
  std::string complaint_about(const std::string& content) {
    std::ofstream(path_) << content;
    return complaint({.log = path_});
  }

  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / "halfmark-diagnose-card" / "scorecard.json";
  std::ostringstream out_;
};

TEST_F(DiagnoseCard, PrintsInTheOrderOfStages) {
  EXPECT_EQ(1, run({.log = kCounted / "scorecard.json"})) << "operators are wrong";
  const std::string text = out_.str();
  std::size_t at = 0;
  for (const char* words :
       {"card     ", "findings ", "step     loss_scaled_backward.portable.",
        "loop     76 violations", "\nmodel\n", "model.wrong-on-device: ", "\nsteps\n",
        "first 100 steps: 1 in the log, 0 skipped", "layers at step 0", "dw1", "dw2",
        "where fp16 has them", "52.7 %", "47.3 %", "2^24"}) {
    at = text.find(words, at);
    ASSERT_NE(std::string::npos, at) << words << " is missing or too early in\n" << text;
  }
  EXPECT_EQ(std::string::npos, text.find("model.wide-operator-narrow"))
      << "nobody has chosen a format";
}

TEST_F(DiagnoseCard, SaysThatItHasNoTrainingStep) {
  (void)run({.log = kNotCounted});
  EXPECT_NE(std::string::npos,
            out_.str().find("step     none: the card has no `training_step`, which a run "
                            "counts from level standard on"))
      << out_.str();
  EXPECT_EQ(std::string::npos, out_.str().find("first 100 steps"));
}

TEST_F(DiagnoseCard, IsForProgramsToo) {
  (void)run({.log = kCounted, .as_json = true});
  const json said = json::parse(out_.str());
  EXPECT_EQ(1, said.at("steps"));
  EXPECT_EQ("dw1", said.at("layers").at(0).at("name"));
  EXPECT_NEAR(0.4734, said.at("layers").at(0).at("zones").at("subnormal").get<double>(), 1e-4);
}

TEST_F(DiagnoseCard, WhatCannotBeUsedIsOneLine) {
  const std::string whole = reports::read_file(kNotCounted / "scorecard.json");
  std::string other = whole, changed = whole;
  other.replace(other.find("halfmark-scorecard/1"), 20, "halfmark-scorecard/9");
  changed.replace(changed.find("\"digest\": \"") + 11, 4, "0000");
  for (const auto& [content, words] :
       {std::pair(whole.substr(0, whole.size() / 2), "if it was cut off"),
        std::pair(other, "not a scorecard of this version"),
        std::pair(changed, "not a valid scorecard")}) {
    const std::string said = complaint_about(content);
    EXPECT_NE(std::string::npos, said.find(words)) << said;
    EXPECT_EQ(std::string::npos, said.find('\n')) << said;
    EXPECT_EQ("", out_.str()) << "nothing is half-printed";
  }
  EXPECT_NE(std::string::npos,
            complaint({.log = kNotCounted, .card = kNotCounted}).find("a scorecard itself"));
  EXPECT_NE(std::string::npos,
            complaint({.log = kNotCounted, .mode = "x"}).find("no report of `halfmark lab`"));
  EXPECT_NE(std::string::npos, complaint({.log = path_.parent_path() / "absent"}).find("absent"));
}

}  // namespace
}  // namespace halfmark::tools
