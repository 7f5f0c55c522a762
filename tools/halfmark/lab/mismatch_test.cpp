// SPDX-License-Identifier: Apache-2.0
// Divergences and gaps of distributions that are worked out by hand, and what formats and tiles do
// to one network: in the reference, and on the built-in device with and without a fault.
#include "tools/halfmark/lab/mismatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <sstream>

#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/report.hpp"

namespace halfmark::tools::lab {
namespace {

// Halves against a quarter and three quarters.
TEST(Mismatch, IsWhatItsFormulasSay) {
  const Mismatch m = mismatch_of({{0, 0}, {1, 0}}, {{std::log(3.0), 0}, {1, 0}});
  const double divergence = 0.5 * std::log(0.5 / 0.75) + 0.5 * std::log(0.5 / 0.25);
  EXPECT_NEAR(divergence, m.largest_divergence, 1e-15);
  EXPECT_NEAR(divergence / 2, m.mean_divergence, 1e-15);
  EXPECT_NEAR(std::log(2.0), m.largest_gap, 1e-15);
  EXPECT_NEAR((std::log(2.0) + std::log(1.5)) / 4, m.mean_gap, 1e-15);
  EXPECT_EQ(2U, m.rows);
  EXPECT_EQ(0U, m.other_class);
  EXPECT_EQ(1U, mismatch_of({{0, 1}}, {{1, 0}}).other_class);
}

TEST(Mismatch, IsOfDistributionsAndNotOfLogits) {
  const Mismatch m = mismatch_of({{1, 2, 4}}, {{1001, 1002, 1004}});
  EXPECT_EQ(0, m.largest_divergence);
  EXPECT_EQ(0, m.largest_gap);
}

TEST(Mismatch, OfWhatIsNotFiniteIsNotANumber) {
  const double nan = std::nan("");
  const Mismatch m = mismatch_of({{nan, 1}, {0, 1}}, {{0, 1}, {0, 1}});
  EXPECT_TRUE(std::isnan(m.mean_divergence));
  EXPECT_TRUE(std::isnan(m.largest_gap));
}

const Experiment& mismatch() { return experiment_named("mismatch"); }
const Request& request() {
  static const Request kRequest{.experiment = &mismatch(),
                                .size = &size_of(mlp_design(), "small"),
                                .modes = {},
                                .seed = 1,
                                .steps = 3};
  return kRequest;
}
const Network& network() {
  static const Network kNetwork = first_network(request());
  return kNetwork;
}

Logits logits_of(const char* mode) {
  return in_reference(request(), mode_of(mismatch(), mode), network()).steps[0].logits;
}

TEST(MismatchInReference, FewerBitsAreFurtherApart) {
  const Logits wide = logits_of("fp32");
  const Mismatch of_bf16 = mismatch_of(wide, logits_of("bf16"));
  const Mismatch of_fp16 = mismatch_of(wide, logits_of("fp16"));
  EXPECT_GT(of_fp16.mean_gap, 0);
  EXPECT_GT(of_bf16.mean_gap, 4 * of_fp16.mean_gap);
  EXPECT_LT(of_bf16.mean_gap, 16 * of_fp16.mean_gap);
}

// Rows are independent; sums in another order have other bits.
TEST(MismatchInReference, TilesOfSumsMatterAndTilesOfRowsDoNot) {
  for (const std::string format : {"fp32", "bf16", "fp16"}) {
    const Logits whole = logits_of(format.c_str());
    EXPECT_EQ(whole, logits_of((format + "-rows").c_str())) << format;
    const Mismatch m = mismatch_of(whole, logits_of((format + "-sums").c_str()));
    EXPECT_LT(m.largest_gap, mismatch_of(whole, logits_of("bf16")).largest_gap + 0.05) << format;
  }
  EXPECT_NE(logits_of("fp32"), logits_of("fp32-sums"));
}

// As libraries split long sums by default.
TEST(MismatchInReference, PartsThatAreKeptInTheFormatAreFurtherApart) {
  for (const std::string format : {"bf16", "fp16"}) {
    const Logits whole = logits_of(format.c_str());
    EXPECT_GT(mismatch_of(whole, logits_of((format + "-split").c_str())).mean_gap,
              4 * mismatch_of(whole, logits_of((format + "-sums").c_str())).mean_gap)
        << format;
  }
  EXPECT_GT(mismatch_of(logits_of("bf16"), logits_of("bf16-split")).mean_gap,
            4 * mismatch_of(logits_of("fp16"), logits_of("fp16-split")).mean_gap);
}

TEST(MismatchInReference, AnEvaluationDropsNothing) {
  const Mode& mode = mode_of(mismatch(), "fp16");
  const Training training(mlp_design(), *request().size, mode, network(), 1);
  std::size_t operators = 0;
  static_cast<void>(training.evaluate([&](const Operator& op, const Operands& operands) {
    ++operators;
    EXPECT_NE(Kind::kMask, op.kind) << op.tensor;
    return specified(op, operands);
  }));
  EXPECT_GT(operators, 10U);
}

TEST(MismatchInReference, ItsNetworkIsATrainedOne) {
  Request before = request();
  before.steps = 0;
  EXPECT_NE(network().weights[0], first_network(before).weights[0]);
  const ModeResult result = in_reference(request(), mode_of(mismatch(), "fp32"), network());
  EXPECT_EQ(1U, result.steps.size());
  EXPECT_EQ(fast::statistics(network().weights[0]).norm(),
            fast::statistics(first_network(request()).weights[0]).norm());
}

nlohmann::json report_on(const char* fault) {
  suites::Session session(backends::Device::open("host", {{"fault", fault}}));
  nlohmann::json report = {{"reference", {{"modes", nlohmann::json::array()}}},
                           {"device", {{"modes", nlohmann::json::array()}}}};
  for (const char* name : {"fp32", "fp16", "fp16-sums"}) {
    const Mode& mode = mode_of(mismatch(), name);
    report["reference"]["modes"].push_back(to_json(in_reference(request(), mode, network())));
    report["device"]["modes"].push_back(to_json(
        on_device(request(), mode, network(), session,
                  {.provider = *fault == '\0' ? "portable" : "library", .diagnoses = false})));
  }
  return report;
}

TEST(MismatchOnHost, PortableKernelsAreNoDistanceFromTheReference) {
  const nlohmann::json all = mismatches(report_on(""));
  ASSERT_EQ(3U, all.at("between").size());
  for (const nlohmann::json& pair : all.at("between"))
    EXPECT_EQ(0, pair.at("largest_gap").get<double>()) << pair;
  EXPECT_EQ(all.at("reference"), all.at("device"));
  EXPECT_EQ(2U, all.at("device").size());
}

// Products that add up in fp16 show in every product, and as a distance.
TEST(MismatchOnHost, AFaultIsADistanceAndADeviation) {
  const nlohmann::json report = report_on("G01");
  const nlohmann::json all = mismatches(report);
  EXPECT_GT(all.at("between")[1].at("largest_gap").get<double>(), 1e-4);
  EXPECT_FALSE(report.at("device").at("modes")[1].at("deviations").empty());
}

TEST(MismatchReport, HasATableOfEachSide) {
  nlohmann::json all = mismatches(report_on(""));
  std::ostringstream out;
  print_mismatches(all, out);
  for (const char* words : {"reference  ", "\ndevice  ", "reference, device", "mean KL"})
    EXPECT_NE(std::string::npos, out.str().find(words)) << words << '\n' << out.str();
  nlohmann::json lost = all;
  lost["device"] = nlohmann::json::array();
  std::ostringstream shorter;
  print_mismatches(lost, shorter);
  EXPECT_EQ(std::string::npos, shorter.str().find("\ndevice  ")) << shorter.str();
  all["reference"][0]["mean_gap"] = "nan";
  print_mismatches(all, out);
  EXPECT_NE(std::string::npos, out.str().find("nan"));
}

}  // namespace
}  // namespace halfmark::tools::lab
