// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/orders.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "reference/models/order_walk.hpp"

namespace halfmark::inference {
namespace {

using models::Addend;
using models::Combine;
using models::Order;

constexpr std::array kCombines{Combine::kSequential, Combine::kPairwise, Combine::kHalves};
// Registers of processors, and how many a loop keeps.
constexpr std::array kLanes{4U, 8U, 16U, 32U};
constexpr std::array kUnrolls{1U, 2U, 4U, 8U};

void push_with_addends(std::vector<Order>& orders, Order order, bool addend) {
  orders.push_back(order);
  if (!addend || !models::addend_can_move(order)) return;
  order.addend = order.addend == Addend::kFirst ? Addend::kLast : Addend::kFirst;
  orders.push_back(order);
}

// The leaves below each partial sum and below each sum of them, as a visitor of walk().
class Skeleton {
 public:
  Skeleton(std::size_t products, bool addend) : none_(products + 1, false), addend_(addend) {}

  void start() {
    zero();
    stack_.back().back() = addend_;
  }
  void start_total() { start(); }
  void zero() { stack_.push_back(none_); }
  void product(std::size_t k) {
    zero();
    stack_.back()[k] = true;
  }
  void steps(std::size_t first, std::size_t stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, first += stride) stack_.back()[first] = true;
  }
  void part() { sums.push_back(stack_.back()); }
  void add() {
    const Leaves right = std::move(stack_.back());
    stack_.pop_back();
    for (std::size_t i = 0; i < right.size(); ++i) stack_.back()[i] = stack_.back()[i] || right[i];
    part();
  }
  void add_addend() {
    stack_.back().back() = addend_;
    part();
  }
  void fuse(std::span<const std::size_t>, std::size_t, bool) {}

  std::vector<Leaves> sums;

 private:
  Leaves none_;
  bool addend_;
  std::vector<Leaves> stack_;
};

std::vector<Order> shortest_first(std::vector<Order> orders) {
  std::multimap<std::size_t, Order> by_length;  // equal lengths keep their order
  for (Order& order : orders) {
    const std::size_t length = models::print(order).size();
    by_length.emplace(length, std::move(order));
  }
  std::vector<Order> sorted;
  for (auto& [length, order] : by_length) sorted.push_back(std::move(order));
  return sorted;
}

// The orders of loops over registers: with products left over, or combined by fours at the end.
std::vector<Order> register_orders(std::size_t count) {
  std::vector<Order> orders;
  for (const std::uint32_t lanes : kLanes) {
    if (lanes > 4 && lanes < count) orders.push_back(models::strided(lanes, Combine::kFolded));
    for (const std::uint32_t unroll : kUnrolls) {
      if (lanes * unroll > count) continue;
      const bool has_rest = unroll > 1 && count > 4 * unroll && count % (lanes / 2 * unroll) != 0;
      if (lanes <= 8 && has_rest) orders.push_back(models::unrolled(lanes / 2, unroll));
      for (const Combine along : {Combine::kHalves, Combine::kFolded, Combine::kPairwise}) {
        for (const Combine across : kCombines) {
          if (unroll <= 2 && across != Combine::kHalves) continue;
          orders.push_back(models::vectors(lanes, along, unroll, across));
        }
      }
    }
  }
  return orders;
}

}  // namespace

std::vector<Order> all_orders(std::size_t count, bool addend) {
  std::vector<Order> orders;
  for (const Order::Kind kind : {Order::kSequential, Order::kReversed, Order::kPairwise}) {
    push_with_addends(orders, kind, addend);
  }
  // A single partial sum, or as many as there are products, is another order in disguise.
  for (std::uint32_t size = 2; size < count; ++size) {
    for (const Combine combine : kCombines) {
      push_with_addends(orders, models::strided(size, combine), addend);
      push_with_addends(orders, models::blocked(size, combine), addend);
      push_with_addends(orders, models::split_k(size, combine), addend);
      // If no partial sum has a second run, the order is `blocked`.
      for (std::uint32_t run = 2; run * size < count; ++run)
        push_with_addends(orders, models::strided(size, combine, run), addend);
    }
  }
  return orders;
}

std::vector<Order> orders_with(const SumTree& tree, bool addend) {
  std::vector<Order> matching;
  if (tree.has(NodeKind::kLossy)) return matching;
  if (!tree.has(NodeKind::kExact)) {
    std::vector<Order> orders = all_orders(tree.products, addend);
    const std::vector<Order> more = register_orders(tree.products);
    orders.insert(orders.end(), more.begin(), more.end());
    for (const Order& order : orders) {
      if (tree_of(order, tree.products, addend) == tree) matching.push_back(order);
    }
  }
  if (matching.empty()) matching.push_back(order_of(tree));
  return shortest_first(std::move(matching));
}

std::vector<Order> orders_of_parts(const SumTree& tree, bool addend) {
  const std::vector<Leaves> below = leaves_below(tree);
  const std::set<Leaves> nodes(below.begin(), below.end());
  std::vector<Order> matching;
  for (const Order& order : all_orders(tree.products, addend)) {
    if (!order.has_parts()) continue;
    Skeleton skeleton(tree.products, addend);
    models::walk(order, tree.products, skeleton);
    const bool holds = std::ranges::all_of(
        skeleton.sums, [&](const Leaves& leaves) { return nodes.contains(leaves); });
    if (holds) matching.push_back(order);
  }
  return shortest_first(std::move(matching));
}

}  // namespace halfmark::inference
