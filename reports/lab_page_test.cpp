// SPDX-License-Identifier: Apache-2.0
// The page of an experiment: what it says, what it draws, and that no text from outside becomes
// markup.
#include "reports/lab_page.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace halfmark::reports {
namespace {

using nlohmann::json;

json step(std::uint64_t number, const json& loss) {
  return {{"step", number},
          {"loss", loss},
          {"norm", 14.16},
          {"scale_log2", 16},
          {"zero_share", 0.25},
          {"skipped", false},
          {"tensors",
           {{{"name", "dW1"},
             {"format", "fp16"},
             {"count", 100},
             {"zeros", 40},
             {"exponents", {{"-14", 30}, {"-15", 20}, {"-25", 7}, {"-26", 3}}}},
            {{"name", "h"}, {"count", 5}, {"zeros", 5}, {"exponents", {{"3", 5}}}}}}};
}

json mode(const char* name, const char* died_of, std::vector<json> steps) {
  return {{"name", name},
          {"title", name},
          {"died_of", died_of},
          {"cause", {{"text", *died_of == 0 ? "" : "the reason why"}, {"recovered", false}}},
          {"steps", std::move(steps)}};
}

json report() {
  return {{"schema", kLabSchemaName},
          {"experiment", "fragile"},
          {"steps", 2},
          {"size", {{"name", "small"}, {"shape", "64 x 256 -> 128 -> GELU -> 64"}}},
          {"training", "squared error, gradient descent"},
          {"reference",
           {{"modes",
             {mode("bf16", "", {step(0, 6.5), step(1, 6.25)}),
              mode("overflow", "overflow", {step(0, 6.5), step(1, "inf")})}}}}};
}

std::string page(const json& report) {
  EXPECT_EQ(std::vector<std::string>{}, check_lab_schema(report));
  std::ostringstream out;
  write_lab_page(report, out);
  return out.str();
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(LabPage, SaysWhatEachModeDiedOf) {
  const std::string text = page(report());
  EXPECT_EQ(1u, times(text, "reached its last step</span>"));
  EXPECT_EQ(1u, times(text, "died of overflow</span>"));
  EXPECT_EQ(1u, times(text, "the reason why"));
  EXPECT_EQ(1u, times(text, "64 x 256 -&gt; 128 -&gt; GELU -&gt; 64"));
}

TEST(LabPage, DrawsACurveForEachModeAndQuantity) {
  const std::string text = page(report());
  for (const char* title : {"<h3>Loss</h3>", "<h3>Norm of the gradients</h3>",
                            "<h3>Loss scale</h3>", "<h3>Share of gradients that are zero</h3>"})
    EXPECT_EQ(1u, times(text, title)) << title;
  EXPECT_EQ(0u, times(text, "Share of updates")) << "no step has it";
  EXPECT_EQ(2u * 4, times(text, "<polyline")) << "a loss that ends after a step is a point of it";
  EXPECT_EQ(1u, times(text, ">x<title>overflow, reference, step 1: inf</title>"));
}

TEST(LabPage, ColoursHistogramsByTheZonesOfFp16) {
  const std::string text = page(report());
  const std::size_t drawn = 2 * 2;  // first and last step of two modes, dW1 alone
  EXPECT_EQ(drawn, times(text, "<title>zero: 40</title>"));
  EXPECT_EQ(drawn, times(text, "<title>2^-14, normal: 30</title>"));
  EXPECT_EQ(drawn, times(text, "<title>2^-15, subnormal: 20</title>"));
  EXPECT_EQ(drawn, times(text, "<title>2^-20, subnormal: 0</title>")) << "no gap";
  EXPECT_EQ(drawn, times(text, "<title>2^-25, subnormal: 7</title>")) << "they round up";
  EXPECT_EQ(drawn, times(text, "<title>2^-26, lost: 3</title>"));
  EXPECT_EQ(drawn, times(text, "100 numbers in fp16, 40 of them zero"));
  EXPECT_EQ(0u, times(text, "<h4>h</h4>")) << "no gradient";
}

json with_device() {
  json j = report();
  j["device"] = {{"modes", {mode("bf16", "flush to zero", {step(0, 6.5)})}},
                 {"selector", "host"},
                 {"name", "software"},
                 {"provider", "portable"}};
  j["device"]["modes"][0]["deviations"] = {{{"step", 0}}};
  return j;
}

TEST(LabPage, PutsTheDeviceBesideTheReference) {
  const std::string text = page(with_device());
  EXPECT_EQ(1u, times(text, "class=\"tag violation\">died of flush to zero"));
  EXPECT_EQ(1u, times(text, "1 of the replayed operators are not as specified"));
  EXPECT_LT(0u, times(text, "dashed\" points"));
  EXPECT_EQ(1u, times(text, "host (software)"));
}

// What makes `halfmark lab` exit with 1 is nothing good on its page.
TEST(LabPage, SaysWhatElseTheDeviceGotWrong) {
  json j = with_device();
  j["device"]["modes"] = {mode("bf16", "", {step(0, 6.5)})};
  EXPECT_EQ(1u, times(page(j), "verdict good\">Every operator"));
  j["device"]["modes"][0]["observed"] = {{"tensors", 4}, {"different", 3}};
  EXPECT_EQ(1u, times(page(j), "verdict bad\">3 tensors counted on the device"));
  j["device"]["modes"] = {mode("bf16", "recomputation", {step(0, 6.5)})};
  EXPECT_EQ(1u, times(page(j), "verdict bad\">What is computed again"));
}

TEST(LabPage, SaysThatTheDeviceWasLost) {
  json j = with_device();
  j["device"]["lost"] = "its process died";
  EXPECT_EQ(1u, times(page(j), "verdict bad\">The device was lost: its process died"));
}

// Every text of the report, in turn.
TEST(LabPage, EscapesForeignText) {
  const std::string hostile = "<script>alert(1)</script>\"'&";
  json j = with_device();
  j["experiment"] = hostile;
  j["size"]["name"] = hostile;
  for (json* modes : {&j["reference"]["modes"], &j["device"]["modes"]}) {
    for (json& one : *modes) {
      one["title"] = hostile;
      one["died_of"] = hostile;
      one["cause"]["text"] = hostile;
      for (json& each : one["steps"]) {
        for (json& tensor : each["tensors"]) {
          tensor["name"] = "d" + hostile;
          tensor["format"] = hostile;
        }
      }
    }
  }
  for (const char* key : {"selector", "name", "provider", "lost"}) j["device"][key] = hostile;
  const std::string text = page(j);
  EXPECT_EQ(0u, times(text, "<script"));
  EXPECT_EQ(0u, times(text, "\"'&")) << "quotes and ampersands end no attribute";
  EXPECT_LT(10u, times(text, "&lt;script"));
}

TEST(LabPage, ManyModesAreCutOffWithALine) {
  json j = report();
  for (int i = 0; i < 30; ++i)
    j["reference"]["modes"].push_back(
        mode(("m" + std::to_string(i)).c_str(), "", {step(0, 6.5), step(1, 6.25)}));
  const std::string text = page(j);
  EXPECT_EQ(1u, times(text, "The first 12 of 32 modes; the table above has all."));
  EXPECT_EQ(32u, times(text, "<td>reference</td>")) << "the table has all";
}

TEST(LabPage, SaysThatTheTableIsCutOffToo) {
  json j = report();
  j["reference"]["modes"] = json::array();
  for (int i = 0; i < 102; ++i)
    j["reference"]["modes"].push_back(mode(("m" + std::to_string(i)).c_str(), "", {step(0, 6.5)}));
  const std::string text = page(j);
  EXPECT_EQ(1u, times(text, "The first 12 of 102 modes; the table above has the first 100."));
  EXPECT_EQ(100u, times(text, "<td>reference</td>"));
}

TEST(LabPage, OfAnExperimentWithoutStepsIsEmptyAndWhole) {
  json j = report();
  j["reference"]["modes"] = json::array();
  EXPECT_EQ(1u, times(page(j), "</html>"));
  j["reference"]["modes"] = {mode("a", "", {})};
  EXPECT_EQ(1u, times(page(j), "</html>"));
}

TEST(LabSchema, RefusesWhatThePageCannotDraw) {
  const auto problems = [](const char* pointer, const json& value) {
    json j = report();
    j[json::json_pointer(pointer)] = value;
    return check_lab_schema(j).size();
  };
  EXPECT_LT(0u, problems("/schema", "halfmark-lab/2"));
  EXPECT_LT(0u, problems("/reference/modes/0/steps/0/loss", "many"));
  EXPECT_LT(0u, problems("/reference/modes/0/steps/0/tensors/0/exponents", {{"99999", 1}}));
  EXPECT_LT(0u, problems("/reference/modes/0/steps/0/tensors/0/count", -1));
  EXPECT_LT(0u, problems("/reference/modes/0/cause", "none"));
  EXPECT_LT(0u, problems("/reference/modes/0/observed", 5));
  EXPECT_LT(0u, problems("/reference/modes/0/observed", {{"different", "many"}}));
  EXPECT_EQ(0u, problems("/an experiment's own member", {{"a", 1}}));
}

}  // namespace
}  // namespace halfmark::reports
