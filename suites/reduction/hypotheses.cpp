// SPDX-License-Identifier: Apache-2.0
// What implementations of reductions have been seen to do instead of what is promised.
#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/reduction/rows.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;

Bits add_narrow(const Format& f, Bits a, Bits b) { return soft::add(f, a, b).bits; }

// Partial sums of every lanes-th element, added sequentially; 1 is the sequential sum.
Bits narrow_sum(const Row& x, const Format& f, std::size_t lanes) {
  std::vector<Bits> partial(std::min(lanes, std::max<std::size_t>(1, x.width())), 0);
  for (std::size_t i = 0; i < x.width(); ++i) {
    Bits& lane = partial[i % lanes];
    lane = add_narrow(f, lane, soft::convert(x.format(), f, x.at(i)).bits);
  }
  Bits sum = partial[0];
  for (std::size_t lane = 1; lane < partial.size(); ++lane) {
    sum = add_narrow(f, sum, partial[lane]);
  }
  return sum;
}

Bits narrow_tree(const Row& x, const Format& f, std::size_t first, std::size_t count) {
  if (count == 0) return 0;
  if (count == 1) return soft::convert(x.format(), f, x.at(first)).bits;
  return add_narrow(f, narrow_tree(x, f, first, count / 2),
                    narrow_tree(x, f, first + count / 2, count - count / 2));
}

Bits from_narrow(const Binding& b, const Format& f, Bits sum) {
  if (b.operation == Operation::kSum) return soft::convert(f, *b.output, sum).bits;
  const Bits wide = soft::convert(f, kFp32, sum).bits;
  const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
  return in_output(b, soft::div(kFp32, wide, count).bits);
}

// Ways to split a sum; 0 is a tree.
constexpr std::size_t kNarrowLanes[] = {1, 0, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

Hypothesis narrow_hypothesis(const Format& f, std::size_t lanes) {
  const std::string order = lanes == 0   ? "as a tree"
                            : lanes == 1 ? "one by one"
                                         : "in " + std::to_string(lanes) + " lanes";
  return {.name = "sum-in-" + std::string(f.name) + "-" + std::to_string(lanes),
          .finding_class = "acc_narrow",
          .sentence = "the sum is kept in " + std::string(f.name) + ", " + order,
          .evaluate = [&f, lanes](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              return from_narrow(
                  b, f, lanes == 0 ? narrow_tree(x, f, 0, x.width()) : narrow_sum(x, f, lanes));
            });
          }};
}

// Stretches whose sums, usually exact in fp32, are added in `f`.
Hypothesis blocked_hypothesis(const Format& f, std::size_t block) {
  return {.name = "blocks-of-" + std::to_string(block) + "-in-" + std::string(f.name),
          .finding_class = "acc_narrow",
          .sentence = "sums of " + std::to_string(block) + " elements are added up in " +
                      std::string(f.name),
          .evaluate = [&f, block](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Bits sum = 0;
              for (std::size_t at = 0; at < x.width(); at += block) {
                const Row part = x.part(at, std::min(block, x.width() - at));
                sum = add_narrow(f, sum, nearest(f, sum_of(part).value));
              }
              return from_narrow(b, f, sum);
            });
          }};
}

// Stretches whose sums are rounded to `f` and added in fp32.
Hypothesis rounded_blocks(const Format& f, std::size_t block) {
  return {.name = "blocks-of-" + std::to_string(block) + "-rounded-to-" + std::string(f.name),
          .finding_class = "acc_narrow",
          .sentence = "sums of " + std::to_string(block) + " elements are rounded to " +
                      std::string(f.name) + " before they are added up",
          .evaluate = [&f, block](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Bits sum = 0;
              for (std::size_t at = 0; at < x.width(); at += block) {
                const Row part = x.part(at, std::min(block, x.width() - at));
                const Bits kept = nearest(f, sum_of(part).value);
                sum = soft::add(kFp32, sum, soft::convert(f, kFp32, kept).bits).bits;
              }
              return from_narrow(b, kFp32, sum);
            });
          }};
}

// The mean as a product with a reciprocal of few bits.
Hypothesis short_reciprocal(int bits) {
  return {.name = "reciprocal-of-count-of-" + std::to_string(bits) + "-bits",
          .finding_class = "low_precision",
          .sentence = "the sum is multiplied by 1/n with " + std::to_string(bits) + " good bits",
          .evaluate = [bits](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
              const int lost = kFp32.precision() - bits;
              const Bits part = soft::div(kFp32, formats::one(kFp32), count).bits >> lost << lost;
              return in_output(b, soft::mul(kFp32, nearest(kFp32, sum_of(x).value), part).bits);
            });
          }};
}

// The mean as a product with a reciprocal rounded to a narrow format.
Hypothesis narrow_reciprocal(const Format& f) {
  return {.name = "reciprocal-of-count-in-" + std::string(f.name),
          .finding_class = "early_round",
          .sentence = "the sum is multiplied by 1/n rounded to " + std::string(f.name),
          .evaluate = [&f](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              const Bits count = soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits;
              const Bits whole = soft::div(kFp32, formats::one(kFp32), count).bits;
              const Bits part = soft::convert(f, kFp32, soft::convert(kFp32, f, whole).bits).bits;
              return in_output(b, soft::mul(kFp32, nearest(kFp32, sum_of(x).value), part).bits);
            });
          }};
}

// Whether the case is small enough for many attempts, each a pass over all elements in software.
bool is_small(const Binding& b) { return b.rows * b.width <= (std::size_t{1} << 15); }

// Elements left out anywhere: at regular intervals, or one near the end.
struct LeftOut {
  std::string name, sentence;
  std::function<bool(std::size_t column, std::size_t width)> holds;
};

std::vector<LeftOut> left_out(const Binding& b) {
  constexpr std::size_t kLargestStep = 1024;
  constexpr std::size_t kMostBehind = 4;
  const std::size_t width = b.width;
  std::vector<LeftOut> list;
  if (!is_small(b)) return list;
  for (std::size_t behind = 2; behind <= std::min(kMostBehind, width); ++behind) {
    list.push_back({"left-out-" + std::to_string(behind) + "-from-the-end",
                    "the element " + std::to_string(behind) + " from the end is left out",
                    [behind](std::size_t i, std::size_t n) { return i + behind == n; }});
  }
  for (const std::size_t step : power_blocks(std::min(kLargestStep, width))) {
    for (const std::size_t at : {std::size_t{0}, step - 1}) {
      list.push_back({"every-" + std::to_string(step) + "th-left-out-at-" + std::to_string(at),
                      "elements " + std::to_string(at) + ", " + std::to_string(at + step) +
                          ", ... are left out",
                      [step, at](std::size_t i, std::size_t) { return i % step == at; }});
    }
  }
  return list;
}

Bits of_row(const Binding& b, const Row& x) {
  if (b.operation != Operation::kMax) return from_narrow(b, kFp32, nearest(kFp32, sum_of(x).value));
  const Bits found = greatest(x, [](std::size_t) { return true; });
  return soft::convert(*b.format, *b.output, found).bits;
}

Hypothesis strides_ignored() {
  return {.name = "strides-ignored",
          .finding_class = "layout",
          .sentence = "rows are taken as dense whatever the strides say",
          .evaluate = [](const Case& c, const TensorSet& in) {
            Binding dense = bind(c);
            dense.row_step = dense.width;
            dense.element_step = 1;
            std::size_t row = 0;
            return each(c, in, [&](const Binding&, const Row&) {
              return of_row(dense, Row(dense, in.at("x"), row++));
            });
          }};
}

Hypothesis without(const LeftOut& row) {
  return {.name = row.name,
          .finding_class = "edge_tile",
          .sentence = row.sentence,
          .evaluate = [holds = row.holds](const Case& c, const TensorSet& in) {
            return each(c, in, [&](const Binding& b, const Row& x) {
              Bits found = formats::infinity(*b.format, true);
              double sum = 0;
              for (std::size_t i = 0; i < x.width(); ++i) {
                if (holds(i, x.width())) continue;
                if (b.operation == Operation::kMax)
                  found = greater(*b.format, found, x.at(i));
                else
                  sum = sum + value_of(x.format(), x.at(i));
              }
              if (b.operation == Operation::kMax)
                return soft::convert(*b.format, *b.output, found).bits;
              return from_narrow(b, kFp32, nearest(kFp32, sum));
            });
          }};
}

// As by a product of a matrix with a constant vector.
Bits mean_of_scaled(const Binding& b, const Row& x) {
  const float share = 1 / static_cast<float>(b.width);
  float sum = 0;
  for (std::size_t i = 0; i < b.width; ++i)
    sum += static_cast<float>(value_of(*b.format, x.at(i))) * share;
  return nearest(*b.output, static_cast<double>(sum));
}

// In some order: the reciprocal, each product and each addition round.
Interval means_of_scaled(const Binding& b, const Row& x) {
  const Sum sum = sum_of(x);
  const auto count = static_cast<double>(b.width);
  const double off = sum_error(b.width + 2) * sum.sizes * (1 + 0x1p-10);
  return around(sum.value / count, off / count);
}

Hypothesis elements_scaled_first() {
  return {.name = "elements-scaled-first",
          .finding_class = "order",
          .sentence = "each element is divided by their number before the sum",
          .evaluate = [](const Case& c, const TensorSet& inputs) -> Expectation {
            const Binding b = bind(c);
            return {each(c, inputs, mean_of_scaled),
                    enclosure_of("y", *b.output, b.rows, [&](std::size_t row) {
                      return means_of_scaled(b, Row(b, inputs.at("x"), row));
                    })};
          },
          .freedoms = {"mean_scaling"},
          .tier = 1};
}

void add_of_means(const Binding& b, std::vector<Hypothesis>& list) {
  if (!std::has_single_bit(b.width)) list.push_back(elements_scaled_first());
  constexpr int kFewestBits = 8;
  constexpr int kMostBits = 20;
  for (int bits = kFewestBits; is_small(b) && bits <= kMostBits; ++bits)
    list.push_back(short_reciprocal(bits));
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding b = bind(c);
  if (b.operation == Operation::kMax) {
    std::vector<Hypothesis> list = hypotheses_of_maxima(b);
    if (is_strided(b.fill)) list.push_back(strides_ignored());
    for (const LeftOut& row : left_out(b)) list.push_back(without(row));
    return list;
  }
  std::vector<Hypothesis> list;
  if (is_strided(b.fill)) list.push_back(strides_ignored());
  for (const Format* f : {&formats::kFp16, &formats::kBf16}) {
    for (const std::size_t lanes : kNarrowLanes) {
      if (lanes <= 1 || lanes < b.width) list.push_back(narrow_hypothesis(*f, lanes));
    }
  }
  for (Hypothesis& h : hypotheses_of_counts(b)) list.push_back(std::move(h));
  if (b.portable) return list;
  for (Hypothesis& h : hypotheses_of_stores(b)) list.push_back(std::move(h));
  for (const Format* f : {&formats::kFp16, &formats::kBf16}) {
    if (b.operation == Operation::kMean) list.push_back(narrow_reciprocal(*f));
    for (const std::size_t block : usual_blocks(std::min<std::size_t>(b.width, 256)))
      list.push_back(blocked_hypothesis(*f, block));
    for (const std::size_t block :
         power_blocks(is_small(b) ? std::min<std::size_t>(b.width, 1024) : 1))
      list.push_back(rounded_blocks(*f, block));
  }
  if (b.operation == Operation::kMean) add_of_means(b, list);
  for (Hypothesis& h : hypotheses_of_slips(b)) list.push_back(std::move(h));
  for (const LeftOut& row : left_out(b)) list.push_back(without(row));
  return list;
}

}  // namespace halfmark::suites::reduction
