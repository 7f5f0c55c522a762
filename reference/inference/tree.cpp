// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/models/order_walk.hpp"

namespace halfmark::inference {
namespace {

using models::Tree;
using models::TreeToken;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Builds the tree of an order as a visitor of its walk: the stack holds nodes instead of sums.
class Builder {
 public:
  Builder(std::size_t products, bool addend) : addend_(addend) { tree_.products = products; }

  void start() { stack_.push_back(addend_ ? leaf(tree_.products) : kNone); }
  void start_total() { start(); }
  void zero() { stack_.push_back(kNone); }
  void product(std::size_t k) { stack_.push_back(leaf(k)); }
  void steps(std::size_t first, std::size_t stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, first += stride) {
      stack_.back() = joined(stack_.back(), leaf(first));
    }
  }
  void part() {}
  void add() {
    const std::size_t right = pop();
    stack_.back() = joined(stack_.back(), right);
  }
  void add_addend() {
    if (addend_) stack_.back() = joined(stack_.back(), leaf(tree_.products));
  }
  void fuse(std::span<const std::size_t> products, std::size_t sums, bool addend) {
    std::vector<std::size_t> children;
    for (std::size_t i = 0; i < sums; ++i) children.push_back(pop());
    for (const std::size_t k : products) children.push_back(leaf(k));
    if (addend && addend_) children.push_back(leaf(tree_.products));
    std::erase(children, kNone);
    stack_.push_back(node(std::move(children)));
  }

  [[nodiscard]] SumTree tree() { return normalised(tree_, stack_.back()); }

 private:
  std::size_t pop() {
    const std::size_t last = stack_.back();
    stack_.pop_back();
    return last;
  }
  std::size_t leaf(std::size_t number) {
    tree_.nodes.push_back({NodeKind::kLeaf, number, {}});
    return tree_.nodes.size() - 1;
  }
  // A zero from which a sum starts is not an operand.
  std::size_t joined(std::size_t x, std::size_t y) {
    if (x == kNone) return y;
    return y == kNone ? x : node({x, y});
  }
  std::size_t node(std::vector<std::size_t> children) {
    if (children.size() == 1) return children[0];
    const NodeKind kind = children.size() == 2 ? NodeKind::kPair : NodeKind::kExact;
    tree_.nodes.push_back({kind, 0, std::move(children)});
    return tree_.nodes.size() - 1;
  }

  bool addend_;
  SumTree tree_;
  std::vector<std::size_t> stack_;
};

// c first, then products by number.
std::size_t rank(const SumTree& tree, std::size_t leaf) {
  return leaf == tree.products ? 0 : leaf + 1;
}

std::vector<std::size_t> children_first(const SumTree& tree, std::size_t root) {
  std::vector<std::size_t> order{root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::vector<std::size_t>& children = tree.nodes[order[i]].children;
    order.insert(order.end(), children.begin(), children.end());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

struct Brackets {
  char open, close;
};
Brackets brackets(NodeKind kind) {
  if (kind == NodeKind::kPair) return {'(', ')'};
  return kind == NodeKind::kExact ? Brackets{'[', ']'} : Brackets{'{', '}'};
}

// Calls visit(node, place) in the order of writing, with place 0 before the node's first child, i
// between children, and the number of children after the last. It does not recurse, because trees
// may be chains.
template <typename Visit>
void in_writing_order(const SumTree& tree, const Visit& visit) {
  struct Open {
    std::size_t node, next;
  };
  std::vector<Open> open{{tree.nodes.size() - 1, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    const Node& node = tree.nodes[top.node];
    visit(node, top.next);
    if (top.next == node.children.size()) {
      open.pop_back();
    } else {
      const std::size_t child = node.children[top.next++];
      open.push_back({child, 0});
    }
  }
}

}  // namespace

bool SumTree::has(NodeKind kind) const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) { return n.kind == kind; });
}

bool SumTree::has_addend() const {
  return std::any_of(nodes.begin(), nodes.end(), [&](const Node& n) {
    return n.kind == NodeKind::kLeaf && n.leaf == products;
  });
}

SumTree normalised(const SumTree& tree, std::size_t root) {
  std::vector<std::size_t> smallest(tree.nodes.size(), kNone);
  const std::vector<std::size_t> order = children_first(tree, root);
  SumTree sorted = tree;
  for (const std::size_t index : order) {
    Node& node = sorted.nodes[index];
    smallest[index] = node.kind == NodeKind::kLeaf ? rank(tree, node.leaf) : kNone;
    for (const std::size_t child : node.children) {
      smallest[index] = std::min(smallest[index], smallest[child]);
    }
    std::sort(node.children.begin(), node.children.end(),
              [&](std::size_t x, std::size_t y) { return smallest[x] < smallest[y]; });
  }
  // Renumbered in the unique order defined by the sorted tree itself.
  SumTree result{tree.products, {}};
  std::vector<std::size_t> number(tree.nodes.size());
  for (const std::size_t index : children_first(sorted, root)) {
    Node node = sorted.nodes[index];
    for (std::size_t& child : node.children) child = number[child];
    number[index] = result.nodes.size();
    result.nodes.push_back(std::move(node));
  }
  return result;
}

std::vector<Leaves> leaves_below(const SumTree& tree) {
  std::vector<Leaves> below(tree.nodes.size(), Leaves(tree.products + 1, false));
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Node& node = tree.nodes[i];
    if (node.kind == NodeKind::kLeaf) below[i][node.leaf] = true;
    for (const std::size_t child : node.children) {
      for (std::size_t leaf = 0; leaf <= tree.products; ++leaf) {
        if (below[child][leaf]) below[i][leaf] = true;
      }
    }
  }
  return below;
}

SumTree tree_of(const models::Order& order, std::size_t count, bool addend) {
  Builder builder(count, addend);
  models::walk(order, count, builder);
  return builder.tree();
}

models::Order order_of(const SumTree& tree) {
  Tree tokens;
  in_writing_order(tree, [&](const Node& node, std::size_t place) {
    if (node.kind == NodeKind::kLeaf) {
      const bool addend = node.leaf == tree.products;
      tokens.push_back({addend ? TreeToken::Kind::kAddend : TreeToken::Kind::kProduct,
                        addend ? 0 : static_cast<std::uint32_t>(node.leaf)});
    } else if (place == node.children.size()) {
      const bool pair = node.kind == NodeKind::kPair;
      tokens.push_back({pair ? TreeToken::Kind::kJoin : TreeToken::Kind::kFuse,
                        pair ? 0 : static_cast<std::uint32_t>(node.children.size())});
    }
  });
  return models::written_tree(std::move(tokens));
}

std::string print(const SumTree& tree) {
  std::string text;
  in_writing_order(tree, [&](const Node& node, std::size_t place) {
    if (node.kind == NodeKind::kLeaf) {
      text += node.leaf == tree.products ? "c" : fmt::format("{}", node.leaf);
    } else if (place == 0) {
      text += brackets(node.kind).open;
    } else {
      text += place == node.children.size() ? brackets(node.kind).close : '+';
    }
  });
  return text;
}

}  // namespace halfmark::inference
