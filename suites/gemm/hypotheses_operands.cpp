// SPDX-License-Identifier: Apache-2.0
// Hypotheses about special operands: subnormals, NaN, infinities, and zeros whose products
// are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

// Blocks of k in which one operand is zero throughout are skipped.
struct Skipped {
  bool of_a, of_b;
  std::size_t block;
};
Tensor zeros_skipped(Evaluation& e, const Skipped& skipped) {
  const operators::GemmProblem& p = e.bound.problem;
  const Format &of_a = *e.bound.operands, &of_b = *e.bound.operands_of_b;
  const Format& acc = *e.bound.accumulator;
  Tensor sums = Tensor::zeros(acc, p.d_count());
  for (std::size_t i = 0; i < sums.count(); ++i) {
    const auto a = [&](std::size_t x) { return e.operands.a.at(i / p.n * p.k + x); };
    const auto b = [&](std::size_t x) {
      return e.operands.b.at((i / p.n / p.m * p.k + x) * p.n + i % p.n);
    };
    Bits sum = 0;
    for (std::size_t from = 0; from < p.k; from += skipped.block) {
      const std::size_t end = std::min(from + skipped.block, p.k);
      bool skips_a = skipped.of_a;
      bool skips_b = skipped.of_b;
      for (std::size_t x = from; x < end; ++x) {
        skips_a = skips_a && formats::is_zero(of_a, a(x));
        skips_b = skips_b && formats::is_zero(of_b, b(x));
      }
      if (skips_a || skips_b) continue;
      for (std::size_t x = from; x < end; ++x)
        sum = soft::fma(of_a, a(x), of_b, b(x), acc, sum, {}).bits;
    }
    sums.set(i, sum);
  }
  return e.finished(sums);
}

void add_zeros_skipped(std::vector<Hypothesis>& list, const Binding& bound) {
  add(list,
      {"zero-operands-skipped", "nan_dropped",
       "a product with a zero operand is zero, also with infinity or NaN"},
      [](Evaluation& e) { return zeros_skipped(e, {true, true, 1}); });
  for (const bool of_a : {true, false}) {
    const char name = of_a ? 'a' : 'b';
    const char letter = of_a ? 'A' : 'B';
    add(list,
        {fmt::format("zeros-of-{}-skipped", name), "nan_dropped",
         fmt::format("a product with a zero of {} is zero, also with infinity or NaN", letter)},
        [of_a](Evaluation& e) { return zeros_skipped(e, {of_a, !of_a, 1}); });
    for (const std::size_t block : power_blocks(64)) {
      if (block == 1 || block >= bound.problem.k) continue;
      add(list,
          {fmt::format("zero-blocks-of-{}-of-{}-skipped", block, name), "nan_dropped",
           fmt::format("{0} terms of {1} that are all zero add nothing, also with infinity or NaN",
                       block, letter)},
          [of_a, block](Evaluation& e) { return zeros_skipped(e, {of_a, !of_a, block}); });
    }
  }
}

// As in the suite `convert` for single numbers; for binary16 this is the alternative half precision
// of ARMv8-A's FPCR.AHP, with numbers up to 131008.
Bits without_specials(const Format& f, Bits x) {
  const auto widened = [&f](Bits bits) { return soft::convert(f, kFp32, bits).bits; };
  if (formats::is_finite(f, x)) return widened(x);
  return soft::ldexp(kFp32, widened(x - formats::min_normal(f)), 1).bits;
}

void add_one_more_binade(std::vector<Hypothesis>& list, const Binding& bound) {
  const Format& in = *bound.operands;
  if (bound.is_mixed() || !in.has_infinity() || in.max_exponent() >= kFp32.max_exponent()) return;
  for (const std::string_view which : {"ab", "a", "b"}) {
    const std::string_view words = which == "ab" ? "A and B" : which == "a" ? "A" : "B";
    add(list,
        {fmt::format("{}-of-one-more-binade", which == "ab" ? "operands" : which), "decode",
         fmt::format("infinities and NaN of {} are read as numbers of one more binade", words)},
        [which](Evaluation& e) {
          for (const char name : which) {
            Tensor& operand = name == 'a' ? e.operands.a : e.operands.b;
            Tensor wide = Tensor::zeros(kFp32, operand.count());
            for (std::size_t i = 0; i < operand.count(); ++i)
              wide.set(i, without_specials(*operand.format, operand.at(i)));
            operand = std::move(wide);
          }
          return e.whole();
        });
  }
}

void add_operands(std::vector<Hypothesis>& list, std::string name, FindingClassName finding_class,
                  std::string sentence, Bits (*map)(const Format&, Bits)) {
  add(list, {std::move(name), finding_class, std::move(sentence)}, [map](Evaluation& e) {
    for (Tensor* t : {&e.operands.a, &e.operands.b}) {
      change_each(*t, [map, f = t->format](Bits x) { return map(*f, x); });
    }
    return e.whole();
  });
}

// NaNs become infinities if their upper fraction bits, as many as `narrow` has, are zero.
template <const Format& kNarrow>
Bits nan_cut(const Format& f, Bits x) {
  const int lost = std::max(f.fraction_bits - kNarrow.fraction_bits, 0);
  return formats::is_nan(f, x) ? x >> lost << lost : x;
}

}  // namespace

void add_special_operands(std::vector<Hypothesis>& list, const Binding& bound) {
  add_operands(list, "subnormal-operands-as-zero", "ftz_in",
               "subnormal numbers in A and B count as zero", [](const Format& f, Bits x) {
                 return formats::is_subnormal(f, x) ? formats::zero(f, formats::sign(f, x)) : x;
               });
  add_operands(list, "nan-operands-as-zero", "nan_dropped", "NaN in A and B counts as zero",
               [](const Format& f, Bits x) { return formats::is_nan(f, x) ? Bits{0} : x; });
  add_operands(list, "low-nan-operands-as-infinity", "nan_to_inf",
               "a NaN in A or B whose payload lies in the lower half becomes an infinity",
               [](const Format& f, Bits x) {
                 const int lost = f.fraction_bits / 2;
                 return formats::is_nan(f, x) ? x >> lost << lost : x;
               });
  if (bound.operands->fraction_bits > formats::kTf32.fraction_bits) {
    add_operands(list, "nan-operands-cut-to-tf32", "nan_to_inf",
                 "a NaN in A or B loses the fraction bits that tf32 lacks, and becomes an infinity",
                 nan_cut<formats::kTf32>);
  }
  add_operands(list, "nan-operands-cut-to-bf16", "nan_to_inf",
               "a NaN in A or B loses the fraction bits that bf16 lacks, and becomes an infinity",
               nan_cut<formats::kBf16>);
  add_zeros_skipped(list, bound);
  add_one_more_binade(list, bound);
}

void add_formats(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const Format* s : {&formats::kFp16, &formats::kBf16, &formats::kTf32}) {
    if (s->fraction_bits >= bound.operands->fraction_bits && s->bias >= bound.operands->bias) {
      continue;
    }
    for (const bool truncated : {false, true}) {
      add(list,
          {fmt::format("operands-as-{}{}", s->name, truncated ? "-truncated" : ""), "fmt_subst",
           fmt::format("A and B are {} to {} before they are multiplied",
                       truncated ? "truncated" : "rounded", s->name)},
          [s, truncated](Evaluation& e) {
            const soft::Rounding rounding =
                truncated ? soft::Rounding::kTowardZero : soft::Rounding::kNearEven;
            through(e.operands.a, *s, rounding);
            through(e.operands.b, *s, rounding);
            return e.whole();
          });
      list.back().substituted = s;
    }
  }
}

}  // namespace halfmark::suites::gemm
