// SPDX-License-Identifier: Apache-2.0
// Each rule on both sides of its border; a rule without a row here fails.
#include "tools/halfmark/training/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace halfmark::tools {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TrainingLog with(Setup setup) { return {.setup = std::move(setup)}; }
TrainingLog using_operator(const char* name, const char* format) {
  return with({.format = "fp16", .clip = 1, .operators = {{name, format}}});
}

TrainingLog used(OperatorUse use) { return with({.operators = {std::move(use)}}); }
TrainingLog product(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  return used({.name = "linear", .format = "fp16", .extents = {{'m', m}, {'n', n}, {'k', k}}});
}

// What the card of a device says: products in fp16 are native where they are large.
const std::vector<DeviceNote> kNotes = {
    {.kind = NoteKind::kViolation, .suite = "activation", .operation = "gelu", .format = "fp16"},
    {.kind = NoteKind::kDeviation, .suite = "softmax", .operation = "", .format = "fp16"},
    {.kind = NoteKind::kEmulated,
     .suite = "gemm",
     .format = "fp16",
     .extents = {{'m', 64}, {'n', 64}, {'k', 64}}},
    {.kind = NoteKind::kNative,
     .suite = "gemm",
     .format = "fp16",
     .extents = {{'m', 512}, {'n', 512}, {'k', 512}}},
};

TrainingLog steps(std::vector<StepRecord> list) {
  for (std::size_t i = 0; i < list.size(); ++i) list[i].step = i;
  return {.steps = std::move(list)};
}
TrainingLog one(StepRecord step) { return steps({std::move(step)}); }
TrainingLog layer(LayerRecord record) { return one({.layers = {std::move(record)}}); }

// `count` steps, of which the listed ones are skipped.
TrainingLog skipping(std::size_t count, const std::vector<std::size_t>& which) {
  std::vector<StepRecord> list(count);
  for (const std::size_t i : which) list[i].skipped = true;
  return steps(std::move(list));
}

TrainingLog of_scales(const std::vector<double>& scales, bool skipped = false) {
  std::vector<StepRecord> list;
  for (const double scale : scales) list.push_back({.scale = scale});
  list.back().skipped = skipped;
  return steps(std::move(list));
}

// 100 losses of 1, then one more.
TrainingLog with_loss(double last, std::size_t before = 100) {
  std::vector<StepRecord> list(before, StepRecord{.loss = 1});
  list.push_back({.loss = last});
  return steps(std::move(list));
}

struct Border {
  TrainingLog applies, does_not;
  std::string_view profile = "study";
};

std::map<std::string_view, Border> borders() {
  std::vector<double> stuck(101, 1), not_long(100, 1);
  stuck[0] = not_long[0] = 2;
  return {
      {"model.wide-operator-narrow",
       {using_operator("softmax", "fp16"), using_operator("softmax", "fp32")}},
      {"model.refused-operator",
       {using_operator("binary_cross_entropy", "fp16"),
        using_operator("binary_cross_entropy", "fp32")}},
      {"model.wrong-on-device", {using_operator("gelu", "fp16"), using_operator("gelu", "bf16")}},
      {"model.deviates-on-device",
       {using_operator("softmax", "fp16"), using_operator("log_softmax", "fp16")}},
      {"model.emulated-on-device", {product(60, 64, 64), product(600, 640, 640)}},
      {"model.untested-operator",
       {using_operator("conv2d", "fp16"), using_operator("linear", "fp16")}},
      {"model.sum-sticks",
       {used({.name = "linear", .accumulator = "fp16", .terms = 2049}),
        used({.name = "linear", .accumulator = "fp16", .terms = 2048})}},
      {"model.mean-gradient-lost",
       {used({.name = "mse_loss", .format = "fp16", .averaged = 1 << 26}),
        used({.name = "mse_loss", .format = "fp16", .averaged = (1 << 26) - 1})}},
      {"model.ragged-product", {product(64, 65, 64), product(64, 64, 64)}},
      {"model.classifier-narrow",
       {used({.name = "linear", .format = "fp16", .is_classifier = true}),
        used({.name = "linear", .format = "fp32", .is_classifier = true})}},
      {"model.second-moment-lost",
       {with({.state_format = "fp16", .squares_gradients = true}),
        with({.state_format = "fp32", .squares_gradients = true})}},
      {"model.no-scaler", {with({.format = "fp16", .is_scaled = false}), with({.format = "fp16"})}},
      {"model.scaler-needless",
       {with({.format = "bf16", .is_scaled = true}), with({.format = "fp16", .is_scaled = true})}},
      {"model.scale-starts-low",
       {with({.format = "fp16", .scale = 1023}), with({.format = "fp16", .scale = 1024})}},
      {"model.scale-starts-high",
       {with({.format = "fp16", .scale = 65537}), with({.format = "fp16", .scale = 65536})}},
      {"model.clips-before-unscaling",
       {with({.clip = 1, .is_scaled = true, .clips_scaled = true}),
        with({.clip = 1, .is_scaled = false, .clips_scaled = true})}},
      {"model.batch-norm-narrow",
       {using_operator("batch_norm", "bf16"), using_operator("batch_norm", "fp32")}},
      {"model.halved-by-hand", {with({.halved_by_hand = true}), with({})}},
      {"model.prefer-bf16",
       {with({.format = "fp16", .device_has_bf16 = true}),
        with({.format = "fp16", .device_has_bf16 = true, .reinforcement = true})}},
      {"model.reinforcement-in-bf16",
       {with({.format = "bf16", .reinforcement = true}),
        with({.format = "fp16", .reinforcement = true})}},
      {"model.two-formats",
       {with({.format = "fp16", .inference_format = "bf16", .reinforcement = true}),
        with({.format = "fp16", .inference_format = "fp16", .reinforcement = true})}},
      {"model.no-clip", {with({.format = "fp16"}), with({.format = "fp16", .clip = 1})}},
      {"model.epsilon-lost",
       {with({.state_format = "fp16", .epsilon = 0x1p-25}),
        with({.state_format = "fp16", .epsilon = std::nextafter(0x1p-25, 1)})}},
      {"data.beyond-fp16",
       {with({.format = "fp16", .data_largest = 65520}),
        with({.format = "fp16", .data_largest = 65519})}},
      {"loss.not-finite", {one({.loss = kNan}), one({.loss = kInf, .skipped = true})}},
      {"norm.not-finite", {one({.norm = kInf}), one({.norm = kInf, .skipped = true})}},
      {"norm.zero", {one({.norm = 0}), one({.norm = 1e-300})}},
      {"loss.unstable", {with_loss(10.5), with_loss(10)}},
      {"norm.explodes", {one({.norm = 100.1}), one({.norm = 100})}},
      {"norm.vanishes", {one({.norm = 0.0009}), one({.norm = 0.001})}},
      {"norm.high", {one({.norm = 10.1}), one({.norm = 10})}},
      {"norm.low", {one({.norm = 0.09}), one({.norm = 0.1})}},
      {"mismatch.large", {one({.mismatch = 0.00101}), one({.mismatch = 0.001})}},
      {"layer.large",
       {layer({.name = "a", .norm = 10001}), layer({.name = "a", .norm = 1e4}), "guide"}},
      {"layer.small",
       {layer({.name = "a", .norm = 0.9e-7}), layer({.name = "a", .norm = 1e-7}), "guide"}},
      {"norm.large", {one({.norm = 10.1}), one({.norm = 10}), "strict"}},
      {"scale.operator", {of_scales({2, 1}, true), of_scales({4, 2}, true)}},
      {"scale.stuck", {of_scales(stuck), of_scales(not_long)}},
      {"scale.low", {of_scales({1023}), of_scales({1024})}},
      {"scale.below-10000", {of_scales({9999}), of_scales({10000})}},
      {"overflow.often", {skipping(100, {3, 7}), skipping(100, {3})}},
      {"overflow.steady", {skipping(9999, {5}), skipping(10000, {5})}},
      {"overflow.rising",
       {skipping(200, {5, 110, 120, 130, 140}), skipping(200, {5, 110, 120, 130})}},
      {"layer.underflow",
       {layer({.name = "a", .lost_share = 0.051}), layer({.name = "a", .lost_share = 0.05})}},
  };
}

bool applies(std::string_view id, const TrainingLog& log, std::string_view profile) {
  const Observed observed{.log = log, .notes = kNotes, .has_card = true};
  for (const Applied& each : apply_rules(observed, profile)) {
    if (each.rule->id == id) return true;
  }
  return false;
}

TEST(TrainingRules, ApplyOnOneSideOfTheirBorderOnly) {
  const auto all = borders();
  for (const Rule& rule : training_rules()) {
    const auto border = all.find(rule.id);
    ASSERT_NE(border, all.end()) << rule.id << " has no border here";
    EXPECT_TRUE(applies(rule.id, border->second.applies, border->second.profile)) << rule.id;
    EXPECT_FALSE(applies(rule.id, border->second.does_not, border->second.profile)) << rule.id;
  }
  EXPECT_EQ(all.size(), training_rules().size());
}

TEST(TrainingRules, AnOperatorThatOnlyMovesNumbersNeedsNoSuite) {
  EXPECT_TRUE(applies("model.untested-operator", using_operator("sigmoid", "fp16"), "study"));
  EXPECT_FALSE(applies("model.untested-operator", using_operator("flatten", "fp16"), "study"));
  EXPECT_FALSE(applies("model.untested-operator", using_operator("embedding", "fp16"), "study"));
}

TEST(TrainingRules, AreInTheOrderInWhichPeopleShouldLook) {
  const auto rules = training_rules();
  for (std::size_t i = 1; i < rules.size(); ++i) {
    EXPECT_LE(rules[i - 1].stage, rules[i].stage) << rules[i].id;
    EXPECT_NE(rules[i - 1].id, rules[i].id);
  }
}

TEST(TrainingRules, LimitsOfOtherProfilesAreSilent) {
  EXPECT_FALSE(applies("norm.explodes", one({.norm = 1000}), "guide"));
  EXPECT_FALSE(applies("norm.large", one({.norm = 1000}), "study"));
}

// The window counts losses, not steps, and only once there are more than a hundred.
TEST(TrainingRules, AnUnstableLossNeedsAHundredBeforeIt) {
  EXPECT_FALSE(applies("loss.unstable", with_loss(1000, 99), "study"));
  EXPECT_TRUE(applies("loss.unstable", with_loss(1000, 100), "study"));
  TrainingLog early = with_loss(1, 200);
  early.steps[10].loss = 1000;
  EXPECT_FALSE(applies("loss.unstable", early, "study")) << "outside of every window";
}

TEST(TrainingRules, SayWhereFirstAndHowOften) {
  const TrainingLog log = steps({{.norm = 1}, {.norm = 200}, {.norm = 300}});
  const std::vector<Applied> applied = apply_rules({.log = log}, "study");
  ASSERT_FALSE(applied.empty());
  EXPECT_EQ(1u, applied[0].hit.step);
  EXPECT_EQ(2u, applied[0].hit.times);
  EXPECT_EQ("norm 200", applied[0].hit.what);
}

// A scale of 1 from the start means that nothing is scaled.
TEST(Death, IsBlamedOnAnOperatorOnlyIfTheScaleHasFallen) {
  EXPECT_EQ("operator", death_of(of_scales({65536, 1}, true)).of);
  EXPECT_EQ("overflow", death_of(steps({{.norm = kNan, .scale = 1}})).of);
  EXPECT_FALSE(applies("scale.operator", of_scales({1, 1}, true), "study"));
  EXPECT_FALSE(applies("scale.stuck", of_scales(std::vector<double>(200, 1)), "study"));
}

// Nothing is said of a scale of 1 that never was another; a constant one is low, but fell nowhere.
TEST(TrainingRules, ALowScaleNeedNotHaveFallen) {
  for (const char* id : {"scale.low", "scale.below-10000"}) {
    EXPECT_FALSE(applies(id, of_scales({1, 1, 1}), "study")) << id;
    EXPECT_TRUE(applies(id, of_scales({0x1p-12, 0x1p-12}), "study")) << id;
    EXPECT_TRUE(applies(id, of_scales({65536, 1}), "study")) << id;
    const auto rule = std::ranges::find(training_rules(), std::string_view(id), &Rule::id);
    EXPECT_EQ(std::string_view::npos, rule->says.find("fell")) << rule->says;
  }
}

TEST(Death, NamesStepAndLayer) {
  const Death overflow = death_of(
      steps({{.loss = 1},
             {.loss = kInf, .layers = {{.name = "a", .norm = 1}, {.name = "b", .norm = kInf}}}}));
  EXPECT_EQ("overflow", overflow.of);
  EXPECT_EQ(1u, overflow.step);
  EXPECT_EQ("b", overflow.layer);
  const Death underflow = death_of(one({.norm = 0, .layers = {{.name = "a", .norm = 0}}}));
  EXPECT_EQ("underflow", underflow.of);
  EXPECT_EQ("a", underflow.layer);
}

TEST(Death, IsNotASkippedStep) {
  EXPECT_EQ("", death_of(steps({{.norm = kInf, .scale = 65536, .skipped = true},
                                {.norm = 1, .scale = 32768}}))
                    .of);
}

// Not even one whose loss is infinite, too.
TEST(Death, IsNotASkippedStepWithoutALoss) {
  const TrainingLog log = steps({{.loss = 2, .norm = 1, .scale = 65536},
                                 {.loss = kInf, .norm = kInf, .scale = 65536, .skipped = true},
                                 {.loss = 1.5, .norm = 1, .scale = 32768}});
  EXPECT_EQ("", death_of(log).of);
  EXPECT_FALSE(applies("loss.not-finite", log, "study"));
}

// A training that went on has not died of anything.
TEST(Death, Lasts) {
  EXPECT_EQ("",
            death_of(steps({{.loss = 2, .norm = 0}, {.loss = 1.5, .norm = 1}, {.loss = 1}})).of);
  EXPECT_EQ("", death_of(steps({{.loss = kNan}, {.loss = 1}})).of);
  EXPECT_EQ(
      "",
      death_of(steps({{.scale = 2}, {.scale = 1, .skipped = true}, {.norm = 1, .scale = 1}})).of);
  const Death second =
      death_of(steps({{.norm = 0}, {.norm = 1}, {.norm = 0}, {.loss = 1}, {.norm = 0}}));
  EXPECT_EQ("underflow", second.of);
  EXPECT_EQ(2U, second.step);
  const Death changed = death_of(steps({{.norm = 0}, {.norm = kNan}, {.loss = kNan}}));
  EXPECT_EQ("overflow", changed.of);
  EXPECT_EQ(1U, changed.step);
}

// One and the same step is no death by the next one's test, and by its own.
TEST(Death, IsNotAStepOfWhichANumberIsLeft) {
  const StepRecord no_loss{.loss = kNan, .norm = 1}, no_norm{.loss = 2, .norm = kInf};
  for (const StepRecord& step : {no_loss, no_norm}) {
    EXPECT_EQ("", death_of(one(step)).of);
    EXPECT_EQ("", death_of(steps({step, step})).of);
    EXPECT_EQ("", death_of(steps({step, step, {.loss = 1, .norm = 1}})).of);
    const Death death = death_of(steps({step, {.loss = kNan, .norm = kNan}}));
    EXPECT_EQ("overflow", death.of);
    EXPECT_EQ(0U, death.step) << "where it began";
  }
}

TEST(Figures, CountStepsThatWereMade) {
  const Figures figures = figures_of(skipping(8, {1, 5}).steps);
  EXPECT_EQ(0.75, figures.success_rate());
  EXPECT_EQ(0, figures_of({}).success_rate());
  const Figures norms = figures_of(
      steps({{.norm = 2}, {.norm = kInf, .skipped = true}, {.norm = kNan}, {.norm = 1}}).steps);
  EXPECT_EQ(1, norms.least_norm);
  EXPECT_EQ(2, norms.largest_norm);
  const Figures scales = figures_of(of_scales({4, 16, 8}).steps);
  EXPECT_EQ(4, scales.least_scale);
  EXPECT_EQ(16, scales.largest_scale);
  EXPECT_EQ(8, scales.last_scale);
}

TEST(EarlySteps, AreThoseBelowAHundred) {
  EXPECT_EQ(100U, early_steps(skipping(120, {})).size());
  EXPECT_EQ(100U, figures_of(early_steps(skipping(120, {}))).steps);
  EXPECT_EQ(1U, figures_of(early_steps(skipping(120, {99, 100}))).skipped);
  TrainingLog resumed = skipping(3, {});
  for (StepRecord& step : resumed.steps) step.step += 100;
  EXPECT_TRUE(early_steps(resumed).empty());
}

}  // namespace
}  // namespace halfmark::tools
