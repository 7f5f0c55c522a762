// SPDX-License-Identifier: Apache-2.0
// Summation trees: which operands of a sum of products and c are added together, and when. A tree
// has no formats or roundings, so different arithmetics may share one.
//
// In text (x+y) is a node of two operands, [x+y+z] a fused node that loses nothing before it
// rounds, and {x+y+z} a fused node that loses what lies far below its largest operand. Leaves are
// product numbers, and c.
#pragma once

#include <string>
#include <vector>

#include "reference/models/order.hpp"

namespace halfmark::inference {

enum class NodeKind : std::uint8_t { kLeaf, kPair, kExact, kLossy };

struct Node {
  NodeKind kind = NodeKind::kLeaf;
  std::size_t leaf = 0;  // a product's number, or the number of products for c
  std::vector<std::size_t> children;

  [[nodiscard]] bool operator==(const Node&) const = default;
};

// Nodes ordered so that children come before their parents; the root is last. Children are sorted
// by their smallest leaf, c being smaller than every product, so that equal trees are equal values.
struct SumTree {
  std::size_t products = 0;
  std::vector<Node> nodes;

  [[nodiscard]] bool operator==(const SumTree&) const = default;
  [[nodiscard]] bool has(NodeKind kind) const;
  [[nodiscard]] bool has_addend() const;
};

// A set of leaves, one flag per leaf: the products, then c.
using Leaves = std::vector<bool>;

// The leaves below each node.
[[nodiscard]] std::vector<Leaves> leaves_below(const SumTree& tree);

// The tree of an order over `count` products; without `addend` there is no c.
[[nodiscard]] SumTree tree_of(const models::Order& order, std::size_t count, bool addend);

// The order that is this tree, written out; only for trees without lossy nodes.
[[nodiscard]] models::Order order_of(const SumTree& tree);

[[nodiscard]] std::string print(const SumTree& tree);

// Puts children before their parents, sorts them, and drops unreachable nodes.
[[nodiscard]] SumTree normalised(const SumTree& tree, std::size_t root);

}  // namespace halfmark::inference
