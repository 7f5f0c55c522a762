// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/layernorm.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>

#include "reference/fast/buffer.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/rows_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;
using models::Machine;
using operators::LayernormGradients;
using operators::LayernormOutputs;
using operators::LayernormParams;
using operators::LayernormTape;

// Larger widths are not exact as a float.
constexpr std::size_t kWidest = std::size_t{1} << 24;

bool covers(const LayernormParams& params, std::initializer_list<const Format*> inputs,
            const Machine& machine, Target target) {
  return target != Target::kPortable && machine == Machine{} && params.centered &&
         params.width <= kWidest && kFp32.contains(*params.output) &&
         std::all_of(inputs.begin(), inputs.end(),
                     [](const Format* f) { return kFp32.contains(*f); });
}

Buffer<float> widened(Target target, const Tensor& from, std::size_t first, std::size_t count) {
  Buffer<float> values = make_buffer<float>(padded(count));
  widen(target, from, first, count, values.get());
  std::fill(values.get() + count, values.get() + padded(count), 0.0F);
  return values;
}

float number(formats::Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

RowStatistics statistics_at(const LayernormTape& tape, std::size_t row) {
  return {.mean = number(tape.mean.at(row)), .rstd = number(tape.rstd.at(row))};
}

// Columns of the weights' gradients per part, each over all rows.
constexpr std::size_t kColumns = 512;

struct Backward {
  const LayernormParams& params;
  const LayernormTape& tape;
  Target target;
  unsigned threads;
  LayernormGradients& out;

  void inputs() const {
    const Buffer<float> gamma = widened(target, tape.gamma, 0, params.width);
    for_each_part(params.rows, threads, Direction::kNearEven, [&](std::size_t row) {
      const std::size_t first = row * params.width;
      const Buffer<float> x = widened(target, tape.x, first, params.width);
      const Buffer<float> dy = widened(target, tape.dy, first, params.width);
      layernorm_kernels(target)->backward(x.get(), dy.get(), params.width, statistics_at(tape, row),
                                          gamma.get());
      narrow(target, x.get(), params.width, out.dx, first);
    });
  }

  void weights() const {
    const std::size_t parts = (params.width + kColumns - 1) / kColumns;
    for_each_part(parts, threads, Direction::kNearEven, [&](std::size_t part) {
      const std::size_t first = part * kColumns;
      const std::size_t count = std::min(kColumns, params.width - first);
      const Buffer<float> dgamma = make_buffer<float>(padded(count));
      const Buffer<float> dbeta = make_buffer<float>(padded(count));
      std::fill_n(dgamma.get(), padded(count), 0.0F);
      std::fill_n(dbeta.get(), padded(count), 0.0F);
      for (std::size_t row = 0; row < params.rows; ++row) {
        const Buffer<float> x = widened(target, tape.x, row * params.width + first, count);
        const Buffer<float> dy = widened(target, tape.dy, row * params.width + first, count);
        layernorm_kernels(target)->add_to_weights(
            x.get(), dy.get(), padded(count), statistics_at(tape, row), dgamma.get(), dbeta.get());
      }
      narrow(target, dgamma.get(), count, out.dgamma, first);
      narrow(target, dbeta.get(), count, out.dbeta, first);
    });
  }
};

}  // namespace

LayernormOutputs layernorm_forward(const LayernormParams& params, const Tensor& x,
                                   const Tensor& gamma, const Tensor& beta, const Machine& machine,
                                   const Options& options) {
  require_well_formed(params, x, gamma, beta);
  const Target target = options.chosen_target();
  if (!covers(params, {x.format, gamma.format, beta.format}, machine, target)) {
    return operators::layernorm_forward(params, x, gamma, beta, machine);
  }
  LayernormOutputs out{.y = Tensor::zeros(*params.output, params.rows * params.width),
                       .mean = Tensor::zeros(kFp32, params.rows),
                       .rstd = Tensor::zeros(kFp32, params.rows)};
  const FloatingPointScope scope;  // for the widening here
  const Buffer<float> scale = widened(target, gamma, 0, params.width);
  const Buffer<float> offset = widened(target, beta, 0, params.width);
  for_each_part(params.rows, options.threads, Direction::kNearEven, [&](std::size_t row) {
    const std::size_t first = row * params.width;
    const Buffer<float> values = widened(target, x, first, params.width);
    const RowStatistics statistics = layernorm_kernels(target)->forward(
        values.get(), params.width, number(params.eps), scale.get(), offset.get());
    narrow(target, values.get(), params.width, out.y, first);
    narrow(target, &statistics.mean, 1, out.mean, row);
    narrow(target, &statistics.rstd, 1, out.rstd, row);
  });
  return out;
}

LayernormGradients layernorm_backward(const LayernormParams& params, const LayernormTape& tape,
                                      const Machine& machine, const Options& options) {
  require_well_formed(params, tape);
  const Target target = options.chosen_target();
  if (!covers(params, {tape.x.format, tape.gamma.format, tape.dy.format}, machine, target)) {
    return operators::layernorm_backward(params, tape, machine);
  }
  LayernormGradients out{.dx = Tensor::zeros(*params.output, params.rows * params.width),
                         .dgamma = Tensor::zeros(*params.output, params.width),
                         .dbeta = Tensor::zeros(*params.output, params.width)};
  const FloatingPointScope scope;  // for the widening here
  const Backward backward{params, tape, target, options.threads, out};
  backward.inputs();
  backward.weights();
  return out;
}

}  // namespace halfmark::fast
