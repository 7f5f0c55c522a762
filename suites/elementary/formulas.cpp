// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::Format;

// Constants of fp64.
constexpr Bits kLn2 = 0x3fe62e42fefa39ef, kLog2E = 0x3ff71547652b82fe, kLn10 = 0x40026bb1bbb55516,
               kLog2Ten = 0x400a934f0979a371, kLog10E = 0x3fdbcb7b1526e50e,
               kLog10Two = 0x3fd34413509f79ff, kPi = 0x400921fb54442d18,
               kHalfPi = 0x3ff921fb54442d18, kThird = 0x3fd5555555555555;

using R = const Ranges&;
using O = const Operands&;

Range x_of(O o) { return Ranges::only(o.x); }
Range w_of(O o) { return Ranges::only(o.w); }

// --- of one operand ------------------------------------------------------------------------------

Range product_with(R r, std::string_view function, O o, Bits constant) {
  return r.of(function, r.mul(x_of(o), r.constant(constant)));
}
Range times(R r, std::string_view function, O o, Bits constant) {
  return r.mul(r.of(function, x_of(o)), r.constant(constant));
}

// exp(2x), and exp(x) and exp(-x) combined.
Range exp_of_twice(R r, O o) { return r.of("exp", r.mul(r.number(2), x_of(o))); }
Range exp_of_negated(R r, O o) { return r.of("exp", r.negated(x_of(o))); }
Range difference_of_exps(R r, O o) { return r.sub(r.of("exp", x_of(o)), exp_of_negated(r, o)); }
Range sum_of_exps(R r, O o) { return r.add(r.of("exp", x_of(o)), exp_of_negated(r, o)); }

Range with_sign_of(R r, Bits x, const Range& size) {
  return formats::sign(r.format(), x) ? r.negated(size) : size;
}

Range cube_root(R r, O o) {
  const Bits size = formats::magnitude(r.format(), o.x);
  const Range log = r.mul(r.of("log2", Ranges::only(size)), r.constant(kThird));
  return with_sign_of(r, o.x, r.of("exp2", log));
}

Range arc_sine(R r, O o) {
  const Range rest = r.sub(r.number(1), r.mul(x_of(o), x_of(o)));
  return r.of("atan", r.div(x_of(o), r.of("sqrt", rest)));
}

// --- of two operands -----------------------------------------------------------------------------

// exp(w log x), as it comes.
Range power(R r, O o, std::string_view exp, std::string_view log) {
  return r.of(exp, r.mul(w_of(o), r.of(log, x_of(o))));
}

bool is_special(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) || !formats::is_finite(f, bits);
}

// The same with the sign of a power of a negative base, and special operands treated as they are.
Range guarded_power(R r, O o, std::string_view exp, std::string_view log) {
  const Format& f = r.format();
  const Bits right = soft::pow(f, o.x, o.w).bits;
  const Bits size = formats::magnitude(f, o.x);
  if (is_special(f, o.x) || is_special(f, o.w) || size == formats::one(f) ||
      formats::is_nan(f, right))
    return Ranges::only(right);
  return with_sign_of(r, right, power(r, {.x = size, .w = o.w}, exp, log));
}

Range root_of_squares(R r, const Range& sum) { return r.of("sqrt", sum); }

Bits fused_squares(const Format& f, Bits a, Bits b) {
  return soft::fma(f, a, a, soft::mul(f, b, b).bits).bits;
}

Bits rest_of(const Format& f, O o, soft::Rounding rounding, bool is_fused) {
  const Bits n = soft::rint(f, soft::div(f, o.x, o.w).bits, {.rounding = rounding}).bits;
  if (is_fused) return soft::fma(f, soft::neg(f, n), o.w, o.x).bits;
  return soft::sub(f, o.x, soft::mul(f, n, o.w).bits).bits;
}

// --- the table -----------------------------------------------------------------------------------

struct Row {
  std::string_view function, name;
  FindingClassName finding_class;
  std::string_view words;
  Range (*evaluate)(const Ranges&, const Operands&);
};

constexpr Row kRows[] = {
    {"log1p", "log-of-sum", "cancel", "log(1 + x)",
     [](R r, O o) { return r.of("log", r.add(r.number(1), x_of(o))); }},
    {"expm1", "exp-minus-one", "cancel", "exp(x) - 1",
     [](R r, O o) { return r.sub(r.of("exp", x_of(o)), r.number(1)); }},
    {"exp", "by-exp2", "low_precision", "exp2(x log2 e)",
     [](R r, O o) { return product_with(r, "exp2", o, kLog2E); }},
    {"exp2", "by-exp", "low_precision", "exp(x ln 2)",
     [](R r, O o) { return product_with(r, "exp", o, kLn2); }},
    {"exp10", "by-exp", "low_precision", "exp(x ln 10)",
     [](R r, O o) { return product_with(r, "exp", o, kLn10); }},
    {"exp10", "by-exp2", "low_precision", "exp2(x log2 10)",
     [](R r, O o) { return product_with(r, "exp2", o, kLog2Ten); }},
    {"log", "by-log2", "low_precision", "log2(x) ln 2",
     [](R r, O o) { return times(r, "log2", o, kLn2); }},
    {"log2", "by-log", "low_precision", "log(x) log2 e",
     [](R r, O o) { return times(r, "log", o, kLog2E); }},
    {"log10", "by-log", "low_precision", "log(x) log10 e",
     [](R r, O o) { return times(r, "log", o, kLog10E); }},
    {"log10", "by-log2", "low_precision", "log2(x) log10 2",
     [](R r, O o) { return times(r, "log2", o, kLog10Two); }},
    {"rsqrt", "by-root", "rounding", "1 / sqrt(x)",
     [](R r, O o) { return r.div(r.number(1), r.of("sqrt", x_of(o))); }},
    {"sqrt", "by-reciprocal-root", "rounding", "x rsqrt(x)",
     [](R r, O o) { return r.mul(x_of(o), r.of("rsqrt", x_of(o))); }},
    {"tanh", "by-exp-2x", "act_ovf", "(exp(2x) - 1) / (exp(2x) + 1)",
     [](R r, O o) {
       const Range e = exp_of_twice(r, o);
       return r.div(r.sub(e, r.number(1)), r.add(e, r.number(1)));
     }},
    {"tanh", "by-exp-x", "act_ovf", "(exp(x) - exp(-x)) / (exp(x) + exp(-x))",
     [](R r, O o) { return r.div(difference_of_exps(r, o), sum_of_exps(r, o)); }},
    {"tanh", "one-minus-quotient", "act_ovf", "1 - 2 / (exp(2x) + 1)",
     [](R r, O o) {
       return r.sub(r.number(1), r.div(r.number(2), r.add(exp_of_twice(r, o), r.number(1))));
     }},
    {"sinh", "difference-of-exps", "cancel", "(exp(x) - exp(-x)) / 2",
     [](R r, O o) { return r.mul(r.number(1, -1), difference_of_exps(r, o)); }},
    {"cosh", "sum-of-exps", "overflow", "(exp(x) + exp(-x)) / 2",
     [](R r, O o) { return r.mul(r.number(1, -1), sum_of_exps(r, o)); }},
    {"erfc", "one-minus-erf", "cancel", "1 - erf(x)",
     [](R r, O o) { return r.sub(r.number(1), r.of("erf", x_of(o))); }},
    {"erf", "one-minus-erfc", "cancel", "1 - erfc(x)",
     [](R r, O o) { return r.sub(r.number(1), r.of("erfc", x_of(o))); }},
    {"tan", "sine-by-cosine", "low_precision", "sin(x) / cos(x)",
     [](R r, O o) { return r.div(r.of("sin", x_of(o)), r.of("cos", x_of(o))); }},
    {"asin", "by-atan-of-quotient", "cancel", "atan(x / sqrt(1 - x x))", arc_sine},
    {"acos", "by-asin", "cancel", "pi/2 - asin(x)",
     [](R r, O o) { return r.sub(r.constant(kHalfPi), r.of("asin", x_of(o))); }},
    {"cbrt", "by-log2", "low_precision", "exp2(log2(x) / 3)", cube_root},
    {"sinpi", "rounded-product", "low_precision", "sin(x pi), with a rounded product",
     [](R r, O o) { return product_with(r, "sin", o, kPi); }},
    {"cospi", "rounded-product", "low_precision", "cos(x pi), with a rounded product",
     [](R r, O o) { return product_with(r, "cos", o, kPi); }},
    {"pow", "by-log", "low_precision", "exp(w log x)",
     [](R r, O o) { return power(r, o, "exp", "log"); }},
    {"pow", "by-log2", "low_precision", "exp2(w log2 x)",
     [](R r, O o) { return power(r, o, "exp2", "log2"); }},
    {"pow", "by-log-of-magnitude", "low_precision", "exp(w log |x|) with a sign",
     [](R r, O o) { return guarded_power(r, o, "exp", "log"); }},
    {"pow", "by-log2-of-magnitude", "low_precision", "exp2(w log2 |x|) with a sign",
     [](R r, O o) { return guarded_power(r, o, "exp2", "log2"); }},
    {"atan2", "by-atan", "formula", "atan(x / w)",
     [](R r, O o) { return r.of("atan", r.div(x_of(o), w_of(o))); }},
    {"hypot", "root-of-squares", "overflow", "sqrt(x x + w w)",
     [](R r, O o) {
       return root_of_squares(r, r.add(r.mul(x_of(o), x_of(o)), r.mul(w_of(o), w_of(o))));
     }},
    {"hypot", "root-of-squares-fused", "overflow", "sqrt(fma(x, x, w w))",
     [](R r, O o) {
       return root_of_squares(r, Ranges::only(fused_squares(r.format(), o.x, o.w)));
     }},
    {"hypot", "root-of-squares-fused-other", "overflow", "sqrt(fma(w, w, x x))",
     [](R r, O o) {
       return root_of_squares(r, Ranges::only(fused_squares(r.format(), o.w, o.x)));
     }},
    {"fmod", "by-quotient", "cancel", "x - trunc(x / w) w",
     [](R r, O o) {
       return Ranges::only(rest_of(r.format(), o, soft::Rounding::kTowardZero, false));
     }},
    {"fmod", "by-quotient-fused", "cancel", "fma(-trunc(x / w), w, x)",
     [](R r, O o) {
       return Ranges::only(rest_of(r.format(), o, soft::Rounding::kTowardZero, true));
     }},
    {"remainder", "by-quotient", "cancel", "x - rint(x / w) w",
     [](R r, O o) {
       return Ranges::only(rest_of(r.format(), o, soft::Rounding::kNearEven, false));
     }},
    {"remainder", "by-quotient-fused", "cancel", "fma(-rint(x / w), w, x)",
     [](R r, O o) {
       return Ranges::only(rest_of(r.format(), o, soft::Rounding::kNearEven, true));
     }},
    {"div", "by-reciprocal", "rounding", "x times the rounded 1 / w",
     [](R r, O o) { return r.mul(x_of(o), r.of("recip", w_of(o))); }},
};

// pown and powr have the formulas of pow.
std::string_view table_name(std::string_view function) {
  return function == "pown" || function == "powr" ? "pow" : function;
}

Enclosure enclosed(const Ranges& ranges, const TensorSet& in, const Formula& formula) {
  const std::size_t count = in.at("x").count();
  formats::Tensor low = formats::Tensor::zeros(ranges.format(), count);
  formats::Tensor high = low;
  std::vector<std::int32_t> steps(count);
  constexpr std::size_t kPart = 512;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          const Range range = formula(ranges, operands_at(in, i));
          low.set(i, range.low);
          high.set(i, range.high);
          steps[i] = range.step;
        }
      });
  Enclosure all;
  all.low.emplace("y", std::move(low));
  all.high.emplace("y", std::move(high));
  all.steps.emplace("y", std::move(steps));
  return all;
}

Hypothesis hypothesis(const Bound& bound, const NamedFormula& formula, Callees callees) {
  const bool is_wide = callees == Callees::kWithinBounds;
  return {.name = is_wide ? formula.name + "-within-bounds" : formula.name,
          .finding_class = formula.finding_class,
          .sentence = is_wide
                          ? fmt::format("{}, by functions that keep their bounds", formula.sentence)
                          : formula.sentence,
          .evaluate = [ranges = Ranges(bound, callees), evaluate = formula.evaluate](
                          const Case&, const TensorSet& in) -> Expectation {
            Enclosure all = enclosed(ranges, in, evaluate);
            TensorSet middle = all.low;
            return {std::move(middle), std::move(all)};
          },
          .pointwise = true,
          .tier = is_wide ? 1 : 0};
}

}  // namespace

std::vector<Hypothesis> formulas(const Bound& bound) {
  std::vector<NamedFormula> all;
  for (const Row& row : kRows) {
    if (row.function != table_name(bound.function)) continue;
    all.push_back({std::string(row.name), row.finding_class,
                   fmt::format("{} is computed as {}", bound.function, row.words), row.evaluate});
  }
  for (NamedFormula& reduction : reductions(bound)) all.push_back(std::move(reduction));
  std::vector<Hypothesis> list;
  for (const Callees callees : {Callees::kNearlyRounded, Callees::kWithinBounds}) {
    for (const NamedFormula& formula : all) list.push_back(hypothesis(bound, formula, callees));
  }
  return list;
}

}  // namespace halfmark::suites::elementary
