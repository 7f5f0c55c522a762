// SPDX-License-Identifier: Apache-2.0
// The speed of the reference compared with OpenBLAS and with scalar code, in one process so that
// ratios are meaningful: `halfmark-bench-reference --benchmark_enable_random_interleaving=true
// --benchmark_repetitions=9`. ci/numbers reads its JSON. Times are wall-clock times; CPU times are
// those of the whole process.
//
// Every benchmark checks a sample of its results; a wrong bit is reported as an error instead of
// a number.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <bit>
#include <random>
#include <vector>

#include "reference/fast/benchmark/openblas.hpp"
#include "reference/fast/benchmark/scalar_float.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast::benchmark {
namespace {

using ::benchmark::Counter;
using ::benchmark::State;
using formats::Bits;
using formats::Format;
using formats::Tensor;
using operators::GemmProblem;

// Standard normal numbers rounded to the format, like activations and weights.
Tensor normal_tensor(const Format& format, std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  Tensor tensor = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Bits bits = std::bit_cast<std::uint32_t>(normal(random));
    tensor.set(i, soft::convert(formats::kFp32, format, bits).bits);
  }
  return tensor;
}

// Counts products per iteration, from which ci/numbers computes rates, and per second of wall time.
void count_products(State& state, double products_each) {
  state.counters["products"] = Counter(products_each);
  state.counters["products_per_second"] =
      Counter(products_each * static_cast<double>(state.iterations()), Counter::kIsRate);
}

// Recomputes some rows and columns with the soft-float.
bool sample_is_right(const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor& d,
                     const models::Arithmetic& arithmetic) {
  const std::vector<Bits> a_bits = a.to_bits();
  const std::vector<Bits> b_bits = b.to_bits();
  std::mt19937_64 random(1);
  for (int i = 0; i < 64; ++i) {
    const std::size_t row = random() % p.m;
    const std::size_t column = random() % p.n;
    GemmProblem one{.m = 1, .n = 1, .k = p.k};
    one.d_format = p.d_format;
    Tensor x = Tensor::zeros(*a.format, p.k);
    Tensor y = Tensor::zeros(*b.format, p.k);
    for (std::size_t k = 0; k < p.k; ++k) {
      x.set(k, a_bits[p.a_index(0, row, k)]);
      y.set(k, b_bits[p.b_index(0, k, column)]);
    }
    const Bits expected = operators::gemm(one, x, y, nullptr, arithmetic, {}).at(0);
    if (expected != d.at(row * p.n + column)) return false;
  }
  return true;
}

void gemm_benchmark(State& state, const std::string& arithmetic_name, const Format& input,
                    const Format& output, unsigned threads, std::size_t n) {
  GemmProblem p{.m = n, .n = n, .k = n};
  p.d_format = &output;
  const auto arithmetic = models::parse_arithmetic(arithmetic_name);
  const Options options{.threads = threads};
  if (!arithmetic || !covers(input, input, *arithmetic, {}, options.chosen_target())) {
    return state.SkipWithError("no fast path on this target");
  }
  const Tensor a = normal_tensor(input, p.a_count(), 1);
  const Tensor b = normal_tensor(input, p.b_count(), 2);
  Tensor d;
  for (auto _ : state) d = fast::gemm(p, a, b, nullptr, *arithmetic, {}, options);
  const auto size = static_cast<double>(n);
  count_products(state, size * size * size);
  if (!sample_is_right(p, a, b, d, *arithmetic)) state.SkipWithError("wrong bits");
}

void openblas_benchmark(State& state, const OpenBlas& blas, int threads, int n) {
  if (!blas.present()) return state.SkipWithError("libopenblas.so.0 is not installed");
  blas.set_threads(threads);
  std::mt19937_64 random(1);
  std::normal_distribution<float> normal;
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<float> a(count), b(count), d(count);
  for (float& x : a) x = normal(random);
  for (float& x : b) x = normal(random);
  for (auto _ : state) {
    blas.sgemm(OpenBlas::kRowMajor, OpenBlas::kNoTranspose, OpenBlas::kNoTranspose, n, n, n, 1,
               a.data(), n, b.data(), n, 0, d.data(), n);
    ::benchmark::DoNotOptimize(d.data());
  }
  count_products(state, static_cast<double>(n) * n * n);
}

// The same dot products in the same order by the scalar code, with operands in the
// accumulator's format.
template <typename Scalar>
void scalar_benchmark(State& state, const Format& format) {
  constexpr std::size_t kDepth = 2048;
  constexpr std::size_t kOutputs = 64;
  const std::vector<Bits> a = normal_tensor(formats::kFp16, kDepth, 1).to_bits();
  const std::vector<Bits> b = normal_tensor(formats::kFp16, kDepth * kOutputs, 2).to_bits();
  const auto widened = [&](const std::vector<Bits>& from) {
    std::vector<std::uint32_t> to;
    for (const Bits bits : from) {
      to.push_back(static_cast<std::uint32_t>(soft::convert(formats::kFp16, format, bits).bits));
    }
    return to;
  };
  const std::vector<std::uint32_t> x = widened(a);
  const std::vector<std::uint32_t> y = widened(b);
  std::vector<std::uint32_t> sums(kOutputs);
  for (auto _ : state) {
    for (std::size_t j = 0; j < kOutputs; ++j) {
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < kDepth; ++k) sum = Scalar::mul_add(x[k], y[j * kDepth + k], sum);
      sums[j] = sum;
    }
    ::benchmark::DoNotOptimize(sums.data());
  }
  count_products(state, static_cast<double>(kDepth * kOutputs));
  for (std::size_t j = 0; j < kOutputs; ++j) {
    const models::Vector row{&formats::kFp16, a.data()};
    const models::Vector column{&formats::kFp16, b.data() + j * kDepth};
    const auto expected = models::dot(operators::specified_arithmetic(format), row, column, kDepth,
                                      std::nullopt, format);
    if (expected.bits != sums[j]) state.SkipWithError("wrong bits");
  }
}

struct Row {
  const char* name;
  const char* arithmetic;
  const Format* input;
  const Format* output;
  unsigned threads;
  std::size_t n;
};

const Row kRows[] = {
    {"gemm_fp32", "fp32.sequential.fma", &formats::kFp16, &formats::kFp32, 2, 2048},
    {"gemm_fp32_one_thread", "fp32.sequential.fma", &formats::kFp16, &formats::kFp32, 1, 2048},
    {"gemm_fp32_pairwise", "fp32.pairwise.fma", &formats::kFp16, &formats::kFp32, 2, 1024},
    {"gemm_fp16acc", "fp16.sequential.fma", &formats::kFp16, &formats::kFp16, 2, 1024},
    {"gemm_bf16acc", "bf16.sequential.fma", &formats::kBf16, &formats::kBf16, 2, 1024},
    {"exact_dot", "exact", &formats::kFp16, &formats::kFp32, 1, 1024},
    {"unit_hopper", "unit.hopper.wgmma.fp16.fp32", &formats::kFp16, &formats::kFp32, 1, 1024},
};

void register_all(const OpenBlas& blas) {
  using ::benchmark::RegisterBenchmark;
  const auto time = [](::benchmark::internal::Benchmark* b) {
    b->UseRealTime()->MeasureProcessCPUTime()->Unit(::benchmark::kMillisecond);
  };
  for (const Row& row : kRows) {
    time(RegisterBenchmark(row.name, [&row](State& state) {
      gemm_benchmark(state, row.arithmetic, *row.input, *row.output, row.threads, row.n);
    }));
  }
  time(RegisterBenchmark("openblas_sgemm",
                         [&blas](State& state) { openblas_benchmark(state, blas, 2, 2048); }));
  time(RegisterBenchmark("openblas_sgemm_one_thread",
                         [&blas](State& state) { openblas_benchmark(state, blas, 1, 2048); }));
  time(RegisterBenchmark(
      "scalar_fp32", [](State& state) { scalar_benchmark<ScalarFp32>(state, formats::kFp32); }));
  time(RegisterBenchmark(
      "scalar_fp16", [](State& state) { scalar_benchmark<ScalarFp16>(state, formats::kFp16); }));
}

}  // namespace
}  // namespace halfmark::fast::benchmark

int main(int count, char** arguments) {
  namespace bench = halfmark::fast::benchmark;
  bench::give_openblas_its_best(arguments);
  const bench::OpenBlas blas = bench::open_openblas();
  ::benchmark::AddCustomContext("target", std::string(to_string(halfmark::fast::default_target())));
  ::benchmark::AddCustomContext("openblas_core", blas.present() ? blas.core : "absent");
  bench::register_all(blas);
  ::benchmark::Initialize(&count, arguments);
  if (::benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  ::benchmark::RunSpecifiedBenchmarks();
  return 0;
}
