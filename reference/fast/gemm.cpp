// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/gemm.hpp"

#include "reference/fast/call.hpp"
#include "reference/formats/classify.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::Tensor;
using models::Arithmetic;

struct Path {
  bool (*covers)(const Format& a, const Format& b, const Arithmetic& arithmetic);
  Tensor (*run)(const Call& call);
};

constexpr Path kPaths[] = {{covers_fp32_chain, fp32_chain},
                           {covers_fp32_pairwise, fp32_pairwise},
                           {covers_half_chain, half_chain},
                           {covers_exact, exact_sums},
                           {covers_unit, unit_chain}};

// Whether the sums are D's numbers, and the +0 of zero_last changes only a sum of -0.
bool ends_with_sums(const operators::GemmProblem& problem, const Tensor* c,
                    const Arithmetic& arithmetic, const models::Machine& machine) {
  const bool rounds_down = arithmetic.rounding == soft::Rounding::kDown;
  const bool keeps_subnormals =
      arithmetic.subnormals.value_or(soft::Subnormals::kKeep) == soft::Subnormals::kKeep;
  return arithmetic.accumulator != nullptr && arithmetic.early == nullptr && c == nullptr &&
         !problem.alpha && machine == models::Machine{} && !rounds_down && keeps_subnormals &&
         *problem.d_format == models::answer_format(arithmetic, *problem.d_format);
}

const Path* find_path(const Format& a, const Format& b, const Arithmetic& arithmetic,
                      const models::Machine& machine, Target target) {
  if (target == Target::kPortable || machine != models::Machine{}) return nullptr;
  for (const Path& path : kPaths) {
    if (path.covers(a, b, arithmetic)) return &path;
  }
  return nullptr;
}

}  // namespace

bool covers(const Format& a, const Format& b, const Arithmetic& arithmetic,
            const models::Machine& machine, Target target) {
  return find_path(a, b, arithmetic, machine, target) != nullptr;
}

Tensor gemm(const operators::GemmProblem& problem, const Tensor& a, const Tensor& b,
            const Tensor* c, const Arithmetic& arithmetic, const models::Machine& machine,
            const Options& options) {
  operators::require_well_formed(problem, a, b, c);
  const Call call{problem, a, b, c, arithmetic, options, options.chosen_target()};
  if (arithmetic.zero_last && ends_with_sums(problem, c, arithmetic, machine)) {
    Arithmetic sums = arithmetic;
    sums.zero_last = false;
    Tensor d = gemm(problem, a, b, c, sums, machine, options);
    for (std::size_t i = 0; i < d.count(); ++i) {
      if (formats::is_zero(*d.format, d.at(i))) d.set(i, formats::zero(*d.format));
    }
    return d;
  }
  const Path* path = find_path(*a.format, *b.format, arithmetic, machine, call.target);
  const bool scaled = problem.a_scales != nullptr || problem.b_scales != nullptr;
  if (path == nullptr || scaled) return operators::gemm(problem, a, b, c, arithmetic, machine);
  return path->run(call);
}

}  // namespace halfmark::fast
