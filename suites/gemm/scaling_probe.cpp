// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/scaling_probe.hpp"

#include "reference/formats/classify.hpp"
#include "reference/inference/data.hpp"
#include "reference/soft/soft.hpp"
#include "suites/gemm/probe.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::kFp32;

Case with_variant(Case c, std::string_view variant) {
  for (Token& token : c.tokens) {
    if (token.axis == "variant") token.text = variant;
  }
  return c;
}

// The case's formats and scalars with the question's sizes and operands.
struct Scaled {
  Binding bound;
  Operands operands;
};

Scaled scaled_question(const Case& c, const inference::Question& question) {
  Scaled made{.bound = bind(c), .operands = {question.a, question.b, question.c, {}}};
  operators::GemmProblem problem = question.problem;
  problem.alpha = made.bound.problem.alpha;
  problem.beta = made.bound.problem.beta;
  made.bound.problem = problem;
  return made;
}

// C = -alpha * sum / beta, rounded to C's format.
void oppose(formats::Tensor& c, const formats::Tensor& sums, const operators::GemmProblem& p) {
  for (std::size_t i = 0; i < c.count(); i += 2) {
    const Bits sum = soft::convert(*sums.format, kFp32, sums.at(i)).bits;
    const Bits part = soft::div(kFp32, soft::mul(kFp32, *p.alpha, sum).bits, *p.beta).bits;
    const Bits opposite = soft::convert(kFp32, *c.format, part ^ kFp32.sign_mask()).bits;
    if (formats::is_finite(*c.format, opposite)) c.set(i, opposite);
  }
}

bool has_narrow_results(const Binding& bound) {
  return bound.output->precision() < kFp32.precision();
}

// Scalars that are not powers of two and that a library with this accumulator accepts.
std::span<const char* const> scaled_variants(const Binding& bound) {
  static constexpr const char* kWide[] = {"ab", "abwide"};
  static constexpr const char* kNarrow[] = {"abhalf"};
  return *bound.accumulator == kFp32 ? std::span<const char* const>(kWide) : kNarrow;
}

bool can_be_early(const Case& c, const models::Arithmetic& sums) {
  return !sums.is_exact() && sums.early == nullptr &&
         bind(c).output->precision() < models::answer_format(sums, kFp32).precision();
}

Places with_rounding(const Case& c, Places sums, const WayToScale& way) {
  if (!way.early) return sums;
  sums.usual.early = bind(c).output;
  for (Region& region : sums.others) region.arithmetic.early = sums.usual.early;
  return sums;
}

}  // namespace

std::string name_of(const Case& c, Places sums, const WayToScale& way) {
  return with_scaling(print(with_rounding(c, std::move(sums), way)), way.scaling);
}

ScalingFound find_scaling(Session& session, const Case& c, const Places& sums,
                          const soft::Environment& conversions, std::size_t rows,
                          std::uint64_t seed) {
  ScalingFound found;
  for (const bool early : {false, true}) {
    if (early && !can_be_early(c, sums.usual)) continue;
    for (const Scaling scaling : kScalings) {
      const bool same = is_narrow(scaling) && !has_narrow_results(bind(c));
      if (!same) found.explaining.push_back({early, scaling});
    }
  }
  models::Machine machine;
  machine.convert = conversions;
  for (const char* variant : scaled_variants(bind(c))) {
    const Case scaled_case = with_variant(c, variant);
    const Probe probe(session, scaled_case, ProbeShape::kExact);
    inference::Laboratory laboratory(probe.scaled_subject(bind(c).problem.k));
    inference::Question question = inference::random_question(laboratory, rows, ++seed);
    Scaled scaled = scaled_question(scaled_case, question);
    const operators::GemmProblem place = bind(c).problem;
    const auto placed = [&](const Places& by, const auto& evaluated) {
      return by_place(by, scaled.bound.problem, place.m, place.n, evaluated);
    };
    const auto accumulated = placed(sums, [&](const models::Arithmetic& x) {
      return sums_of(scaled.bound, scaled.operands, x, machine);
    });
    oppose(question.c, accumulated, scaled.bound.problem);
    scaled.operands.c = question.c;
    const formats::Tensor d = laboratory.ask(question, false);
    found.outputs += d.count();
    std::erase_if(found.explaining, [&](const WayToScale& way) {
      const auto expected = placed(with_rounding(c, sums, way), [&](const models::Arithmetic& x) {
        return evaluate(scaled.bound, scaled.operands, x, machine, way.scaling);
      });
      return !inference::agreement(d, expected).whole();
    });
  }
  return found;
}

}  // namespace halfmark::suites::gemm
