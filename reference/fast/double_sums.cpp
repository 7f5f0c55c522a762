// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/double_sums.hpp"

#include <array>
#include <bit>
#include <cmath>

#include "reference/fast/chain.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/operand_span.hpp"

namespace halfmark::fast {
namespace {

using formats::kFp32;
using formats::Tensor;

void load(Target target, const Tensor& from, Terms terms, std::size_t first, std::size_t count,
          double* to) {
  constexpr std::size_t kPart = 256;
  alignas(64) std::array<float, kPart> values;
  for (std::size_t done = 0; done < count; done += kPart) {
    const std::size_t part = std::min(kPart, count - done);
    widen(target, from, first + done, part, values.data());
    for (std::size_t i = 0; i < part; ++i) {
      const auto value = static_cast<double>(values[i]);
      to[done + i] = terms == Terms::kMagnitudes ? std::fabs(value) : value;
    }
  }
}

}  // namespace

std::optional<Tensor> double_sums(const operators::GemmProblem& problem, const Tensor& a,
                                  const Tensor& b, Terms terms, const Options& options) {
  const Target target = options.chosen_target();
  const bool has_scales = problem.a_scales != nullptr || problem.b_scales != nullptr;
  const bool fits = kFp32.contains(*a.format) && kFp32.contains(*b.format);
  if (target == Target::kPortable || has_scales || !fits) return std::nullopt;
  Tensor d = Tensor::zeros(formats::kFp64, problem.d_count());
  const TileKernels<double>& kernels = *fp64_tile_kernels(target);
  const auto loader = [&](const Tensor& from) {
    return [&, target, terms](std::size_t first, std::size_t count, double* to) {
      load(target, from, terms, first, count, to);
    };
  };
  const auto finish = [&](std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                          const double* sums) {
    for (std::size_t x = 0; x < count; ++x)
      d.set((item * problem.m + i) * problem.n + j + x, std::bit_cast<formats::Bits>(sums[x]));
  };
  walk(Chain<double, double>{.problem = problem,
                             .load_a = loader(a),
                             .load_b = loader(b),
                             .tile_rows = kernels.rows,
                             .tile_columns = kernels.columns,
                             .tile = kernels.fma,
                             .start = [](auto...) {},
                             .finish = finish},
       options);
  return d;
}

}  // namespace halfmark::fast
