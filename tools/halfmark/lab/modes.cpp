// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/text/visible.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;

constexpr Mode kFragile[] = {
    {"bf16", "bf16, no scale", &kBf16, 0, false},
    {"fp16", "fp16, no scale", &kFp16, 0, false},
    {"fp16-scaled", "fp16, dynamic scale from 2^16", &kFp16, 16, true},
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"underflow", "fp16, forced underflow: scale 2^-12", &kFp16, -12, false},
    {"overflow", "fp16, forced overflow: dynamic scale from 2^24", &kFp16, 24, true},
    // 2^-126 is to fp32 what 2^-14 is to fp16. Processors take long for subnormal numbers.
    {.name = "fp32-subnormal",
     .title = "fp32, gradients as subnormal as in fp16: one step at a scale of 2^-112, by portable "
              "kernels",
     .format = &kFp32,
     .scale = -112,
     .dynamic = false,
     .most_steps = 1,
     .is_slow_on_processors = true,
     .is_portable = true},
};

// Constant scales from 2^-12 to 2^24.
constexpr Mode kSweep[] = {
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"2^-12", "fp16, scale 2^-12", &kFp16, -12, false},
    {"2^-8", "fp16, scale 2^-8", &kFp16, -8, false},
    {"2^-4", "fp16, scale 2^-4", &kFp16, -4, false},
    {"2^0", "fp16, scale 1", &kFp16, 0, false},
    {"2^4", "fp16, scale 2^4", &kFp16, 4, false},
    {"2^8", "fp16, scale 2^8", &kFp16, 8, false},
    {"2^12", "fp16, scale 2^12", &kFp16, 12, false},
    {"2^16", "fp16, scale 2^16", &kFp16, 16, false},
    {"2^20", "fp16, scale 2^20", &kFp16, 20, false},
    {"2^24", "fp16, scale 2^24", &kFp16, 24, false},
};

// As late in a training, when most updates are below half of a weight's last place in fp16.
constexpr Bits kLateRate = 0x38800000;  // 2^-14

constexpr Mode ablated(std::string_view name, std::string_view title, const Format* format,
                       int scale, bool narrow_weights, bool narrow_sums) {
  return {.name = name,
          .title = title,
          .format = format,
          .scale = scale,
          .dynamic = scale != 0,
          .narrow_weights = narrow_weights,
          .narrow_sums = narrow_sums,
          .rate = kLateRate};
}

constexpr Mode kAblation[] = {
    ablated("wide", "fp32, no scale", &kFp32, 0, false, false),
    ablated("mixed", "fp16 with master weights, fp32 sums and a dynamic scale", &kFp16, 16, false,
            false),
    ablated("no-scale", "without the scale", &kFp16, 0, false, false),
    ablated("no-master", "without master weights", &kFp16, 16, true, false),
    ablated("no-wide-sums", "without fp32 sums", &kFp16, 16, false, true),
    ablated("all-half", "without any of the three", &kFp16, 0, true, true),
};

constexpr Mode kRecompute[] = {
    {"bf16-recomputed", "bf16, no scale", &kBf16, 0, false, false, false, true},
    {"fp16-recomputed", "fp16, dynamic scale from 2^16", &kFp16, 16, true, false, false, true},
    {"fp32-recomputed", "fp32, no scale", &kFp32, 0, false, false, false, true},
};

constexpr Mode kMlp[] = {
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"bf16", "bf16, no scale", &kBf16, 0, false},
    {"fp16", "fp16, no scale", &kFp16, 0, false},
    {"fp16-scaled", "fp16, dynamic scale from 2^16", &kFp16, 16, true},
};

constexpr std::size_t kParts = 4;

constexpr Mode tiled(std::string_view name, std::string_view title, const Format* format,
                     std::size_t parts_of_sums, std::size_t parts_of_rows,
                     bool narrow_parts = false) {
  return {.name = name,
          .title = title,
          .format = format,
          .scale = 0,
          .dynamic = false,
          .parts_of_sums = parts_of_sums,
          .parts_of_rows = parts_of_rows,
          .narrow_parts = narrow_parts};
}

constexpr Mode kMismatch[] = {
    tiled("fp32", "fp32", &kFp32, 1, 1),
    tiled("bf16", "bf16", &kBf16, 1, 1),
    tiled("fp16", "fp16", &kFp16, 1, 1),
    tiled("fp32-sums", "fp32, sums in 4 parts", &kFp32, kParts, 1),
    tiled("bf16-sums", "bf16, sums in 4 parts", &kBf16, kParts, 1),
    tiled("fp16-sums", "fp16, sums in 4 parts", &kFp16, kParts, 1),
    tiled("bf16-split", "bf16, sums in 4 parts that are kept in bf16", &kBf16, kParts, 1, true),
    tiled("fp16-split", "fp16, sums in 4 parts that are kept in fp16", &kFp16, kParts, 1, true),
    tiled("fp32-rows", "fp32, rows in 4 parts", &kFp32, 1, kParts),
    tiled("bf16-rows", "bf16, rows in 4 parts", &kBf16, 1, kParts),
    tiled("fp16-rows", "fp16, rows in 4 parts", &kFp16, 1, kParts),
};
constexpr std::size_t kStepsBeforeMismatch = 10;

constexpr Mode kConvergence[] = {
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"bf16", "bf16, no scale", &kBf16, 0, false},
    {"fp16-scaled", "fp16, dynamic scale from 2^16", &kFp16, 16, true},
    {"fp16", "fp16, no scale", &kFp16, 0, false},
    {"bf16-weights", "bf16 without master weights", &kBf16, 0, false, true},
    {"fp16-weights", "fp16 without master weights, dynamic scale from 2^16", &kFp16, 16, true,
     true},
    {"2^-12", "fp16, scale 2^-12", &kFp16, -12, false},
    {"2^-16", "fp16, scale 2^-16", &kFp16, -16, false},
    {"underflow", "fp16, scale 2^-20", &kFp16, -20, false},
    {"overflow", "fp16, scale 2^24 and no scaler", &kFp16, 24, false},
};
constexpr std::size_t kStepsToConverge = 32;

constexpr Fp8Recipe kCurrent{.history = 0, .most_recent = false};
constexpr Fp8Recipe kDelayed{.history = 16, .most_recent = false};
constexpr Fp8Recipe kRecent{.history = 16, .most_recent = true};
constexpr int kJump = 6;

constexpr Mode in_8_bits(std::string_view name, std::string_view title, const Fp8Recipe* recipe,
                         int jump) {
  return {.name = name,
          .title = title,
          .format = &kBf16,
          .scale = 0,
          .dynamic = false,
          .fp8 = recipe,
          .jump = jump};
}

constexpr Mode kFp8[] = {
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"bf16", "bf16, no scale", &kBf16, 0, false},
    in_8_bits("current", "fp8, each tensor's own scale", &kCurrent, 0),
    in_8_bits("delayed", "fp8, scales by the greatest of 16 steps", &kDelayed, 0),
    in_8_bits("recent", "fp8, scales by the step before", &kRecent, 0),
    in_8_bits("current-jump", "as current, with inputs 64 times as large from step 6 on", &kCurrent,
              kJump),
    in_8_bits("delayed-jump", "as delayed, with inputs 64 times as large from step 6 on", &kDelayed,
              kJump),
};
constexpr std::size_t kStepsInFp8 = 10;

// So short, and the rate so low, that a scale grows, overflows and falls again within the training.
constexpr std::int64_t kShortInterval = 2;

// From the scale with which the framework begins.
constexpr Mode scaled_by(std::string_view scaler, std::string_view title, int scale) {
  return {.name = scaler,
          .title = title,
          .format = &kFp16,
          .scale = scale,
          .dynamic = true,
          .rate = kLateRate,
          .scaler = scaler,
          .growth_interval = kShortInterval};
}

constexpr Mode kScalers[] = {
    {.name = "fp32",
     .title = "fp32, no scale",
     .format = &kFp32,
     .scale = 0,
     .dynamic = false,
     .rate = kLateRate},
    scaled_by("halfmark", "fp16, Halfmark's scaler", 16),
    scaled_by("pytorch", "fp16, PyTorch's scaler", 16),
    scaled_by("genesis", "fp16, the scaler of the Genesis guide", 16),
    scaled_by("apex", "fp16, Apex's scaler", 16),
    scaled_by("keras", "fp16, Keras 3's scaler", 15),
    scaled_by("tensorflow", "fp16, TensorFlow 2's scaler", 15),
    scaled_by("megatron", "fp16, Megatron-LM's scaler", 32),
    scaled_by("deepspeed", "fp16, DeepSpeed's scaler", 16),
};
constexpr std::size_t kStepsOfScalers = 24;

constexpr Experiment kExperiments[] = {
    {"fragile", "gradients at the lower end of fp16", fragile_design, kFragile},
    {"mlp", "a classifier with dropout, clipped gradients and Adam", mlp_design, kMlp},
    {"ablation", "fp16 without each of what mixed precision consists of", fragile_design, kAblation,
     true},
    {"recompute", "the activations are computed again for the backward pass", fragile_design,
     kRecompute},
    {"sweep", "fragile with constant scales: which keep up with fp32", fragile_design, kSweep,
     true},
    {"mismatch", "one network evaluated in other formats and with other tiles: how far apart",
     mlp_design, kMismatch, true, kStepsBeforeMismatch, true},
    {"convergence", "mlp for longer: what each mode loses of fp32's accuracy, by type", mlp_design,
     kConvergence, true, kStepsToConverge},
    {"fp8", "mlp with products of e4m3 and e5m2, scaled tensor by tensor", mlp_design, kFp8, false,
     kStepsInFp8},
    {"scalers", "fragile with each framework's loss scaler: its scale at every step, what it skips",
     fragile_design, kScalers, true, kStepsOfScalers},
};

template <typename Row>
const Row& named(std::span<const Row> rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  if (found == rows.end())
    throw std::invalid_argument(fmt::format("there is no '{}'", text::visible_line(name)));
  return *found;
}

}  // namespace

std::span<const Experiment> experiments() { return kExperiments; }
const Experiment& experiment_named(std::string_view name) { return named(experiments(), name); }
const Mode& mode_of(const Experiment& experiment, std::string_view name) {
  return named(experiment.modes, name);
}
const Size& size_of(const Design& design, std::string_view name) {
  return named(design.sizes, name);
}

}  // namespace halfmark::tools::lab
