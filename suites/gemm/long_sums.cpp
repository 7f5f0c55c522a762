// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/long_sums.hpp"

#include <algorithm>
#include <array>

#include "reference/models/order_walk.hpp"
#include "suites/core/suite/block_sizes.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Format;
using inference::Hypothesis;
using inference::Observation;
using inference::Question;
using models::Arithmetic;
using models::Combine;
using models::Order;

// Concurrent partial sums: waves of a work-group, work-groups of a device.
constexpr std::size_t kMostParts = 256;
constexpr std::size_t kMostLanes = 64;
constexpr std::size_t kMostRun = 512;
constexpr std::array kCombines{Combine::kSequential, Combine::kPairwise, Combine::kHalves};
// Outputs that a hypothesis must explain before it is compared with all.
constexpr std::size_t kScreened = 4;

// Powers of two, and 1.5 times each.
std::vector<std::size_t> tile_sizes(std::size_t most) {
  std::vector<std::size_t> sizes;
  for (const std::size_t power : power_blocks(most)) {
    sizes.push_back(power);
    if (power + power / 2 <= most) sizes.push_back(power + power / 2);
  }
  return sizes;
}

struct Sizes {
  std::vector<std::size_t> (*blocks)(std::size_t most);
  std::vector<std::size_t> (*tiles)(std::size_t most);
};
constexpr Sizes kUsual{usual_blocks, tile_sizes};
constexpr Sizes kFew{power_blocks, power_blocks};

// The order itself, and variants that combine its sums differently if there are more than two.
void push(std::vector<Order>& orders, std::size_t count, const Order& usual) {
  orders.push_back(usual);
  if (models::detail::part_count(usual, count) < 3) return;
  for (const Combine combine : kCombines) {
    if (combine == usual.combine) continue;
    orders.push_back(usual);
    orders.back().combine = combine;
    orders.back().addend = models::usual_addend(orders.back());
  }
}

std::vector<Order> orders_of(std::size_t count, const Sizes& sizes) {
  std::vector<Order> orders;
  const auto number = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  const std::size_t most = count - 1;
  for (const std::size_t size : sizes.blocks(most))
    push(orders, count, models::blocked(number(size)));
  for (const std::size_t size : sizes.blocks(std::min(most, kMostParts)))
    push(orders, count, models::split_k(number(size)));
  for (const std::size_t size : sizes.blocks(std::min(most, kMostLanes)))
    push(orders, count, models::strided(number(size)));
  for (const std::size_t width : sizes.tiles(kMostLanes)) {
    for (const std::size_t run : sizes.tiles(kMostRun)) {
      // Without a second run it equals `blocked`.
      if (width * run < count)
        push(orders, count, models::strided(number(width), Combine::kPairwise, number(run)));
    }
  }
  return orders;
}

// The order as it is, with partial sums in D's format, and with partial sums combined in
// another format.
std::vector<Arithmetic> with_options(const Arithmetic& base, const Format& output) {
  std::vector<Arithmetic> list{base};
  const Format& sums = models::sum_format(base);
  const auto add = [&](const Format* Arithmetic::* member, const Format& format) {
    list.push_back(base);
    list.back().*member = &format;
  };
  if (output.precision() < sums.precision()) {
    add(&Arithmetic::parts, output);
    add(&Arithmetic::total, output);
  }
  if (sums.precision() < formats::kFp32.precision()) add(&Arithmetic::total, formats::kFp32);
  return list;
}

bool is_chain(const Arithmetic& x) {
  if (x.unit != nullptr) return x.is_chain_of_unit();
  return !x.is_exact() && x.order == Order::kSequential;
}

// Chains that were not given: in each accumulator, and on each unit that accepts the operands.
std::vector<Hypothesis> other_chains(const Question& question,
                                     std::span<const Hypothesis> spoken_of) {
  std::vector<Hypothesis> list;
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    const Arithmetic& x = named.arithmetic;
    const bool known =
        std::ranges::any_of(spoken_of, [&](const Hypothesis& h) { return h.arithmetic == x; });
    if (!is_chain(x) || known) continue;
    if (x.unit != nullptr) {
      const auto takes = [](models::FormatSet set, const Format& format) {
        return std::ranges::any_of(set, [&](const Format* one) { return *one == format; });
      };
      if (x.unit->scale != nullptr || !takes(x.unit->a, *question.a.format) ||
          !takes(x.unit->b, *question.b.format))
        continue;
    }
    list.push_back({x, {}});
  }
  return list;
}

// A single output of it.
Observation output_of(const Observation& seen, std::size_t index) {
  const operators::GemmProblem& p = seen.question.problem;
  Observation one{.question = {.problem = p, .a = {}, .b = {}, .c = {}}, .d = {}};
  one.question.problem.m = one.question.problem.n = 1;
  one.question.a = formats::Tensor::zeros(*seen.question.a.format, p.k);
  one.question.b = formats::Tensor::zeros(*seen.question.b.format, p.k);
  for (std::size_t x = 0; x < p.k; ++x) {
    one.question.a.set(x, seen.question.a.at(index / p.n * p.k + x));
    one.question.b.set(x, seen.question.b.at(x * p.n + index % p.n));
  }
  if (seen.question.addend() != nullptr) {
    one.question.c = formats::Tensor::zeros(*seen.question.c.format, 1);
    one.question.c.set(0, seen.question.c.at(index));
  }
  one.d = formats::Tensor::zeros(*seen.d.format, 1);
  one.d.set(0, seen.d.at(index));
  return one;
}

// Outputs that depend on the order: those that a chain does not explain.
std::vector<Observation> telling(const Observation& seen, const Hypothesis& chain) {
  std::vector<Observation> list;
  for (std::size_t i = 0; i < seen.d.count() && list.size() < kScreened; ++i) {
    Observation one = output_of(seen, i);
    if (!inference::agreement(one.d, predict(chain, one.question)).whole())
      list.push_back(std::move(one));
  }
  return list;
}

bool explains(const Hypothesis& h, const std::vector<Observation>& seen) {
  return std::ranges::all_of(seen, [&](const Observation& o) {
    return inference::agreement(o.d, predict(h, o.question)).whole();
  });
}

}  // namespace

std::vector<Hypothesis> orders_explaining(const std::vector<Observation>& seen,
                                          std::span<const Hypothesis> chains) {
  std::vector<Hypothesis> explaining;
  const std::size_t count = seen.at(0).question.problem.k;
  const auto search = [&](std::span<const Hypothesis> bases, const Sizes& sizes) {
    const std::vector<Order> orders = orders_of(count, sizes);
    for (const Hypothesis& base : bases) {
      if (!is_chain(base.arithmetic)) continue;
      const std::vector<Observation> screen = telling(seen[0], base);
      if (screen.empty()) {
        if (explains(base, seen)) explaining.push_back(base);
        continue;
      }
      for (const Order& order : orders) {
        Arithmetic with_order = base.arithmetic;
        with_order.order = order;
        for (const Arithmetic& x : with_options(with_order, *seen[0].d.format)) {
          const Hypothesis h{x, base.conversions};
          if (explains(h, screen) && explains(h, seen)) explaining.push_back(h);
        }
      }
    }
  };
  search(chains, kUsual);
  if (explaining.empty()) search(other_chains(seen[0].question, chains), kFew);
  return explaining;
}

}  // namespace halfmark::suites::gemm
