// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/perceptron.hpp"

#include <bit>

#include "reference/fast/backward_kernels.hpp"
#include "reference/fast/blocks.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::kFp32;
using formats::Tensor;

static_assert(operators::kCheckStrip == kBlock);

// Null where the soft-float has to do it.
template <typename... Tensors>
const BackwardKernels* kernels_for(const Options& options, const Tensors&... tensors) {
  const bool fits = (kFp32.contains(*tensors.format) && ...);
  return fits ? backward_kernels(options.chosen_target()) : nullptr;
}

float number(Bits fp32) { return std::bit_cast<float>(static_cast<std::uint32_t>(fp32)); }

Bits whole(std::size_t count) {
  return soft::from_int(kFp32, static_cast<std::int64_t>(count)).bits;
}

}  // namespace

Tensor perceptron_gelu(const Tensor& h, const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, h);
  if (kernels == nullptr) return operators::perceptron_gelu(h);
  return mapped_blocks(
      *h.format, options,
      [&](auto& lanes, const Block& block) { kernels->gelu(lanes[0].data(), block.count); }, h);
}

Tensor perceptron_gelu_gradient(const Tensor& dg, const Tensor& h, const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, dg, h);
  if (kernels == nullptr) return operators::perceptron_gelu_gradient(dg, h);
  return mapped_blocks(
      *dg.format, options,
      [&](auto& lanes, const Block& block) {
        kernels->through_gelu(lanes[0].data(), lanes[1].data(), block.count);
      },
      dg, h);
}

// Sequential, because the lanes run over the whole tensor.
Tensor squared_error(const Tensor& y, const Tensor& t, const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, y, t);
  if (kernels == nullptr) return operators::squared_error(y, t);
  const Target target = options.chosen_target();
  Tensor result = Tensor::zeros(kFp32, 1);
  for_each_part(1, 1, Direction::kNearEven, [&](std::size_t) {
    alignas(64) std::array<float, operators::kLanes> sums{};
    alignas(64) std::array<std::array<float, kBlock>, 2> lanes;
    for (std::size_t first = 0; first < y.count(); first += kBlock) {
      const std::size_t count = std::min(kBlock, y.count() - first);
      widen(target, y, first, count, lanes[0].data());
      widen(target, t, first, count, lanes[1].data());
      kernels->residual(lanes[0].data(), lanes[1].data(), count);
      kernels->add_squares(lanes[0].data(), count, sums.data());
    }
    const float mean = kernels->mean(sums.data(), number(whole(y.count())));
    narrow(target, &mean, 1, result, 0);
  });
  return result;
}

Tensor squared_error_gradient(const Tensor& y, const Tensor& t, Bits scale,
                              const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, y, t);
  if (kernels == nullptr) return operators::squared_error_gradient(y, t, scale);
  constexpr Bits kTwo = 0x40000000;
  const float share = number(soft::div(kFp32, kTwo, whole(y.count())).bits);
  return mapped_blocks(
      kFp32, options,
      [&](auto& lanes, const Block& block) {
        kernels->residual(lanes[0].data(), lanes[1].data(), block.count);
        kernels->scale(lanes[0].data(), block.count, share, number(scale));
      },
      y, t);
}

// Few elements, whatever the size of the network.
Tensor column_sums(const Tensor& x, std::size_t rows, const Options&) {
  return operators::column_sums(x, rows);
}

operators::UnscaledStrips unscaled_strips(const Tensor& gradients, Bits factor,
                                          const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, gradients);
  if (kernels == nullptr) return operators::unscaled_strips(gradients, factor);
  operators::UnscaledStrips result;
  result.flags = Tensor::zeros(kFp32, (gradients.count() + kBlock - 1) / kBlock);
  result.gradients = mapped_blocks(
      kFp32, options,
      [&](auto& lanes, const Block& block) {
        if (!kernels->all_finite(lanes[0].data(), block.count))
          result.flags.set(block.first / kBlock, operators::Fp32::kOne);
        kernels->multiply(lanes[0].data(), block.count, number(factor));
      },
      gradients);
  return result;
}

Tensor descended(const Tensor& weights, const Tensor& gradients, Bits rate,
                 const Options& options) {
  const BackwardKernels* kernels = kernels_for(options, weights, gradients);
  if (kernels == nullptr) return operators::descended(weights, gradients, rate);
  return mapped_blocks(
      kFp32, options,
      [&](auto& lanes, const Block& block) {
        kernels->descend(lanes[0].data(), lanes[1].data(), block.count, number(rate));
      },
      weights, gradients);
}

}  // namespace halfmark::fast
