// SPDX-License-Identifier: Apache-2.0
// Hypotheses about a k that is split into parts, each of which scales or adds C, and about results
// that are rounded twice.
#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

Bits rounded(const Format& from, const Format& to, Bits bits) {
  return soft::convert(from, to, bits).bits;
}

// Scales only the sums of the first part of k by alpha; the other parts stay unscaled.
Tensor scaled_in_the_first(Evaluation& e, std::size_t parts) {
  const operators::GemmProblem& p = e.bound.problem;
  const std::size_t first = (p.k + parts - 1) / parts;
  Evaluation head = e;
  Evaluation rest = e;
  for (std::size_t i = 0; i < e.operands.a.count(); ++i) {
    const bool in_head = i % p.k < first;
    (in_head ? rest : head).operands.a.set(i, formats::zero(*e.operands.a.format));
  }
  const Tensor scaled = head.sums();
  Tensor sums = rest.sums();
  const Format& f = *sums.format;
  for (std::size_t i = 0; i < sums.count(); ++i) {
    const Bits part = soft::mul(kFp32, *p.alpha, rounded(f, kFp32, scaled.at(i))).bits;
    const Bits whole = soft::add(kFp32, part, rounded(f, kFp32, sums.at(i))).bits;
    sums.set(i, rounded(kFp32, f, whole));
  }
  e.bound.problem.alpha = formats::one(kFp32);
  return e.finished(sums);
}

// Steps that every part of a split k performs although only one should.
void add_scaled_parts(std::vector<Hypothesis>& list, const Binding& bound) {
  constexpr std::size_t kMostParts = 16;
  for (std::size_t parts = 2; parts <= kMostParts; ++parts) {
    if (!formats::is_zero(kFp32, *bound.problem.beta)) {
      add(list,
          {fmt::format("c-added-{}-times", parts), "formula",
           fmt::format("beta * c is added {} times, as by each part of k", parts)},
          [parts](Evaluation& e) {
            const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(parts)).bits;
            e.bound.problem.beta = soft::mul(kFp32, *e.bound.problem.beta, count).bits;
            return e.whole();
          });
    }
    if (parts > bound.problem.k || parts > 4) continue;
    add(list,
        {fmt::format("alpha-on-the-first-of-{}", parts), "formula",
         fmt::format("alpha multiplies the first of {} parts of k alone", parts)},
        [parts](Evaluation& e) { return scaled_in_the_first(e, parts); });
  }
}

// Rounds the result to `more` fraction bits than the output's, then to the output's format.
Tensor through_bits(Evaluation& e, int more) {
  const Format& output = *e.bound.output;
  e.bound.output = &kFp32;
  e.bound.problem.d_format = &kFp32;
  Tensor wide = e.whole();
  Tensor d = Tensor::zeros(output, wide.count());
  const int lost = kFp32.fraction_bits - output.fraction_bits - more;
  for (std::size_t i = 0; i < d.count(); ++i) {
    Bits x = wide.at(i);
    if (formats::is_finite(kFp32, x))
      x = (x + ((Bits{1} << (lost - 1)) - 1) + (x >> lost & 1)) >> lost << lost;
    d.set(i, rounded(kFp32, output, x));
  }
  return d;
}

// The fp32 results as `store` encodes them: of a number, and of whether it is below the least
// normal number before rounding, one of the two ways to detect it (IEEE 754-2019, 7.5).
template <typename Store>
Tensor stored_by(Evaluation& e, Store&& store) {
  const Format& output = *e.bound.output;
  const Bits least = rounded(output, kFp32, formats::min_normal(output));
  e.bound.output = &kFp32;
  e.bound.problem.d_format = &kFp32;
  const Tensor wide = e.whole();
  Tensor d = Tensor::zeros(output, wide.count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    const Bits x = wide.at(i);
    d.set(i, store(x, formats::magnitude(kFp32, x) < least));
  }
  return d;
}

Tensor flushed_unrounded(Evaluation& e, bool keeps_sign) {
  const Format& output = *e.bound.output;
  return stored_by(e, [&](Bits x, bool is_tiny) {
    return is_tiny ? formats::zero(output, keeps_sign && formats::sign(kFp32, x))
                   : rounded(kFp32, output, x);
  });
}

Tensor cut_below_normal(Evaluation& e) {
  const Format& output = *e.bound.output;
  return stored_by(e, [&](Bits x, bool is_tiny) {
    using soft::Rounding;
    const Rounding rounding = is_tiny ? Rounding::kTowardZero : Rounding::kNearEven;
    return soft::convert(kFp32, output, x, {.rounding = rounding}).bits;
  });
}

void add_flushes(std::vector<Hypothesis>& list, const Binding& bound) {
  if (bound.output->fraction_bits >= kFp32.fraction_bits) return;
  add(list, {"subnormals-cut", "cvt_round", "subnormal results are truncated"}, cut_below_normal);
  for (const bool keeps_sign : {true, false}) {
    add(list,
        {fmt::format("tiny-results-as-{}zero", keeps_sign ? "" : "plus-"), "ftz_out",
         fmt::format("results that are subnormal before they are rounded are stored as {}",
                     keeps_sign ? "zero" : "+0"),
         freedoms_of_flushed_stores(keeps_sign)},
        [keeps_sign](Evaluation& e) { return flushed_unrounded(e, keeps_sign); });
  }
}

// Every step of a narrow sum is fused in fp32 and rounded again.
Tensor steps_rounded_twice(Evaluation& e) {
  const operators::GemmProblem& p = e.bound.problem;
  const Format& in = *e.bound.operands;
  const Format& acc = *e.bound.accumulator;
  Tensor sums = Tensor::zeros(acc, p.d_count());
  for (std::size_t i = 0; i < sums.count(); ++i) {
    Bits sum = 0;
    for (std::size_t x = 0; x < p.k; ++x) {
      const Bits a = rounded(in, kFp32, e.operands.a.at(i / p.n * p.k + x));
      const Bits b = rounded(in, kFp32, e.operands.b.at((i / p.n / p.m * p.k + x) * p.n + i % p.n));
      sum = rounded(kFp32, acc, soft::fma(kFp32, a, b, rounded(acc, kFp32, sum)).bits);
    }
    sums.set(i, sum);
  }
  return e.finished(sums);
}

void add_double_roundings(std::vector<Hypothesis>& list, const Binding& bound) {
  if (bound.accumulator->precision() < kFp32.precision()) {
    add(list,
        {"steps-rounded-twice", "double_round",
         "each fused step is computed in fp32, and rounded again"},
        steps_rounded_twice);
  }
  constexpr int kMostMore = 6;
  for (int more = 1; more <= kMostMore; ++more) {
    if (bound.output->fraction_bits + more >= kFp32.fraction_bits) return;
    add(list,
        {fmt::format("store-through-{}-bits-more", more), "double_round",
         fmt::format("results are rounded with {} fraction bits more, then to their format", more)},
        [more](Evaluation& e) { return through_bits(e, more); });
  }
}

}  // namespace

void add_parts(std::vector<Hypothesis>& list, const Binding& bound) {
  if (bound.variant->scaled) add_scaled_parts(list, bound);
  add_double_roundings(list, bound);
  add_flushes(list, bound);
}

}  // namespace halfmark::suites::gemm
