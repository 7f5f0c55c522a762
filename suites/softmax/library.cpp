// SPDX-License-Identifier: Apache-2.0
// How a library is called, and mistakes seen in libraries: hypotheses for providers that choose
// their own order of operations.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suites/core/diagnose/mistakes.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/softmax/layout.hpp"
#include "suites/softmax/model.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Format;

std::string_view operator_of(Operation operation) {
  switch (operation) {
    case Operation::kForward:
      return "softmax";
    case Operation::kLogForward:
      return "log_softmax";
    case Operation::kBackward:
      return "softmax_backward";
    case Operation::kLogBackward:
      return "log_softmax_backward";
  }
  return "";
}

TensorSlice slice(const Binding& b, std::string role, std::string tensor, const Layout& layout) {
  return {.role = std::move(role),
          .tensor = std::move(tensor),
          .offset = 0,
          .sizes = {static_cast<std::int64_t>(b.rows), static_cast<std::int64_t>(b.width)},
          .strides = {static_cast<std::int64_t>(layout.row_on_device()),
                      static_cast<std::int64_t>(layout.element_step)}};
}

using Rows = Mistakes<Model>;

void add_maxima(Rows& rows) {
  rows.add("no-max-shift", "overflow", "exp is taken without subtracting the row's maximum",
           [](Model& m) { m.shifts = false; });
  rows.add("max-from-zero", "bad_identity", "the running maximum starts at 0 instead of -inf",
           [](Model& m) { m.max_from_zero = true; });
  for (const std::size_t multiple : {1U, 4U, 8U, 16U, 32U, 64U, 128U, 256U, 512U, 1024U}) {
    const std::string to =
        multiple == 1 ? "a power of two" : fmt::format("multiples of {}", multiple);
    rows.add(fmt::format("padding-is-zero-to-{}", multiple), "edge",
             fmt::format("rows are padded with 0 instead of -inf to {}", to),
             [=](Model& m) { m.pad_multiple = multiple; });
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
  rows.add("nan-row-is-zero", "nan_dropped",
           "the maximum drops NaN, and a row without numbers gives 0",
           [](Model& m) { m.drops_nan_rows = true; });
  rows.add("nan-is-masked", "nan_dropped", "a NaN is taken for -inf",
           [](Model& m) { m.nan_is_masked = true; });
  const std::pair<MaskedRow, std::string_view> kPolicies[] = {
      {MaskedRow::kNan, "nan"}, {MaskedRow::kZero, "zero"}, {MaskedRow::kUniform, "uniform"}};
  for (const auto& row : kPolicies) {
    rows.add(fmt::format("masked-row-is-{}", row.second), "masked_row",
             fmt::format("a row of -inf is {} where another policy is declared", row.second),
             [policy = row.first](Model& m) { m.masked = policy; });
  }
  for (const std::size_t lanes : usual_blocks(std::min<std::size_t>(4 * b.width, 1024))) {
    rows.add(fmt::format("empty-lane-of-{}-is-nan", lanes), "nan_made",
             fmt::format("lanes without numbers, of {}, contribute exp(-inf - -inf)", lanes),
             [=](Model& m) { m.online_lanes = lanes; });
  }
  if (has_mask(b)) add_hidden(rows);
}

void add_formulas(Rows& rows) {
  rows.add("row-sum-of-dy", "formula", "the gradient has the sum of dy for that of y dy",
           [](Model& m) { m.row_sum_of_dy = true; });
  rows.add("not-divided", "formula", "exponentials are not divided by their sum",
           [](Model& m) { m.not_divided = true; });
  rows.add("probability-not-raised", "formula", "the gradient takes y for exp(y)",
           [](Model& m) { m.probability_not_raised = true; });
  rows.add("no-row-sum", "formula", "the gradient lacks the sum over the row",
           [](Model& m) { m.no_row_sum = true; });
}

void add_sums(Rows& rows, const Binding& b) {
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

void add_roundings(Rows& rows) {
  rows.add("reciprocal-in-fp16", "early_round",
           "results are multiplied by the reciprocal of the sum rounded to fp16",
           [](Model& m) { m.half_reciprocal = true; });
  rows.add("log-of-softmax", "underflow", "the logarithm of softmax is taken",
           [](Model& m) { m.log_of_quotient = true; });
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(fmt::format("log-of-softmax-in-{}", format->name), "underflow",
             fmt::format("the logarithm of softmax rounded to {} is taken", format->name),
             [=](Model& m) {
               m.log_of_quotient = true;
               m.quotient_in = format;
             });
    rows.add(fmt::format("sum-to-{}", format->name), "early_round",
             fmt::format("the finished sum of a row is rounded to {}", format->name),
             [=](Model& m) { m.sum_to = format; });
    rows.add(fmt::format("log-in-{}", format->name), "early_round",
             fmt::format("the logarithm of the sum is rounded to {}", format->name),
             [=](Model& m) { m.log_in = format; });
    rows.add(fmt::format("shift-in-{}", format->name), "early_round",
             fmt::format("x - max is rounded to {}", format->name),
             [=](Model& m) { m.shift_in = format; });
    rows.add(fmt::format("exp-in-{}", format->name), "early_round",
             fmt::format("exp is rounded to {}", format->name),
             [=](Model& m) { m.exp_in = format; });
  }
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    rows.add(fmt::format("products-in-{}", format->name), "early_round",
             fmt::format("y dy is rounded to {} before it is summed", format->name),
             [=](Model& m) { m.product_in = format; });
    rows.add(fmt::format("row-sum-to-{}", format->name), "early_round",
             fmt::format("the finished sum of y dy is rounded to {}", format->name),
             [=](Model& m) { m.row_sum_to = format; });
  }
  constexpr int kLowestExponents[] = {8, 10, 11, 12, 14, 15, 16, 17, 20, 24, 32, 64, 80, 87, 88};
  for (const int least : kLowestExponents) {
    rows.add(fmt::format("exponents-from-minus-{}", least), "ftz_const",
             fmt::format("x - max is taken as -{} where it is less", least),
             [=](Model& m) { m.least_exponent = -least; });
    rows.add(fmt::format("nothing-below-minus-{}", least), "ftz_const",
             fmt::format("exp is 0 where x - max is less than -{}", least),
             [=](Model& m) { m.cut_below = -least; });
  }
  rows.add("results-flushed", "ftz_out", "subnormal results become zero",
           [](Model& m) { m.flushes = true; });
}

void add_places(Rows& rows, const Binding& b) {
  rows.add("strides-ignored", "layout", "rows are taken as dense whatever the strides say",
           [](Model& m) { m.dense = true; });
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

}  // namespace

Plan library_plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding b = bind(c);
  const std::string_view provider = c.word("provider");
  Plan plan;
  OperatorStep* call = add_operator(plan, device, provider, operator_of(b.operation));
  if (call == nullptr) return plan;
  OperatorStep& step = *call;
  if (b.fill == "zeroed") step.options.emplace_back("masked_row", "zero");
  const auto add = [&](const char* name, const Format& format, Role role) {
    const Layout layout = role == Role::kInput ? layout_of(b) : result_layout_of(b);
    plan.tensors.push_back({.name = name,
                            .format = &format,
                            .count = layout.count,
                            .role = role,
                            .stretches = layout.apart > 0 ? b.rows : 1,
                            .apart = layout.apart});
    step.tensors.push_back(slice(b, name, name, layout));
  };
  const Role out = keeps_contents(b) ? Role::kInOut : Role::kOutput;
  if (is_backward(b.operation)) {
    add("y", *b.input, Role::kInput);
    add("dy", *b.input, Role::kInput);
    add("dx", *b.output, out);
  } else {
    add("x", *b.input, Role::kInput);
    if (has_mask(b)) add("mask", *b.input, Role::kInput);
    if (one_mask_row(b)) step.tensors.back().strides[0] = 0;
    add("y", *b.output, out);
  }
  if (b.fill == "second") {  // first the same shape in another format and other memory
    OperatorStep before = step;
    for (TensorSlice& s : before.tensors) {
      s.tensor = fmt::format("{}_before", s.role);
      const Role role = s.role == "x" ? Role::kInput : Role::kScratch;
      plan.tensors.push_back({.name = s.tensor,
                              .format = &format_before(b),
                              .count = layout_of(b).count,
                              .role = role});
    }
    plan.operators.insert(plan.operators.begin(), std::move(before));
  }
  return plan;
}

std::vector<Hypothesis> library_hypotheses(const Case& c) {
  const Binding b = bind(c);
  Rows rows(right_model(b));
  add_places(rows, b);
  add_maxima(rows);
  add_specials(rows, b);
  add_formulas(rows);
  add_sums(rows, b);
  add_roundings(rows);
  return std::move(rows).take();
}

}  // namespace halfmark::suites::softmax
