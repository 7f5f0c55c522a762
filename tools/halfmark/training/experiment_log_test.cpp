// SPDX-License-Identifier: Apache-2.0
// A report of two trainings by hand, as logs and through the verb.
#include "tools/halfmark/training/experiment_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/diagnose.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

json tensor(const char* name, std::uint64_t zeros, const json& norm) {
  return {{"name", name},   {"format", "fp16"}, {"count", 100},
          {"zeros", zeros}, {"norm", norm},     {"exponents", {{"-20", 15}, {"-3", 45}}}};
}

json mode(const char* name, const char* format, int scale_log2, const json& norm,
          std::uint64_t zeros) {
  return {
      {"name", name},
      {"title", "a title"},
      {"format", format},
      {"died_of", ""},
      {"cause", json::object()},
      {"steps",
       {{{"step", 0},
         {"loss", 2.5},
         {"norm", norm},
         {"scale_log2", scale_log2},
         {"skipped", norm == "inf"},
         {"tensors", {tensor("h", 90, 7), tensor("dW1", zeros, 256.0), tensor("db1", 0, norm)}}}}}};
}

json report() {
  return {{"schema", "halfmark-lab/1"},
          {"experiment", "fragile"},
          {"steps", 1},
          {"reference",
           {{"modes",
             {mode("fp16", "fp16", 8, 0.5, 30), mode("fp32", "fp32", 0, 0.5, 10),
              mode("overflow", "fp16", 24, "inf", 5)}}}}};
}

TEST(ExperimentLog, HasEachModesStepsAndLayers) {
  const std::vector<ModeLog> logs = logs_of_experiment(report());
  ASSERT_EQ(3U, logs.size());
  EXPECT_EQ("reference, fp16", logs[0].name);
  EXPECT_EQ("fp16", logs[0].log.setup->format);
  ASSERT_EQ(1U, logs[0].log.steps.size());
  const StepRecord& step = logs[0].log.steps[0];
  EXPECT_EQ(2.5, step.loss);
  EXPECT_EQ(256, step.scale);
  EXPECT_FALSE(step.skipped);
  ASSERT_EQ(2U, step.layers.size()) << "activations are no layer's gradients";
  EXPECT_EQ("dW1", step.layers[0].name);
  EXPECT_EQ(1, step.layers[0].norm) << "unscaled";
}

TEST(ExperimentLog, HasTheZonesOfItsHistograms) {
  const LayerRecord layer = logs_of_experiment(report())[0].log.steps[0].layers[0];
  EXPECT_EQ(0.25, layer.zones->subnormal);
  EXPECT_EQ(0.75, layer.zones->normal);
  EXPECT_EQ(0.3, layer.zero_share);
}

TEST(ExperimentLog, OnlyWhatFp32KeepsIsLost) {
  const std::vector<ModeLog> logs = logs_of_experiment(report());
  EXPECT_DOUBLE_EQ(0.2, *logs[0].log.steps[0].layers[0].lost_share);
  EXPECT_FALSE(logs[1].log.steps[0].layers[0].lost_share.has_value()) << "fp32 itself";
  EXPECT_EQ(0, logs[2].log.steps[0].layers[0].lost_share) << "fewer zeros than in fp32";
  json alone = report();
  alone["reference"]["modes"].erase(1);
  EXPECT_FALSE(logs_of_experiment(alone)[0].log.steps[0].layers[0].lost_share.has_value());
}

// `lab ablation` calls its fp32 training "wide"; one with a scale is no measure.
TEST(ExperimentLog, Fp32IsFoundByItsFormat) {
  json renamed = report();
  json& modes = renamed["reference"]["modes"];
  modes[1]["name"] = "wide";
  modes.insert(modes.begin(), mode("fp32-subnormal", "fp32", -112, 0.5, 25));
  const std::vector<ModeLog> logs = logs_of_experiment(renamed);
  ASSERT_EQ("reference, fp16", logs.at(1).name);
  EXPECT_DOUBLE_EQ(0.2, logs[1].log.steps[0].layers[0].lost_share.value_or(-1));
}

TEST(ExperimentLog, NoScaleAndNoClippingAreNotInvented) {
  json clipped = report();
  clipped["reference"]["modes"][0]["steps"][0]["clip_factor"] = 0.25;
  const std::vector<ModeLog> logs = logs_of_experiment(clipped);
  EXPECT_EQ(0.125, logs[0].log.setup->clip);
  EXPECT_FALSE(logs[1].log.setup->clip.has_value());
  EXPECT_FALSE(logs[1].log.steps[0].scale.has_value()) << "its scale is 1 in every step";
}

TEST(ExperimentLog, WhatIsNotFiniteStaysSo) {
  const StepRecord step = logs_of_experiment(report())[2].log.steps[0];
  EXPECT_TRUE(step.skipped);
  EXPECT_TRUE(std::isinf(*step.norm));
  EXPECT_TRUE(std::isinf(*step.layers[1].norm));
}

class DiagnoseExperiment : public testing::Test {
 protected:
  DiagnoseExperiment() { std::filesystem::create_directories(path_.parent_path()); }

  int run(const json& content, DiagnoseOptions options = {}) {
    std::ofstream(path_) << content.dump(1);
    out_.str("");
    options.log = path_;
    return diagnose_training(options, out_);
  }
  std::string complaint(const json& content, const DiagnoseOptions& options = {}) {
    try {
      (void)run(content, options);
    } catch (const suites::UsageError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / "halfmark-experiment" / "lab.json";
  std::ostringstream out_;
};

TEST_F(DiagnoseExperiment, AppliesTheRulesToEveryMode) {
  (void)run(report());
  const std::string text = out_.str();
  for (const char* words :
       {"== reference, fp16: a title\n", "\n== reference, fp32: a title\n",
        "layer.underflow: layer dW1: 20 % lost at step 0", "== reference, overflow: a title\n"}) {
    EXPECT_NE(std::string::npos, text.find(words)) << words << " is not in\n" << text;
  }
  EXPECT_EQ(text.find("layer.underflow"), text.rfind("layer.underflow")) << "in fp16 alone";
}

TEST_F(DiagnoseExperiment, AppliesThemToOneModeOnly) {
  (void)run(report(), {.log = {}, .mode = "reference, fp32", .as_json = true});
  const json said = json::parse(out_.str());
  ASSERT_EQ(1U, said.size());
  EXPECT_EQ("reference, fp32", said[0].at("mode"));
  const std::string words = complaint(report(), {.log = {}, .mode = "fp8"});
  EXPECT_NE(std::string::npos, words.find("choose from: 'reference, fp16', 'reference, fp32'"))
      << words;
}

TEST_F(DiagnoseExperiment, RefusesWhatFitsNoSchema) {
  json broken = report();
  broken["reference"]["modes"][0]["steps"][0]["tensors"][0].erase("count");
  EXPECT_NE(std::string::npos, complaint(broken).find("lab.json: ")) << complaint(broken);
  EXPECT_NE(std::string::npos, complaint("halfmark-lab/1").find("lab.json: "));
}

}  // namespace
}  // namespace halfmark::tools
