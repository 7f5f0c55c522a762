// SPDX-License-Identifier: Apache-2.0
// Other ways to multiply matrices that devices and libraries have been seen to use, each evaluated
// on the whole case. Those about a single elementary operation (flushing, rounding) are the core's.
#include <fmt/format.h>

#include <algorithm>

#include "reference/fast/gemm.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/gemm/binding.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using models::Arithmetic;
using models::Machine;
using models::Order;
using operators::GemmProblem;

// A case with its tensors at hand; the members are what a hypothesis may change.
struct Evaluation {
  Binding bound;
  Tensor a, b, c;
  Arithmetic arithmetic;

  [[nodiscard]] const Tensor* addend() const { return bound.has_c() ? &c : nullptr; }
  [[nodiscard]] Tensor accumulators() const {
    return operators::gemm_accumulators(bound.problem, a, b, nullptr, arithmetic, Machine{});
  }
  [[nodiscard]] Tensor epilogue(const Tensor& accumulators) const {
    return operators::gemm_epilogue(bound.problem, accumulators, addend(), Machine{});
  }
  [[nodiscard]] Tensor whole() const {
    return fast::gemm(bound.problem, a, b, addend(), arithmetic, Machine{});
  }
};

using Evaluate = std::function<Tensor(Evaluation&)>;

Evaluation start(const Case& c, const TensorSet& inputs) {
  Evaluation e{
      .bound = bind(c), .a = inputs.at("a"), .b = inputs.at("b"), .c = {}, .arithmetic = {}};
  if (e.bound.has_c()) e.c = inputs.at("c");
  e.arithmetic = operators::specified_arithmetic(*e.bound.accumulator);
  return e;
}

void add(std::vector<Hypothesis>& list, std::string name, std::string_view finding_class,
         std::string sentence, Evaluate evaluate) {
  list.push_back(
      {.name = std::move(name),
       .finding_class = std::string(finding_class),
       .sentence = std::move(sentence),
       .evaluate = [evaluate = std::move(evaluate)](const Case& c, const TensorSet& inputs) {
         Evaluation e = start(c, inputs);
         const Tensor dense = evaluate(e);
         return stored_output(bind(c), inputs, dense);
       }});
}

template <typename Map>
void change_each(Tensor& tensor, const Map& map) {
  for (std::size_t i = 0; i < tensor.count(); ++i) tensor.set(i, map(tensor.at(i)));
}

void through(Tensor& tensor, const Format& narrow, soft::Rounding rounding) {
  const Format& f = *tensor.format;
  change_each(tensor, [&](Bits bits) {
    return soft::convert(narrow, f, soft::convert(f, narrow, bits, {.rounding = rounding}).bits)
        .bits;
  });
}

void add_arithmetics(std::vector<Hypothesis>& list, const Binding& bound) {
  const Arithmetic specified = operators::specified_arithmetic(*bound.accumulator);
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic == specified || named.arithmetic.unit != nullptr) continue;
    const Format* acc = named.arithmetic.accumulator;
    if (acc != nullptr && acc->precision() > formats::kFp32.precision()) continue;
    const bool narrower = acc != nullptr && acc->precision() < bound.accumulator->precision();
    const bool wider = acc != nullptr && acc->precision() > bound.accumulator->precision();
    const bool reordered = acc == nullptr || named.arithmetic.order != Order::kSequential;
    const std::string_view kind = narrower    ? "acc_narrow"
                                  : wider     ? "fmt_subst"
                                  : reordered ? "order"
                                              : "contraction";
    add(list, "sum-" + named.name, kind,
        "the sum is evaluated as " + named.name + ": " + named.description,
        [arithmetic = named.arithmetic](Evaluation& e) {
          e.arithmetic = arithmetic;
          return e.whole();
        });
  }
}

// Sums of `parts` equal stretches of k, each rounded to `kept`, then added in fp32.
Tensor split(Evaluation& e, std::size_t part, const Format& kept) {
  GemmProblem p = e.bound.problem;
  const std::size_t k = p.k;
  const Tensor all_a = e.a, all_b = e.b;
  Tensor sum = Tensor::zeros(formats::kFp32, p.d_count());
  for (std::size_t first = 0; first < k; first += part) {
    GemmProblem stretch = p;
    stretch.k = std::min(part, k - first);
    stretch.transpose_a = stretch.transpose_b = false;
    stretch.lda = stretch.ldb = 0;
    Tensor a = Tensor::zeros(*all_a.format, stretch.a_count());
    Tensor b = Tensor::zeros(*all_b.format, stretch.b_count());
    for (std::size_t item = 0; item < p.batch; ++item) {
      for (std::size_t x = 0; x < stretch.k; ++x) {
        for (std::size_t i = 0; i < p.m; ++i) {
          a.set(stretch.a_index(item, i, x), all_a.at(p.a_index(item, i, first + x)));
        }
        for (std::size_t j = 0; j < p.n; ++j) {
          b.set(stretch.b_index(item, x, j), all_b.at(p.b_index(item, first + x, j)));
        }
      }
    }
    const Tensor partial =
        operators::gemm_accumulators(stretch, a, b, nullptr, e.arithmetic, Machine{});
    for (std::size_t i = 0; i < sum.count(); ++i) {
      const Bits rounded = soft::convert(*partial.format, kept, partial.at(i)).bits;
      const Bits wide = soft::convert(kept, formats::kFp32, rounded).bits;
      sum.set(i, first == 0 ? wide : soft::add(formats::kFp32, sum.at(i), wide).bits);
    }
  }
  return e.epilogue(sum);
}

void add_splits(std::vector<Hypothesis>& list, const Binding& bound) {
  const std::size_t k = bound.problem.k;
  for (const std::size_t parts : {2u, 4u, 8u}) {
    if (k < 2 * parts) continue;
    const std::size_t part = (k + parts - 1) / parts;
    add(list, fmt::format("split-k-{}", parts), "order",
        fmt::format("k is cut in {}, and the partial sums are added in fp32", parts),
        [part](Evaluation& e) { return split(e, part, formats::kFp32); });
    if (*bound.output == formats::kFp32) continue;
    add(list, fmt::format("split-k-{}-narrow", parts), "acc_narrow",
        fmt::format("k is cut in {}, and the partial sums are rounded to the output format before "
                    "they are added",
                    parts),
        [part](Evaluation& e) { return split(e, part, *e.bound.output); });
  }
}

void add_formats(std::vector<Hypothesis>& list, const Binding& bound) {
  struct Substitute {
    std::string_view name;
    Format format;
  };
  // tf32 is no storage format, hence no row of the table: fp32's range with eleven bits of
  // precision.
  const Substitute substitutes[] = {
      {"fp16", formats::kFp16},
      {"bf16", formats::kBf16},
      {"tf32", {.name = "tf32", .bits = 19, .exponent_bits = 8, .fraction_bits = 10, .bias = 127}}};
  for (const Substitute& s : substitutes) {
    if (s.format.fraction_bits >= bound.operands->fraction_bits &&
        s.format.bias >= bound.operands->bias)
      continue;
    for (const bool truncated : {false, true}) {
      add(list, fmt::format("operands-as-{}{}", s.name, truncated ? "-truncated" : ""), "fmt_subst",
          fmt::format("A and B are {} to {} before they are multiplied",
                      truncated ? "truncated" : "rounded", s.name),
          [format = s.format, truncated](Evaluation& e) {
            const soft::Rounding rounding =
                truncated ? soft::Rounding::kTowardZero : soft::Rounding::kNearEven;
            through(e.a, format, rounding);
            through(e.b, format, rounding);
            return e.whole();
          });
    }
  }
}

// The sum stops early: the strides stay those of the whole matrices. For a batch of one.
Tensor shortened(Evaluation& e, std::size_t k) {
  GemmProblem& p = e.bound.problem;
  const GemmProblem whole = p;
  p.k = k;
  p.lda = whole.a_stride();
  p.ldb = whole.b_stride();
  e.a.bytes.resize(p.a_count() * e.a.format->storage_bytes());
  e.b.bytes.resize(p.b_count() * e.b.format->storage_bytes());
  return e.whole();
}

void add_edges(std::vector<Hypothesis>& list, const Binding& bound) {
  const std::size_t k = bound.problem.k;
  if (bound.problem.batch > 1 || k < 2) return;
  add(list, "last-product-dropped", "edge_tile", "the last product of every sum is missing",
      [k](Evaluation& e) { return shortened(e, k - 1); });
  for (const std::size_t tile : {8u, 16u, 32u, 64u}) {
    if (k > tile) {
      add(list, fmt::format("last-{}-dropped", tile), "edge_tile",
          fmt::format("the last {} products of every sum are missing", tile),
          [k, tile](Evaluation& e) { return shortened(e, k - tile); });
    }
    if (k % tile == 0) continue;
    add(list, fmt::format("remainder-of-{}-dropped", tile), "edge_tile",
        fmt::format("products beyond the last multiple of {} are missing", tile),
        [k, tile](Evaluation& e) { return shortened(e, k / tile * tile); });
  }
}

void add_layouts(std::vector<Hypothesis>& list, const Binding& bound) {
  add(list, "a-read-transposed", "layout", "A is read as if it were stored the other way round",
      [](Evaluation& e) {
        GemmProblem& p = e.bound.problem;
        if (p.lda == 0) p.transpose_a = !p.transpose_a;
        return e.whole();
      });
  add(list, "b-read-transposed", "layout", "B is read as if it were stored the other way round",
      [](Evaluation& e) {
        GemmProblem& p = e.bound.problem;
        if (p.ldb == 0) p.transpose_b = !p.transpose_b;
        return e.whole();
      });
  if (bound.variant->padded) {
    add(list, "leading-dimensions-ignored", "layout",
        "rows are read as if nothing lay between them", [](Evaluation& e) {
          GemmProblem& p = e.bound.problem;
          p.lda = p.ldb = p.ldc = 0;
          e.a.bytes.resize(p.a_count() * e.a.format->storage_bytes());
          e.b.bytes.resize(p.b_count() * e.b.format->storage_bytes());
          e.c.bytes.resize(p.c_count() * e.c.format->storage_bytes());
          return e.whole();
        });
  }
  if (bound.problem.batch > 1) {
    add(list, "first-batch-for-all", "layout", "every batch uses the operands of the first",
        [](Evaluation& e) {
          const std::size_t batch = e.bound.problem.batch;
          const auto repeat = [batch](Tensor& t) {
            const std::size_t part = t.count() / batch;
            for (std::size_t i = part; i < t.count(); ++i) t.set(i, t.at(i % part));
          };
          repeat(e.a);
          repeat(e.b);
          return e.whole();
        });
  }
}

Tensor scaled_unfused(Evaluation& e) {
  const GemmProblem& p = e.bound.problem;
  const Tensor sums = e.accumulators();
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    Bits t = soft::mul(formats::kFp32, *p.alpha,
                       soft::convert(*sums.format, formats::kFp32, sums.at(i)).bits)
                 .bits;
    if (*p.beta != 0) {
      const Bits c = e.c.at(p.c_index(i / p.n / p.m, i / p.n % p.m, i % p.n));
      const Bits wide = soft::convert(*e.c.format, formats::kFp32, c).bits;
      t = soft::add(formats::kFp32, t, soft::mul(formats::kFp32, *p.beta, wide).bits).bits;
    }
    d.set(i, soft::convert(formats::kFp32, *p.d_format, t).bits);
  }
  return d;
}

void add_scalars(std::vector<Hypothesis>& list, const Binding& bound) {
  if (!bound.variant->scaled) return;
  add(list, "scalars-as-fp16", "scalar_precision", "alpha and beta are rounded to fp16",
      [](Evaluation& e) {
        for (std::optional<Bits>* scalar : {&e.bound.problem.alpha, &e.bound.problem.beta}) {
          *scalar = soft::convert(formats::kFp16, formats::kFp32,
                                  soft::convert(formats::kFp32, formats::kFp16, **scalar).bits)
                        .bits;
        }
        return e.whole();
      });
  add(list, "rounded-before-alpha", "early_round",
      "the sum is rounded to the output format before it is scaled", [](Evaluation& e) {
        Tensor sums = e.accumulators();
        through(sums, *e.bound.output, soft::Rounding::kNearEven);
        return e.epilogue(sums);
      });
  add(list, "c-read-with-beta-zero", "beta0_reads_C", "C takes part although beta is zero",
      [](Evaluation& e) {
        Tensor d = e.whole();
        if (*e.bound.problem.beta != 0) return d;
        const GemmProblem& p = e.bound.problem;
        for (std::size_t i = 0; i < d.count(); ++i) {
          const Bits c = e.c.at(p.c_index(i / p.n / p.m, i / p.n % p.m, i % p.n));
          if (!formats::is_finite(*d.format, c)) d.set(i, formats::quiet_nan(*d.format));
        }
        return d;
      });
  add(list, "scaled-unfused", "contraction", "beta * c is rounded before it is added",
      scaled_unfused);
}

Tensor zero_operands_skipped(Evaluation& e) {
  const GemmProblem& p = e.bound.problem;
  const Format& acc = *e.bound.accumulator;
  Tensor sums = Tensor::zeros(acc, p.d_count());
  for (std::size_t i = 0; i < sums.count(); ++i) {
    Bits sum = 0;
    for (std::size_t x = 0; x < p.k; ++x) {
      const Bits a = e.a.at(p.a_index(i / p.n / p.m, i / p.n % p.m, x));
      const Bits b = e.b.at(p.b_index(i / p.n / p.m, x, i % p.n));
      if (formats::is_zero(*e.a.format, a) || formats::is_zero(*e.b.format, b)) continue;
      sum = soft::fma(*e.a.format, a, b, acc, sum, {}).bits;
    }
    sums.set(i, sum);
  }
  return e.epilogue(sums);
}

void add_specials(std::vector<Hypothesis>& list) {
  add(list, "store-saturates", "sat_instead_of_inf",
      "a result beyond the range becomes the largest number", [](Evaluation& e) {
        Tensor d = e.whole();
        const Format& f = *d.format;
        change_each(d, [&](Bits x) {
          return formats::is_infinity(f, x) ? formats::max_finite(f, formats::sign(f, x)) : x;
        });
        return d;
      });
  add(list, "nan-operands-as-zero", "nan_dropped", "NaN in A and B counts as zero",
      [](Evaluation& e) {
        for (Tensor* t : {&e.a, &e.b}) {
          change_each(*t, [f = t->format](Bits x) { return formats::is_nan(*f, x) ? Bits{0} : x; });
        }
        return e.whole();
      });
  add(list, "zero-operands-skipped", "nan_dropped",
      "a product with a zero operand is zero, also with infinity or NaN", zero_operands_skipped);
  add(list, "zero-sign-lost", "signed_zero", "a zero result is always +0", [](Evaluation& e) {
    Tensor d = e.whole();
    change_each(d,
                [f = d.format](Bits x) { return formats::is_zero(*f, x) ? formats::zero(*f) : x; });
    return d;
  });
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding bound = bind(c);
  std::vector<Hypothesis> list;
  add_arithmetics(list, bound);
  add_splits(list, bound);
  add_formats(list, bound);
  add_edges(list, bound);
  add_layouts(list, bound);
  add_scalars(list, bound);
  add_specials(list);
  return list;
}

}  // namespace halfmark::suites::gemm
