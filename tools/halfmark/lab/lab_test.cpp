// SPDX-License-Identifier: Apache-2.0
// The ways of dying: each mode in the reference, the built-in device with portable kernels bit for
// bit, and every fault that can be planted in an operator of the experiment: named as an operator
// or as flushing, never as the range of fp16.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "backends/host/faults.hpp"
#include "suites/core/case/fills.hpp"
#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/report.hpp"

namespace halfmark::tools::lab {
namespace {

using backends::host::FaultKind;
using backends::host::FaultRow;

// Enough for a fault to show, and quick.
constexpr Size kTiny{"tiny", 16, {64, 64, 16}, 8};

const Experiment& fragile() { return experiment_named("fragile"); }
const Size& small_size() { return size_of(fragile_design(), "small"); }
const Mode& mode_named(std::string_view name) { return mode_of(fragile(), name); }

Request small(std::size_t steps = kSteps) {
  return {.experiment = &fragile(), .size = &small_size(), .modes = {}, .seed = 1, .steps = steps};
}

const Network& network() {
  static const Network kNetwork = initial_network(fragile_design(), small_size(), 1);
  return kNetwork;
}

const ModeResult& reference(std::string_view name) {
  static std::map<std::string, ModeResult, std::less<>> results;
  const auto found = results.find(name);
  if (found != results.end()) return found->second;
  return results.emplace(name, in_reference(small(), mode_named(name), network())).first->second;
}

TEST(FragileInReference, OnlyTheForcedModesDie) {
  const std::pair<std::string_view, std::string_view> kCauses[] = {{"bf16", ""},
                                                                   {"fp16", ""},
                                                                   {"fp16-scaled", ""},
                                                                   {"fp32", ""},
                                                                   {"fp32-subnormal", ""},
                                                                   {"underflow", "underflow"},
                                                                   {"overflow", "overflow"}};
  for (const auto& [name, of] : kCauses) EXPECT_EQ(of, reference(name).cause.of) << name;
}

TEST(FragileInReference, ModesTrainAlike) {
  const ModeResult& wide = reference("fp32");
  for (const char* name : {"bf16", "fp16", "fp16-scaled"}) {
    for (std::size_t i = 0; i < kSteps; ++i) {
      EXPECT_NEAR(wide.steps[i].loss, reference(name).steps[i].loss, 0.003) << name;
      EXPECT_NEAR(wide.steps[i].norm, reference(name).steps[i].norm, 0.01) << name;
    }
  }
  EXPECT_LT(wide.steps.back().loss, 0.5 * wide.steps.front().loss);
}

// What is subnormal without a scale, and what is lost on the way back.
TEST(FragileInReference, GradientsAreAtTheLowerEndOfFp16) {
  const StepTrace& step = reference("fp16").steps[0];
  EXPECT_GT(step.of("dy").subnormal_share(), 0.5);
  EXPECT_GT(step.of("dh").subnormal_share(), 0.7);
  EXPECT_GT(step.of("dh").zero_share(), 0.25);
  EXPECT_LT(step.zero_share(), 0.001);
  EXPECT_EQ(0, reference("fp16-scaled").steps[0].of("dy").subnormals);
}

TEST(FragileInReference, TheScaleFallsUntilAStepIsMade) {
  const ModeResult& result = reference("overflow");
  const int scales[] = {24, 23, 22, 21, 20};
  for (std::size_t i = 0; i < kSteps; ++i) {
    EXPECT_EQ(scales[i], result.steps[i].scale);
    EXPECT_EQ(i < 4, result.steps[i].skipped);
  }
  EXPECT_TRUE(result.cause.recovered);
  EXPECT_EQ("dW2", result.cause.tensor);
  EXPECT_EQ(reference("fp16-scaled").steps[0].loss, result.steps[4].loss);
}

TEST(FragileInReference, UnderflowNamesTensorAndElement) {
  const Cause& cause = reference("underflow").cause;
  EXPECT_EQ("dy", cause.tensor);
  EXPECT_TRUE(cause.index.has_value());
  EXPECT_GT(reference("underflow").steps[0].of("dW1").zero_share(), 0.99);
}

// Gradients of S times the loss are S times the gradients: after unscaling, every weight is the
// same, bit for bit, while nothing is subnormal or overflows.
TEST(FragileInReference, TheWholeBackwardPassIsLinearInTheScale) {
  for (const char* name : {"bf16", "fp32"}) {
    for (const int scale : {1, 8, 15, 16}) {
      Mode scaled = mode_named(name);
      scaled.scale = scale;
      const ModeResult result = in_reference(small(), scaled, network());
      EXPECT_EQ(reference(name).digests, result.digests) << name << ' ' << scale;
    }
  }
  EXPECT_NE(reference("fp16").digests, reference("fp16-scaled").digests);
}

ModeResult on_host(std::string_view mode, const char* provider, std::size_t steps) {
  suites::Session session(backends::Device::open("host"));
  return on_device(small(steps), mode_named(mode), network(), session,
                   {.provider = provider, .diagnoses = false});
}

// One step in fp16 by the library of a device with this fault.
ModeResult with_fault(std::string_view fault) {
  static const Network kNetwork = initial_network(fragile_design(), kTiny, 1);
  suites::Session session(backends::Device::open("host", {{"fault", fault}}));
  return on_device({.experiment = &fragile(), .size = &kTiny, .modes = {}, .seed = 1, .steps = 1},
                   mode_named("fp16"), kNetwork, session,
                   {.provider = "library", .diagnoses = false});
}

TEST(FragileOnHost, PortableKernelsGiveTheReferencesBitsInEveryMode) {
  for (const Mode& mode : fragile().modes) {
    const ModeResult result = on_host(mode.name, "portable", 2);
    const ModeResult expected = in_reference(small(2), mode, network());
    EXPECT_TRUE(result.deviations.empty()) << mode.name << ": " << result.cause.text;
    EXPECT_EQ(expected.digests, result.digests) << mode.name;
    EXPECT_EQ(result.operators, result.portable);
    const bool has_second = result.steps.size() > 1;
    EXPECT_EQ(has_second ? result.operators / result.steps.size() : 0, result.whole_step.tensors)
        << mode.name;
    EXPECT_EQ(0U, result.whole_step.different) << mode.name;
    EXPECT_EQ(4U, result.observation.tensors) << mode.name;
    EXPECT_EQ(0U, result.observation.different) << mode.name;
  }
}

TEST(FragileOnHost, TheLibraryKeepsItsContract) {
  const ModeResult result = on_host("fp16", "library", 2);
  EXPECT_EQ("", result.cause.of) << result.cause.text;
  EXPECT_LT(result.portable, result.operators);
}

// Operators of the step, by the names of faults and of reports.
const std::multimap<std::string_view, std::string_view> kOperations = {
    {"gemm", "matrix product"},
    {"convert", "cast"},
    {"gelu_tanh", "GELU"},
    {"gelu_tanh", "gradient of GELU"},
    {"gelu_tanh_backward", "gradient of GELU"},
    {"sum", "sum over the batch"},
    {"mse", "squared error"},
    {"mse_backward", "gradient of the squared error"},
    {"amp_check", "check and unscaling"},
    {"unscale", "check and unscaling"}};

// Copies between host and device are of no operator.
bool is_of_the_step(const FaultRow& row) {
  return row.kind == FaultKind::kFault && kOperations.contains(row.operation) &&
         !row.id.starts_with('T');
}

bool names(const FaultRow& row, const Deviation& deviation) {
  const auto [first, last] = kOperations.equal_range(row.operation);
  return std::any_of(first, last,
                     [&](const auto& entry) { return entry.second == deviation.operation; });
}

TEST(FragileOnHost, EveryPlantedFaultIsAnOperatorOrFlushing) {
  std::size_t seen = 0;
  for (const FaultRow& row : backends::host::all_faults()) {
    if (!is_of_the_step(row)) continue;
    const ModeResult result = with_fault(row.id);
    const bool is_flush = row.must_report == "ftz_in" || row.must_report == "ftz_out";
    if (result.deviations.empty()) {
      EXPECT_EQ("", result.cause.of) << row.id;
      continue;
    }
    ++seen;
    EXPECT_EQ(is_flush ? "flush to zero" : "operator", result.cause.of)
        << row.id << ": " << result.cause.text;
    EXPECT_TRUE(names(row, result.deviations.front())) << row.id << ": " << result.cause.text;
    EXPECT_FALSE(result.cause.tensor.empty()) << row.id;
  }
  EXPECT_GE(seen, 30U);
}

// An infinity in the weights is the end: what operators make of it accuses none of them.
TEST(FragileOnHost, ATrainingThatOverflowsEndsAndAccusesNobody) {
  suites::Session session(backends::Device::open("host"));
  for (const char* provider : {"library", "portable"}) {
    const ModeResult result =
        on_device(small(4), mode_of(experiment_named("sweep"), "2^24"), network(), session,
                  {.provider = provider, .diagnoses = false});
    EXPECT_EQ("overflow", result.cause.of) << provider << ": " << result.cause.text;
    EXPECT_FALSE(result.cause.recovered);
    EXPECT_EQ(1U, result.steps.size());
  }
}

// A scale that sinks to 1 while gradients stay NaN is an operator's doing, not the range's.
TEST(FragileOnHost, AScaleThatSinksToOneIsBlamedOnTheOperator) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  suites::Session session(backends::Device::open("host", {{"fault", "A01"}}));
  const ModeResult result =
      on_device({.experiment = &fragile(), .size = &kTiny, .modes = {}, .seed = 1, .steps = 18},
                mode_named("fp16-scaled"), network_of_tiny, session,
                {.provider = "library", .diagnoses = true});
  EXPECT_LE(result.steps.back().scale, 0);
  EXPECT_TRUE(std::all_of(result.steps.begin(), result.steps.end(),
                          [](const StepTrace& step) { return step.skipped; }));
  EXPECT_EQ("operator", result.cause.of);
  EXPECT_EQ("g", result.cause.tensor);
  EXPECT_EQ("GELU", result.deviations.front().operation);
  EXPECT_FALSE(result.deviations.front().finding_class.empty());
}

// Steps that are skipped and scales that fall are the device's own, so that a scaler's faults show.
TEST(FragileOnHost, TheScalersKernelsAreReplayed) {
  const Network network_of_tiny = initial_network(fragile_design(), kTiny, 1);
  const auto overflowing = [&](const char* fault) {
    suites::Session session(backends::Device::open("host", {{"fault", fault}}));
    return on_device({.experiment = &fragile(), .size = &kTiny, .modes = {}, .seed = 1, .steps = 3},
                     mode_named("overflow"), network_of_tiny, session,
                     {.provider = "portable", .diagnoses = false});
  };
  const ModeResult right = overflowing("");
  EXPECT_TRUE(right.deviations.empty()) << right.cause.text;
  EXPECT_TRUE(right.steps[0].skipped);
  EXPECT_EQ(23, right.steps[1].scale);
  for (const auto& [fault, operation] :
       {std::pair("X04", "check and unscaling"), std::pair("X14", "descent"),
        std::pair("X15", "update of the scale")}) {
    const ModeResult result = overflowing(fault);
    ASSERT_FALSE(result.deviations.empty()) << fault;
    EXPECT_EQ("operator", result.cause.of) << fault;
    EXPECT_EQ(operation, result.deviations.front().operation) << fault;
  }
  EXPECT_EQ(24, overflowing("X15").steps[1].scale) << "its own course";
  EXPECT_TRUE(overflowing("X11").deviations.empty()) << "the scaler of the experiment has no floor";
}

TEST(FragileOnHost, NoControlIsAccused) {
  for (const FaultRow& row : backends::host::all_faults()) {
    if (row.kind != FaultKind::kControl) continue;
    const ModeResult result = with_fault(row.id);
    EXPECT_EQ("", result.cause.of) << row.id << ": " << result.cause.text;
  }
}

TEST(Report, HasTheStatisticsOfEveryTensorOfEveryStep) {
  const nlohmann::json report = to_json(reference("fp16"));
  for (const nlohmann::json& step : report.at("steps")) {
    ASSERT_EQ(11U, step.at("tensors").size());
    for (const nlohmann::json& tensor : step.at("tensors")) {
      for (const char* field : {"norm", "least", "largest", "mean", "deviation", "amax"})
        EXPECT_TRUE(tensor.at(field).is_number()) << field;
      std::uint64_t numbers = 0;
      for (const auto& [exponent, count] : tensor.at("exponents").items())
        numbers += count.get<std::uint64_t>();
      const nlohmann::json& zones = tensor.at("fp16_at_scale_1");
      std::uint64_t zoned = 0;
      for (const auto& [zone, count] : zones.items()) zoned += count.get<std::uint64_t>();
      EXPECT_EQ(tensor.at("count").get<std::uint64_t>(),
                numbers + tensor.at("zeros").get<std::uint64_t>());
      EXPECT_EQ(numbers, zoned);
      EXPECT_LE(tensor.at("least").get<double>(), tensor.at("mean").get<double>());
    }
  }
}

TEST(Report, SaysWhatATrainingDiedOf) {
  nlohmann::json reports = nlohmann::json::array();
  for (const char* name : {"fp16", "underflow", "overflow"})
    reports.push_back(to_json(reference(name)));
  const nlohmann::json report = {
      {"experiment", "fragile"},
      {"size", {{"name", "small"}, {"shape", "s"}, {"full_shape", "f"}, {"attenuation_log2", 4}}},
      {"seed", 1},
      {"steps", kSteps},
      {"training", "t"},
      {"reference", {{"seconds", 1.0}, {"modes", reports}}}};
  std::ostringstream out;
  print_report(report, out);
  for (const char* words : {"reached its last step", "died of underflow", "recovered from overflow",
                            "'dW2' is the first tensor that is not finite", "2^24  skipped"})
    EXPECT_NE(std::string::npos, out.str().find(words)) << words << '\n' << out.str();
}

double fall(const ModeResult& result) {
  return result.steps.front().loss - result.steps.back().loss;
}

// Late in a training, weights in fp16 make a small part of the progress; a scale and wide sums
// matter less on these data.
TEST(Ablation, WithoutMasterWeightsUpdatesAreSwallowed) {
  std::map<std::string_view, ModeResult> results;
  for (const Mode& mode : experiment_named("ablation").modes)
    results.emplace(mode.name, in_reference(small(), mode, network()));
  const double whole = fall(results.at("wide"));
  EXPECT_GT(whole, 0.01);
  for (const char* name : {"mixed", "no-scale"}) {
    EXPECT_NEAR(1, fall(results.at(name)) / whole, 0.02) << name;
    EXPECT_LT(results.at(name).steps[0].swallowed_share(), 0.05) << name;
    EXPECT_EQ("", results.at(name).cause.of) << name;
  }
  for (const char* name : {"no-master", "all-half"}) {
    EXPECT_LT(fall(results.at(name)) / whole, 0.7) << name;
    EXPECT_GT(results.at(name).steps[0].swallowed_share(), 0.8) << name;
    EXPECT_EQ("swallowed updates", results.at(name).cause.of) << name;
  }
  EXPECT_NE(results.at("mixed").digests, results.at("no-wide-sums").digests);
}

TEST(Ablation, PortableKernelsGiveTheReferencesBits) {
  suites::Session session(backends::Device::open("host"));
  for (const Mode& mode : experiment_named("ablation").modes) {
    const ModeResult result =
        on_device(small(1), mode, network(), session, {.provider = "portable", .diagnoses = false});
    EXPECT_TRUE(result.deviations.empty()) << mode.name << ": " << result.cause.text;
    EXPECT_EQ(in_reference(small(1), mode, network()).digests, result.digests) << mode.name;
  }
}

TEST(Recompute, GivesTheSameTraining) {
  const std::pair<const char*, const char*> kPairs[] = {
      {"bf16-recomputed", "bf16"}, {"fp16-recomputed", "fp16-scaled"}, {"fp32-recomputed", "fp32"}};
  for (const auto& [name, plain] : kPairs) {
    const ModeResult result =
        in_reference(small(), mode_of(experiment_named("recompute"), name), network());
    EXPECT_EQ(2U * 64 * 256, result.steps[0].recomputed) << name;
    EXPECT_EQ(0U, result.steps[0].changed) << name;
    EXPECT_EQ(reference(plain).digests, result.digests) << name;
  }
}

// One bit of what is computed again is another.
TEST(Recompute, SeesWhatHasChanged) {
  const Mode& mode = mode_of(experiment_named("recompute"), "fp16-recomputed");
  Training training(fragile_design(), small_size(), mode, network(), 1);
  const StepTrace step = training.step([](const Operator& op, const Operands& operands) {
    std::vector<formats::Tensor> results = specified(op, operands);
    if (op.tensor == "g again") results[0].set(5, results[0].at(5) ^ 1U);
    return results;
  });
  EXPECT_EQ(1U, step.changed);
  EXPECT_EQ("recomputation", cause_of({&step, 1}, {}, mode).of);
}

// An upload of 64 KiB loses its last bytes, so the device counts other numbers.
TEST(Observe, SeesACountThatIsNotTheHosts) {
  const formats::Tensor x = suites::fill(formats::kFp16, 32768, "normal", suites::Random(7));
  for (const auto& [fault, different] : {std::pair{"", 0U}, std::pair{"T01", 1U}}) {
    suites::Session session(backends::Device::open("host", {{"fault", fault}}));
    Observation observation;
    observe(session, x, observation);
    EXPECT_EQ(1U, observation.tensors) << fault;
    EXPECT_EQ(different, observation.different) << fault;
  }
}

// A fault that makes everything infinite is an operator's, although numbers overflow.
TEST(Cause, AWrongOperatorComesBeforeTheRangeOfFp16) {
  ModeResult result = reference("overflow");
  EXPECT_EQ("overflow", cause_of(result.steps, {}, mode_named("overflow")).of);
  const Deviation deviation{.step = 3, .operation = "GELU", .tensor = "g", .wrong = 1};
  EXPECT_EQ("operator", cause_of(result.steps, {&deviation, 1}, mode_named("overflow")).of);
  Deviation flushed = deviation;
  flushed.flushed = true;
  EXPECT_EQ("flush to zero", cause_of(result.steps, {&flushed, 1}, mode_named("overflow")).of);
}

// Without a scaler every step is made, so that an infinity ends the training.
TEST(Cause, OverflowWithoutAScalerIsNotRecovered) {
  EXPECT_FALSE(cause_of(reference("overflow").steps, {}, mode_named("fp16")).recovered);
}

}  // namespace
}  // namespace halfmark::tools::lab
