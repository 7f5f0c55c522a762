// SPDX-License-Identifier: Apache-2.0
// What implementations of losses have been seen to do instead.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "reference/formats/classify.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/loss/evaluation.hpp"

namespace halfmark::suites::loss {
namespace {

using formats::Format;
using formats::kFp16;
using formats::kFp32;

struct Row {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Operation operation;
  Departure departure;
};

constexpr Row kDepartures[] = {
    {"square-in-fp16",
     "overflow",
     "the squared difference is rounded to fp16",
     Operation::kMse,
     {.square = &kFp16}},
    {"square-in-bf16",
     "early_round",
     "the squared difference is rounded to bf16",
     Operation::kMse,
     {.square = &formats::kBf16}},
    {"difference-in-fp16",
     "early_round",
     "the difference is rounded to fp16",
     Operation::kMse,
     {.difference = &kFp16}},
    {"difference-in-bf16",
     "early_round",
     "the difference is rounded to bf16",
     Operation::kMse,
     {.difference = &formats::kBf16}},
    {"mean-over-one-less",
     "formula",
     "the sum is divided by N - 1",
     Operation::kMse,
     {.one_less = true}},
    {"count-in-bf16",
     "early_round",
     "the number of elements is rounded to bf16",
     Operation::kMse,
     {.count_in = &formats::kBf16}},
    {"sum-in-fp16",
     "acc_narrow",
     "the sum of squares is kept in fp16",
     Operation::kMse,
     {.sum_in = &kFp16}},
    {"sum-in-bf16",
     "acc_narrow",
     "the sum of squares is kept in bf16",
     Operation::kMse,
     {.sum_in = &formats::kBf16}},
    {"not-squared",
     "formula",
     "the sizes of differences are summed, and not their squares",
     Operation::kMse,
     {.not_squared = true}},
    {"gradient-difference-in-fp16",
     "early_round",
     "the difference is rounded to fp16",
     Operation::kMseBackward,
     {.difference = &kFp16}},
    {"gradient-difference-in-bf16",
     "early_round",
     "the difference is rounded to bf16",
     Operation::kMseBackward,
     {.difference = &formats::kBf16}},
    {"gradient-over-one-less",
     "formula",
     "the gradient has 2 / (N - 1) for 2 / N",
     Operation::kMseBackward,
     {.one_less = true}},
    {"factor-in-fp16",
     "underflow",
     "2/N is rounded to fp16",
     Operation::kMseBackward,
     {.factor = &kFp16}},
    {"upstream-per-element",
     "layout",
     "the upstream gradient is indexed by the element",
     Operation::kMseBackward,
     {.per_element = true}},
};

// A scale that exceeds fp16's range becomes its largest number.
Hypothesis clamped_scale() {
  return {.name = "scale-within-fp16",
          .finding_class = "scalar_precision",
          .sentence = "the scale is no more than the largest number of fp16",
          .evaluate = [](const Case& c, const TensorSet& in) {
            const Binding b = bind(c);
            const Elements e(b, in);
            const double largest = value_of(kFp16, formats::max_finite(kFp16));
            const double scale = largest < b.power() ? largest : b.power();
            return each(b, [&](std::size_t i) {
              const double product = value_of(*b.format, e.x(i)) * scale;
              return nearest(*b.output, single(product));
            });
          }};
}

Hypothesis departure(std::string name, FindingClassName finding_class, std::string sentence,
                     const Departure& d) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [d](const Case& c, const TensorSet& in) -> Expectation {
            return {middles(bind(c), in, d), intervals(bind(c), in, d)};
          }};
}

// The scale's product, rounded to an intermediate format.
Hypothesis narrow_product(const Format& f) {
  return {.name = "product-in-" + std::string(f.name),
          .finding_class = "overflow",
          .sentence = "loss times scale is rounded to " + std::string(f.name),
          .evaluate = [&f](const Case& c, const TensorSet& in) {
            const Binding b = bind(c);
            const Elements e(b, in);
            return each(b, [&](std::size_t i) {
              return nearest(*b.output, through(&f, value_of(*b.format, e.x(i)) * b.power()));
            });
          }};
}

void flush(formats::Tensor& x) {
  for (std::size_t i = 0; i < x.count(); ++i) {
    if (formats::is_subnormal(*x.format, x.at(i))) x.set(i, formats::zero(*x.format));
  }
}

// Nobody but a library's documents says how it loads; zeros of either sign may result.
Hypothesis flushed_operands() {
  return {.name = "operands-flushed",
          .finding_class = "ftz_in",
          .sentence = "subnormal operands are taken as zero",
          .evaluate = [](const Case& c, const TensorSet& in) -> Expectation {
            TensorSet loaded = in;
            for (auto& [name, tensor] : loaded) flush(tensor);
            TensorSet right = refer(c, loaded, {});
            const Enclosure right_alone{.low = right, .high = right};
            return {std::move(right), enclose(c, loaded).value_or(right_alone)};
          },
          .freedoms = {"conversion_subnormals"}};
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding bound = bind(c);
  std::vector<Hypothesis> list;
  // What is converted when it is loaded.
  if (!bound.portable && *bound.format != kFp32) list.push_back(flushed_operands());
  if (bound.operation == Operation::kScale) {
    list.push_back(narrow_product(kFp16));
    list.push_back(narrow_product(formats::kBf16));
    list.push_back(clamped_scale());
  }
  for (const Row& row : kDepartures) {
    if (row.operation != bound.operation) continue;
    list.push_back(departure(std::string(row.name), row.finding_class, std::string(row.sentence),
                             row.departure));
  }
  if (bound.operation != Operation::kMse) return list;
  for (const Format* f : {&kFp16, &formats::kBf16}) {
    for (const std::size_t block : power_blocks(std::min<std::size_t>(bound.width, 512))) {
      list.push_back(
          departure(fmt::format("blocks-of-{}-in-{}", block, f->name), "acc_narrow",
                    fmt::format("squares are summed in {}, {} at a time, and so are the sums",
                                f->name, block),
                    {.sum_in = f, .block = block}));
    }
  }
  for (const std::size_t block : blocks_by_tail(bound.width, 1024)) {
    list.push_back(
        departure(fmt::format("tail-of-{}-left-out", block), "edge_tile",
                  fmt::format("elements from the last multiple of {} on are not summed", block),
                  {.tail_of = block}));
  }
  return list;
}

}  // namespace halfmark::suites::loss
