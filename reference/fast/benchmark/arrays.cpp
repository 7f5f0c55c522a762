// SPDX-License-Identifier: Apache-2.0
// The speed of the reference apart from matrix products: sweeps over all pairs of fp16
// numbers, digests, row operators, and a network in training. Registered together with the
// benchmarks of main.cpp.
//
// Every benchmark checks a sample of its results; a wrong bit is reported as an error instead of
// a number.
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <random>

#include "reference/fast/backward.hpp"
#include "reference/fast/elementwise.hpp"
#include "reference/fast/layernorm.hpp"
#include "reference/fast/softmax.hpp"
#include "reference/fast/sweep.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast::benchmark {
namespace {

using ::benchmark::State;
using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr Options kTwoThreads{.threads = 2};
constexpr Options kOneThread{.threads = 1};

Tensor normal_tensor(const Format& format, std::size_t count, float deviation, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, deviation);
  Tensor single = Tensor::zeros(kFp32, count);
  for (std::size_t i = 0; i < count; ++i) {
    single.set(i, std::bit_cast<std::uint32_t>(normal(random)));
  }
  if (format == kFp32) return single;
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) {
    tensor.set(i, soft::convert(kFp32, format, single.at(i)).bits);
  }
  return tensor;
}

// Compares sixteen runs of 4096 pairs at random places with the soft-float.
bool sample_is_right(const PairSweep& sweep) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 16; ++run) {
    const std::uint64_t first = random() % (kPairs - 4096);
    std::vector<std::uint16_t> expected(4096);
    for (std::uint64_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t pair = first + i;
      expected[i] = static_cast<std::uint16_t>(
          soft_element(sweep.operation, sweep.format, pair >> 16, pair & 0xffff, 0));
    }
    if (compare_pairs(sweep, first, expected, kOneThread).count != 0) return false;
  }
  return true;
}

// Every pair of fp16 operands; the results are digested as they are computed.
void fp16_pairs(State& state, Operation operation) {
  const PairSweep sweep{kFp16, operation};
  for (auto _ : state) {
    ::benchmark::DoNotOptimize(pair_digest(sweep, 0, kPairs, kTwoThreads));
  }
  if (!sample_is_right(sweep)) state.SkipWithError("wrong bits");
}

constexpr std::size_t kRows = 1024;
constexpr std::size_t kWidth = 4096;

void count_elements(State& state) {
  state.SetItemsProcessed(static_cast<std::int64_t>(kRows * kWidth) * state.iterations());
}

Tensor first_row(const Tensor& x) {
  Tensor row = Tensor::zeros(*x.format, kWidth);
  for (std::size_t i = 0; i < kWidth; ++i) row.set(i, x.at(i));
  return row;
}

// Only the first row is checked against the soft-float.
void softmax(State& state) {
  operators::SoftmaxParams params{.rows = kRows, .width = kWidth, .output = &kFp16};
  const Tensor x = normal_tensor(kFp16, kRows * kWidth, 4, 1);
  Tensor y;
  for (auto _ : state) y = fast::softmax_forward(params, x, {}, kOneThread);
  count_elements(state);
  params.rows = 1;
  const Tensor expected = operators::softmax_forward(params, first_row(x), {});
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (expected.at(i) != y.at(i)) return state.SkipWithError("wrong bits");
  }
}

void layernorm(State& state) {
  operators::LayernormParams params{
      .rows = kRows, .width = kWidth, .eps = 0x3727c5ac, .output = &kFp16};
  const Tensor x = normal_tensor(kFp16, kRows * kWidth, 4, 1);
  const Tensor gamma = normal_tensor(kFp16, kWidth, 1, 2);
  const Tensor beta = normal_tensor(kFp16, kWidth, 1, 3);
  operators::LayernormOutputs out;
  for (auto _ : state) out = fast::layernorm_forward(params, x, gamma, beta, {}, kOneThread);
  count_elements(state);
  params.rows = 1;
  const auto expected = operators::layernorm_forward(params, first_row(x), gamma, beta, {});
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (expected.y.at(i) != out.y.at(i)) return state.SkipWithError("wrong bits");
  }
}

void fp16_fma(State& state) {
  const Tensor a = normal_tensor(kFp16, kRows * kWidth, 4, 1);
  const Tensor b = normal_tensor(kFp16, kRows * kWidth, 4, 2);
  Tensor d;
  for (auto _ : state) d = elementwise(Operation::kFma, {a, &b, &a}, {}, kOneThread);
  count_elements(state);
  for (std::size_t i = 0; i < kWidth; ++i) {
    if (soft::fma(kFp16, a.at(i), b.at(i), a.at(i)).bits != d.at(i)) {
      return state.SkipWithError("wrong bits");
    }
  }
}

void digest_fp16(State& state) {
  const Tensor x = normal_tensor(kFp16, kRows * kWidth, 4, 1);
  Digest actual;
  for (auto _ : state) ::benchmark::DoNotOptimize(actual = digest(x, 0, kOneThread));
  count_elements(state);
  Digest expected;
  for (std::size_t i = 0; i < x.count(); ++i) expected += digest_of_element(kFp16, i, x.at(i));
  if (expected != actual) state.SkipWithError("wrong bits");
}

// The two-layer perceptron whose gradients need loss scaling, 64 x 4096 -> 4096 -> 1024. It takes
// five steps at each scale of the experiment that the operator can express: no scaling, 2^16, 2^-12
// where gradients underflow, 2^24 where they overflow. (The experiment's bf16 and fp32 runs need
// other operators.)
constexpr operators::TrainingProblem kFragile{.batch = 64,
                                              .in = 4096,
                                              .hidden = 4096,
                                              .out = 1024,
                                              .rate = 0x3c23d70a,
                                              .growth_interval = 2000};
constexpr Bits kScales[] = {0x3f800000, 0x47800000, 0x39800000, 0x4b800000};
constexpr int kSteps = 5;

operators::TrainingState fragile_start() {
  const operators::TrainingProblem& p = kFragile;
  // Weights spread like a uniform initialisation within 1 / sqrt(fan in).
  return {.x = normal_tensor(kFp16, p.batch * p.in, 10, 1),
          .t = normal_tensor(kFp16, p.batch * p.out, 1, 2),
          .w1 = normal_tensor(kFp32, p.hidden * p.in, 0.009F, 3),
          .w2 = normal_tensor(kFp32, p.out * p.hidden, 0.009F, 4)};
}

// The digest against which a device's tensors are compared.
Digest digest_of_step(const operators::TrainingStep& s) {
  Digest sum;
  for (const Tensor* tensor : {&s.w1h, &s.w2h, &s.h, &s.g, &s.y, &s.loss, &s.dy, &s.dw2, &s.dg,
                               &s.dh, &s.dw1, &s.g1, &s.g2, &s.w1, &s.w2}) {
    sum += digest(*tensor, 0, kTwoThreads);
  }
  return sum;
}

// Checks some elements of the longest and of the largest product, and the weights updated
// from them.
bool step_is_right(const operators::TrainingState& before, const operators::TrainingStep& s) {
  const operators::TrainingProblem& p = kFragile;
  std::mt19937_64 random(1);
  for (int i = 0; i < 32; ++i) {
    const std::size_t sample = random() % p.batch;
    const std::size_t unit = random() % p.hidden;
    const std::size_t input = random() % p.in;
    Bits h = 0;
    for (std::size_t k = 0; k < p.in; ++k) {
      const auto wide = [](Bits bits) { return soft::convert(kFp16, kFp32, bits).bits; };
      h = soft::fma(kFp32, wide(before.x.at(sample * p.in + k)), wide(s.w1h.at(unit * p.in + k)), h)
              .bits;
    }
    if (soft::convert(kFp32, kFp16, h).bits != s.h.at(sample * p.hidden + unit)) return false;
    const std::size_t place = unit * p.in + input;
    const Bits step =
        soft::fma(kFp32, soft::neg(kFp32, p.rate), s.g1.at(place), before.w1.at(place)).bits;
    if ((s.found_inf ? before.w1.at(place) : step) != s.w1.at(place)) return false;
  }
  return true;
}

void training_fragile(State& state) {
  const operators::TrainingState start = fragile_start();
  for (auto _ : state) {
    for (const Bits scale : kScales) {
      operators::TrainingState now = start;
      now.scale = scale;
      for (int i = 0; i < kSteps; ++i) {
        operators::TrainingStep step =
            fast::loss_scaled_backward(kFragile, now, {}, {}, kTwoThreads);
        ::benchmark::DoNotOptimize(digest_of_step(step));
        if (i == 0 && !step_is_right(now, step)) return state.SkipWithError("wrong bits");
        now.w1 = std::move(step.w1);
        now.w2 = std::move(step.w2);
        now.scale = step.scale;
        now.growth = step.growth;
      }
    }
  }
}

const bool kRegistered = [] {
  using ::benchmark::RegisterBenchmark;
  const auto time = [](::benchmark::internal::Benchmark* b) {
    b->UseRealTime()->MeasureProcessCPUTime()->Unit(::benchmark::kMillisecond);
  };
  for (const Operation operation :
       {Operation::kAdd, Operation::kMul, Operation::kDiv, Operation::kMaximum}) {
    time(RegisterBenchmark((std::string("fp16_pairs_") + std::string(to_string(operation))).c_str(),
                           [operation](State& state) { fp16_pairs(state, operation); }));
  }
  time(RegisterBenchmark("training_fragile", training_fragile));
  time(RegisterBenchmark("softmax_forward", softmax));
  time(RegisterBenchmark("layernorm_forward", layernorm));
  time(RegisterBenchmark("fp16_fma", fp16_fma));
  time(RegisterBenchmark("digest_fp16", digest_fp16));
  return true;
}();

}  // namespace
}  // namespace halfmark::fast::benchmark
