// SPDX-License-Identifier: Apache-2.0
// Hypotheses about single reads: wrong positions along k or across it, products at the end that
// count twice, truncated batch offsets.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Tensor;

// Adds the last `count` products again.
Tensor with_again(Evaluation& e, std::size_t count) {
  const operators::GemmProblem& p = e.bound.problem;
  Evaluation last = e;
  for (std::size_t i = 0; i < e.operands.a.count(); ++i) {
    if (i % p.k + count < p.k) last.operands.a.set(i, formats::zero(*e.operands.a.format));
  }
  Tensor sums = e.sums();
  const Tensor more = last.sums();
  for (std::size_t i = 0; i < sums.count(); ++i)
    sums.set(i, soft::add(*sums.format, sums.at(i), more.at(i)).bits);
  return e.finished(sums);
}

void add_repeated_terms(std::vector<Hypothesis>& list, std::size_t k) {
  for (const std::size_t block : blocks_by_tail(k, 128)) {
    const std::size_t count = k % block;
    if (block > k || std::has_single_bit(count)) continue;
    add(list,
        {fmt::format("remainder-of-{}-twice", block), "edge_tile",
         fmt::format("products beyond the last multiple of {} are added twice", block)},
        [count](Evaluation& e) { return with_again(e, count); });
  }
  for (std::size_t count = 1; count <= std::min<std::size_t>(k, 128); count *= 2) {
    add(list,
        {fmt::format("last-{}-twice", count), "edge_tile",
         fmt::format("the last {} product{} of every sum {} added twice", count,
                     count == 1 ? "" : "s", count == 1 ? "is" : "are")},
        [count](Evaluation& e) { return with_again(e, count); });
  }
}

// A position along k, or across it, that is read in place of another.
struct Slip {
  std::string_view name, before, behind;
  FindingClassName finding_class;
  std::size_t (*source)(std::size_t place, std::size_t step);
  bool along_k;
};

constexpr Slip kSlips[] = {
    {"one-early-at-multiples-of-", "every ", "th along k is the one before", "layout",
     [](std::size_t x, std::size_t step) { return x > 0 && x % step == 0 ? x - 1 : x; }, true},
    {"one-early-before-multiples-of-", "the last of every ", " along k is the one before", "layout",
     [](std::size_t x, std::size_t step) { return x % step == step - 1 ? x - 1 : x; }, true},
    {"groups-along-k-of-", "groups of ", " along k are all their first", "align",
     [](std::size_t x, std::size_t step) { return x - x % step; }, true},
    {"halves-exchanged-along-k-in-", "the halves of every ", " along k are exchanged", "layout",
     [](std::size_t x, std::size_t step) { return x ^ (step / 2); }, true},
    {"groups-across-k-of-", "rows of op(A) or columns of op(B) in groups of ",
     " are all their first", "align", [](std::size_t x, std::size_t step) { return x - x % step; },
     false},
};

// Operand A or B as the slip reads it.
Tensor slipped(const Evaluation& e, const Slip& slip, bool of_a, std::size_t step) {
  const operators::GemmProblem& p = e.bound.problem;
  const bool is_first_index = slip.along_k != of_a;  // k is the second index of op(A)
  const View& view = of_a ? e.bound.a : e.bound.b;
  const std::size_t extent = slip.along_k ? p.k : of_a ? p.m : p.n;
  const auto source = [&](std::size_t x) {
    const std::size_t other = slip.source(x, step);
    return other < extent ? other : x;
  };
  const auto at = [&](std::size_t item, std::size_t i, std::size_t j) {
    return is_first_index ? view.at(item, source(i), j) : view.at(item, i, source(j));
  };
  return of_a ? read(e.inputs.at("a"), p.batch, p.m, p.k, at)
              : read(e.inputs.at("b"), p.batch, p.k, p.n, at);
}

void add_slip(std::vector<Hypothesis>& list, const Binding& bound, const Slip& slip, bool of_a) {
  constexpr std::size_t kLargestStep = 256;
  const operators::GemmProblem& p = bound.problem;
  const std::size_t across = of_a ? p.m : p.n;
  const std::size_t extent = slip.along_k ? p.k : across;
  for (const std::size_t step : power_blocks(std::min(kLargestStep, extent))) {
    add(list,
        {fmt::format("{}-{}{}", of_a ? "a" : "b", slip.name, step), slip.finding_class,
         fmt::format("of {}, {}{}{}", of_a ? "A" : "B", slip.before, step, slip.behind)},
        [of_a, slip, step](Evaluation& e) {
          (of_a ? e.operands.a : e.operands.b) = slipped(e, slip, of_a, step);
          return e.whole();
        });
  }
}

void add_slips(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const bool of_a : {true, false}) {
    for (const Slip& slip : kSlips) add_slip(list, bound, slip, of_a);
  }
}

// Each row, or column where columns are dense, is read from the next lower address that is a
// multiple of `bytes`.
Tensor aligned_down(const Evaluation& e, bool of_a, std::size_t bytes) {
  const operators::GemmProblem& p = e.bound.problem;
  const View& view = of_a ? e.bound.a : e.bound.b;
  const bool by_columns = view.column != 1;
  const Tensor& stored = e.inputs.at(of_a ? "a" : "b");
  const std::size_t step = bytes / static_cast<std::size_t>(stored.format->storage_bytes());
  const auto at = [&](std::size_t item, std::size_t i, std::size_t j) {
    const std::size_t first = by_columns ? view.at(item, 0, j) : view.at(item, i, 0);
    return first / step * step + (by_columns ? i : j);
  };
  return of_a ? read(stored, p.batch, p.m, p.k, at) : read(stored, p.batch, p.k, p.n, at);
}

void add_alignments(std::vector<Hypothesis>& list, const Binding& bound) {
  for (const std::size_t bytes : {4U, 8U, 16U}) {
    if (bytes <= static_cast<std::size_t>(bound.operands->storage_bytes())) continue;
    for (const std::string_view which : {"a", "b", "ab"}) {
      add(list,
          {fmt::format("{}-aligned-to-{}-bytes", which, bytes), "align",
           fmt::format("rows of {} are read from the multiple of {} bytes below their address",
                       which == "ab"  ? "A and B"
                       : which == "a" ? "A"
                                      : "B",
                       bytes)},
          [which, bytes](Evaluation& e) {
            if (which != "b") e.operands.a = aligned_down(e, true, bytes);
            if (which != "a") e.operands.b = aligned_down(e, false, bytes);
            return e.whole();
          });
    }
  }
}

// Start offsets of batch items, in `bits` bits.
void add_batch_offsets(std::vector<Hypothesis>& list, const Binding& bound) {
  constexpr int kLeastBits = 4;
  const operators::GemmProblem& p = bound.problem;
  const std::size_t last = std::max(bound.a.batch, bound.b.batch) * (p.batch - 1);
  for (int bits = kLeastBits; last >> bits > 0; ++bits) {
    add(list,
        {fmt::format("batch-offsets-in-{}-bits", bits), "index_ovf",
         fmt::format("where the operands of a batch begin is computed in {} bits", bits)},
        [p, bits](Evaluation& e) {
          const std::size_t mask = (std::size_t{1} << bits) - 1;
          const auto at = [mask](const View& v) {
            return [v, mask](std::size_t item, std::size_t i, std::size_t j) {
              return v.at(0, i, j) + (item * v.batch & mask);
            };
          };
          e.operands.a = read(e.inputs.at("a"), p.batch, p.m, p.k, at(e.bound.a));
          e.operands.b = read(e.inputs.at("b"), p.batch, p.k, p.n, at(e.bound.b));
          return e.whole();
        });
  }
}

}  // namespace

void add_reads(std::vector<Hypothesis>& list, const Binding& bound) {
  if (bound.problem.k == 0) return;
  add_repeated_terms(list, bound.problem.k);
  add_slips(list, bound);
  add_alignments(list, bound);
  if (bound.problem.batch > 1) add_batch_offsets(list, bound);
}

}  // namespace halfmark::suites::gemm
