// SPDX-License-Identifier: Apache-2.0
// The borders of the types of loss, on both sides, with courses made by hand; and the experiment
// itself, in which each way of losing accuracy gets the type that it has.
#include "tools/halfmark/lab/convergence.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/lab.hpp"

namespace halfmark::tools::lab {
namespace {

using nlohmann::json;

constexpr std::size_t kTurn = 2;

// The loss falls from 2 to `last` in even steps.
json course(double last, double accuracy, std::size_t steps = 6) {
  json list = json::array();
  for (std::size_t i = 0; i < steps; ++i)
    list.push_back(
        {{"loss", 2 - (2 - last) * static_cast<double>(i) / static_cast<double>(steps - 1)},
         {"accuracy", accuracy},
         {"first_non_finite", nullptr}});
  return list;
}

std::string_view type(const json& steps) { return type_of(reached(course(1, 0.8), steps, kTurn)); }

// Of an accuracy of 0.8, 1 % is 0.008 and 5 % is 0.04.
TEST(TypeOfLoss, HasItsBordersInAccuracy) {
  EXPECT_EQ("none", type(course(1, 0.8)));
  EXPECT_EQ("none", type(course(1, 0.9)));
  EXPECT_EQ("type 1", type(course(1, 0.7921)));
  EXPECT_EQ("between", type(course(1, 0.7919)));
  EXPECT_EQ("between", type(course(1, 0.7601)));
  EXPECT_EQ("type 2", type(course(1, 0.7599)));
}

// The last turn of a course that ends at x has the mean 0.9 x + 0.2, fp32's progress is 0.8.
TEST(TypeOfLoss, HasItsBordersInProgress) {
  EXPECT_EQ("none", type(course(0.9, 0.8)));
  EXPECT_EQ("type 1", type(course(1.008, 0.8)));
  EXPECT_EQ("between", type(course(1.009, 0.8)));
  EXPECT_EQ("between", type(course(1.044, 0.8)));
  EXPECT_EQ("type 2", type(course(1.045, 0.8)));
}

TEST(TypeOfLoss, IsTheSecondWhereANumberIsNotFinite) {
  json steps = course(1, 0.8);
  steps.back()["loss"] = "nan";
  EXPECT_EQ("type 2", type(steps));
  steps = course(1, 0.8);
  steps.back()["first_non_finite"] = {{"tensor", "dW1"}, {"index", 0}};
  EXPECT_EQ("type 2", type(steps));
  EXPECT_EQ("type 2", type(course(1, 0.8, 5)));  // it ended early
}

// A small loss has small gradients, so that most may be zero in a mode that keeps up.
TEST(Convergence, AModeThatKeepsUpHasDiedOfNothing) {
  json modes = json::array();
  for (const double accuracy : {0.8, 0.793, 0.77, 0.5})
    modes.push_back({{"name", "x"}, {"steps", course(1, accuracy)}, {"died_of", "underflow"}});
  const json rows = convergence_of(modes, kTurn);
  for (const std::size_t kept : {0U, 1U}) EXPECT_EQ("", rows[kept].at("died_of")) << kept;
  for (const std::size_t lost : {2U, 3U}) EXPECT_EQ("underflow", rows[lost].at("died_of")) << lost;
}

TEST(TypeOfLoss, IsUnknownWhereFp32HasMadeNoProgress) {
  const json flat = course(2, 0.1);
  EXPECT_EQ("unknown", type_of(reached(flat, course(1, 0.8), kTurn)));
  EXPECT_FALSE(has_died(reached(flat, flat, kTurn)));
}

// A mode is not to blame for fp32.
TEST(TypeOfLoss, IsUnknownWhereFp32IsNotFinite) {
  json broken = course(1, 0.8);
  broken.back()["loss"] = "inf";
  EXPECT_EQ("unknown", type_of(reached(broken, course(1, 0.8), kTurn)));
  EXPECT_FALSE(has_died(reached(broken, course(1, 0.8), kTurn)));
  EXPECT_EQ("unknown", type_of(reached(course(1, 0), course(1, 0), kTurn))) << "nothing to keep";
}

TEST(Reached, CountsTheStepsUntilMostOfTheWay) {
  const json wide = course(1, 0.8, 41);
  EXPECT_EQ(40U, reached(wide, wide, kTurn).steps);
  const Reached slow = reached(wide, course(1.2, 0.8, 41), kTurn);
  EXPECT_EQ(std::nullopt, slow.steps);
  EXPECT_NEAR(0.7775 / 0.975, *slow.progress, 1e-12);
  EXPECT_EQ(21U, reached(wide, course(0, 0.8, 41), kTurn).steps);
}

// The first turn and the last are two.
TEST(Convergence, NeedsTwoTurnsOfItsBatches) {
  LabOptions options;
  options.experiment = "convergence";
  options.size = "small";
  std::ostringstream out;
  options.steps = 15;
  EXPECT_THROW(run_lab(options, std::nullopt, out), suites::UsageError);
  options.steps = 16;
  EXPECT_EQ(0, run_lab(options, std::nullopt, out));
}

Request request() {
  static const Experiment& experiment = experiment_named("convergence");
  return {.experiment = &experiment,
          .size = &size_of(mlp_design(), "small"),
          .modes = {},
          .seed = 1,
          .steps = experiment.steps};
}

TEST(Convergence, EveryWayOfLosingAccuracyHasItsType) {
  const Network network = first_network(request());
  json modes = json::array();
  for (const Mode& mode : request().experiment->modes)
    modes.push_back(to_json(in_reference(request(), mode, network)));
  const json rows = convergence_of(modes, mlp_design().batches);
  std::map<std::string, std::string> types, causes;
  for (const json& row : rows) {
    types[row.at("name")] = row.at("type");
    causes[row.at("name")] = row.at("died_of");
  }
  for (const char* name : {"bf16", "fp16-scaled", "fp16", "2^-12"})
    EXPECT_TRUE(types[name] == "none" || types[name] == "type 1") << name << ' ' << types[name];
  EXPECT_EQ("type 2", types["2^-16"]);
  EXPECT_EQ("type 2", types["underflow"]);
  EXPECT_EQ("underflow", causes["underflow"]);
  EXPECT_EQ("", causes["fp16"]);
  EXPECT_EQ("type 2", types["overflow"]);
  EXPECT_EQ("overflow", causes["overflow"]);
  std::ostringstream out;
  print_convergence("reference", rows, out);
  for (const char* words : {"type 2", "never", "95 % after"})
    EXPECT_NE(std::string::npos, out.str().find(words)) << words << '\n' << out.str();
}

}  // namespace
}  // namespace halfmark::tools::lab
