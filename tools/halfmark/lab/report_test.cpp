// SPDX-License-Identifier: Apache-2.0
// What is said of several modes together: which scales keep up, over which the training is
// bit-equal, how fast modes are; and of a planted fault that no operator shows.
#include "tools/halfmark/lab/report.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>

#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/gains.hpp"
#include "tools/halfmark/lab/resident.hpp"
#include "tools/halfmark/lab/sweep.hpp"

namespace halfmark::tools::lab {
namespace {

const Experiment& fragile() { return experiment_named("fragile"); }

Request small() {
  return {.experiment = &fragile(),
          .size = &size_of(fragile_design(), "small"),
          .modes = {},
          .seed = 1,
          .steps = kSteps};
}

const Network& network() {
  static const Network kNetwork = initial_network(fragile_design(), *small().size, 1);
  return kNetwork;
}

ModeResult reference(std::string_view name) {
  return in_reference(small(), mode_of(fragile(), name), network());
}

// What no operator reaches is not said to be right.
TEST(Report, SaysThatAPlantedFaultDoesNotShow) {
  nlohmann::json mode = to_json(reference("fp16"));
  const auto text = [&] {
    const nlohmann::json modes = {mode};
    const nlohmann::json report = {{"experiment", "fragile"},
                                   {"size", {{"name", "full"}, {"shape", "s"}}},
                                   {"seed", 1},
                                   {"steps", kSteps},
                                   {"training", "t"},
                                   {"reference", {{"seconds", 1.0}, {"modes", modes}}},
                                   {"device",
                                    {{"selector", "host"},
                                     {"name", "n"},
                                     {"provider", "portable"},
                                     {"seconds", 1.0},
                                     {"fault", "X11"},
                                     {"modes", modes}}}};
    std::ostringstream out;
    print_report(report, out);
    return out.str();
  };
  EXPECT_NE(std::string::npos, text().find("the planted X11 shows in no operator")) << text();
  EXPECT_NE(std::string::npos, text().find("portable: 1.0 s\n")) << text();
  mode["seconds"] = {{"executing", 0.5}, {"judging", 0.25}, {"counting", 0.125}};
  EXPECT_NE(std::string::npos,
            text().find("1.0 s, of which 0.5 executing, 0.2 judging, 0.1 counting"))
      << text();
  mode["observed"]["different"] = 1;
  EXPECT_EQ(std::string::npos, text().find("the planted X11")) << "its counts show";
}

// Too small a scale loses gradients, too large a one overflows without a scaler.
TEST(Sweep, SaysWhichScalesKeepUpWithFp32) {
  nlohmann::json list = nlohmann::json::array();
  std::map<std::string, std::string_view> causes;
  for (const Mode& mode : experiment_named("sweep").modes) {
    const ModeResult result = in_reference(small(), mode, network());
    causes[std::string(mode.name)] = result.cause.of;
    list.push_back(to_json(result));
  }
  EXPECT_EQ("underflow", causes["2^-12"]);
  EXPECT_EQ("", causes["2^16"]);
  EXPECT_EQ("overflow", causes["2^24"]);
  const nlohmann::json range = scales_that_keep_up(list);
  EXPECT_EQ(1U, list.back().at("steps").size());
  EXPECT_EQ(-4, range.at("least_log2"));
  EXPECT_EQ(20, range.at("largest_log2"));
  // Gradients of the first layer have subnormal numbers at every scale.
  const nlohmann::json equal = scales_of_equal_weights(list);
  EXPECT_TRUE(equal.at(0).at("least_log2").is_null());
  EXPECT_EQ(16, equal.at(1).at("least_log2"));
  EXPECT_EQ(20, equal.at(1).at("largest_log2"));
  std::ostringstream out;
  print_scales("reference", list, out);
  EXPECT_NE(std::string::npos, out.str().find("  W1 differs from each scale to the next\n"
                                              "  W2 is bit-equal for scales 2^16 to 2^20\n"))
      << out.str();
  list.erase(list.begin() + 1, list.end());
  EXPECT_TRUE(scales_that_keep_up(list).is_null());
  EXPECT_TRUE(scales_of_equal_weights(list).at(1).at("least_log2").is_null());
}

// A row of equal digests, which the format of another mode or another digest ends.
TEST(Sweep, FindsTheLongestRowOfEqualWeights) {
  const auto mode = [](const char* format, int scale, const char* weights) {
    return nlohmann::json{
        {"format", format}, {"weights", weights}, {"steps", {{{"scale_log2", scale}}}}};
  };
  const nlohmann::json list = {mode("fp32", 0, "a.p"), mode("fp16", -4, "a.p"),
                               mode("fp16", 0, "b.p"), mode("fp16", 4, "b.q"),
                               mode("fp16", 8, "b.q"), mode("fp16", 12, "c.q")};
  const nlohmann::json rows = scales_of_equal_weights(list);
  EXPECT_EQ((nlohmann::json{{"name", "W1"}, {"least_log2", 0}, {"largest_log2", 8}}), rows.at(0));
  EXPECT_EQ(4, rows.at(1).at("least_log2"));
  EXPECT_EQ(12, rows.at(1).at("largest_log2"));
}

double memory_beside_fp32(std::string_view name) {
  const Design& design = experiment_named("fragile").design();
  const auto peak = [&](std::string_view mode) {
    const auto& row = *std::ranges::find(memory_modes(), mode, &MemoryMode::name);
    return asked_of(schedule_of(design, size_of(design, "small"), row)).peak;
  };
  return static_cast<double>(peak(name)) / static_cast<double>(peak("fp32"));
}

TEST(Gains, AreOfModesThatAreRightAndLive) {
  const auto timed = [](const char* name, double ns) {
    nlohmann::json mode = to_json(reference(name));
    mode["observed_step"]["operators_ns"] = ns;
    return mode;
  };
  nlohmann::json modes = {timed("fp32", 600), timed("fp16", 300), timed("bf16", 400),
                          timed("underflow", 100), timed("fp16-scaled", 0)};
  const nlohmann::json rows = gains_of(modes);
  ASSERT_EQ(2U, rows.size()) << "one died, and one has no second step";
  EXPECT_EQ("fp16", rows[0].at("name"));
  EXPECT_EQ(2, rows[0].at("times"));
  EXPECT_LT(rows[0].at("loss_gap"), 0.001);
  EXPECT_EQ(1.5, rows[1].at("times"));
  std::ostringstream out;
  print_gains(modes, out);
  for (const char* words :
       {"  fp16          2 times as fast as fp32, in ", " of its memory; its last"})
    EXPECT_NE(std::string::npos, out.str().find(words)) << out.str();
  EXPECT_EQ(rows[0].at("memory"), memory_beside_fp32("autocast")) << "as lab memory counts it";
  EXPECT_EQ(rows[0].at("memory"), rows[1].at("memory")) << "both formats have 16 bits";
  modes[1]["deviations"] = {1};
  EXPECT_EQ(1U, gains_of(modes).size());
  modes[0]["deviations"] = {1};
  EXPECT_TRUE(gains_of(modes).empty());
}

}  // namespace
}  // namespace halfmark::tools::lab
