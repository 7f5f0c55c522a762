// SPDX-License-Identifier: Apache-2.0
// Sums in fp32: every step is one vector instruction, fused or not.
#include "reference/fast/call.hpp"
#include "reference/fast/chain.hpp"
#include "reference/fast/epilogue.hpp"
#include "reference/fast/lanes.hpp"

namespace halfmark::fast {

using formats::Format;
using formats::kFp32;
using formats::Tensor;

bool covers_fp32_chain(const Format& a, const Format& b, const models::Arithmetic& arithmetic) {
  return models::is_plain_chain(arithmetic) && *arithmetic.accumulator == kFp32 &&
         kFp32.contains(a) && kFp32.contains(b);
}

Tensor fp32_chain(const Call& call) {
  Tensor d = Tensor::zeros(*call.problem.d_format, call.problem.d_count());
  const Epilogue epilogue(call.problem, call.c, d, call.target);
  const TileKernels<float>& kernels = *fp32_tile_kernels(call.target);
  const auto load = [&](const Tensor& from) {
    return [&](std::size_t first, std::size_t count, float* to) {
      widen(call.target, from, first, count, to);
    };
  };
  const models::Arithmetic& arithmetic = call.arithmetic;
  walk(
      Chain<float, float>{.problem = call.problem,
                          .reversed = arithmetic.order.kind == models::Order::kReversed,
                          .load_a = load(call.a),
                          .load_b = load(call.b),
                          .tile_rows = kernels.rows,
                          .tile_columns = kernels.columns,
                          .tile = arithmetic.step == models::Step::kFma ? kernels.fma : kernels.mul,
                          .start = [&](auto... at) { epilogue.start(at...); },
                          .finish = [&](auto... at) { epilogue.finish(at...); }},
      call.options);
  return d;
}

}  // namespace halfmark::fast
