// SPDX-License-Identifier: Apache-2.0
#include "suites/cross_entropy/mistakes.hpp"

#include <fmt/format.h>

#include <utility>

#include "reference/operators/lanes.hpp"
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/cross_entropy/model.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

using formats::Format;
using Rows = Mistakes<Model>;

void add_softmax(Rows& rows, const Binding& b) {
  const std::vector<const Format*> narrow = narrow_formats(b.portable);
  if (!b.backward) {
    rows.add("log-of-softmax", "underflow", "the logarithm of softmax is taken",
             [](Model& m) { m.log_of_quotient = true; });
  }
  rows.add("no-max-shift", "overflow", "exp is taken without subtracting the row's maximum",
           [](Model& m) { m.shifts = false; });
  rows.add("nan-is-masked", "nan_dropped", "a NaN is taken for -inf",
           [](Model& m) { m.nan_is_masked = true; });
  if (!b.portable) {
    rows.takes({"nan_operands"});
    rows.add("masked-row-is-zero", "masked_row", "a row of -inf has no loss",
             [](Model& m) { m.masked_row_is_zero = true; });
    rows.takes({"masked_rows"});
    rows.add("masked-row-is-uniform", "masked_row", "the softmax of a row of -inf is uniform",
             [](Model& m) { m.masked_row_is_uniform = true; });
    rows.takes({"masked_rows"});
  }
  rows.add_in(narrow, "exp", "early_round", "exp is rounded to", &Model::exp_in);
  rows.add_in(narrow, "sum", "acc_narrow", "the sum of exponentials is kept in", &Model::sum_in);
}

void add_losses(Rows& rows, const Binding& b) {
  const std::vector<const Format*> narrow = narrow_formats(b.portable);
  rows.add_in(narrow, "losses", "acc_narrow", "the sum of losses is kept in", &Model::losses_in);
  if (b.portable) return;
  rows.add_in(narrow, "log", "early_round", "the logarithm of the sum is rounded to",
              &Model::log_in);
  rows.add("empty-mean-is-zero", "formula", "a mean over no rows is 0",
           [](Model& m) { m.empty_mean_is_zero = true; });
}

void add_gradients_of_libraries(Rows& rows) {
  rows.add("label-term-one-behind", "index_ovf", "the label's 1 is taken from the class behind it",
           [](Model& m) { m.term_apart = 1; });
  rows.add("label-term-one-before", "index_ovf", "the label's 1 is taken from the class before it",
           [](Model& m) { m.term_apart = -1; });
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(
        fmt::format("probability-in-{}", format->name), "early_round",
        fmt::format("softmax is rounded to {} before the label's 1 is taken away", format->name),
        [=](Model& m) { m.probability_in = format; });
  }
  rows.add("no-upstream", "formula", "the upstream gradient is taken as 1",
           [](Model& m) { m.no_upstream = true; });
  rows.add("ignored-rows-flow", "formula", "ignored rows have the gradient of softmax",
           [](Model& m) { m.ignored_rows_flow = true; });
}

void add_gradients(Rows& rows, const Binding& b) {
  if (!b.portable) add_gradients_of_libraries(rows);
  rows.add("factor-in-fp16", "early_round",
           b.portable ? "dy / N is rounded to fp16" : "1/N is rounded to fp16",
           [](Model& m) { m.factor_in = &formats::kFp16; });
  rows.add("no-label-term", "formula", "the gradient lacks the label's -1",
           [](Model& m) { m.no_label_term = true; });
  rows.add("no-mean-factor", "formula", "the gradient of a mean lacks 1/N",
           [](Model& m) { m.no_factor = true; });
  rows.add("upstream-per-row", "layout", "the upstream gradient is indexed by the row",
           [](Model& m) { m.upstream_by_row = true; });
}

struct Misread {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Labels labels;
};

constexpr Misread kMisreadings[] = {
    {"labels-from-one", "index_ovf", "classes are counted from 1", Labels::kFromOne},
    {"labels-low-half", "decode", "only the lower 32 bits of a 64-bit label are read",
     Labels::kLowHalf},
    {"labels-as-words", "decode", "64-bit labels are read as an array of 32-bit words",
     Labels::kAsWords},
    {"labels-clamped", "index_ovf", "labels beyond the classes count as the nearest class",
     Labels::kClamped},
    {"labels-from-the-end", "index_ovf", "negative labels count from the last class back",
     Labels::kFromTheEnd},
    {"labels-beyond-ignored", "index_ovf", "labels beyond the classes do not count",
     Labels::kBeyondIgnored},
};

void add_labels(Rows& rows, const Binding& b) {
  for (const Misread& row : kMisreadings) {
    if (b.portable && row.labels != Labels::kClamped) continue;
    rows.add(std::string(row.name), row.finding_class, std::string(row.sentence),
             [&](Model& m) { m.labels = row.labels; });
  }
  rows.add("fixed-sentinel", "formula", "-100 is ignored, whatever the call says",
           [](Model& m) { m.fixed_sentinel = true; });
  if (!b.portable) {
    rows.add("first-class-ignored", "formula", "rows of class 0 are ignored as padding",
             [](Model& m) { m.ignores_first = true; });
  }
  rows.add("mean-over-all-rows", "formula", "the mean is divided by the number of all rows",
           [](Model& m) { m.counts_ignored = true; });
}

// Bits of labels that are not read.
void add_label_bits(Rows& rows, const Binding& b) {
  constexpr unsigned kFewestBits = 2;
  for (unsigned bits = kFewestBits; b.width >> bits > 0; ++bits) {
    for (const Labels labels : {Labels::kLowBits, Labels::kAllLowBits}) {
      const bool all = labels == Labels::kAllLowBits;
      rows.add(fmt::format("labels-of-{}-bits{}", bits, all ? "-beyond-too" : ""), "index_ovf",
               fmt::format("the lower {} bits of a label{} are read", bits,
                           all ? ", of those beyond the classes, too," : ""),
               [=](Model& m) {
                 m.labels = labels;
                 m.label_bits = bits;
               });
    }
  }
}

// Parts of rows and of the batch that are treated differently.
void add_blocks(Rows& rows, const Binding& b) {
  for (const std::size_t block : {64U, 128U, 256U, 512U, 1024U, 2048U}) {
    if (block >= b.width) break;
    rows.add(fmt::format("not-rescaled-behind-{}", block), "formula",
             fmt::format("the sum of the first {} exponentials is not rescaled when the maximum "
                         "rises behind them",
                         block),
             [=](Model& m) { m.online_block = block; });
    if (block > 1024) break;
    rows.add(fmt::format("maximum-of-the-first-{}", block), "overflow",
             fmt::format("classes from {} on are not in the maximum", block),
             [=](Model& m) { m.max_limit = block; });
  }
  if (b.backward || b.reduction == Reduction::kNone) return;
  for (const std::size_t block : {24U, 48U, 96U}) {
    rows.add(fmt::format("rows-beyond-{}-left-out", block), "edge_tile",
             fmt::format("rows from the last multiple of {} on are not summed", block),
             [=](Model& m) { m.rows_multiple = block; });
  }
}

// What the kernel's one order of operations adds.
void add_of_kernels(Rows& rows, const Binding& b) {
  rows.add("tail-not-summed", "edge_tile", "elements from the last multiple of 64 on are left out",
           [](Model& m) { m.max_block = m.tail_block = operators::kLanes; });
  if (!b.backward) return;
  rows.add("reciprocal", "rounding", "multiplies by the rounded reciprocal of the sum",
           [](Model& m) { m.reciprocal_in = &formats::kFp32; });
  rows.add("scaled-before-difference", "order", "p and 1 are scaled before they are subtracted",
           [](Model& m) { m.scales_first = true; });
}

}  // namespace

std::vector<Hypothesis> mistakes(const Case& c) {
  const Binding b = bind(c);
  Rows rows;
  add_softmax(rows, b);
  if (b.backward) {
    add_gradients(rows, b);
  } else {
    add_losses(rows, b);
  }
  add_labels(rows, b);
  if (b.portable) {
    add_of_kernels(rows, b);
  } else {
    add_label_bits(rows, b);
    add_blocks(rows, b);
  }
  return std::move(rows).take();
}

}  // namespace halfmark::suites::cross_entropy
