// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/fragile.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "reference/fast/convert.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/operators/perceptron.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using suites::Random;

constexpr Size kSizes[] = {{"full", 64, 4096, 4096, 1024, 0}, {"small", 64, 256, 256, 64, 4}};

constexpr Mode kModes[] = {
    {"bf16", "bf16, no scale", &kBf16, 0, false},
    {"fp16", "fp16, no scale", &kFp16, 0, false},
    {"fp16-scaled", "fp16, dynamic scale from 2^16", &kFp16, 16, true},
    {"fp32", "fp32, no scale", &kFp32, 0, false},
    {"underflow", "fp16, forced underflow: scale 2^-12", &kFp16, -12, false},
    {"overflow", "fp16, forced overflow: dynamic scale from 2^24", &kFp16, 24, true},
};

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

// The names of the gradients of weights, whose shares a step reports.
constexpr std::string_view kWeightGradients[] = {"dW2", "dW1"};

Bits power_of_two(int exponent) { return soft::ldexp(kFp32, 0x3f800000, exponent).bits; }

// Uniform in [-1, 1) * 2^exponent, on a grid of 2^-23 of that.
Tensor uniform(std::size_t count, int exponent, const Random& random) {
  Tensor tensor = Tensor::zeros(kFp32, count);
  constexpr std::size_t kPart = 1 << 16;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          const auto n = static_cast<std::int64_t>(random.at(i) >> 40);
          tensor.set(i, suites::scaled(kFp32, n - (1 << 23), exponent - 23));
        }
      });
  return tensor;
}

Tensor normal(std::size_t count, Bits deviation, const Random& random) {
  Tensor tensor = suites::fill(kFp32, count, "normal", random);
  for (std::size_t i = 0; i < count; ++i)
    tensor.set(i, soft::mul(kFp32, tensor.at(i), deviation).bits);
  return tensor;
}

// -log2 sqrt(inputs); the sizes have square powers of two.
int gain(std::size_t inputs) { return -static_cast<int>(std::bit_width(inputs) - 1) / 2; }

Tensor broadcast(const Tensor& row, std::size_t rows) {
  Tensor all = Tensor::zeros(*row.format, row.count() * rows);
  for (std::size_t i = 0; i < rows; ++i)
    std::copy(row.bytes.begin(), row.bytes.end(),
              all.bytes.begin() + static_cast<std::ptrdiff_t>(i * row.bytes.size()));
  return all;
}

double number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

// A power of two in the format of a scaler's settings.
int log2_of(Bits fp32) { return std::ilogb(number(fp32)); }

// Adds those of one tensor.
void count_updates(const Tensor& before, const Tensor& after, const Tensor& gradients,
                   StepTrace& trace) {
  constexpr std::size_t kPart = 1 << 16;
  std::atomic<std::uint64_t> updates = 0, swallowed = 0;
  const std::size_t count = gradients.count();
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        std::uint64_t moving = 0, lost = 0;
        for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          if (formats::is_zero(kFp32, gradients.at(i))) continue;
          ++moving;
          if (before.at(i) == after.at(i)) ++lost;
        }
        updates += moving;
        swallowed += lost;
      });
  trace.updates += updates;
  trace.swallowed += swallowed;
}

operators::LossScaler scaler_of(const Mode& mode) {
  const operators::LossScalerProfile* profile = operators::find_loss_scaler_profile("pytorch");
  operators::LossScaler scaler{.profile = profile, .settings = profile->defaults};
  scaler.settings.scale = soft::convert(kFp32, formats::kFp64, power_of_two(mode.scale)).bits;
  return scaler;
}

}  // namespace

std::span<const Size> sizes() { return kSizes; }
std::span<const Mode> modes() { return kModes; }
std::span<const Mode> sweep_modes() { return kSweep; }
std::span<const Mode> ablation_modes() { return kAblation; }
std::span<const Mode> recompute_modes() { return kRecompute; }

const Mode& mode_of(std::string_view name) {
  for (const std::span<const Mode> list :
       {modes(), sweep_modes(), ablation_modes(), recompute_modes()}) {
    for (const Mode& mode : list) {
      if (mode.name == name) return mode;
    }
  }
  throw std::invalid_argument("no mode of that name");
}

Network initial_network(const Size& s, std::uint64_t seed) {
  constexpr Bits kTen = 0x41200000;
  constexpr Bits kOne = 0x3f800000;
  const Random random(seed * 0x9e3779b97f4a7c15U + 19);
  return {.x = normal(s.batch * s.in, kTen, random.derived(1)),
          .t = normal(s.batch * s.out, kOne, random.derived(2)),
          .w1 = uniform(s.hidden * s.in, gain(s.in), random.derived(3)),
          .b1 = uniform(s.hidden, gain(s.in), random.derived(4)),
          .w2 = uniform(s.out * s.hidden, gain(s.hidden), random.derived(5)),
          .b2 = uniform(s.out, gain(s.hidden), random.derived(6))};
}

const fast::Statistics& StepTrace::of(std::string_view tensor) const {
  return std::find_if(tensors.begin(), tensors.end(),
                      [&](const TensorTrace& trace) { return trace.name == tensor; })
      ->statistics;
}

double StepTrace::zero_share() const {
  std::uint64_t zeros = 0;
  std::uint64_t count = 0;
  for (const std::string_view name : kWeightGradients) {
    zeros += of(name).zeros;
    count += of(name).count;
  }
  return static_cast<double>(zeros) / static_cast<double>(count);
}

double StepTrace::subnormal_share() const {
  std::uint64_t subnormals = 0;
  std::uint64_t count = 0;
  for (const std::string_view name : kWeightGradients) {
    subnormals += of(name).subnormals;
    count += of(name).count;
  }
  return static_cast<double>(subnormals) / static_cast<double>(count);
}

double StepTrace::swallowed_share() const {
  return updates == 0 ? 0 : static_cast<double>(swallowed) / static_cast<double>(updates);
}

struct Training::Forward {
  Tensor x, w1, w2, h, g, wide_y;
};

// Of one layer each: weights and bias.
struct Training::Gradients {
  Tensor w1, b1, w2, b2;
};

Training::Training(const Size& size, const Mode& mode, Network network)
    : size_(size),
      mode_(mode),
      n_(std::move(network)),
      scaler_(scaler_of(mode)),
      state_(operators::initial_state(scaler_)) {
  for (Tensor* weights : {&n_.w1, &n_.b1, &n_.w2, &n_.b2}) {
    if (mode.narrow_weights) *weights = fast::convert(fast::convert(*weights, *mode.format), kFp32);
  }
}

Tensor Training::run(const Engine& engine, const Operator& op, const Operands& operands,
                     StepTrace* trace) const {
  Tensor result = std::move(engine(op, operands)[0]);
  if (trace == nullptr) return result;
  TensorTrace seen{.name = op.tensor, .statistics = fast::statistics(result)};
  if (!trace->first_non_finite && seen.statistics.first_non_finite)
    trace->first_non_finite = {seen.name, *seen.statistics.first_non_finite};
  trace->tensors.push_back(std::move(seen));
  return result;
}

// In fp32 nothing is cast.
Tensor Training::cast(const Engine& engine, std::string name, const Tensor& from,
                      StepTrace* trace) const {
  if (*mode_.format != *from.format)
    return run(engine, {.kind = Kind::kCast, .tensor = std::move(name), .to = mode_.format},
               {&from}, trace);
  if (trace != nullptr) trace->tensors.push_back({std::move(name), fast::statistics(from)});
  return from;
}

// x W^T + b, of which only the last result is rounded to the mode's format.
Tensor Training::linear(const Engine& engine, const std::string& name, const Tensor& x,
                        const Tensor& w, const Tensor& b, StepTrace& trace) const {
  const Tensor narrow = cast(engine, name + " bias", b, nullptr);
  const Tensor row = fast::convert(narrow, kFp32);
  const Format& sum = mode_.narrow_sums ? kFp16 : kFp32;
  const Tensor sums = run(engine,
                          {.kind = Kind::kProduct,
                           .tensor = name + " sums",
                           .to = &sum,
                           .accumulator = &sum,
                           .m = size_.batch,
                           .n = b.count(),
                           .k = x.count() / size_.batch,
                           .transpose_b = true},
                          {&x, &w}, nullptr);
  const Tensor rows = broadcast(row, size_.batch);
  const Tensor wide = fast::convert(sums, kFp32);
  const Tensor biased = run(engine, {.kind = Kind::kAdd, .tensor = name + " biased", .to = &kFp32},
                            {&wide, &rows}, nullptr);
  return cast(engine, name, biased, &trace);
}

Training::Forward Training::forward(const Engine& engine, StepTrace& trace) const {
  Forward f;
  f.x = fast::convert(n_.x, *mode_.format);
  f.w1 = cast(engine, "W1 narrow", n_.w1, nullptr);
  f.w2 = cast(engine, "W2 narrow", n_.w2, nullptr);
  f.h = linear(engine, "h", f.x, f.w1, n_.b1, trace);
  f.g = run(engine, {.kind = Kind::kGelu, .tensor = "g", .to = mode_.format}, {&f.h}, &trace);
  f.wide_y = fast::convert(linear(engine, "y", f.g, f.w2, n_.b2, trace), kFp32);
  const Tensor loss = run(engine, {.kind = Kind::kLoss, .tensor = "loss", .to = &kFp32},
                          {&f.wide_y, &n_.t}, &trace);
  trace.loss = number(loss.at(0));
  return f;
}

// As with checkpoints of activations: the first pass has kept neither h nor g.
void Training::recompute(const Engine& engine, Forward& f, StepTrace& trace) const {
  StepTrace aside;
  const auto keep = [&trace](Tensor& first, Tensor again) {
    trace.recomputed += first.count();
    for (std::size_t i = 0; i < first.count(); ++i)
      trace.changed += first.at(i) != again.at(i) ? 1U : 0U;
    first = std::move(again);
  };
  keep(f.h, linear(engine, "h again", f.x, f.w1, n_.b1, aside));
  keep(f.g,
       run(engine, {.kind = Kind::kGelu, .tensor = "g again", .to = mode_.format}, {&f.h}, &aside));
}

Training::Gradients Training::backward(const Engine& engine, const Forward& f,
                                       StepTrace& trace) const {
  const Size& s = size_;
  const auto product = [&](std::string name, std::size_t m, std::size_t n, std::size_t k,
                           bool transpose_a, const Tensor& a, const Tensor& b) {
    return run(engine,
               {.kind = Kind::kProduct,
                .tensor = std::move(name),
                .to = mode_.format,
                .accumulator = mode_.narrow_sums ? &kFp16 : &kFp32,
                .m = m,
                .n = n,
                .k = k,
                .transpose_a = transpose_a},
               {&a, &b}, &trace);
  };
  const auto sums = [&](std::string name, const Tensor& x, std::size_t columns) {
    return run(engine,
               {.kind = Kind::kColumnSums,
                .tensor = std::move(name),
                .to = mode_.format,
                .m = s.batch,
                .n = columns},
               {&x}, &trace);
  };
  const Tensor wide = run(engine,
                          {.kind = Kind::kLossGradient,
                           .tensor = "dy fp32",
                           .to = &kFp32,
                           .scalar = power_of_two(trace.scale - s.attenuation)},
                          {&f.wide_y, &n_.t}, nullptr);
  const Tensor dy = cast(engine, "dy", wide, &trace);
  Gradients gradients;
  gradients.w2 = product("dW2", s.out, s.hidden, s.batch, true, dy, f.g);
  gradients.b2 = sums("db2", dy, s.out);
  const Tensor dg = product("dg", s.batch, s.hidden, s.out, false, dy, f.w2);
  const Tensor dh = run(engine, {.kind = Kind::kGeluGradient, .tensor = "dh", .to = mode_.format},
                        {&dg, &f.h}, &trace);
  gradients.w1 = product("dW1", s.hidden, s.in, s.batch, true, dh, f.x);
  gradients.b1 = sums("db1", dh, s.hidden);
  return gradients;
}

void Training::update(const Engine& engine, const Gradients& gradients, StepTrace& trace) {
  const Bits inverse = power_of_two(size_.attenuation - trace.scale);
  struct Parameter {
    const char* name;
    const Tensor& gradient;
    Tensor& weights;
    Tensor unscaled;
  };
  std::array<Parameter, 4> parameters{{{"W1", gradients.w1, n_.w1, {}},
                                       {"b1", gradients.b1, n_.b1, {}},
                                       {"W2", gradients.w2, n_.w2, {}},
                                       {"b2", gradients.b2, n_.b2, {}}}};
  bool found = false;
  for (Parameter& p : parameters) {
    std::vector<Tensor> results = engine({.kind = Kind::kUnscale,
                                          .tensor = std::string("unscaled ") + p.name,
                                          .to = &kFp32,
                                          .scalar = inverse},
                                         {&p.gradient});
    p.unscaled = std::move(results[0]);
    found =
        operators::UnscaledStrips{.gradients = {}, .flags = std::move(results[1])}.found() || found;
  }
  trace.skipped = mode_.dynamic && found;
  for (Parameter& p : parameters) {
    if (trace.skipped) break;
    Tensor moved = std::move(engine({.kind = Kind::kDescend,
                                     .tensor = std::string("new ") + p.name,
                                     .to = &kFp32,
                                     .scalar = mode_.rate},
                                    {&p.weights, &p.unscaled})[0]);
    if (mode_.narrow_weights)
      moved =
          fast::convert(cast(engine, std::string("new narrow ") + p.name, moved, nullptr), kFp32);
    count_updates(p.weights, moved, p.unscaled, trace);
    p.weights = std::move(moved);
  }
  if (mode_.dynamic) state_ = operators::updated(scaler_, state_, found ? 1 : 0).state;
}

StepTrace Training::step(const Engine& engine) {
  StepTrace trace{.step = steps_++, .scale = log2_of(state_.scale)};
  Forward pass = forward(engine, trace);
  if (mode_.recomputes) recompute(engine, pass, trace);
  const Gradients gradients = backward(engine, pass, trace);
  double squares = 0;
  for (const char* name : {"dW1", "db1", "dW2", "db2"})
    squares += std::pow(trace.of(name).norm(), 2);
  trace.norm = std::ldexp(std::sqrt(squares), size_.attenuation - trace.scale);
  update(engine, gradients, trace);
  return trace;
}

}  // namespace halfmark::tools::lab
