// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/softmax.hpp"

#include "reference/fast/buffer.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/rows_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::kFp32;
using formats::Tensor;
using models::Machine;
using operators::SoftmaxParams;

bool covers(const SoftmaxParams& params, const Tensor& input, const Machine& machine,
            Target target) {
  return target != Target::kPortable && machine == Machine{} && kFp32.contains(*input.format) &&
         kFp32.contains(*params.output);
}

// Processes the rows of one input: `kernel` turns each into a row of the output.
Tensor by_rows(const SoftmaxParams& params, const Tensor& x, Target target, unsigned threads,
               void (*kernel)(float*, std::size_t)) {
  Tensor result = Tensor::zeros(*params.output, params.rows * params.width);
  for_each_part(params.rows, threads, Direction::kNearEven, [&](std::size_t row) {
    const Buffer<float> values = make_buffer<float>(padded(params.width));
    widen(target, x, row * params.width, params.width, values.get());
    kernel(values.get(), params.width);
    narrow(target, values.get(), params.width, result, row * params.width);
  });
  return result;
}

}  // namespace

Tensor softmax_forward(const SoftmaxParams& params, const Tensor& x, const Machine& machine,
                       const Options& options) {
  require_well_formed(params, "x", x);
  const Target target = options.chosen_target();
  if (!covers(params, x, machine, target)) return operators::softmax_forward(params, x, machine);
  return by_rows(params, x, target, options.threads, softmax_kernels(target)->forward);
}

Tensor softmax_log_forward(const SoftmaxParams& params, const Tensor& x, const Machine& machine,
                           const Options& options) {
  require_well_formed(params, "x", x);
  const Target target = options.chosen_target();
  if (!covers(params, x, machine, target)) {
    return operators::softmax_log_forward(params, x, machine);
  }
  return by_rows(params, x, target, options.threads, softmax_kernels(target)->log_forward);
}

Tensor softmax_backward(const SoftmaxParams& params, const Tensor& y, const Tensor& dy,
                        const Machine& machine, const Options& options) {
  require_well_formed(params, "y", y);
  require_well_formed(params, "dy", dy);
  const Target target = options.chosen_target();
  if (!covers(params, y, machine, target) || !covers(params, dy, machine, target)) {
    return operators::softmax_backward(params, y, dy, machine);
  }
  Tensor result = Tensor::zeros(*params.output, params.rows * params.width);
  for_each_part(params.rows, options.threads, Direction::kNearEven, [&](std::size_t row) {
    const std::size_t first = row * params.width;
    const Buffer<float> values = make_buffer<float>(padded(params.width));
    const Buffer<float> gradients = make_buffer<float>(padded(params.width));
    widen(target, y, first, params.width, values.get());
    widen(target, dy, first, params.width, gradients.get());
    softmax_kernels(target)->backward(values.get(), gradients.get(), params.width);
    narrow(target, gradients.get(), params.width, result, first);
  });
  return result;
}

}  // namespace halfmark::fast
