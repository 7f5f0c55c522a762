// SPDX-License-Identifier: Apache-2.0
// Hypotheses about values: what happens to scalars and biases, and to results before they
// are stored.
#include <fmt/format.h>

#include <algorithm>

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

Bits rounded(const Format& from, const Format& to, Bits bits) {
  return soft::convert(from, to, bits).bits;
}

bool has_beta(const Binding& bound) {
  return bound.variant->scaled && !formats::is_zero(kFp32, *bound.problem.beta);
}

// Scalars in a narrow format, with every step of the epilogue rounded to it.
Tensor scaled_narrowly(Evaluation& e, const Format& f) {
  const operators::GemmProblem& p = e.bound.problem;
  const Bits alpha = rounded(kFp32, f, *p.alpha);
  const Bits beta = rounded(kFp32, f, *p.beta);
  const Tensor sums = e.sums();
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    const Bits wide = rounded(*sums.format, kFp32, sums.at(i));
    Bits t = soft::mul(kFp32, rounded(f, kFp32, alpha), wide).bits;
    t = rounded(kFp32, f, t);
    if (has_beta(e.bound)) {
      const Bits c = rounded(*e.operands.c.format, kFp32, e.operands.c.at(i));
      const Bits scaled_c = rounded(kFp32, f, soft::mul(kFp32, rounded(f, kFp32, beta), c).bits);
      t = soft::add(f, t, scaled_c).bits;
    }
    d.set(i, rounded(f, *p.d_format, t));
  }
  return d;
}

void add_scalar_formats(std::vector<Hypothesis>& list) {
  for (const Format* f : {&formats::kFp16, &formats::kBf16}) {
    add(list,
        {fmt::format("scalars-as-{}", f->name), "scalar_precision",
         fmt::format("alpha and beta are rounded to {}", f->name)},
        [f](Evaluation& e) {
          for (std::optional<Bits>* scalar : {&e.bound.problem.alpha, &e.bound.problem.beta}) {
            *scalar = rounded(*f, kFp32, rounded(kFp32, *f, **scalar));
          }
          return e.whole();
        });
    add(list,
        {fmt::format("scaled-in-{}", f->name), "scalar_precision",
         fmt::format("alpha, beta and every step of the scaling are rounded to {}", f->name)},
        [f](Evaluation& e) { return scaled_narrowly(e, *f); });
  }
  for (const Format* f : {&formats::kFp16, &formats::kBf16, &formats::kTf32}) {
    for (const bool of_c : {false, true}) {
      const std::string_view word = of_c ? "beta" : "alpha";
      add(list,
          {fmt::format("{}-as-{}", word, f->name), "scalar_precision",
           fmt::format("{} is rounded to {}", word, f->name)},
          [f, of_c](Evaluation& e) {
            std::optional<Bits>& scalar = of_c ? e.bound.problem.beta : e.bound.problem.alpha;
            scalar = rounded(*f, kFp32, rounded(kFp32, *f, *scalar));
            return e.whole();
          });
    }
  }
}

// C takes part although beta is zero, in the outputs that `affected` selects.
template <typename Affected>
Tensor with_c(Evaluation& e, Affected affected) {
  const operators::GemmProblem& p = e.bound.problem;
  Tensor d = e.whole();
  for (std::size_t i = 0; i < d.count(); ++i) {
    const bool finite = formats::is_finite(*e.operands.c.format, e.operands.c.at(i));
    if (!finite && affected(i / p.n % p.m, i % p.n)) d.set(i, formats::quiet_nan(*d.format));
  }
  return d;
}

void add_c_read(std::vector<Hypothesis>& list, const Binding& bound) {
  if (!bound.variant->scaled || has_beta(bound)) return;
  add(list, {"c-read-with-beta-zero", "beta0_reads_C", "C takes part although beta is zero"},
      [](Evaluation& e) { return with_c(e, [](std::size_t, std::size_t) { return true; }); });
  for (const std::size_t tile : usual_blocks(256)) {
    add(list,
        {fmt::format("c-read-with-beta-zero-at-edges-of-{}", tile), "beta0_reads_C",
         fmt::format("C takes part although beta is zero, in tiles that are not full {0} x {0}",
                     tile)},
        [tile](Evaluation& e) {
          const operators::GemmProblem p = e.bound.problem;
          return with_c(e, [p, tile](std::size_t i, std::size_t j) {
            return i >= p.m / tile * tile || j >= p.n / tile * tile;
          });
        });
  }
}

// A wrong alpha; the sums first absorb their part of it.
void add_alphas(std::vector<Hypothesis>& list) {
  add(list, {"alpha-twice", "formula", "the sum is multiplied by alpha twice"}, [](Evaluation& e) {
    Tensor sums = e.sums();
    const Format& f = *sums.format;
    const Bits alpha = *e.bound.problem.alpha;
    change_each(sums, [&](Bits x) {
      return rounded(kFp32, f, soft::mul(kFp32, alpha, rounded(f, kFp32, x)).bits);
    });
    return e.finished(sums);
  });
  add(list,
      {"alpha-in-operand", "early_round",
       "alpha is multiplied into A, which is rounded to its format again"},
      [](Evaluation& e) {
        const Format& f = *e.operands.a.format;
        change_each(e.operands.a, [&f, alpha = *e.bound.problem.alpha](Bits x) {
          return rounded(kFp32, f, soft::mul(kFp32, alpha, rounded(f, kFp32, x)).bits);
        });
        e.bound.problem.alpha = formats::one(kFp32);
        return e.whole();
      });
  add(list, {"alpha-dropped", "formula", "alpha is taken as 1"}, [](Evaluation& e) {
    e.bound.problem.alpha = formats::one(kFp32);
    return e.whole();
  });
  add(list, {"alpha-unsigned", "formula", "the sign of alpha is lost"}, [](Evaluation& e) {
    e.bound.problem.alpha = *e.bound.problem.alpha & kFp32.magnitude_mask();
    return e.whole();
  });
}

// What is added to C once it has been stored in the output format, and how.
struct StoredFirst {
  std::string_view name, sentence;
  bool scaled;  // alpha * sum, not the sum
  Scaling scaling = Scaling::kSpecified;
};
constexpr StoredFirst kStoredFirst[] = {
    {"rounded-before-alpha", "the sum is rounded to the output format before it is scaled", false},
    {"rounded-before-alpha-and-alpha-fused",
     "the sum is rounded to the output format, and alpha times that is fused with the addition of "
     "beta * c",
     false, Scaling::kAlphaFused},
    {"rounded-before-alpha-and-scaled-unfused",
     "the sum is rounded to the output format, and beta * c is rounded before it is added to alpha "
     "times that",
     false, Scaling::kRounded},
    {"rounded-behind-alpha",
     "alpha * sum is rounded to the output format, beta * c is added, and the result rounded again",
     true}};

Tensor stored_first(Evaluation& e, const StoredFirst& row) {
  Tensor kept = e.sums();
  if (row.scaled) {
    const Tensor sums = kept;
    kept = Tensor::zeros(kFp32, sums.count());
    for (std::size_t i = 0; i < kept.count(); ++i) {
      const Bits wide = rounded(*sums.format, kFp32, sums.at(i));
      kept.set(i, soft::mul(kFp32, *e.bound.problem.alpha, wide).bits);
    }
    e.bound.problem.alpha = formats::one(kFp32);
  }
  through(kept, *e.bound.output, soft::Rounding::kNearEven);
  return e.finished(kept, row.scaling);
}

// With an alpha of 1, or without C, they are one and the same, or no mistake.
void add_stored_first(std::vector<Hypothesis>& list, const Binding& bound) {
  const bool differ = has_beta(bound) && *bound.problem.alpha != formats::one(kFp32) &&
                      bound.output->precision() < kFp32.precision();
  for (const StoredFirst& row : kStoredFirst) {
    const bool is_first = &row == std::begin(kStoredFirst);
    if (!is_first && !differ) continue;
    add(list,
        {std::string(row.name),
         row.scaled ? FindingClassName("double_round") : FindingClassName("early_round"),
         std::string(row.sentence),
         {"internal_precision"}},
        [row](Evaluation& e) { return stored_first(e, row); });
    if (row.scaling != Scaling::kSpecified) list.back().tier = 1;
  }
}

void add_scalars(std::vector<Hypothesis>& list, const Binding& bound) {
  if (!bound.variant->scaled) return;
  add_stored_first(list, bound);
  add_scalar_formats(list);
  add_alphas(list);
  add_c_read(list, bound);
  if (!has_beta(bound)) return;
  add(list, {"alpha-on-c", "formula", "alpha multiplies beta * c, too"}, [](Evaluation& e) {
    Tensor sums = e.sums();
    const Format& f = *sums.format;
    const Tensor& c = e.operands.c;
    for (std::size_t i = 0; i < sums.count(); ++i) {
      const Bits wide = rounded(*c.format, kFp32, c.at(i));
      const Bits sum = rounded(f, kFp32, sums.at(i));
      sums.set(i, rounded(kFp32, f, soft::fma(kFp32, *e.bound.problem.beta, wide, sum).bits));
    }
    e.bound.problem.beta = formats::zero(kFp32);
    return e.finished(sums);
  });
  const bool empty = bound.problem.k == 0;
  add(list,
      {empty ? "c-left-out-of-empty-sums" : "c-left-out",
       empty ? FindingClassName("zero_dim") : FindingClassName("formula"),
       empty ? "where k is 0, results are 0, without beta * c" : "beta * c is not added"},
      [](Evaluation& e) {
        e.bound.problem.beta = formats::zero(kFp32);
        return e.whole();
      });
  add(list, {"scaled-unfused", "contraction", "beta * c is rounded before it is added"},
      [](Evaluation& e) { return e.finished(e.sums(), Scaling::kRounded); });
  add(list, {"alpha-fused", "contraction", "alpha * sum is fused with the addition of beta * c"},
      [](Evaluation& e) { return e.finished(e.sums(), Scaling::kAlphaFused); });
}

void add_bias(std::vector<Hypothesis>& list, const Binding& bound) {
  if (!bound.variant->bias) return;
  add(list,
      {"rounded-before-bias",
       "double_round",
       "the sum is rounded to the output format, the bias is added, and the result rounded again",
       {"internal_precision"}},
      [](Evaluation& e) {
        Tensor sums = e.sums();
        through(sums, *e.bound.output, soft::Rounding::kNearEven);
        return e.finished(sums);
      });
  add(list, {"bias-left-out", "formula", "the bias is not added"}, [](Evaluation& e) {
    change_each(e.operands.bias, [f = e.operands.bias.format](Bits) { return formats::zero(*f); });
    return e.whole();
  });
  add(list, {"bias-twice", "formula", "the bias is added twice"}, [](Evaluation& e) {
    Tensor sums = e.sums();
    const Tensor& bias = e.operands.bias;
    const Format& f = *sums.format;
    for (std::size_t i = 0; i < sums.count(); ++i) {
      const Bits wide = rounded(*bias.format, kFp32, bias.at(i % bias.count()));
      sums.set(i, rounded(kFp32, f, soft::add(kFp32, rounded(f, kFp32, sums.at(i)), wide).bits));
    }
    return e.finished(sums);
  });
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16}) {
    if (narrow->precision() >= bound.output->precision()) continue;
    add(list,
        {fmt::format("bias-as-{}", narrow->name), "early_round",
         fmt::format("the bias is rounded to {}", narrow->name)},
        [narrow](Evaluation& e) {
          through(e.operands.bias, *narrow, soft::Rounding::kNearEven);
          return e.whole();
        });
  }
  add(list, {"bias-by-row", "layout", "the bias is indexed by the row"}, [](Evaluation& e) {
    const operators::GemmProblem p = e.bound.problem;
    Evaluation plain = e;
    Tensor d = e.whole();
    const Tensor bias = e.operands.bias;
    for (std::size_t row = 0; row < p.m; ++row) {
      change_each(plain.operands.bias, [&](Bits) { return bias.at(row % bias.count()); });
      const Tensor other = plain.whole();
      for (std::size_t i = 0; i < d.count(); ++i) {
        if (i / p.n % p.m == row) d.set(i, other.at(i));
      }
    }
    return d;
  });
}

void add_results(std::vector<Hypothesis>& list, std::string name, FindingClassName finding_class,
                 std::string sentence, Bits (*map)(const Format&, Bits)) {
  add(list, {std::move(name), finding_class, std::move(sentence)}, [map](Evaluation& e) {
    Tensor d = e.whole();
    change_each(d, [map, f = d.format](Bits x) { return map(*f, x); });
    return d;
  });
}

template <bool kNegative>
Bits saturated(const Format& f, Bits x) {
  const bool concerned = formats::is_infinity(f, x) && formats::sign(f, x) == kNegative;
  return concerned ? formats::max_finite(f, kNegative) : x;
}

void add_stores(std::vector<Hypothesis>& list, const Binding& bound) {
  add_results(list, "store-saturates", "sat_instead_of_inf",
              "a result beyond the range becomes the largest number", [](const Format& f, Bits x) {
                return formats::is_infinity(f, x) ? formats::max_finite(f, formats::sign(f, x)) : x;
              });
  add_results(list, "store-saturates-below", "sat_instead_of_inf",
              "a negative result beyond the range becomes the lowest number", saturated<true>);
  add_results(list, "store-saturates-above", "sat_instead_of_inf",
              "a positive result beyond the range becomes the largest number", saturated<false>);
  add_results(list, "subnormal-results-as-zero", "ftz_out", "subnormal results are stored as zero",
              [](const Format& f, Bits x) {
                return formats::is_subnormal(f, x) ? formats::zero(f, formats::sign(f, x)) : x;
              });
  list.back().freedoms = freedoms_of_flushed_stores(true);
  add_results(
      list, "subnormal-results-as-plus-zero", "ftz_out",
      "subnormal results are stored as +0, whatever their sign",
      [](const Format& f, Bits x) { return formats::is_subnormal(f, x) ? formats::zero(f) : x; });
  list.back().freedoms = freedoms_of_flushed_stores(false);
  add_results(
      list, "zero-sign-lost", "signed_zero", "a zero result is always +0",
      [](const Format& f, Bits x) { return formats::is_zero(f, x) ? formats::zero(f) : x; });
  add_results(list, "nan-results-as-zero", "nan_dropped", "a result that is NaN is stored as zero",
              [](const Format& f, Bits x) { return formats::is_nan(f, x) ? Bits{0} : x; });
  // The maximum of a number and 0, where the number is NaN.
  if (bound.variant->activation == Activation::kRelu) list.back().freedoms = {"nan_operands"};
}

}  // namespace

void add_values(std::vector<Hypothesis>& list, const Binding& bound) {
  add_scalars(list, bound);
  add_bias(list, bound);
  add_activations(list, bound);
  add_special_operands(list, bound);
  add_stores(list, bound);
  add_parts(list, bound);
}

}  // namespace halfmark::suites::gemm
