// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/gemm.hpp"

#include "reference/fast/chain.hpp"
#include "reference/fast/epilogue.hpp"
#include "reference/fast/lanes.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::kFp32;
using formats::Tensor;
using models::Arithmetic;
using operators::GemmProblem;

// Everything that a path reads.
struct Call {
  const GemmProblem& problem;
  const Tensor& a;
  const Tensor& b;
  const Tensor* c;
  const Arithmetic& arithmetic;
  const Options& options;
  Target target;
};

bool covers_fp32(const Format& a, const Format& b, const Arithmetic& arithmetic) {
  return models::is_plain_chain(arithmetic) && *arithmetic.accumulator == kFp32 && fits_fp32(a) &&
         fits_fp32(b);
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
  walk(Chain<float, float>{
           .problem = call.problem,
           .reversed = call.arithmetic.order == models::Order::kReversed,
           .load_a = load(call.a),
           .load_b = load(call.b),
           .tile_rows = kernels.rows,
           .tile_columns = kernels.columns,
           .tile = call.arithmetic.step == models::Step::kFma ? kernels.fma : kernels.mul,
           .start = [&](auto... at) { epilogue.start(at...); },
           .finish = [&](auto... at) { epilogue.finish(at...); }},
       call.options);
  return d;
}

}  // namespace

bool covers(const GemmProblem&, const Format& a, const Format& b, const Arithmetic& arithmetic,
            const models::Machine& machine, Target target) {
  if (target == Target::kPortable || machine != models::Machine{}) return false;
  return covers_fp32(a, b, arithmetic);
}

Tensor gemm(const GemmProblem& problem, const Tensor& a, const Tensor& b, const Tensor* c,
            const Arithmetic& arithmetic, const models::Machine& machine, const Options& options) {
  operators::require_well_formed(problem, a, b, c);
  const Call call{problem, a, b, c, arithmetic, options, options.chosen_target()};
  if (!covers(problem, *a.format, *b.format, arithmetic, machine, call.target)) {
    return operators::gemm(problem, a, b, c, arithmetic, machine);
  }
  return fp32_chain(call);
}

}  // namespace halfmark::fast
