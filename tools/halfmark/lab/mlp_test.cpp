// SPDX-License-Identifier: Apache-2.0
// The classifier: its gradients against differences of a loss in fp64, its mask, each mode in the
// reference and on the built-in device, and every fault that can be planted in its operators.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "backends/host/faults.hpp"
#include "reference/fast/digest.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/lab/experiment.hpp"
#include "tools/halfmark/lab/own_plans.hpp"

namespace halfmark::tools::lab {
namespace {

using backends::host::FaultKind;
using backends::host::FaultRow;
using formats::Tensor;

constexpr Size kTiny{"tiny", 16, {24, 20, 12, 10}};

const Experiment& mlp() { return experiment_named("mlp"); }
const Mode& mode_named(std::string_view name) { return mode_of(mlp(), name); }

Request request_of(const Size& size, std::size_t steps) {
  return {.experiment = &mlp(), .size = &size, .modes = {}, .seed = 1, .steps = steps};
}

const Network& tiny_network() {
  static const Network kNetwork = initial_network(mlp_design(), kTiny, 1);
  return kNetwork;
}

ModeResult small_in_reference(std::string_view mode, std::size_t steps) {
  const Size& small = size_of(mlp_design(), "small");
  static const Network kNetwork = initial_network(mlp_design(), small, 1);
  return in_reference(request_of(small, steps), mode_named(mode), kNetwork);
}

double at(const Tensor& fp32, std::size_t i) { return fp32_number(fp32.at(i)); }

// The loss of the first batch, with everything in fp64.
double loss_in_fp64(const Network& n) {
  const Batch& batch = n.batches[0];
  double loss = 0;
  for (std::size_t row = 0; row < kTiny.batch; ++row) {
    std::vector<double> x;
    for (std::size_t i = 0; i < kTiny.widths[0]; ++i)
      x.push_back(at(batch.x, row * kTiny.widths[0] + i));
    for (std::size_t layer = 0; layer < 3; ++layer) {
      const std::size_t width = kTiny.widths[layer + 1];
      const Tensor mask = dropout_mask(kTiny.batch * width, 1, 0, layer);
      std::vector<double> y;
      for (std::size_t j = 0; j < width; ++j) {
        double sum = at(n.biases[layer], j);
        for (std::size_t i = 0; i < x.size(); ++i)
          sum += x[i] * at(n.weights[layer], j * x.size() + i);
        y.push_back(layer == 2 ? sum : std::max(sum, 0.0) * at(mask, row * width + j));
      }
      x = std::move(y);
    }
    double sum = 0;
    for (const double logit : x) sum += std::exp(logit);
    loss += std::log(sum) - x[batch.t.at(row)];
  }
  return loss / static_cast<double>(kTiny.batch);
}

void add(Tensor& fp32, std::size_t i, double change) {
  fp32.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(at(fp32, i) + change)));
}

// Of one weight, by a central difference.
double slope_of(std::vector<Tensor> Network::* list, std::size_t layer, std::size_t i) {
  constexpr double kChange = 1.0 / 1024;
  Network above = tiny_network();
  Network below = tiny_network();
  add((above.*list)[layer], i, kChange);
  add((below.*list)[layer], i, -kChange);
  const double distance = at((above.*list)[layer], i) - at((below.*list)[layer], i);
  return (loss_in_fp64(above) - loss_in_fp64(below)) / distance;
}

TEST(Mlp, ItsGradientsAreTheSlopesOfItsLoss) {
  std::map<std::string, Tensor> seen;
  Training training(mlp_design(), kTiny, mode_named("fp32"), tiny_network(), 1);
  const StepTrace step = training.step([&](const Operator& op, const Operands& operands) {
    std::vector<Tensor> results = specified(op, operands);
    seen[op.tensor] = results[0];
    return results;
  });
  EXPECT_NEAR(loss_in_fp64(tiny_network()), step.loss, 1e-6);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    for (const std::size_t i : {0U, 3U, 7U}) {
      const std::string number = std::to_string(layer + 1);
      EXPECT_NEAR(slope_of(&Network::weights, layer, i), at(seen["dW" + number], i), 2e-5)
          << layer << ' ' << i;
      EXPECT_NEAR(slope_of(&Network::biases, layer, i), at(seen["db" + number], i), 2e-5)
          << layer << ' ' << i;
    }
  }
}

// Adam moves every weight by its rate in the first step, whatever the gradient.
TEST(Mlp, AdamsFirstStepIsItsRate) {
  Training training(mlp_design(), kTiny, mode_named("fp32"), tiny_network(), 1);
  static_cast<void>(training.step(specified));
  const Tensor& before = tiny_network().weights[2];
  const Tensor& after = training.network().weights[2];
  for (std::size_t i = 0; i < before.count(); ++i)
    EXPECT_NEAR(0.001, std::abs(at(after, i) - at(before, i)), 1e-5) << i;
}

// A step that is skipped is not one of Adam's.
TEST(Mlp, TheStepAfterSkippedOnesIsAdamsFirst) {
  Mode mode = mode_named("fp16-scaled");
  mode.scale = 24;
  Training training(mlp_design(), kTiny, mode, tiny_network(), 1);
  std::size_t skipped = 0;
  while (training.step(specified).skipped) ++skipped;
  EXPECT_GT(skipped, 0U);
  for (std::size_t i = 0; i < kTiny.widths[3]; ++i)
    EXPECT_NEAR(0.001,
                std::abs(at(training.network().biases[2], i) - at(tiny_network().biases[2], i)),
                1e-5);
}

TEST(Mlp, ItsLossFallsInEveryMode) {
  const ModeResult wide = small_in_reference("fp32", 12);
  EXPECT_LT(wide.steps.back().loss, 0.95 * wide.steps.front().loss);
  for (const Mode& mode : mlp().modes) {
    const ModeResult result = small_in_reference(mode.name, 12);
    EXPECT_EQ("", result.cause.of) << mode.name << ": " << result.cause.text;
    EXPECT_NEAR(wide.steps.back().loss, result.steps.back().loss, 0.02) << mode.name;
    EXPECT_TRUE(result.steps.back().accuracy.has_value());
  }
}

// What clipping leaves has the limit as its norm, or is what it was.
TEST(Mlp, ClipsToANormOfOne) {
  const StepTrace below = small_in_reference("fp32", 1).steps[0];
  EXPECT_LT(below.norm, 1);
  EXPECT_EQ(1, below.clip_factor);
  const Size& full = size_of(mlp_design(), "full");
  const StepTrace above =
      in_reference(request_of(full, 1), mode_named("fp32"), initial_network(mlp_design(), full, 1))
          .steps[0];
  EXPECT_GT(above.norm, 1.1);
  EXPECT_NEAR(1, above.norm * above.clip_factor.value(), 1e-5);
  std::vector<Tensor> gradients{Tensor::zeros(formats::kFp32, 3)};
  for (std::size_t i = 0; i < 3; ++i) add(gradients[0], i, 2.0);
  const Tensor norm = specified({.kind = Kind::kNorm, .tensor = "norm"}, {gradients.data()})[0];
  EXPECT_NEAR(std::sqrt(12.0), at(norm, 0), 1e-6);
  const Tensor factor =
      specified({.kind = Kind::kClipFactor, .tensor = "factor", .scalar = 0x3f800000}, {&norm})[1];
  EXPECT_NEAR(1 / std::sqrt(12.0), at(factor, 0), 1e-6);
}

TEST(Dropout, ItsMaskIsWhatTheGeneratorSays) {
  const Tensor mask = dropout_mask(4096, 7, 3, 1);
  EXPECT_EQ(mask, dropout_mask(4096, 7, 3, 1));
  const Tensor shorter = dropout_mask(100, 7, 3, 1);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(mask.at(i), shorter.at(i)) << i;
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < mask.count(); ++i) {
    if (at(mask, i) == 0)
      ++dropped;
    else
      EXPECT_EQ(1.25, at(mask, i));
  }
  EXPECT_NEAR(0.2, static_cast<double>(dropped) / 4096, 0.02);
  EXPECT_NE(mask, dropout_mask(4096, 7, 4, 1));
  EXPECT_NE(mask, dropout_mask(4096, 7, 3, 0));
  EXPECT_NE(mask, dropout_mask(4096, 8, 3, 1));
}

TEST(MlpOnHost, PortableKernelsGiveTheReferencesBitsInEveryMode) {
  suites::Session session(backends::Device::open("host"));
  for (const Mode& mode : mlp().modes) {
    const ModeResult expected = in_reference(request_of(kTiny, 3), mode, tiny_network());
    const ModeResult result = on_device(request_of(kTiny, 3), mode, tiny_network(), session,
                                        {.provider = "portable", .diagnoses = false});
    EXPECT_TRUE(result.deviations.empty()) << mode.name << ": " << result.cause.text;
    EXPECT_EQ(expected.digests, result.digests) << mode.name;
    EXPECT_EQ(result.operators, result.portable);
  }
}

TEST(MlpOnHost, ASkippedStepLeavesWeightsAndMoments) {
  Mode mode = mode_named("fp16-scaled");
  mode.scale = 40;
  const ModeResult expected = in_reference(request_of(kTiny, 2), mode, tiny_network());
  EXPECT_TRUE(expected.steps[0].skipped);
  suites::Session session(backends::Device::open("host"));
  const ModeResult result = on_device(request_of(kTiny, 2), mode, tiny_network(), session,
                                      {.provider = "portable", .diagnoses = false});
  EXPECT_TRUE(result.deviations.empty()) << result.cause.text;
  EXPECT_EQ(fast::digest(tiny_network().weights[0]).word(), result.digests[0]);
}

const std::multimap<std::string_view, std::string_view> kOperations = {
    {"gemm", "matrix product"},
    {"convert", "cast"},
    {"relu", "ReLU"},
    {"relu", "gradient of ReLU"},
    {"relu_backward", "gradient of ReLU"},
    {"cross_entropy", "cross-entropy"},
    {"cross_entropy", "gradient of the cross-entropy"},
    {"cross_entropy_backward", "gradient of the cross-entropy"},
    {"sum", "sum over the batch"},
    {"amp_check", "check and unscaling"},
    {"unscale", "check and unscaling"},
    {"clip", "norm of gradients"},
    {"clip", "factor of clipping"},
    {"adam", "Adam"},
    {"optimizer", "Adam"}};

ModeResult with_fault(std::string_view fault) {
  suites::Session session(backends::Device::open("host", {{"fault", fault}}));
  return on_device(request_of(kTiny, 2), mode_named("fp16"), tiny_network(), session,
                   {.provider = "library", .diagnoses = false});
}

TEST(MlpOnHost, EveryPlantedFaultIsAnOperatorOrFlushing) {
  std::set<std::string_view> seen;
  for (const FaultRow& row : backends::host::all_faults()) {
    const auto [first, last] = kOperations.equal_range(row.operation);
    if (row.kind != FaultKind::kFault || first == last || row.id.starts_with('T')) continue;
    const ModeResult result = with_fault(row.id);
    if (result.deviations.empty()) {
      EXPECT_EQ("", result.cause.of) << row.id;
      continue;
    }
    seen.insert(row.id);
    const bool is_flush = row.must_report == "ftz_in" || row.must_report == "ftz_out";
    EXPECT_EQ(is_flush ? "flush to zero" : "operator", result.cause.of)
        << row.id << ": " << result.cause.text;
    const std::string& operation = result.deviations.front().operation;
    EXPECT_TRUE(
        std::any_of(first, last, [&](const auto& each) { return each.second == operation; }))
        << row.id << ": " << result.cause.text;
  }
  for (const char* id : {"O01", "O02", "O03", "X19"}) EXPECT_TRUE(seen.contains(id)) << id;
  EXPECT_GE(seen.size(), 28U);
}

TEST(MlpOnHost, NoControlIsAccused) {
  for (const FaultRow& row : backends::host::all_faults()) {
    if (row.kind != FaultKind::kControl) continue;
    const ModeResult result = with_fault(row.id);
    EXPECT_EQ("", result.cause.of) << row.id << ": " << result.cause.text;
  }
}

// The rules that are named for kernels without a case of their own exist.
TEST(OwnPlans, HaveTheRulesOfTheirSuites) {
  for (const auto& [kind, suite] :
       {std::pair{Kind::kAdam, "optimizer"}, std::pair{Kind::kUnscale, "loss_scaling"},
        std::pair{Kind::kClip, "loss_scaling"}, std::pair{Kind::kGelu, "activation"}}) {
    const auto contract = suites::find_suite(suite).contract;
    EXPECT_TRUE(std::any_of(contract.begin(), contract.end(), [&](const auto& row) {
      return row.id == own_rule(kind);
    })) << own_rule(kind);
  }
}

}  // namespace
}  // namespace halfmark::tools::lab
