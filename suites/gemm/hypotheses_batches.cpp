// SPDX-License-Identifier: Apache-2.0
// Hypotheses about batch items that read the operands of another item.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "suites/core/suite/block_sizes.hpp"
#include "suites/gemm/evaluation.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Tensor;

// Batch items from `limit` on read the operands of batch item source(item).
template <typename Source>
Tensor other_batches(Evaluation& e, Source source, bool of_a = true, bool of_b = true) {
  const operators::GemmProblem& p = e.bound.problem;
  for (auto [tensor, size] : {std::pair{&e.operands.a, p.m * p.k}, {&e.operands.b, p.k * p.n}}) {
    if (!(tensor == &e.operands.a ? of_a : of_b)) continue;
    const Tensor before = *tensor;
    for (std::size_t i = 0; i < before.count(); ++i) {
      tensor->set(i, before.at(source(i / size) * size + i % size));
    }
  }
  return e.whole();
}

// Batch items from `limit` on.
void add_batch_limit(std::vector<Hypothesis>& list, std::size_t limit) {
  add(list,
      {fmt::format("first-batch-from-{}", limit), "grid_limit",
       fmt::format("batches from {} on use the operands of the first", limit)},
      [limit](Evaluation& e) {
        return other_batches(e, [limit](std::size_t item) { return item < limit ? item : 0; });
      });
  add(list,
      {fmt::format("last-batch-from-{}", limit), "grid_limit",
       fmt::format("batches from {} on use the operands of the one before", limit)},
      [limit](Evaluation& e) {
        return other_batches(e, [limit](std::size_t item) { return std::min(item, limit - 1); });
      });
  add(list,
      {fmt::format("batches-wrap-at-{}", limit), "grid_limit",
       fmt::format("batch numbers are taken modulo {}", limit)},
      [limit](Evaluation& e) {
        return other_batches(e, [limit](std::size_t item) { return item % limit; });
      });
}

}  // namespace

void add_batches(std::vector<Hypothesis>& list, const Binding& bound) {
  if (bound.problem.batch == 1) return;
  add(list, {"first-batch-for-all", "layout", "every batch uses the operands of the first"},
      [](Evaluation& e) { return other_batches(e, [](std::size_t) { return std::size_t{0}; }); });
  for (const bool of_a : {true, false}) {
    const std::string_view word = of_a ? "A" : "B";
    add(list,
        {fmt::format("first-{}-for-all", of_a ? 'a' : 'b'), "layout",
         fmt::format("every batch uses the {} of the first", word)},
        [of_a](Evaluation& e) {
          return other_batches(e, [](std::size_t) { return std::size_t{0}; }, of_a, !of_a);
        });
    for (const std::size_t limit : power_blocks(bound.problem.batch)) {
      if (limit >= bound.problem.batch) break;
      add(list,
          {fmt::format("{}-of-batch-modulo-{}", of_a ? 'a' : 'b', limit), "index_ovf",
           fmt::format("batches use the {} of the batch whose number is the same modulo {}", word,
                       limit)},
          [of_a, limit](Evaluation& e) {
            return other_batches(
                e, [limit](std::size_t item) { return item % limit; }, of_a, !of_a);
          });
    }
  }
}

std::vector<Hypothesis> hypotheses_from_batch(const Binding& bound, std::size_t first_wrong) {
  std::vector<Hypothesis> list;
  if (bound.problem.batch == 1 || first_wrong < 2) return list;
  add_batch_limit(list, first_wrong);
  // The first batch items past the limit may be right by chance.
  if (const std::size_t power = std::bit_floor(first_wrong); power != first_wrong)
    add_batch_limit(list, power);
  return list;
}

}  // namespace halfmark::suites::gemm
