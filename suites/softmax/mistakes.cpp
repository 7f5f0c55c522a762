// SPDX-License-Identifier: Apache-2.0
#include "suites/softmax/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "suites/core/diagnose/mistakes.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/softmax/layout.hpp"
#include "suites/softmax/model.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Format;

using Rows = Mistakes<Model>;

void add_maxima(Rows& rows, const Binding& b) {
  rows.add("no-max-shift", "overflow", "exp is taken without subtracting the row's maximum",
           [](Model& m) { m.shifts = false; });
  rows.add("max-from-zero", "bad_identity", "the running maximum starts at 0 instead of -inf",
           [](Model& m) { m.max_from_zero = true; });
  if (b.portable) {
    if (b.width % operators::kLanes == 0) return;
    rows.add("padding-is-zero", "edge_tile",
             "lanes past the end of the row count as 0 in the maximum",
             [](Model& m) { m.max_from_zero = true; });
    return;
  }
  for (const std::size_t multiple : {1U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U}) {
    const std::string to =
        multiple == 1 ? "a power of two" : fmt::format("multiples of {}", multiple);
    rows.add(fmt::format("padding-is-zero-to-{}", multiple), "edge",
             fmt::format("rows are padded with 0 instead of -inf to {}", to),
             [=](Model& m) { m.pad_multiple = multiple; });
    rows.add(fmt::format("padding-is-lowest-to-{}", multiple), "edge",
             fmt::format("rows are padded with the lowest number of fp32 instead of -inf to {}, so "
                         "that a row of nothing greater has too large a sum, or of -inf is 0",
                         to),
             [=](Model& m) {
               m.pad_multiple = multiple;
               m.pad_value = -std::numeric_limits<float>::max();
             });
    rows.yields();  // a row of -inf alone is what another policy gives
  }
  rows.add(
      "stale-maximum", "race", "some rows use the maximum of the row before",
      [](Model& m) { m.stale_max = true; }, true);
}

// Common substitutes for -inf: any number that hides, or the lowest one of fp16 or fp32.
void add_hidden(Rows& rows) {
  for (const double number : {1e4, 3e4, 32767.0, 32768.0, 65504.0, 1e9, 0x1.fffffep+127}) {
    rows.add(fmt::format("hidden-by-minus-{:g}", number), "masked_row",
             fmt::format("the mask's -inf is taken as {:g}, so that rows which it hides "
                         "altogether have a softmax",
                         -number),
             [number](Model& m) { m.hidden_by = -number; });
  }
}

void add_specials(Rows& rows, const Binding& b) {
  if (!b.portable) {
    rows.add("nan-row-is-zero", "nan_dropped",
             "the maximum drops NaN, and a row without numbers gives 0",
             [](Model& m) { m.drops_nan_rows = true; });
    rows.add("nan-at-the-limit-of-exp", "nan_dropped",
             "exp of a NaN is that of its upper limit, so that the sum is infinite and other "
             "results are zeros",
             [](Model& m) { m.limits_nan = true; });
    rows.takes({"nan_operands"});
  }
  rows.add("nan-is-masked", "nan_dropped", "a NaN is taken for -inf",
           [](Model& m) { m.nan_is_masked = true; });
  const auto add_policy = [&](MaskedRow policy, std::string_view word) {
    rows.add(fmt::format("masked-row-is-{}", word), "masked_row",
             fmt::format("a row of -inf is {} where another policy is declared", word),
             [=](Model& m) { m.masked = policy; });
    // Where the call asks for a policy, it is owed.
    if (!b.portable && b.fill != "zeroed") rows.takes({"masked_rows"});
  };
  if (b.portable) {
    rows.add("masked-row-is-zero", "masked_row", "a row whose maximum is -inf gives 0",
             [](Model& m) { m.drops_nan_rows = true; });
    add_policy(MaskedRow::kUniform, "uniform");
    if (b.width >= operators::kLanes) return;
    rows.add("empty-lane-is-nan", "nan_made", "lanes without elements contribute exp(-inf - -inf)",
             [](Model& m) { m.online_lanes = operators::kLanes; });
    return;
  }
  add_policy(MaskedRow::kNan, "nan");
  add_policy(MaskedRow::kZero, "zero");
  add_policy(MaskedRow::kUniform, "uniform");
  for (const std::size_t lanes : usual_blocks(std::min<std::size_t>(4 * b.width, 1024))) {
    rows.add(fmt::format("empty-lane-of-{}-is-nan", lanes), "nan_made",
             fmt::format("lanes without numbers, of {}, contribute exp(-inf - -inf)", lanes),
             [=](Model& m) { m.online_lanes = lanes; });
  }
  if (has_mask(b)) add_hidden(rows);
}

void add_sums(Rows& rows, const Binding& b) {
  rows.add("not-divided", "formula", "exponentials are not divided by their sum",
           [](Model& m) { m.not_divided = true; });
  if (b.width == 1 && !is_backward(b.operation)) {
    rows.add("single-copied", "formula", "a row of one element is copied",
             [](Model& m) { m.copies_single = true; });
  }
  for (const std::size_t lanes : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U}) {
    for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
      rows.add(fmt::format("sum-in-{}-by-{}", format->name, lanes), "acc_narrow",
               fmt::format("the row sum is kept in {}, in {} lanes", format->name, lanes),
               [=](Model& m) {
                 m.sum_in = format;
                 m.sum_lanes = lanes;
               });
    }
  }
  for (const std::size_t block : blocks_by_tail(b.width, 1024)) {
    rows.add(fmt::format("tail-of-{}-not-summed", block), "edge_tile",
             fmt::format("elements from the last multiple of {} on are not summed", block),
             [=](Model& m) { m.tail_block = block; });
  }
  for (const std::size_t block : power_blocks(std::min<std::size_t>(b.width, 4096))) {
    if (block >= b.width) break;
    for (const bool first : {false, true}) {
      rows.add(fmt::format("not-rescaled-{}-{}", first ? "behind" : "blocks-of", block), "formula",
               first ? fmt::format("the sum of the first {} elements is not rescaled when the "
                                   "maximum rises behind them",
                                   block)
                     : fmt::format("sums are not rescaled when the next block of {} raises the "
                                   "maximum",
                                   block),
               [=](Model& m) {
                 m.online_block = block;
                 m.first_block_alone = first;
               });
    }
    rows.add(fmt::format("second-{}-twice", block), "wave_width",
             fmt::format("elements from {} to {} are summed twice", block, 2 * block),
             [=](Model& m) { m.twice_from = block; });
  }
  for (const std::size_t wave : power_blocks(std::min<std::size_t>(b.width, 1024))) {
    if (wave < 4) continue;
    for (const std::size_t kept : {wave / 4, wave / 2, wave / 4 * 3}) {
      rows.add(fmt::format("lanes-from-{}-of-{}-left-out", kept, wave), "wave_width",
               fmt::format("lanes from {} on, of every {}, are missing in the sum", kept, wave),
               [=](Model& m) {
                 m.wave = wave;
                 m.kept = kept;
               });
    }
  }
}

// Libraries that use the result's memory for what they divide, or subtract from.
void add_stored_numerators(Rows& rows, bool logarithm) {
  rows.add_in({&formats::kFp16, &formats::kBf16}, "numerators", "early_round",
              logarithm ? "x - max, but not in the sum, is rounded to"
                        : "exp, but not in the sum, is rounded to",
              &Model::numerator_in);
}

// The same with an exponential that limits a NaN: the stronger claim, so it comes after that.
void add_limited_numerators(Rows& rows, const Format& output, bool logarithm) {
  if (output == formats::kFp32) return;
  rows.add(fmt::format("nan-at-the-limit-of-exp-numerators-in-{}", output.name), "nan_dropped",
           fmt::format("exp of a NaN is that of its upper limit, and {}, but not in the sum, "
                       "is rounded to {}",
                       logarithm ? "x - max" : "exp", output.name),
           [&](Model& m) {
             m.limits_nan = true;
             m.numerator_in = &output;
           });
  rows.takes({"nan_operands", "accuracy"});
  rows.implies({fmt::format("numerators-in-{}", output.name)});
}

// Of the sum, of its logarithm and of softmax before its logarithm, which libraries round alone.
void add_late_roundings(Rows& rows, const Format* format, bool logarithm) {
  if (logarithm) {
    rows.add(fmt::format("log-of-softmax-in-{}", format->name), "underflow",
             fmt::format("the logarithm of softmax rounded to {} is taken", format->name),
             [=](Model& m) {
               m.log_of_quotient = true;
               m.quotient_in = format;
             });
  }
  rows.add(fmt::format("sum-to-{}", format->name), "early_round",
           fmt::format("the finished sum of a row is rounded to {}", format->name),
           [=](Model& m) { m.sum_to = format; });
  if (logarithm) {
    rows.add_in({format}, "log", "early_round", "the logarithm of the sum is rounded to",
                &Model::log_in);
  }
}

void add_roundings(Rows& rows, const Binding& b) {
  const bool logarithm = b.operation == Operation::kLogForward;
  if (logarithm) {
    rows.add("log-of-softmax", "underflow", "the logarithm of softmax is taken",
             [](Model& m) { m.log_of_quotient = true; });
  } else {
    rows.add("reciprocal-in-fp16", "early_round",
             "results are multiplied by the reciprocal of the sum rounded to fp16",
             [](Model& m) { m.reciprocal_in = &formats::kFp16; });
  }
  if (!b.portable) {
    add_stored_numerators(rows, logarithm);
    add_limited_numerators(rows, *b.output, logarithm);
  }
  for (const Format* format : narrow_formats(b.portable)) {
    if (!b.portable) add_late_roundings(rows, format, logarithm);
    rows.add_in({format}, "shift", "early_round", "x - max is rounded to", &Model::shift_in);
    rows.add_in({format}, "exp", "early_round", "exp is rounded to", &Model::exp_in);
  }
}

void add_limits(Rows& rows) {
  constexpr int kLowestExponents[] = {8, 10, 11, 12, 14, 15, 16, 17, 20, 24, 32, 64, 80, 87, 88};
  for (const int least : kLowestExponents) {
    rows.add(fmt::format("exponents-from-minus-{}", least), "ftz_const",
             fmt::format("x - max is taken as -{} where it is less", least),
             [=](Model& m) { m.least_exponent = -least; });
    rows.add(fmt::format("nothing-below-minus-{}", least), "ftz_const",
             fmt::format("exp is 0 where x - max is less than -{}", least),
             [=](Model& m) { m.cut_below = -least; });
  }
}

void add_gradients(Rows& rows, const Binding& b) {
  if (!b.portable) {
    rows.add("row-sum-of-dy", "formula", "the gradient has the sum of dy for that of y dy",
             [](Model& m) { m.row_sum_of_dy = true; });
    rows.add("probability-not-raised", "formula", "the gradient takes y for exp(y)",
             [](Model& m) { m.probability_not_raised = true; });
  }
  rows.add("no-row-sum", "formula", "the gradient lacks the sum over the row",
           [](Model& m) { m.no_row_sum = true; });
}

void add_roundings_of_gradients(Rows& rows) {
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(fmt::format("products-in-{}", format->name), "early_round",
             fmt::format("y dy is rounded to {} before it is summed", format->name),
             [=](Model& m) { m.product_in = format; });
    rows.add(fmt::format("row-sum-to-{}", format->name), "early_round",
             fmt::format("the finished sum of y dy is rounded to {}", format->name),
             [=](Model& m) { m.row_sum_to = format; });
  }
}

void add_places(Rows& rows, const Binding& b) {
  rows.add("strides-ignored", "layout", "rows are taken as dense whatever the strides say",
           [](Model& m) { m.dense = true; });
  // Kernels that give several rows to a group of threads find the others from the first.
  const bool may_group = b.fill == "padded" || b.fill == "uneven";
  for (std::size_t group = 2; may_group && group <= std::min<std::size_t>(b.rows, 32); group *= 2) {
    rows.add(fmt::format("rows-dense-in-groups-of-{}", group), "layout",
             fmt::format("in every group of {} rows those behind the first are taken as dense, "
                         "whatever the strides say",
                         group),
             [=](Model& m) { m.dense_groups = group; });
  }
  if (b.fill == "second") {
    rows.add("kernel-of-another-format", "fmt_subst",
             "the kernel of the call before is used, which was made for another format",
             [](Model& m) { m.other_format = true; });
  }
  if (has_mask(b)) {
    rows.add("mask-dropped", "formula", "the mask is not added",
             [](Model& m) { m.mask = Mask::kNone; });
    rows.add("mask-of-another-row", "layout",
             one_mask_row(b) ? "the mask's stride of 0 is taken for the width"
                             : "the mask's first row serves all rows",
             [&](Model& m) { m.mask = one_mask_row(b) ? Mask::kRight : Mask::kFirstRow; });
    rows.add("mask-one-late", "layout", "elements get the mask of the column before",
             [](Model& m) { m.mask = Mask::kColumnBefore; });
    rows.add("mask-one-early", "layout", "elements get the mask of the column behind",
             [](Model& m) { m.mask = Mask::kColumnAfter; });
    rows.add("mask-of-columns", "layout", "the mask is read along its columns",
             [](Model& m) { m.mask = Mask::kTransposed; });
  }
  for (const std::size_t block : power_blocks(std::min<std::size_t>(b.width, 1024))) {
    if (b.width % block == 0) continue;
    rows.add(fmt::format("tail-of-{}-not-in-maximum", block), "edge_tile",
             fmt::format("elements from the last multiple of {} on are not in the maximum", block),
             [=](Model& m) { m.max_block = block; });
  }
  for (const std::size_t limit : power_blocks(std::min<std::size_t>(b.width, 4096))) {
    if (limit >= b.width) break;
    rows.add(fmt::format("maximum-of-the-first-{}", limit), "edge_tile",
             fmt::format("elements from {} on are not in the maximum", limit),
             [=](Model& m) { m.max_limit = limit; });
  }
  const Layout layout = layout_of(b);
  const std::size_t reach = layout.apart > 0 ? (b.rows - 1) * layout.apart : layout.count;
  for (unsigned bits = 6; bits < 32 && reach >> bits > 0; ++bits) {
    rows.add(fmt::format("offset-in-{}-bits", bits), "index_ovf",
             fmt::format("the offset of a row is kept in {} bits", bits),
             [=](Model& m) { m.offset_bits = bits; });
  }
}

struct Misread {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Hiding hiding;
};

constexpr Misread kMisreadings[] = {
    {"mask-dropped", "formula", "the mask hides nothing", Hiding::kDropped},
    {"mask-inverted", "formula", "the mask hides what it should show", Hiding::kInverted},
    {"mask-added", "nan_made", "-inf is added to hidden logits: NaN and +inf among them stay",
     Hiding::kAdded},
    {"mask-lowest-finite", "masked_row",
     "hidden logits become the lowest number: a row of them is uniform", Hiding::kLowestFinite},
    {"mask-to-zero", "formula", "hidden logits become 0", Hiding::kToZero},
    {"mask-low-byte", "decode", "the low byte of the mask's words counts", Hiding::kLowByte},
    {"mask-positive", "decode", "negative words of the mask count as false", Hiding::kPositive},
    {"mask-one-late", "layout", "elements get the mask of the column before",
     Hiding::kColumnBefore},
    {"mask-of-first-row", "layout", "the mask's first row serves all rows", Hiding::kFirstRow},
    {"mask-shared-otherwise", "layout",
     "rows of the mask are shared by neighbours instead of in turn, or the reverse",
     Hiding::kOtherSharing},
};

// What the kernels' one order of operations adds: sums and roundings of a single kind.
void add_of_kernels(Rows& rows, const Binding& b) {
  if (b.operation == Operation::kForward) {
    rows.add("reciprocal", "rounding", "multiplies by the rounded reciprocal of the sum",
             [](Model& m) { m.reciprocal_in = &formats::kFp32; });
  }
  if (b.operation == Operation::kBackward) {
    rows.add("product-in-fp16", "acc_narrow", "dy * y is rounded to fp16 before it is summed",
             [](Model& m) { m.product_in = &formats::kFp16; });
  }
  if (is_backward(b.operation)) {
    rows.add("row-sum-in-fp16", "acc_narrow", "the sum of dy * y is kept in fp16",
             [](Model& m) { m.sum_in = &formats::kFp16; });
  } else {
    rows.add("tail-not-summed", "edge_tile",
             "elements from the last multiple of 64 on are left out",
             [](Model& m) { m.max_block = m.tail_block = operators::kLanes; });
    rows.add("sum-in-fp16", "acc_narrow", "the row sum is kept in fp16",
             [](Model& m) { m.sum_in = &formats::kFp16; });
    for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
      rows.add(fmt::format("all-in-{}", format->name), "fmt_subst",
               fmt::format("shift, exp and sum are rounded to {}", format->name),
               [=](Model& m) { m.shift_in = m.exp_in = m.sum_in = format; });
    }
  }
  rows.add("inputs-in-bf16", "fmt_subst", "inputs are rounded to bf16 first",
           [](Model& m) { m.inputs_in = &formats::kBf16; });
  if (!hides(b)) return;
  for (const Misread& row : kMisreadings) {
    rows.add(std::string(row.name), row.finding_class, std::string(row.sentence),
             [&](Model& m) { m.hiding = row.hiding; });
  }
}

}  // namespace

std::vector<Hypothesis> mistakes(const Case& c) {
  const Binding b = bind(c);
  Rows rows(right_model(b));
  if (!b.portable) add_places(rows, b);
  if (is_backward(b.operation)) {
    add_gradients(rows, b);
    if (!b.portable) add_sums(rows, b);
    if (!b.portable) add_roundings_of_gradients(rows);
  } else {
    add_maxima(rows, b);
    add_specials(rows, b);
    if (!b.portable) add_sums(rows, b);
    add_roundings(rows, b);
    if (!b.portable) add_limits(rows);
  }
  if (b.portable) {
    add_of_kernels(rows, b);
  } else {
    rows.add("results-flushed", "ftz_out", "subnormal results become zero",
             [](Model& m) { m.flushes = true; });
    rows.takes({"conversion_subnormals"});
  }
  return std::move(rows).take();
}

}  // namespace halfmark::suites::softmax
