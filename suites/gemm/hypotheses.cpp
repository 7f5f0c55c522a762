// SPDX-License-Identifier: Apache-2.0
// Other ways to multiply matrices that devices and libraries have been seen to use, each
// evaluated on the whole case. Those about a single elementary operation (flushing, rounding)
// belong to the core.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using models::Arithmetic;
using models::Order;
using models::Unit;

Evaluation start(const Case& c, const TensorSet& inputs) {
  const Binding bound = bind(c);
  return {.bound = bound,
          .inputs = inputs,
          .operands = operands_of(bound, inputs),
          .arithmetic = operators::specified_arithmetic(*bound.accumulator)};
}

void add_arithmetic(std::vector<Hypothesis>& list, std::string name, FindingClassName kind,
                    std::string sentence, const Arithmetic& arithmetic) {
  add(list, {std::move(name), kind, std::move(sentence)}, [arithmetic](Evaluation& e) {
    e.arithmetic = arithmetic;
    return e.whole();
  });
}

void add_narrow(std::vector<Hypothesis>& list, std::string name, std::string sentence,
                const Arithmetic& arithmetic, const Format& narrow) {
  add_arithmetic(list, std::move(name), "acc_narrow", std::move(sentence), arithmetic);
  list.back().computed_in = &narrow;
}

void add_named(std::vector<Hypothesis>& list, const Binding& bound) {
  const Arithmetic specified = operators::specified_arithmetic(*bound.accumulator);
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic == specified || named.arithmetic.unit != nullptr) continue;
    const Format* acc = named.arithmetic.accumulator;
    if (acc != nullptr && acc->precision() > formats::kFp32.precision()) continue;
    const bool narrower = acc != nullptr && acc->precision() < bound.accumulator->precision();
    const bool wider = acc != nullptr && acc->precision() > bound.accumulator->precision();
    const bool reordered = acc == nullptr || named.arithmetic.order != Order::kSequential;
    const FindingClassName kind = narrower    ? FindingClassName("acc_narrow")
                                  : wider     ? FindingClassName("fmt_subst")
                                  : reordered ? FindingClassName("order")
                                              : FindingClassName("contraction");
    add_arithmetic(list, "sum-" + named.name, kind,
                   "the sum is evaluated as " + named.name + ": " + named.description,
                   named.arithmetic);
    if (narrower) list.back().computed_in = acc;
  }
}

// The block or part sizes that are tried, `most` the last: fewer where one attempt is expensive.
std::vector<std::size_t> sizes_tried(const Binding& bound, std::size_t most,
                                     std::size_t cheap_products) {
  const bool cheap = bound.problem.d_count() * bound.problem.k <= cheap_products;
  std::vector<std::size_t> sizes = cheap ? usual_blocks(most) : power_blocks(most);
  if (most > 1 && (sizes.empty() || sizes.back() != most)) sizes.push_back(most);
  return sizes;
}
constexpr std::size_t kCheapSums = 1u << 18;
constexpr std::size_t kCheapUnits = 1u << 16;

// Partial sums that are rounded to `narrow` where they are combined.
void add_narrow_blocks(std::vector<Hypothesis>& list, const Binding& bound, const Format& narrow) {
  if (narrow.precision() >= bound.accumulator->precision()) return;
  constexpr std::size_t kLargest = 512;
  std::vector<std::size_t> blocks = sizes_tried(bound, kLargest, kCheapSums);
  for (std::size_t block = 2 * kLargest; block < bound.problem.k; block *= 2)
    blocks.push_back(block);
  for (const std::size_t block : blocks) {
    if (block >= bound.problem.k) break;
    Arithmetic x{.accumulator = bound.accumulator,
                 .order = models::blocked(static_cast<std::uint32_t>(block))};
    x.total = &narrow;
    add_narrow(list, fmt::format("blocks-of-{}-in-{}", block, narrow.name),
               fmt::format("sums of {} products are added up in {}", block, narrow.name), x,
               narrow);
    x.parts = &narrow;
    add_narrow(
        list, fmt::format("blocks-of-{}-rounded-in-{}", block, narrow.name),
        fmt::format("sums of {} products are rounded to {} and added up in it", block, narrow.name),
        x, narrow);
  }
}

void add_splits(std::vector<Hypothesis>& list, const Binding& bound) {
  constexpr std::size_t kMost = 64;
  std::size_t last_stretch = 0;
  for (const std::size_t parts : sizes_tried(bound, std::min(kMost, bound.problem.k), kCheapSums)) {
    // With more parts of the same length the parts are the same.
    const std::size_t stretch = (bound.problem.k + parts - 1) / parts;
    if (stretch == last_stretch) continue;
    last_stretch = stretch;
    Arithmetic x{.accumulator = bound.accumulator,
                 .order = models::split_k(static_cast<std::uint32_t>(parts))};
    add_arithmetic(list, fmt::format("split-k-{}", parts), "order",
                   fmt::format("k is cut in {}, and the partial sums are added up", parts), x);
    for (const Format* narrow : {&formats::kFp16, &formats::kBf16}) {
      if (narrow->precision() >= bound.accumulator->precision()) continue;
      x.parts = narrow;
      const bool of_output = *narrow == *bound.output;
      add_arithmetic(
          list, fmt::format("split-k-{}-{}", parts, of_output ? "narrow" : narrow->name),
          "acc_narrow",
          fmt::format("k is cut in {}, and the partial sums are rounded to {} before they are "
                      "added",
                      parts, narrow->name),
          x);
    }
  }
}

// Narrow sums inside a block, added in the accumulator's own format.
void add_narrow_inside(std::vector<Hypothesis>& list, const Binding& bound, const Format& narrow) {
  if (narrow.precision() >= bound.accumulator->precision()) return;
  for (const std::size_t block : power_blocks(512)) {
    if (block >= bound.problem.k) break;
    Arithmetic x{.accumulator = &narrow,
                 .order = models::blocked(static_cast<std::uint32_t>(block))};
    x.total = bound.accumulator;
    add_narrow(list, fmt::format("blocks-of-{}-inside-{}", block, narrow.name),
               fmt::format("sums of {} products are kept in {}, and added up in {}", block,
                           narrow.name, bound.accumulator->name),
               x, narrow);
  }
}

// Operands split into two terms of a narrow format; of the four products, that of the two smaller
// terms is omitted.
Tensor two_terms(Evaluation& e, const Format& narrow) {
  const auto low = [&narrow](const Tensor& t) {
    Tensor rest = t;
    for (std::size_t i = 0; i < t.count(); ++i) {
      const Format& f = *t.format;
      const Bits high = soft::convert(narrow, f, soft::convert(f, narrow, t.at(i)).bits).bits;
      const Bits left = soft::sub(f, t.at(i), high).bits;
      rest.set(i, soft::convert(narrow, f, soft::convert(f, narrow, left).bits).bits);
    }
    return rest;
  };
  Evaluation parts[] = {e, e, e};
  parts[0].operands.a = low(e.operands.a);
  parts[1].operands.b = low(e.operands.b);
  for (Tensor* t :
       {&parts[0].operands.b, &parts[1].operands.a, &parts[2].operands.a, &parts[2].operands.b}) {
    through(*t, narrow, soft::Rounding::kNearEven);
  }
  Tensor sums = parts[0].sums();
  const Format& f = *sums.format;
  for (const int more : {1, 2}) {
    const Tensor part = parts[more].sums();
    for (std::size_t i = 0; i < sums.count(); ++i)
      sums.set(i, soft::add(f, sums.at(i), part.at(i)).bits);
  }
  return e.finished(sums);
}

// The formats of the operands taken for one another.
void add_mixed_up(std::vector<Hypothesis>& list, const Binding& bound) {
  if (!bound.is_mixed()) return;
  for (const bool of_a : {true, false}) {
    const Format* other = of_a ? bound.operands_of_b : bound.operands;
    add(list,
        {fmt::format("{}-read-as-{}", of_a ? 'a' : 'b', other->name), "decode",
         fmt::format("words of {} are read as numbers of {}", of_a ? 'A' : 'B', other->name)},
        [of_a, other](Evaluation& e) {
          (of_a ? e.operands.a : e.operands.b).format = other;
          return e.whole();
        });
  }
  add(list, {"formats-exchanged", "decode", "the formats of A and B are taken for one another"},
      [](Evaluation& e) {
        std::swap(e.operands.a.format, e.operands.b.format);
        return e.whole();
      });
}

void add_two_terms(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const Format* narrow : {&formats::kBf16, &formats::kFp16, &formats::kTf32}) {
    if (*bound.operands != formats::kFp32) return;
    add(list,
        {fmt::format("operands-in-two-{}", narrow->name), "fmt_subst",
         fmt::format("A and B are two numbers of {} each, and products of the lesser ones are left "
                     "out",
                     narrow->name)},
        [narrow](Evaluation& e) { return two_terms(e, *narrow); });
  }
}

// Steps in fp32, with the sum rounded after each `every` steps: the effect of registers of a narrow
// format, or of a running sum that is stored in one.
Tensor rounded_steps(Evaluation& e, const Format& narrow, std::size_t every) {
  const operators::GemmProblem& p = e.bound.problem;
  const Format &of_a = *e.bound.operands, &of_b = *e.bound.operands_of_b;
  Tensor sums = Tensor::zeros(formats::kFp32, p.d_count());
  for (std::size_t i = 0; i < sums.count(); ++i) {
    Bits sum = 0;
    for (std::size_t x = 0; x < p.k; ++x) {
      const Bits a = e.operands.a.at(i / p.n * p.k + x);
      const Bits b = e.operands.b.at((i / p.n / p.m * p.k + x) * p.n + i % p.n);
      sum = soft::fma(of_a, a, of_b, b, formats::kFp32, sum, {}).bits;
      if ((x + 1) % every != 0) continue;
      sum = soft::convert(narrow, formats::kFp32, soft::convert(formats::kFp32, narrow, sum).bits)
                .bits;
    }
    sums.set(i, sum);
  }
  return e.finished(sums);
}

void add_rounded_steps(std::vector<Hypothesis>& list, const Binding& bound) {
  constexpr std::size_t kLargestBlock = 512;
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16}) {
    if (narrow->precision() >= bound.accumulator->precision()) continue;
    add(list,
        {fmt::format("every-step-to-{}", narrow->name), "acc_narrow",
         fmt::format("the running sum is rounded to {} after every product", narrow->name)},
        [narrow](Evaluation& e) { return rounded_steps(e, *narrow, 1); });
    list.back().computed_in = narrow;
    for (const std::size_t every : sizes_tried(bound, kLargestBlock, kCheapUnits)) {
      if (every >= bound.problem.k) break;  // after the last step only the result is rounded
      add(list,
          {fmt::format("every-{}-steps-to-{}", every, narrow->name), "acc_narrow",
           fmt::format("the running sum is rounded to {} after every {} products", narrow->name,
                       every)},
          [narrow, every](Evaluation& e) { return rounded_steps(e, *narrow, every); });
    }
  }
}

void add_rounded_sums(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16}) {
    const bool is_narrower = narrow->precision() < bound.accumulator->precision();
    if (!is_narrower || *narrow == *bound.output) continue;
    add(list,
        {fmt::format("sum-to-{}", narrow->name), "early_round",
         fmt::format("the finished sum is rounded to {}", narrow->name)},
        [narrow](Evaluation& e) {
          Tensor sums = e.sums();
          through(sums, *narrow, soft::Rounding::kNearEven);
          return e.finished(sums);
        });
  }
}

// A fused sum like those of matrix units, but of no unit in the table.
void add_aligned(std::vector<Hypothesis>& list, const Binding& bound, int block, int bits) {
  struct Described {
    const Format *a, *b;
    Unit unit;
  };
  const auto described = std::make_shared<Described>();
  described->a = bound.operands;
  described->b = bound.operands_of_b;
  described->unit = {.name = "described",
                     .a = {&described->a, 1},
                     .b = {&described->b, 1},
                     .output = &formats::kFp32,
                     .rule = models::Rule::kTruncated,
                     .block = block,
                     .fraction_bits = bits,
                     .kept_bits = formats::kFp32.fraction_bits,
                     .zero_exponent = -100000,
                     .instruction_k = block};
  add(list,
      {fmt::format("aligned-{}-to-{}-bits", block, bits),
       "acc_unit",
       fmt::format("groups of {} products and the sum are aligned to the largest exponent and "
                   "truncated {} bits below it",
                   block, bits),
       {"unit_alignment"}},
      [described](Evaluation& e) {
        e.arithmetic = {.unit = &described->unit};
        return e.whole();
      });
}

bool flushes(const Unit& unit) {
  return unit.rule == models::Rule::kFlushedPairs || unit.rule == models::Rule::kFlushedChain ||
         unit.rule == models::Rule::kOddPairs;
}

// Other units stay within the bound of products, and have no place among its mistakes.
void add_flushing_units(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const Unit& unit : models::all_units()) {
    const bool fits = unit.output == bound.accumulator && unit.scale == nullptr &&
                      std::ranges::count(unit.a, bound.operands) > 0 &&
                      std::ranges::count(unit.b, bound.operands_of_b) > 0;
    if (!fits || !flushes(unit)) continue;
    add(list,
        {fmt::format("sum-{}", unit.name),
         "ftz",
         fmt::format("the sum is that of {}, which flushes subnormal numbers", unit.name),
         {"operation_subnormals"}},
        [&unit](Evaluation& e) {
          e.arithmetic = {.unit = &unit};
          return e.whole();
        });
  }
}

void add_units(std::vector<Hypothesis>& list, const Binding& bound) {
  constexpr std::size_t kMostProducts = 1u << 18;
  constexpr std::size_t kLargestGroup = 64;
  constexpr int kWidest = 23;
  // Units whose accumulators are narrow take operands of 8 bits, and lose bits in long sums.
  constexpr std::size_t kMostProductsOf8Bits = 1u << 20;
  constexpr int kWidestOf8Bits = 14;
  const std::size_t products = bound.problem.d_count() * bound.problem.k;
  const bool is_long = products > kMostProducts;
  const bool taken = bound.operands->precision() <= formats::kFp32.precision() &&
                     *bound.accumulator == formats::kFp32;
  if (!taken || (is_long && (bound.operands->bits > 8 || products > kMostProductsOf8Bits))) return;
  add_flushing_units(list, bound);
  const std::size_t most = std::clamp<std::size_t>(bound.problem.k, 4, kLargestGroup);
  for (const std::size_t group : sizes_tried(bound, most, kCheapUnits)) {
    for (int bits = 8; bits <= (is_long ? kWidestOf8Bits : kWidest); ++bits)
      add_aligned(list, bound, static_cast<int>(group), bits);
  }
}

}  // namespace

void add(std::vector<Hypothesis>& list, Entry entry, Evaluate evaluate) {
  list.push_back({.name = std::move(entry.name),
                  .finding_class = entry.finding_class,
                  .sentence = std::move(entry.sentence),
                  .evaluate =
                      [evaluate = std::move(evaluate)](const Case& c, const TensorSet& inputs) {
                        Evaluation e = start(c, inputs);
                        const Tensor dense = evaluate(e);
                        const Binding bound = bind(c);
                        return with_zeros_of_relu(bound, stored_output(bound, inputs, dense));
                      },
                  .freedoms = std::move(entry.freedoms)});
}

void through(Tensor& tensor, const Format& narrow, soft::Rounding rounding) {
  const Format& f = *tensor.format;
  change_each(tensor, [&](Bits bits) {
    return soft::convert(narrow, f, soft::convert(f, narrow, bits, {.rounding = rounding}).bits)
        .bits;
  });
}

void add_sums(std::vector<Hypothesis>& list, const Binding& bound) {
  add_named(list, bound);
  add_rounded_steps(list, bound);
  add_narrow_blocks(list, bound, formats::kFp16);
  add_narrow_blocks(list, bound, formats::kBf16);
  add_narrow_inside(list, bound, formats::kFp16);
  add_narrow_inside(list, bound, formats::kBf16);
  add_splits(list, bound);
  add_rounded_sums(list, bound);
  add_units(list, bound);
}

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding bound = bind(c);
  // Of two hypotheses with the same bits the earlier one is reported: single steps before
  // whole sums.
  std::vector<Hypothesis> list;
  add_values(list, bound);
  add_formats(list, bound);
  add_mixed_up(list, bound);
  add_two_terms(list, bound);
  add_sums(list, bound);
  add_places(list, bound);
  return list;
}

}  // namespace halfmark::suites::gemm
